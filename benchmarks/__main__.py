"""Every benchmark, one after the other, each in a process of its own: `make bench`.

    python -m benchmarks [NAME ...]        without names: all of them, about twenty minutes on two cores
"""

from __future__ import annotations

import importlib
import subprocess
import sys

NAMES = (
    "ingest_peers", "growth", "scale", "search_latency", "embed", "bm25_quality", "retrieval", "tampering", "serving", "planning",
    "flow_overhead", "remote_roots",
)


def main() -> None:
    failed = []
    for name in sys.argv[1:] or NAMES:
        title = (importlib.import_module(f"benchmarks.{name}").__doc__ or name).partition("\n")[0]
        print(f"\n## {name}\n\n{title}\n", flush=True)
        if subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode:
            failed.append(name)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
