"""Text cut into cells becomes a table: lines joined inside a cell, merged cells repeated and told as spans, empty rows and
columns left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ingest.model.document import Span, Table
from ingest.parse.pdf.page import Item
from ingest.parse.pdf.text import Words, side_by_side

_NO_WORDS = Words(())


@dataclass(frozen=True, slots=True)
class Cell:
    """Where a cell begins, how many rows and columns it takes, its text, and the rectangle of that (left, right, bottom)."""

    row: int
    column: int
    rows: int
    columns: int
    text: str
    left: float = 0.0
    right: float = 0.0
    bottom: float = 0.0


def table_of(cells: Iterable[Cell], header_rows: int = 1) -> Table | None:
    """Return the cells as a table; rows and columns that begin no cell with text are left out. None below two rows or columns."""
    filled = [cell for cell in cells if cell.text]
    rows = sorted({cell.row for cell in filled})
    columns = sorted({cell.column for cell in filled})
    if len(rows) < 2 or len(columns) < 2:
        return None
    grid = [[""] * len(columns) for _ in rows]
    spans = []
    for cell in sorted(filled, key=lambda c: (c.row, c.column)):
        covered = [i for i, row in enumerate(rows) if cell.row <= row < cell.row + cell.rows]
        across = [i for i, column in enumerate(columns) if cell.column <= column < cell.column + cell.columns]
        for row in covered:
            for column in across:
                grid[row][column] = grid[row][column] or cell.text
        if len(covered) > 1 or len(across) > 1:
            spans.append(Span(covered[0], across[0], len(covered), len(across)))
    heads = sum(row < header_rows for row in rows)
    # A cell that reaches from the header into the body makes both the header.
    while heads < len(rows) and any(s.row < heads < s.row + s.rows for s in spans):
        heads += 1
    return Table(tuple(map(tuple, grid)), max(heads, 1) if heads < len(rows) else 1, tuple(spans))


def cell_text(inside: Sequence[Item]) -> str:
    """Return the text of a cell: its items by line, the lines joined as those of a paragraph."""
    rows: list[list[Item]] = []
    for item in sorted(inside, key=lambda i: (i.middle, i.x0)):
        if rows and abs(item.middle - rows[-1][0].middle) < 0.5 * max(rows[-1][0].size, item.size):
            rows[-1].append(item)
        else:
            rows.append([item])
    return _NO_WORDS.joined([side_by_side(sorted(row, key=lambda i: i.x0)) for row in rows])


def texts(held: Mapping[int, Sequence[Item]]) -> dict[int, str]:
    return {key: cell_text(inside) for key, inside in held.items()}
