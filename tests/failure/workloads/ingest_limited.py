"""Ingest a folder in a process in which no file may grow beyond a size: what a full disk is to every library in it.

    python ingest_limited.py DOCS KB [BYTES]      exit code and messages are those of `ingest run`; without BYTES, no limit
"""

from __future__ import annotations

import resource
import sys

from ingest.cli.main import main

if __name__ == "__main__":
    docs, kb, *most = sys.argv[1:]
    for size in map(int, most):
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    sys.argv = ["ingest", "run", docs, "--kb", kb]
    main()
