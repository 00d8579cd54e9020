"""Turns files into Markdown one after the other in a process of its own, and tells what each cost: the part all engines share.

The first argument of an engine's script is a folder for its Markdown; what it reads from standard input are paths, one a line.
What it prints last is JSON: CPU seconds before the first file and for all of them, the most memory, and each file's failure or
wall time. Standard library only: it runs in the peers' environment.
"""

from __future__ import annotations

import hashlib
import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Told = dict[str, dict[str, Any]]
"""File -> `seconds` of wall time, and `failure`: why there is no Markdown of it, or None."""


def target(folder: Path, file: Path) -> Path:
    """Return where the Markdown of a file goes. Two sets may hold the same name."""
    return folder / f"{hashlib.sha256(str(file).encode()).hexdigest()[:12]}-{file.stem}.md"


MOST_SECONDS = 120
"""A file that takes longer is a failure. Whoever waits inside a library is not interrupted, and stops the whole run later."""


def turn_each(convert: Callable[[Path], str]) -> None:
    """Convert each file named on standard input by itself. A failure is the file's, not the run's."""

    def convert_all(files: Sequence[Path], folder: Path) -> Told:
        told: Told = {}
        for file in files:
            started = time.perf_counter()
            failure = None
            signal.alarm(MOST_SECONDS)
            try:
                target(folder, file).write_text(convert(file), encoding="utf-8", errors="replace")
            except Exception as error:
                failure = f"{type(error).__name__}: {error}"[:300]
            finally:
                signal.alarm(0)
            told[str(file)] = {"seconds": time.perf_counter() - started, "failure": failure}
        return told

    signal.signal(signal.SIGALRM, _too_long)
    turn_all(convert_all)


def _too_long(*_: object) -> None:
    raise TimeoutError(f"no result after {MOST_SECONDS} seconds")


def turn_all(convert_all: Callable[[Sequence[Path], Path], Told]) -> None:
    """Convert all files in one call, for an engine that is made to be used so."""
    folder = Path(sys.argv[1])
    files = [Path(line) for line in sys.stdin.read().splitlines()]
    out = os.dup(1)
    os.dup2(2, 1)  # what libraries print is not the answer
    before = _cpu()
    told = convert_all(files, folder)
    spent = _cpu() - before
    answer = {"cpu_before": before, "cpu": spent, "memory": _memory(), "files": told}
    with os.fdopen(out, "w") as stream:
        stream.write(json.dumps(answer))


def _cpu() -> float:
    """CPU seconds of this process and of its children that have ended."""
    return sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))


def _memory() -> int:
    """Bytes of the largest process at its peak: this one, or a child that does the work."""
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) * 1024
