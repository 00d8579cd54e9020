"""Concord, as `ingest parse` would print it. Settings come from the environment, as for `ingest` itself."""

from __future__ import annotations

from pathlib import Path

from benchmarks.parse.engines.turn import turn_each
from ingest.cli.markdown import pieces
from ingest.parse.isolate import parse_guarded
from ingest.settings import load

SETTINGS = load().parse


def convert(file: Path) -> str:
    return "\n\n".join(pieces(parse_guarded(file.read_bytes(), file.name, SETTINGS)))


if __name__ == "__main__":
    turn_each(convert)
