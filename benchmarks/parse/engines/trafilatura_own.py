"""trafilatura's text of a page, favouring precision as its documentation advises for such use; it does the decoding too."""

from __future__ import annotations

from pathlib import Path

import trafilatura

from benchmarks.parse.engines.turn import turn_each


def convert(file: Path) -> str:
    return trafilatura.extract(file.read_bytes(), favor_precision=True, include_tables=True, include_comments=False) or ""


if __name__ == "__main__":
    turn_each(convert)
