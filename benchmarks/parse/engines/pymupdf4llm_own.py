"""pymupdf4llm's Markdown with its defaults: headers and footers, its layout model for tables and headings."""

from __future__ import annotations

from pathlib import Path

import pymupdf4llm  # type: ignore[import-not-found]

from benchmarks.parse.engines.turn import turn_each


def convert(file: Path) -> str:
    return str(pymupdf4llm.to_markdown(str(file)))


if __name__ == "__main__":
    turn_each(convert)
