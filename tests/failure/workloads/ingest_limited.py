"""Ingest a folder in a process in which no file may grow beyond a size: what a full disk is to every library in it.

    python ingest_limited.py DOCS KB BYTES        exit code and messages are those of `ingest run`
"""

from __future__ import annotations

import resource
import sys

from ingest.cli.main import main

if __name__ == "__main__":
    docs, kb, most = sys.argv[1:4]
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
    sys.argv = ["ingest", "run", docs, "--kb", kb]
    main()
