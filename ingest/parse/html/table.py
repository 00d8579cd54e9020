"""A `<table>` becomes a rectangle of cells: `rowspan` and `colspan` repeated into every cell they cover.

A table that only arranges a page (one cell, declared presentational, tables inside) is not data; `is_layout` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from lxml import etree

from ingest.model.document import Span

MAX_SPAN = 1_000
MAX_REPEATED = 100_000
"""Spans multiply: two attributes of a hostile page would ask for 65 million cells. Beyond this a span counts as one cell."""

MOST_OF_A_CELL = 200
"""Characters; a cell with more may be a page."""
PARAGRAPHS_OF_A_PAGE = 3

_PARTS = frozenset({"caption", "colgroup", "col", "thead", "tbody", "tfoot", "tr", "script", "style", "template"})
_CELLS = frozenset({"td", "th", "script", "style", "template"})


def is_layout(table: etree._Element) -> bool:
    """Whether the table places things on the page instead of relating them."""
    if table.get("role") in ("presentation", "none") or _has_stray_text(table):
        return True
    if next(table.iterdescendants("th", "caption"), None) is not None:
        return False
    cells = list(_cells_of(table))
    return len(cells) <= 1 or next(table.iterdescendants("table", "h1", "h2"), None) is not None or _holds_a_page(cells)


def _holds_a_page(cells: list[etree._Element]) -> bool:
    """Whether one cell has most of the words, in several paragraphs: the page, with its menu and its foot in the others."""
    lengths = [sum(len(str(piece).strip()) for piece in cell.itertext()) for cell in cells]
    most = max(lengths)
    if most < MOST_OF_A_CELL or most < 0.6 * sum(lengths):
        return False
    largest = cells[lengths.index(most)]
    return sum(1 for _ in largest.iterdescendants("p", "br", "div", "ul", "ol")) >= PARAGRAPHS_OF_A_PAGE


def _has_stray_text(table: etree._Element) -> bool:
    """Words outside any cell, which a rectangle has no place for."""
    groups = [table, *table.iterchildren("thead", "tbody", "tfoot")]
    return any(_says(group, _PARTS) for group in groups) or any(_says(row, _CELLS) for row in rows_of(table))


def _says(element: etree._Element, parts: frozenset[str]) -> bool:
    """Whether words stand in `element` beside its proper parts."""
    if (element.text or "").strip():
        return True
    for child in element:
        improper = isinstance(child.tag, str) and child.tag not in parts
        if (child.tail or "").strip() or (improper and "".join(map(str, child.itertext())).strip()):
            return True
    return False


def rows_of(table: etree._Element) -> Iterator[etree._Element]:
    """The rows of this table and of none inside it."""
    for child in table:
        if child.tag == "tr":
            yield child
        elif child.tag in ("thead", "tbody", "tfoot"):
            yield from (row for row in child if row.tag == "tr")


def _cells_of(table: etree._Element) -> Iterator[etree._Element]:
    for row in rows_of(table):
        yield from (cell for cell in row if cell.tag in ("td", "th"))


@dataclass(slots=True)
class Grid:
    """Rows as text, all of one width; how many are the header; and which equal cells are one."""

    rows: list[list[str]] = field(default_factory=list)
    header_rows: int = 0
    spans: list[Span] = field(default_factory=list)


def expand(table: etree._Element, text_of: Callable[[etree._Element], str]) -> Grid:
    """Return a table as a rectangle."""
    grid = Grid()
    pending: dict[int, tuple[int, str]] = {}
    """Column -> rows still to be covered from above, and the text."""
    in_header, repeated = True, 0
    for row in rows_of(table):
        cells = [cell for cell in row if cell.tag in ("td", "th")]
        line: list[str] = []
        for cell in cells:
            _fill_from_above(line, pending)
            text = text_of(cell)
            width, height = spanned(cell, "colspan"), spanned(cell, "rowspan")
            if repeated > MAX_REPEATED:
                width = height = 1
            if (width > 1 or height > 1) and text:
                grid.spans.append(Span(len(grid.rows), len(line), height, width))
            for _ in range(width):
                if height > 1:
                    pending[len(line)] = (height - 1, text)
                line.append(text)
        _fill_from_above(line, pending)
        repeated += len(line) - len(cells)
        if repeated > MAX_REPEATED:
            pending.clear()
        in_header = in_header and _is_header(row, cells)
        if line:
            grid.rows.append(line)
            grid.header_rows += in_header
    width = min(max(map(len, grid.rows), default=0), MAX_SPAN)
    for line in grid.rows:
        line.extend([""] * (width - len(line)))
    grid.spans = [one for span in grid.spans if (one := _inside(span, grid)) is not None]
    grid.header_rows = grid.header_rows if grid.header_rows < len(grid.rows) else 0
    return grid


def _inside(span: Span, grid: Grid) -> Span | None:
    """The part of a span that is in the table and that no other cell has taken; what a cell claims beyond it is not there."""
    rows = min(span.rows, len(grid.rows) - span.row)
    columns = min(span.columns, len(grid.rows[0]) - span.column)
    text = grid.rows[span.row][span.column]
    covered = (line[span.column : span.column + columns] for line in grid.rows[span.row : span.row + rows])
    if (rows < 2 and columns < 2) or any(cell != text for cells in covered for cell in cells):
        return None
    return replace(span, rows=rows, columns=columns)


def _fill_from_above(line: list[str], pending: dict[int, tuple[int, str]]) -> None:
    while len(line) in pending:
        left, text = pending.pop(len(line))
        if left > 1:
            pending[len(line)] = (left - 1, text)
        line.append(text)


def spanned(cell: etree._Element, attribute: str) -> int:
    """How many columns or rows a cell covers; a `rowspan` of 0 means all that follow."""
    value = (cell.get(attribute) or "1").strip()
    if not value.isascii() or not value.isdigit():
        return 1
    wanted = int(value[:6])
    return min(wanted, MAX_SPAN) if wanted else (MAX_SPAN if attribute == "rowspan" else 1)


def _is_header(row: etree._Element, cells: list[etree._Element]) -> bool:
    """A row of `<thead>`, of header cells only, or (where nothing says it) wholly in bold."""
    parent = row.getparent()
    if parent is not None and parent.tag == "thead":
        return True
    return bool(cells) and all(cell.tag == "th" or _is_bold(cell) for cell in cells)


def _is_bold(cell: etree._Element) -> bool:
    children = [child for child in cell if isinstance(child.tag, str)]
    if len(children) != 1 or children[0].tag not in ("b", "strong"):
        return False
    return not (cell.text or "").strip() and not (children[0].tail or "").strip()
