"""A table without (all) its lines, read off the alignment of its texts: columns, rows, and cells over several of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from ingest.parse.pdf.cells import Cell, cell_text, table_of
from ingest.parse.pdf.columns import Column, across, columns_of
from ingest.parse.pdf.page import Area, Item
from ingest.parse.pdf.rows import Band, rows_of
from ingest.parse.pdf.runs import Run, lines_of, runs_of
from ingest.parse.pdf.strokes import Stroke

MOST_COLUMNS = 40
MANY_RULES = 4
WHOLE = 0.75
"""Share of a table's width from which a rule is one under all columns."""


@dataclass(slots=True)
class Reading:
    """How a part of a page reads as a table: columns, rows by height and what is a heading."""

    columns: list[Column]
    rows: list[Band]
    apart: float
    heads: int


@dataclass(slots=True)
class _Piece:
    """Runs of one cell in one row band."""

    first: int
    last: int
    runs: list[Run]

    @property
    def y0(self) -> float:
        return min(run.y0 for run in self.runs)

    @property
    def y1(self) -> float:
        return max(run.y1 for run in self.runs)

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


def read(items: Sequence[Item], rules: Sequence[Stroke]) -> Reading | None:
    """Read items as a table; `rules` are horizontal strokes among them, which part rows. None when there are no columns."""
    runs = runs_of(items)
    columns = columns_of(lines_of(runs))
    if not 2 <= len(columns) <= MOST_COLUMNS:
        return None
    x0, x1 = columns[0].x0, columns[-1].x1
    whole = {rule.at for rule in rules if min(rule.end, x1) - max(rule.start, x0) > WHOLE * (x1 - x0)}
    # A rule over some columns parts rows, too, unless a cell beside it stands at its height.
    heights = sorted(whole | {rule.at for rule in rules if not any(run.y0 + 1 < rule.at < run.y1 - 1 for run in runs)})
    parts: list[list[Run]] = [[] for _ in range(len(heights) + 1)]
    for run in runs:
        parts[sum(run.middle > at for at in heights)].append(run)
    found, apart = rows_of(runs, columns)
    filled = [part for part in parts if part]
    # Where (nearly) every row has its rule, one between two rules is one row, however many lines its cells have.
    one_each = len(filled) >= MANY_RULES and sum(_is_one_line(part) for part in filled) >= 0.6 * len(filled)
    rows = found if len(filled) == 1 else [
        row for part in filled for row in ([Band.of(part, columns)] if one_each or len(part) <= 3 else rows_of(part, columns)[0])
    ]
    heads = sum(row.y1 < min(whole) + 1 for row in rows) if whole else 0
    return Reading(columns, rows, apart, heads if heads < len(rows) else 0)


def _is_one_line(part: Sequence[Run]) -> bool:
    return len(lines_of(part)) == 1


def area_of(
    reading: Reading, items: Sequence[Item], rules: Sequence[Stroke], box: tuple[float, float, float, float]
) -> Area | None:
    """Return the table that a reading of these items says."""
    cells: list[Cell] = []
    top = 0
    heads = 0
    for number, band in enumerate(reading.rows):
        pieces = list(_pieces(band, reading.columns, reading.apart))
        cuts = _cuts(band, pieces)
        cells += _placed(band, pieces, cuts, top)
        top += len(cuts) + 1
        if number + 1 == max(reading.heads, 1):
            heads = top
    table = table_of(_widened(cells, heads, reading.columns, rules), heads)
    if table is None:
        return None
    return Area(*box, table, list(items), (*(column.x0 for column in reading.columns), reading.columns[-1].x1))


def _pieces(band: Band, columns: Sequence[Column], apart: float) -> Iterator[_Piece]:
    """Gather the runs of a band by the columns they reach into, and part those that stand apart in height."""
    wide: list[_Piece] = []
    narrow: list[_Piece] = []
    for run in sorted(band.runs, key=lambda r: (r.y0, r.x0)):
        first, last = across(run, columns) or (0, 0)
        for near in wide if last > first else ():
            if near.first <= last and first <= near.last and run.y0 - near.y1 <= apart:
                near.first, near.last = min(near.first, first), max(near.last, last)
                near.runs.append(run)
                break
        else:
            (wide if last > first else narrow).append(_Piece(first, last, [run]))
    out = list(wide)
    for piece in narrow:
        over = [
            one for one in out
            if one.first <= piece.first <= one.last and piece.y0 - one.y1 <= apart and one.y0 - piece.y1 <= apart
        ]
        if over:
            over[-1].runs += piece.runs
        else:
            out.append(piece)
    yield from sorted(out, key=lambda p: (p.y0, p.first))


def _cuts(band: Band, pieces: Sequence[_Piece]) -> list[float]:
    """Heights at which a band falls into rows: where two columns or more have one cell above and another below."""
    by_column: dict[int, list[_Piece]] = {}
    for piece in pieces:
        for column in range(piece.first, piece.last + 1):
            by_column.setdefault(column, []).append(piece)
    gaps: list[tuple[float, float]] = []
    for stack in by_column.values():
        stack.sort(key=lambda p: p.y0)
        gaps += [(min(above.y1, below.y0), below.y0) for above, below in pairwise(stack) if below.y0 > above.y1 - 1]
    cuts: list[float] = []
    while gaps:
        at = max(((end + start) / 2 for start, end in gaps), key=lambda y: (sum(s <= y <= e for s, e in gaps), -y))
        holding = [gap for gap in gaps if gap[0] <= at <= gap[1]]
        if len(holding) >= min(2, len(by_column) - 1):
            low, high = max(s for s, _ in holding), min(e for _, e in holding)
            cuts.append((low + high) / 2)
        gaps = [gap for gap in gaps if gap not in holding]
    return sorted(cuts)


def _placed(band: Band, pieces: Sequence[_Piece], cuts: Sequence[float], top: int) -> Iterator[Cell]:
    """Yield the cells of a band, which begins at row `top`, cut at some heights."""
    alone = {column: sum(p.first <= column <= p.last for p in pieces) for p in pieces for column in range(p.first, p.last + 1)}
    placed: dict[tuple[int, int], list[_Piece]] = {}
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    for piece in pieces:
        row = sum(piece.middle > cut for cut in cuts)
        last = row
        crossed = [i for i, cut in enumerate(cuts) if piece.y0 + 1 < cut < piece.y1 - 1]
        centred = bool(cuts) and abs(piece.middle - (band.y0 + band.y1) / 2) < 3 and all(
            alone[column] == 1 for column in range(piece.first, piece.last + 1)
        )
        if centred:
            row, last = 0, len(cuts)
        elif crossed:
            row, last = crossed[0], crossed[-1] + 1
        key = (row, piece.first)
        placed.setdefault(key, []).append(piece)
        across_last, down_last = spans.get(key, (piece.last, last))
        spans[key] = (max(across_last, piece.last), max(down_last, last))
    for (row, first), parts in placed.items():
        last_column, last_row = spans[row, first]
        items = [item for part in parts for run in part.runs for item in run.items]
        left, right, bottom = min(i.x0 for i in items), max(i.x1 for i in items), max(i.y1 for i in items)
        yield Cell(top + row, first, last_row - row + 1, last_column - first + 1, cell_text(items), left, right, bottom)


def _widened(cells: Sequence[Cell], heads: int, columns: Sequence[Column], rules: Sequence[Stroke]) -> list[Cell]:
    """Widen the cells of the upper rows of a heading over the empty ones beside them: as far as the rule under them reaches,
    else over those to their right."""
    if heads < 2:
        return list(cells)
    taken = {(c.row + down, c.column + right) for c in cells for down in range(c.rows) for right in range(c.columns)}
    below = {column for c in cells if 0 < c.row < heads for column in range(c.column, c.column + c.columns)}
    out = []
    for cell in cells:
        first, end = cell.column, cell.column + cell.columns
        if cell.row < heads - 1 and cell.rows == 1 and cell.text:
            ruled = _underlined(cell, columns, rules)
            least, most = ruled or (first, len(columns))
            while end < most and (cell.row, end) not in taken and (ruled or end in below):
                taken.add((cell.row, end))
                end += 1
            while first > least and (cell.row, first - 1) not in taken:
                first -= 1
                taken.add((cell.row, first))
        out.append(replace(cell, column=first, columns=end - first))
    return out


def _underlined(cell: Cell, columns: Sequence[Column], rules: Sequence[Stroke]) -> tuple[int, int] | None:
    """The first column, and that after the last, over which a rule right under a cell reaches that is shorter than the table."""
    whole = columns[-1].x1 - columns[0].x0
    middle = (cell.left + cell.right) / 2
    for rule in rules:
        if rule.end - rule.start < 0.85 * whole and rule.start <= middle <= rule.end and -2 < rule.at - cell.bottom < 8:
            over = [i for i, column in enumerate(columns) if rule.start - 2 <= (column.x0 + column.x1) / 2 <= rule.end + 2]
            return (over[0], over[-1] + 1) if over else None
    return None


def is_prose(reading: Reading) -> bool:
    """Whether the columns are those of a page and not of a table: filled to their edge by long lines, one below the other."""
    long = 0
    for column in reading.columns:
        lines = sorted(column.runs, key=lambda r: r.y0)
        letters = median(len(run.text) for run in lines)
        units = letters * (2 if sum(c > "\u2e80" for c in lines[0].text) > 0.5 * len(lines[0].text) else 1)
        reach = sum(run.x1 > column.x1 - 3 * run.size for run in lines)
        if len(lines) >= 4 and units >= 28 and reach >= 0.5 * len(lines):
            long += 1
    return long >= 2 or (long == 1 and len(reading.columns) == 2 and len(reading.rows) < 3)


def is_list(reading: Reading) -> bool:
    """Whether one of two columns is (nearly) empty: a list with remarks, boxes to tick."""
    if len(reading.columns) != 2 or len(reading.rows) < 5:
        return False
    return min(sum(at in row.filled for row in reading.rows) for at in (0, 1)) < 0.3 * len(reading.rows)
