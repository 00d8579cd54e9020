"""Tables drawn with lines, read off the lines.

A grid is a set of horizontal and vertical strokes that touch. Where a stroke is missing between two cells they are one merged
cell. A side left open (rules that run on beyond the outermost vertical) still bounds a column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ingest.parse.pdf.cells import Cell, table_of, texts
from ingest.parse.pdf.cutting import at_borders
from ingest.parse.pdf.page import Area, Item
from ingest.parse.pdf.strokes import TOUCH, Stroke, positions, touching

LEAST_FILLED = 0.3
"""Share of the cells of a grid that hold text; the grid of a drawing holds little."""
MOST_ROWS, MOST_COLUMNS = 400, 60
FRAME = 400
"""Characters in one cell from which it may be a part of the page, and not of a table."""
FEW = 4
OPEN_SIDE = 12.0
"""Points by which the rules of a table must run beyond its outermost vertical to bound one more column."""


def grids(strokes: Sequence[Stroke], items: Sequence[Item]) -> Iterator[tuple[Area, list[Stroke]]]:
    """Yield the tables drawn with lines, each with its strokes."""
    groups = [group for group in touching(strokes) if len(group) >= 4]
    for group in groups:
        rows = positions(s.at for s in group if s.horizontal)
        columns = positions(s.at for s in group if not s.horizontal)
        if len(rows) < 2 or all(s.horizontal or s.edge for s in group) or any(_encloses(group, other) for other in groups):
            continue
        columns = _with_open_sides(group, columns)
        closed = rows
        rows = _with_open_ends(group, rows)
        if 3 <= len(rows) <= MOST_ROWS and 3 <= len(columns) <= MOST_COLUMNS and (area := _grid(group, rows, columns, items)):
            area.cut_above, area.cut_below = rows[0] != closed[0], rows[-1] != closed[-1]
            yield area, group


def _encloses(group: Sequence[Stroke], other: Sequence[Stroke]) -> bool:
    """Whether another drawing with lines both ways stands inside one: then this is a frame around parts of the page."""
    if group is other or len({stroke.horizontal for stroke in other}) < 2:
        return False
    mine, theirs = _bounds(group), _bounds(other)
    return mine[0] < theirs[0] and mine[1] < theirs[1] and theirs[2] < mine[2] and theirs[3] < mine[3]


def _bounds(group: Sequence[Stroke]) -> tuple[float, float, float, float]:
    return (
        min(s.start if s.horizontal else s.at for s in group),
        min(s.at if s.horizontal else s.start for s in group),
        max(s.end if s.horizontal else s.at for s in group),
        max(s.at if s.horizontal else s.end for s in group),
    )


def _with_open_sides(strokes: Sequence[Stroke], columns: list[float]) -> list[float]:
    """Add the ends of the horizontal strokes where most of them run on beyond the outermost verticals."""
    flat = [s for s in strokes if s.horizontal]
    left = sorted(s.start for s in flat)[len(flat) // 2]
    right = sorted(s.end for s in flat)[len(flat) // 2]
    before = [left] if left < columns[0] - OPEN_SIDE else []
    after = [right] if right > columns[-1] + OPEN_SIDE else []
    return before + columns + after


def _with_open_ends(strokes: Sequence[Stroke], rows: list[float]) -> list[float]:
    """Add the ends of the verticals where most of them run on above or below the outermost rule, as at the end of a page."""
    upright = [s for s in strokes if not s.horizontal]
    top = sorted(s.start for s in upright)[len(upright) // 2]
    bottom = sorted(s.end for s in upright)[len(upright) // 2]
    before = [top] if top < rows[0] - OPEN_SIDE / 2 else []
    after = [bottom] if bottom > rows[-1] + OPEN_SIDE / 2 else []
    return before + rows + after


def _grid(strokes: Sequence[Stroke], rows: list[float], columns: list[float], items: Sequence[Item]) -> Area | None:
    width = len(columns) - 1
    merged = _merged_cells(strokes, rows, columns)
    held: dict[int, list[Item]] = {}
    owned: list[Item] = []
    for whole, parts in _cut_at(items, columns, rows):
        places = [(_between(part.middle, rows), _between((part.x0 + part.x1) / 2, columns), part) for part in parts]
        if any(row is None or column is None for row, column, _ in places):
            continue
        owned.append(whole)
        for row, column, part in places:
            assert row is not None and column is not None
            held.setdefault(merged[row * width + column], []).append(part)
    if len(held) < max(2, LEAST_FILLED * len(set(merged))) or len(set(merged)) < 4:
        return None
    cells = list(_cells(merged, width, texts(held)))
    table = table_of(cells)
    if table is None or _is_frame(cells):
        return None
    return Area(columns[0], rows[0], columns[-1], rows[-1], table, owned, tuple(columns), ruled=True)


def _is_frame(cells: Sequence[Cell]) -> bool:
    """Whether one cell holds most of a long text and few others any: a page's border, a box around a column."""
    lengths = [len(cell.text) for cell in cells if cell.text]
    return len(lengths) <= FEW and max(lengths) > FRAME and (max(lengths) > 0.6 * sum(lengths) or max(lengths) > 2 * FRAME)


def _cells(merged: Sequence[int], width: int, held: dict[int, str]) -> Iterator[Cell]:
    """Yield merged cells as far as they are rectangles, which is what their outermost corners say."""
    members: dict[int, list[int]] = {}
    for at, first in enumerate(merged):
        members.setdefault(first, []).append(at)
    for first, covered in members.items():
        rows = [at // width for at in covered]
        columns = [at % width for at in covered]
        top, left = min(rows), min(columns)
        yield Cell(top, left, max(rows) - top + 1, max(columns) - left + 1, held.get(first, ""))


def _merged_cells(strokes: Sequence[Stroke], rows: list[float], columns: list[float]) -> list[int]:
    """For each cell of the grid, in order, the first cell of the merged cell that it belongs to."""
    height, width = len(rows) - 1, len(columns) - 1
    parent = list(range(height * width))
    flat = _by_border([s for s in strokes if s.horizontal], rows)
    upright = _by_border([s for s in strokes if not s.horizontal], columns)

    def root(at: int) -> int:
        while parent[at] != at:
            at = parent[at]
        return at

    def one(first: int, second: int) -> None:
        low, high = sorted((root(first), root(second)))
        parent[high] = low

    for row in range(height):
        middle = (rows[row] + rows[row + 1]) / 2
        for column in range(width):
            here = row * width + column
            if column + 1 < width and not _drawn(upright[column + 1], middle):
                one(here, here + 1)
            if row + 1 < height and not _drawn(flat[row + 1], (columns[column] + columns[column + 1]) / 2):
                one(here, here + width)
    return [root(at) for at in range(height * width)]


def _by_border(strokes: Sequence[Stroke], borders: Sequence[float]) -> list[list[Stroke]]:
    return [[s for s in strokes if abs(s.at - border) <= TOUCH] for border in borders]


def _drawn(strokes: Iterable[Stroke], along: float) -> bool:
    return any(s.start - 1 <= along <= s.end + 1 for s in strokes)


def _between(value: float, borders: Sequence[float]) -> int | None:
    return next((i for i in range(len(borders) - 1) if borders[i] <= value <= borders[i + 1]), None)


def _cut_at(items: Iterable[Item], columns: Sequence[float], rows: Sequence[float]) -> Iterator[tuple[Item, list[Item]]]:
    """Items inside the grid with their parts by cell."""
    for item in items:
        if columns[0] <= (item.x0 + item.x1) / 2 <= columns[-1] and rows[0] <= item.middle <= rows[-1]:
            yield item, at_borders(item, columns[1:-1])
