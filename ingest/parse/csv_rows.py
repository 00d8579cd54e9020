"""Lines become records of cells, quotes and all; a broken quote costs its own line the meaning of its quotes and nothing more."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence

RECORD_LINES = 500
"""Lines that one record may have before its quote counts as never closed."""
MANY_BROKEN = 200
"""After so many lines with broken quotes, quotes mean nothing in this file: looking for their other half takes all the time."""

Row = tuple[int, int, list[str]]
"""First and last line, and the cells."""


def rows_of(lines: Sequence[str], delimiter: str, quote: str = '"', first: int = 1) -> Iterator[Row]:
    """The records of a table, with the lines that they stand in. Every character that is no syntax is in a cell."""
    at = broken = 0
    while at < len(lines):
        if broken > MANY_BROKEN:
            yield first + at, first + at, _cut_leniently(lines[at], delimiter, quote)
            at += 1
            continue
        source = _Lines(lines, at)
        reader = csv.reader(source, delimiter=delimiter, quotechar=quote, strict=True)
        began = at
        try:
            for cells in reader:
                yield first + began, first + source.at - 1, cells
                began = source.record = source.at
            return
        except csv.Error:  # quotes that do not close, that have something behind them, or hold more than a cell may
            yield first + began, first + began, _cut_leniently(lines[began], delimiter, quote)
            at, broken = began + 1, broken + 1


class _Lines:
    """Lines from `at` on, and an error where one record has swallowed too many."""

    def __init__(self, lines: Sequence[str], at: int) -> None:
        self._lines = lines
        self.at = self.record = at

    def __iter__(self) -> _Lines:
        return self

    def __next__(self) -> str:
        if self.at >= len(self._lines):
            raise StopIteration
        if self.at - self.record > RECORD_LINES:
            raise csv.Error
        self.at += 1
        return self._lines[self.at - 1] + "\n"


def _cut_leniently(line: str, delimiter: str, quote: str) -> list[str]:
    """The cells of one line that is not written by the rules."""
    if line.count(quote) % 2 == 0:
        try:
            return next(csv.reader([line], delimiter=delimiter, quotechar=quote), [])
        except csv.Error:
            pass
    return line.split(delimiter)
