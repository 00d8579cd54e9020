"""Tables that people draw in plain text: with bars and rules, with box-drawing characters, with tabs, or with spaces alone.

`table_in` gets the lines between two blank ones and returns a table, or None where they are something else. Columns are display
columns: a Han character takes two. Space alone makes a table only where gutters of two columns run through all of its lines.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from itertools import groupby, pairwise

from ingest.model.document import Table
from ingest.parse.csv_dialect import header_rows, is_value

LEAST_LINES = 3
"""Of a table that only spaces or tabs make; two lines agree by chance."""
LEAST_FILLED = 0.5
WIDEST_CELL = 60
"""In columns, on the average: wider ones are two columns of prose beside each other."""
MOST_LINES = 5_000

_BAR = "|│┃║¦"
_RULE_LINE = re.compile(r"\s*[-=_─━═+┼╋╬├┤┌┐└┘┬┴╔╗╚╝╠╣╦╩╞╡╪╭╮╰╯|│┃║:\s]+\s*")
_CELL_BREAK = re.compile(r"\s{2,}|\t+")
_HEADER_RULE = re.compile(r"[=═╞╪╡]")
_UNDERLINES = re.compile(r"(?=.*(?:--|==))\s*[-=]+(?:\s+[-=]+)+\s*")
_WIDE = frozenset("WF")


def table_in(lines: Sequence[str]) -> Table | None:
    """Return the table that these lines are, all of them, or None."""
    if len(lines) < 2 or len(lines) > MOST_LINES:
        return None
    return _drawn(lines) or _tabbed(lines) or _aligned(lines)


def columns(text: str) -> int:
    """The width of a text on a screen."""
    if text.isascii():
        return len(text)
    return sum(2 if unicodedata.east_asian_width(c) in _WIDE else 1 for c in text)


# -- bars and boxes -----------------------------------------------------------------------------------------------------


def _drawn(lines: Sequence[str]) -> Table | None:
    """Cells between bars, with rules between all rows or only under the header; a cell may have several lines between rules."""
    rules = [_is_rule(line) for line in lines]
    barred = [line for line, rule in zip(lines, rules, strict=True) if not rule]
    if len(barred) < 2 - any(rules) or not barred or not all(_has_bars(line) for line in barred):
        return None
    bar = max(_BAR, key=lambda one: sum(line.count(one) for line in barred))
    counts = [_inside(line).count(bar) for line in barred]
    if min(counts) < 1 or (not any(rules) and len(set(counts)) > 1):
        return None
    told = list(zip(lines, rules, strict=True))
    groups = [[_cells(line, bar) for line, _ in part] for rule, part in groupby(told, key=lambda one: one[1]) if not rule]
    rows, header = _rows_of(groups, any(_HEADER_RULE.search(line) for line, rule in told if rule))
    return _made(rows, header if any(rules) else header_rows(rows))


def _is_rule(line: str) -> bool:
    return bool(_RULE_LINE.fullmatch(line)) and any(c in "-=_─━═" for c in line)


def _has_bars(line: str) -> bool:
    """A bar at both ends, or cells between bars with room around them."""
    text = line.strip()
    return (text[0] in _BAR and text[-1] in _BAR and len(text) > 2) or any(f" {bar} " in text for bar in _BAR)


def _inside(line: str) -> str:
    text = line.strip()
    return text[text[0] in _BAR : -1 if text[-1] in _BAR and len(text) > 1 else None]


def _cells(line: str, bar: str) -> list[str]:
    return [cell.strip() for cell in _inside(line).split(bar)]


def _rows_of(groups: list[list[list[str]]], ruled_header: bool) -> tuple[list[list[str]], int]:
    """Rows of the groups of lines between rules.

    Two groups are a header and rows of a line each; more are a row each, with cells of several lines.
    """
    if len(groups) == 1:
        return groups[0], 0
    if len(groups) == 2 and not (ruled_header and len(groups[1]) == 1):
        return [_joined(groups[0]), *_continued(groups[1])], 1
    return [_joined(group) for group in groups], 1


def _joined(lines: list[list[str]]) -> list[str]:
    width = max(map(len, lines))
    return [" ".join(filter(None, (line[at] for line in lines if at < len(line)))) for at in range(width)]


def _continued(lines: list[list[str]]) -> list[list[str]]:
    """Rows, with a line that fills one cell, and not the first, taken as the rest of the row above."""
    rows: list[list[str]] = []
    for line in lines:
        if rows and not line[0] and len(line) == len(rows[-1]) and sum(map(bool, line)) == 1:
            rows[-1] = [" ".join(filter(None, pair)) for pair in zip(rows[-1], line, strict=True)]
        else:
            rows.append(line)
    return rows


# -- tabs and spaces ----------------------------------------------------------------------------------------------------


def _tabbed(lines: Sequence[str]) -> Table | None:
    """As many cells in each line, two and more, with a tab between."""
    if not all("\t" in line.strip() for line in lines):
        return None
    rows = [[cell.strip() for cell in line.strip("\n").split("\t")] for line in lines]
    rows = [row[: next((at for at in range(len(row), 0, -1) if row[at - 1]), 1)] for row in rows]
    if len({len(row) for row in rows}) > 1:
        rows = [[cell for cell in row if cell] for row in rows]
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < 2 or len(rows) < 2 or _is_prose(rows):
        return None
    return _made(rows, header_rows(rows))


def _aligned(lines: Sequence[str]) -> Table | None:
    """Cells one below the other, with gutters of spaces through all lines; a line of dashes may part the header."""
    ruled = [at for at, line in enumerate(lines) if _UNDERLINES.fullmatch(line) or _is_plain_rule(line)]
    content = [line.expandtabs(8) for at, line in enumerate(lines) if at not in ruled]
    if len(content) < LEAST_LINES - bool(ruled) or not any(_CELL_BREAK.search(line.strip()) for line in content):
        return None
    if sum(1 for line in content if _CELL_BREAK.search(line.strip())) < 0.7 * len(content):
        return None
    wide = [_widened(line) for line in content]
    gutters = _gutters(wide)
    if not gutters:
        return None
    rows = [_sliced(line, gutters) for line in wide]
    cells = [cell for row in rows for cell in row]
    filled = sum(map(bool, cells))
    if filled < LEAST_FILLED * len(cells) or sum(1 for row in rows if row[0]) < 0.6 * len(rows) or _is_prose(rows):
        return None
    # Two columns of words and no figure are a glossary or chance: they must be drawn with care.
    if len(rows[0]) == 2 and not ruled and not any(is_value(row[1]) for row in rows) and len(rows) < 5:
        return None
    header = sum(1 for line in lines[: ruled[0]] if line.strip()) if ruled and ruled[0] > 0 else None
    return _made(rows, header if header is not None and header < len(rows) and header <= 3 else header_rows(rows))


def _is_plain_rule(line: str) -> bool:
    return bool(re.fullmatch(r"\s*(?:-{3,}|={3,}|_{3,}|─{3,})\s*", line))


def _widened(line: str) -> str:
    """The line with a NUL behind each character of two columns, so that an index is a column."""
    return line if line.isascii() else "".join(c + "\0" if unicodedata.east_asian_width(c) in _WIDE else c for c in line)


def _gutters(lines: Sequence[str]) -> list[tuple[int, int]]:
    """The runs of two columns and more that are empty in every line, between what stands left and right of them."""
    width = max(map(len, lines))
    used = bytearray(width + 1)
    for line in lines:
        for match in re.finditer(r"\S+", line):
            used[match.start() : match.end()] = b"\1" * (match.end() - match.start())
    return [gutter.span() for gutter in re.finditer(rb"(?<=\x01)\x00{2,}(?=\x01)", bytes(used[:width]))]


def _sliced(line: str, gutters: Sequence[tuple[int, int]]) -> list[str]:
    cuts = [0, *(end for _, end in gutters), len(line) + 1]
    return [line[start:end].replace("\0", "").strip() for start, end in pairwise(cuts)]


def _is_prose(rows: Sequence[Sequence[str]]) -> bool:
    widths = [columns(cell) for row in rows for cell in row if cell]
    return sum(widths) > WIDEST_CELL * len(widths)


def _made(rows: Iterable[Sequence[str]], header: int) -> Table | None:
    kept = [list(row) for row in rows]
    width = max(map(len, kept), default=0)
    if width < 2 or not any(cell for row in kept for cell in row):
        return None
    filled = tuple(tuple(row + [""] * (width - len(row))) for row in kept)
    return Table(filled, header if header < len(filled) else 0)
