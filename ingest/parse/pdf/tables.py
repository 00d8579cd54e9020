"""Tables of a page: those drawn with lines are read off the lines, the others are the engine's, when they are credible.

A grid is a set of horizontal and vertical strokes that touch. Where a stroke is missing between two cells they are one merged
cell, whose text is repeated into each. A table without vertical lines cannot be told from the drawing; the engine finds it by
its aligned texts, which also finds much that is none, so that its tables must look like tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ingest.model.document import Table
from ingest.parse.pdf.page import Area, Item
from ingest.parse.pdf.text import Words, cleaned, is_caption, side_by_side

TOUCH = 2.5
"""Points by which strokes may miss each other."""
SHORTEST = 6.0

LEAST_FILLED = 0.3
"""Share of the cells of a grid that hold text; the grid of a drawing holds little."""

_CELL_LETTERS = 120
"""A mean above this is prose set in columns."""


@dataclass(frozen=True, slots=True)
class _Stroke:
    """A horizontal or vertical line: its position across and its ends along."""

    at: float
    start: float
    end: float
    horizontal: bool


def tables(raw: Any, items: list[Item], hidden: Sequence[str], restored: Callable[[str], str]) -> list[Area]:
    """Return the tables of the engine's page `raw`; `hidden` are texts that must not be seen in their cells, and `restored`
    puts the page's own characters in the place of the engine's."""
    ruled = list(_ruled(raw, items))
    found = (_engine_table(block, items, hidden, restored) for block in raw.blocks or ())
    return ruled + [area for area in found if area is not None and not any(_overlap(area, other) for other in ruled)]


def within(item: Item, area: Area) -> bool:
    """Whether an item's middle lies in a table's area, a point of tolerance around it."""
    x = (item.x0 + item.x1) / 2
    return area.x0 - 1 <= x <= area.x1 + 1 and area.y0 - 1 <= item.middle <= area.y1 + 1


def _overlap(one: Area, other: Area) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1 and one.y0 < other.y1 and other.y0 < one.y1


# Drawn with lines


def _ruled(raw: Any, items: list[Item]) -> Iterator[Area]:
    if raw.vector_graphics is None or len(raw.vector_graphics.lines) > 20_000:  # a drawing, not a table
        return
    for strokes in _touching(list(_strokes(raw.vector_graphics.lines))):
        rows = _positions(s.at for s in strokes if s.horizontal)
        columns = _positions(s.at for s in strokes if not s.horizontal)
        if 3 <= len(rows) <= 400 and 3 <= len(columns) <= 60 and (area := _grid(strokes, rows, columns, items)):
            yield area


def _strokes(lines: Iterable[Any]) -> Iterator[_Stroke]:
    seen = set()
    for line in lines:
        width, height = abs(line.x2 - line.x1), abs(line.y2 - line.y1)
        if height < 1.5 and width >= SHORTEST:
            stroke = _Stroke(round((line.y1 + line.y2) / 2, 1), min(line.x1, line.x2), max(line.x1, line.x2), True)
        elif width < 1.5 and height >= SHORTEST:
            stroke = _Stroke(round((line.x1 + line.x2) / 2, 1), min(line.y1, line.y2), max(line.y1, line.y2), False)
        else:
            continue
        if stroke not in seen:
            seen.add(stroke)
            yield stroke


def _touching(strokes: list[_Stroke]) -> Iterator[list[_Stroke]]:
    """Group strokes that cross or touch, directly or through others."""
    parent = list(range(len(strokes)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    flat = sorted((i for i, s in enumerate(strokes) if s.horizontal), key=lambda i: strokes[i].at)
    for upright in (i for i, s in enumerate(strokes) if not s.horizontal):
        one = strokes[upright]
        for i in flat:
            other = strokes[i]
            if other.at > one.end + TOUCH:
                break
            if other.at >= one.start - TOUCH and other.start - TOUCH <= one.at <= other.end + TOUCH:
                parent[root(upright)] = root(i)
    groups: dict[int, list[_Stroke]] = {}
    for i, stroke in enumerate(strokes):
        groups.setdefault(root(i), []).append(stroke)
    return (group for group in groups.values() if len(group) >= 4)


def _positions(values: Iterable[float]) -> list[float]:
    """Distinct positions; strokes within the tolerance are one border drawn twice."""
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > TOUCH:
            out.append(value)
    return out


def _grid(strokes: list[_Stroke], rows: list[float], columns: list[float], items: list[Item]) -> Area | None:
    height, width = len(rows) - 1, len(columns) - 1
    merged = _merged_cells(strokes, rows, columns)
    held: dict[int, list[Item]] = {}
    for item in _cut_at(items, columns, rows):
        row, column = _between(item.middle, rows), _between((item.x0 + item.x1) / 2, columns)
        if row is not None and column is not None:
            held.setdefault(merged[row * width + column], []).append(item)
    if len(held) < max(3, LEAST_FILLED * len(set(merged))) or len(set(merged)) < 4:
        return None
    texts = {cell: _cell_text(inside) for cell, inside in held.items()}
    cells = [tuple(texts.get(merged[row * width + column], "") for column in range(width)) for row in range(height)]
    cells = [row for row in cells if any(row)]
    kept = [column for column in range(width) if any(row[column] for row in cells)]
    cells = [tuple(row[column] for column in kept) for row in cells]
    if len(cells) < 2 or len(kept) < 2:
        return None
    return Area(columns[0], rows[0], columns[-1], rows[-1], Table(tuple(cells), 1))


def _merged_cells(strokes: list[_Stroke], rows: list[float], columns: list[float]) -> list[int]:
    """For each cell of the grid, in order, the first cell of the merged cell that it belongs to."""
    height, width = len(rows) - 1, len(columns) - 1
    parent = list(range(height * width))

    def root(at: int) -> int:
        while parent[at] != at:
            at = parent[at]
        return at

    def drawn(at: float, along: float, horizontal: bool) -> bool:
        return any(s.horizontal is horizontal and abs(s.at - at) <= TOUCH and s.start - 1 <= along <= s.end + 1 for s in strokes)

    for row in range(height):
        middle = (rows[row] + rows[row + 1]) / 2
        for column in range(width):
            here = row * width + column
            if column + 1 < width and not drawn(columns[column + 1], middle, False):
                parent[root(here + 1)] = root(here)
            centre = (columns[column] + columns[column + 1]) / 2
            if row + 1 < height and not drawn(rows[row + 1], centre, True):
                parent[root(here + width)] = root(here)
    return [root(at) for at in range(height * width)]


def _between(value: float, borders: Sequence[float]) -> int | None:
    return next((i for i in range(len(borders) - 1) if borders[i] <= value <= borders[i + 1]), None)


def _cut_at(items: Iterable[Item], columns: Sequence[float], rows: Sequence[float]) -> Iterator[Item]:
    """Items inside the grid; one that runs over a border is cut at the blank nearest to it."""
    for item in items:
        if not (columns[0] <= (item.x0 + item.x1) / 2 <= columns[-1] and rows[0] <= item.middle <= rows[-1]):
            continue
        rest = item
        for border in columns[1:-1]:
            if rest.x0 + 3 < border < rest.x1 - 3 and " " in rest.text:
                share = (border - rest.x0) / (rest.x1 - rest.x0)
                blanks = [i for i, char in enumerate(rest.text) if char == " "]
                at = min(blanks, key=lambda i: abs(i / len(rest.text) - share))
                if abs(at / len(rest.text) - share) < 0.15:
                    yield replace(rest, text=rest.text[:at], x1=border - 1)
                    rest = replace(rest, text=rest.text[at + 1 :], x0=border + 1)
        yield rest


def _cell_text(inside: list[Item]) -> str:
    rows: list[list[Item]] = []
    for item in sorted(inside, key=lambda i: (i.middle, i.x0)):
        if rows and abs(item.middle - rows[-1][0].middle) < 0.5 * max(rows[-1][0].size, item.size):
            rows[-1].append(item)
        else:
            rows.append([item])
    lines = [side_by_side(sorted(row, key=lambda i: i.x0)) for row in rows]
    return Words(()).joined(lines)


# Found by the engine


def _engine_table(block: Any, items: list[Item], hidden: Sequence[str], restored: Callable[[str], str]) -> Area | None:
    if block.kind != "table" or block.bbox is None:
        return None
    header = [[cell.text for cell in block.header]] if block.header else []
    rows = header + [[cell.text for cell in row] for row in block.rows or ()]
    width = max((len(row) for row in rows), default=0)
    cells = [tuple(restored(_without(text, hidden)) for text in row) + ("",) * (width - len(row)) for row in rows]
    x0, y0, y1 = block.bbox.x, block.bbox.y, block.bbox.y + block.bbox.height
    if cells and is_caption(" ".join(text for text in cells[0] if text)):
        # The engine takes a caption that stands close for the header.
        below = [cell.bbox.y for row in (block.rows if header else block.rows[1:])[:1] for cell in row if cell.bbox]
        cells, y0 = cells[1:], min(below, default=y0) - 1
    if len(cells) < 2 + (not header) or width < 2:
        return None
    area = Area(x0, y0, x0 + block.bbox.width, y1, Table(tuple(cells), 1))
    return area if _is_credible(area, items) else None


def _is_credible(area: Area, items: Iterable[Item]) -> bool:
    """Short texts that fill their columns, and (nearly) all the text that stands in the area."""
    cells = area.table.rows
    filled = [text for row in cells for text in row if text]
    inside = sum(len(item.text.replace(" ", "")) for item in items if within(item, area))
    told = sum(len(text.replace(" ", "")) for text in filled)
    if not filled or not 0.9 * inside <= told <= 1.2 * inside + 5 or len(filled) < 0.5 * len(cells) * len(cells[0]):
        return False
    return sum(map(len, filled)) / len(filled) < _CELL_LETTERS


def _without(text: str, hidden: Sequence[str]) -> str:
    for secret in hidden:
        text = text.replace(secret, "")
    return cleaned(text.replace("**", "").replace("<br>", " ").replace("<br/>", " "))
