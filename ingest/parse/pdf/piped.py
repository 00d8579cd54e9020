"""Tables that the page shows as typed: each row between bars, cells between bars. Readmes and consoles are printed so."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.model.document import Table, table_text
from ingest.parse.pdf.page import Paragraph

_BAR = re.compile(r"(?<!\\)\|")
_RULE = re.compile(r"[|:+\-—\s=]+")


def piped(found: Sequence[Paragraph]) -> list[Paragraph]:
    """Return the paragraphs with those that are the rows of one typed table as that table."""
    out: list[Paragraph] = []
    at = 0
    while at < len(found):
        end = at
        while end < len(found) and begins_row(found[end].text) and found[end].table is None:
            end += 1
        table = _table([paragraph.text for paragraph in found[at:end]])
        if table is None:
            out.append(found[at])
            at += 1
            continue
        first = found[at]
        first.kind, first.table, first.text, first.marker = "table", table, table_text(table), ""
        first.boxes = [box for paragraph in found[at:end] for box in paragraph.boxes]
        out.append(first)
        at = end
    return out


def begins_row(text: str) -> bool:
    return text.startswith("|")


def _table(rows: Sequence[str]) -> Table | None:
    """Return two rows or more of two cells or more as a table; the line of dashes under the header is none of them."""
    cells = [[cell.strip() for cell in _BAR.split(row)[1:]] for row in rows if not _RULE.fullmatch(row)]
    cells = [row[:-1] if row and not row[-1] else row for row in cells]
    width = len(cells[0]) if cells else 0
    if len(cells) < 2 or width < 2 or sum(len(row) == width for row in cells) < 0.6 * len(cells):
        return None
    # A bar of the text itself is no border: what is over belongs to the last cell. Cut off at the page's edge, cells lack.
    fitted = [row if len(row) <= width else [*row[: width - 1], " | ".join(row[width - 1 :])] for row in cells]
    return Table(tuple((*row, *[""] * (width - len(row))) for row in fitted))
