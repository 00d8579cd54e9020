"""markitdown's Markdown with its defaults."""

from __future__ import annotations

from pathlib import Path

from markitdown import MarkItDown  # type: ignore[import-not-found]

from benchmarks.parse.engines.turn import turn_each

ENGINE = MarkItDown(enable_plugins=False)


def convert(file: Path) -> str:
    return str(ENGINE.convert(str(file)).text_content)


if __name__ == "__main__":
    turn_each(convert)
