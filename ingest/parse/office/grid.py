"""Cells that span rows and columns, poured into a table whose every row is equally long."""

from __future__ import annotations

from dataclasses import dataclass, field

from ingest.errors import DocumentTooLarge
from ingest.model.document import Span, Table

MOST_CELLS = 2_000_000
"""Of one table, spans spread out. A wider merge than a page can show is damage or malice."""
MOST_COLUMNS = 1000


@dataclass(slots=True)
class Grid:
    """Filled cell by cell; a cell that was covered already is not written again."""

    rows: list[dict[int, str]] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    width: int = 0
    size: int = 0

    def put(self, row: int, column: int, text: str, rows: int = 1, columns: int = 1) -> None:
        """Place a cell by its upper left corner."""
        columns = max(1, min(columns, MOST_COLUMNS))
        self.size += rows * columns
        if self.size > MOST_CELLS:
            raise DocumentTooLarge(f"a table has more than {MOST_CELLS:,} cells; split the document")
        while len(self.rows) < row + rows:
            self.rows.append({})
        for down in range(rows):
            for right in range(columns):
                self.rows[row + down].setdefault(column + right, text)
        self.width = max(self.width, column + columns)
        if rows > 1 or columns > 1:
            self.spans.append(Span(row, column, rows, columns))

    def table(self, header_rows: int) -> Table:
        """Rows filled up to the widest; at most all but the last row are headers."""
        rows = tuple(tuple(row.get(column, "") for column in range(self.width)) for row in self.rows)
        spans = tuple(sorted(self.spans, key=lambda span: (span.row, span.column)))
        return Table(rows, min(header_rows, max(0, len(rows) - 1)), spans)

    def grouped_header_rows(self, most: int = 3) -> int:
        """How many rows a header of groups over columns takes: the first row has a cell over several columns, and another
        that reaches down as far as the names below the groups. 1 where it is no such header."""
        first = [span for span in self.spans if span.row == 0]
        groups = [span for span in first if span.columns > 1 and span.columns < self.width]
        depth = max((span.rows for span in first if span.columns == 1), default=1)
        return depth if groups and depth <= most and depth < len(self.rows) else 1
