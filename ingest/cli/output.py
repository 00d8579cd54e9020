"""Results on stdout: JSON for machines, text for people. Never a control character of a document on a terminal."""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import orjson


@contextlib.contextmanager
def work_apart() -> Iterator[None]:
    """While the work is done, send what libraries print, in Python or below it, to stderr: stdout is for results alone."""
    sys.stdout.flush()
    results = os.dup(1)
    try:
        os.dup2(2, 1)
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        ctypes.CDLL(None).fflush(None)  # what C libraries have buffered must not come out later
        os.dup2(results, 1)
        os.close(results)


def print_json(value: Any) -> None:
    """Print one JSON document: dataclasses as objects, two spaces of indentation, a newline at the end.

    `value` has texts of Unicode and 64-bit integers only (see `ingest.cli.options.text`)."""
    sys.stdout.buffer.write(orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
    sys.stdout.buffer.flush()


def say(text: str = "") -> None:
    """Print a line of text."""
    print(safe(text))


def safe(text: str) -> str:
    """Return a text without what could drive a terminal: retrieved text is data."""
    return "".join(character for character in text if character in "\n\t" or unicodedata.category(character) not in ("Cc", "Cs"))


def table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print aligned columns; wide (Chinese) characters count as two."""
    lines = [[safe(str(cell)) for cell in row] for row in (headings, *rows)]
    widths = [max(width(line[column]) for line in lines) for column in range(len(headings))]
    for line in lines:
        print("  ".join(cell + " " * (wide - width(cell)) for cell, wide in zip(line, widths, strict=True)).rstrip())


def width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(character) in "WF" else 1 for character in text)
