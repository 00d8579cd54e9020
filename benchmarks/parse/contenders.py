"""Who is measured: Concord and the engines that people would pick instead. Each turns all files in one process of its own.

The peers live in `.venv-peers` (made by `benchmarks.ingest_peers.build_peers`), all but liteparse, which Concord is fed by and is
measured where it lies. opendataloader-pdf needs Java (Debian: default-jre-headless).
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from benchmarks.ingest_peers import PEERS, PROJECT, QUIET, SINGLE_THREADED
from benchmarks.parse.engines.turn import target

_HERE = "benchmarks.parse.engines"
_MOST_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Contender:
    """An engine: its name in the tables, the module that runs it, in whose Python, and its settings as variables."""

    name: str
    module: str
    python: Path
    environment: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, slots=True)
class Turned:
    """What an engine made of files: where its Markdown is, what failed and why, how long each took (wall seconds), CPU seconds
    before the first and for all, and the bytes of its largest process at the peak."""

    folder: Path
    failures: Mapping[Path, str]
    seconds: Mapping[Path, float]
    cpu_before: float
    cpu: float
    memory: int

    def markdown(self, file: Path) -> str:
        """Return the Markdown of a file, nothing when the engine failed."""
        path = target(self.folder, file)
        return path.read_text(encoding="utf-8") if path.exists() else ""


def everybody() -> dict[str, Contender]:
    """Return the contenders by the word that names them on the command line, ourselves first."""
    ours, theirs = Path(sys.executable), PEERS / "bin" / "python"
    return {
        "concord": Contender("Concord (liteparse)", f"{_HERE}.concord", ours, {"INGEST_PARSE__PDF_ENGINE": "liteparse"}),
        "concord-pymupdf": Contender("Concord (pymupdf 2.0)", f"{_HERE}.concord", ours, {"INGEST_PARSE__PDF_ENGINE": "pymupdf"}),
        "liteparse": Contender("liteparse 2.18.0", f"{_HERE}.liteparse_own", ours),
        "pymupdf4llm": Contender("pymupdf4llm 2.0", f"{_HERE}.pymupdf4llm_own", theirs),
        "opendataloader": Contender("opendataloader-pdf 2.5.0", f"{_HERE}.opendataloader_own", theirs),
        "markitdown": Contender("markitdown 0.1.9", f"{_HERE}.markitdown_own", theirs),
    }


def for_pages() -> list[Contender]:
    """Return those who find the article in a web page."""
    trafilatura = Contender("trafilatura", f"{_HERE}.trafilatura_own", Path(sys.executable))
    return [Contender("Concord", f"{_HERE}.concord", Path(sys.executable)), trafilatura, everybody()["markitdown"]]


def seeing() -> Contender:
    """Return Concord, telling all that it saw as JSON (see `engines/concord_seen.py`)."""
    return Contender("Concord", f"{_HERE}.concord_seen", Path(sys.executable))


def turn(one: Contender, files: Sequence[Path], folder: Path) -> Turned:
    """Run an engine over files; its Markdown goes to `folder`. Raises RuntimeError when it could not be run at all."""
    folder.mkdir(parents=True, exist_ok=True)
    run = subprocess.run(
        [str(one.python), "-m", one.module, str(folder)], input="\n".join(map(str, files)), capture_output=True, text=True,
        env={**os.environ, **QUIET, **SINGLE_THREADED, "PYTHONPATH": str(PROJECT), **one.environment}, cwd=PROJECT,
        timeout=_MOST_SECONDS, check=False,
    )
    if run.returncode:
        raise RuntimeError(f"{one.name} ended with {run.returncode}: {run.stderr.strip()[-500:]}")
    told = json.loads(run.stdout)
    each = {Path(file): item for file, item in told["files"].items()}
    return Turned(
        folder, {file: item["failure"] for file, item in each.items() if item["failure"]},
        {file: item["seconds"] for file, item in each.items()}, told["cpu_before"], told["cpu"], told["memory"],
    )
