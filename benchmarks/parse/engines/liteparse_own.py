"""liteparse's own Markdown. OCR is off: it would need a network, or models, that no other engine here is given."""

from __future__ import annotations

from pathlib import Path

from liteparse import LiteParse

from benchmarks.parse.engines.turn import turn_each

ENGINE = LiteParse(ocr_enabled=False, max_pages=100_000, quiet=True, output_format="markdown")


def convert(file: Path) -> str:
    return str(ENGINE.parse(str(file)).text)


if __name__ == "__main__":
    turn_each(convert)
