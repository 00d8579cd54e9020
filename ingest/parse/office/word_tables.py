"""Tables of a Word document: merged cells as spans, header rows, tables within cells.

A cell is the text of its paragraphs, one a line. A table within a cell that has rows and columns of its own becomes a table of
its own behind the outer one, and the cell names it (`[table 2.1]`); a smaller one is part of the cell's text. What else hangs
in cells (notes, charts, pictures) follows the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ingest.model.document import Table
from ingest.parse.office.grid import MOST_COLUMNS, Grid
from ingest.parse.office.word_line import DELETED, TRANSPARENT, Attached, control_content
from ingest.parse.office.word_styles import W, is_on, number, value_of

if TYPE_CHECKING:
    from ingest.parse.office.word_story import Story

DEEPEST = 5
"""Tables within tables; deeper ones are read as plain text."""


@dataclass(slots=True)
class _Cell:
    element: Any
    row: int
    column: int
    columns: int
    rows: int = 1


@dataclass(slots=True)
class Tabled:
    """A table as read, with what hangs in its cells and the tables within them by name."""

    table: Table
    name: str
    links: list[tuple[str, str]] = field(default_factory=list)
    attached: list[Attached] = field(default_factory=list)
    inner: list[Tabled] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not any(cell.strip() for row in self.table.rows for cell in row)


def read_table(story: Story, element: Any, name: str, depth: int = 0) -> Tabled:
    """Read a table. Everything in it is read once, in the order of its rows, so that numbered items count on."""
    made = Tabled(Table(()), name)
    cells, count, header_rows = _placed(story, element)
    grid = Grid()
    for cell in cells:
        text = _cell_text(story, cell.element, made, depth)
        grid.put(cell.row, cell.column, text, cell.rows, cell.columns)
    while len(grid.rows) < count:
        grid.rows.append({})
    made.table = grid.table(header_rows or grid.grouped_header_rows())
    return made


def sole_cell(element: Any) -> Any | None:
    """The cell of a table that has no other: a frame around ordinary text."""
    cells = [cell for row in _children(element, f"{W}tr") for cell in _children(row, f"{W}tc")]
    return cells[0] if len(cells) == 1 else None


def _placed(story: Story, element: Any) -> tuple[list[_Cell], int, int]:
    """Cells with their places and spans, the number of rows, and how many of them repeat on every page."""
    cells: list[_Cell] = []
    open_below: dict[int, _Cell] = {}
    header_rows = row_number = 0
    for row in _children(element, f"{W}tr"):
        properties = row.find(f"{W}trPr")
        if properties is not None and properties.find(f"{W}del") is not None:
            story.gatherer.omit_deletion(row)
            continue
        if is_on(None if properties is None else properties.find(f"{W}hidden")):
            story.omit("hidden_row", row)
            continue
        if is_on(None if properties is None else properties.find(f"{W}tblHeader")) and header_rows == row_number:
            header_rows += 1
        column = min(number(value_of(properties, "gridBefore")) or 0, MOST_COLUMNS)
        merging = {}
        for cell in _children(row, f"{W}tc"):
            own = cell.find(f"{W}tcPr")
            if own is not None and own.find(f"{W}cellDel") is not None:
                story.gatherer.omit_deletion(cell)
                continue
            span = min(max(number(value_of(own, "gridSpan")) or 1, 1), MOST_COLUMNS)
            if cells and _continues(own, "hMerge") and cells[-1].row == row_number:
                cells[-1].columns += span
            elif _continues(own, "vMerge") and column in open_below:
                above = open_below[column]
                above.rows = row_number - above.row + 1
                merging[column] = above
                story.omit("hidden_text", cell)  # what was written in a cell before it was merged away
            else:
                cells.append(_Cell(cell, row_number, column, span))
                if own is not None and own.find(f"{W}vMerge") is not None:
                    merging[column] = cells[-1]
            column += span
        open_below = merging
        row_number += 1
    return cells, row_number, header_rows


def _continues(properties: Any | None, name: str) -> bool:
    merge = None if properties is None else properties.find(f"{W}{name}")
    return merge is not None and merge.get(f"{W}val") != "restart"


def _cell_text(story: Story, cell: Any, made: Tabled, depth: int) -> str:
    parts: list[str] = []
    for element in _contents(story, cell):
        if element.tag == f"{W}tbl":
            parts.extend(_table_within(story, element, made, depth))
            continue
        line = story.line(element)
        label = story.label(element)
        text = " ".join(line.text.split())
        if text:
            parts.append(f"{label[0]} {text}".strip() if label else text)
        made.links.extend(line.links)
        made.attached.extend(line.attached)
    return "\n".join(part for part in parts if part)


def _table_within(story: Story, element: Any, made: Tabled, depth: int) -> Iterator[str]:
    inner = read_table(story, element, f"{made.name}.{len(made.inner) + 1}", depth + 1)
    rows = inner.table.rows
    if len(rows) > 1 and len(rows[0]) > 1 and depth < DEEPEST and not inner.is_empty:
        made.inner.append(inner)
        yield f"[{inner.name}]"
        return
    made.links.extend(inner.links)
    made.attached.extend(inner.attached)
    covered = {
        (span.row + down, span.column + right)
        for span in inner.table.spans for down in range(span.rows) for right in range(span.columns) if down or right
    }
    for at, row in enumerate(rows):
        yield ", ".join(" ".join(cell.split()) for column, cell in enumerate(row) if cell and (at, column) not in covered)
    made.inner.extend(inner.inner)


def _children(parent: Any, *tags: str) -> Iterator[Any]:
    """Rows or cells, those in content controls and insertions included."""
    for element in parent:
        if element.tag in tags:
            yield element
        elif element.tag in TRANSPARENT or element.tag == f"{W}sdt":
            yield from _children(element, *tags)


def _contents(story: Story, parent: Any) -> Iterator[Any]:
    """Paragraphs and tables of a cell."""
    for element in parent:
        if element.tag in (f"{W}p", f"{W}tbl"):
            yield element
        elif element.tag == f"{W}sdt":
            for content in control_content(element, story.shared.ledger, story.gatherer.where):
                yield from _contents(story, content)
        elif element.tag in TRANSPARENT:
            yield from _contents(story, element)
        elif element.tag in DELETED:
            story.gatherer.omit_deletion(element)
