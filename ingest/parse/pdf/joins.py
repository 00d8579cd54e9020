"""What the end of a column or page cut in two is put together: sentences that go on, tables whose columns go on."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ingest.model.document import Span, Table, table_text
from ingest.model.language import CJK
from ingest.parse.pdf.page import Area, Paragraph
from ingest.parse.pdf.paragraphs import ends_sentence
from ingest.parse.pdf.text import Words, is_caption

COLUMN_TOLERANCE = 3.0
"""Points by which the edges of two parts of one table may differ."""

_GOES_ON = re.compile(rf"[a-z{CJK}(（\"“\d]")
_CONTINUED = re.compile(r"续|\bcont(?:inued|['’]d|\.)?\b", re.IGNORECASE)


def joined(found: Sequence[Paragraph], words: Words) -> list[Paragraph]:
    """Return the paragraphs with those of one sentence, and of one table, made one."""
    out: list[Paragraph] = []
    for paragraph in found:
        before = out[-1] if out else None
        if paragraph.table is not None and (part := _part_before(out, paragraph)) is not None:
            _append(part, paragraph, words)
        elif before is not None and paragraph.space_above >= 9 and _same_sentence(before, paragraph):
            before.text = words.joined([before.text, paragraph.text])
            before.lines, before.right = [*before.lines, *paragraph.lines], paragraph.right
            before.boxes.extend(paragraph.boxes)
        else:
            out.append(paragraph)
    return out


def _same_sentence(before: Paragraph, after: Paragraph) -> bool:
    if (before.kind, after.kind) != ("paragraph", "paragraph") or after.marker or before.turn != after.turn:
        return False
    if abs(before.size - after.size) > 0.05 * before.size or ends_sentence(before.text) or not _GOES_ON.match(after.text):
        return False
    full = before.last.x1 >= before.right - 2 * before.size
    return full and after.first.x0 - after.left < 1.2 * after.size


def _part_before(out: Sequence[Paragraph], after: Paragraph) -> Paragraph | None:
    """Return the table that goes on in `after`: right before it, or before a caption that says "continued"."""
    for before in reversed(out[-2:]):
        if before.table is not None:
            return before if _same_table(before, after) else None
        if not (is_caption(before.text) and _CONTINUED.search(before.text)):
            return None
    return None


def _same_table(before: Paragraph, after: Paragraph) -> bool:
    assert before.table is not None and after.table is not None
    above, below = before.boxes[-1], after.boxes[0]
    if len(before.table.rows[0]) != len(after.table.rows[0]):
        return False
    next_page = below.page == above.page + 1
    next_column = below.page == above.page and below.x0 >= above.x1 - COLUMN_TOLERANCE and below.y0 < above.y1
    if next_page and abs(above.x0 - below.x0) <= COLUMN_TOLERANCE and abs(above.x1 - below.x1) <= COLUMN_TOLERANCE:
        return True
    return (next_page or next_column) and before.area is not None and after.area is not None and _alike(before.area, after.area)


def _alike(one: Area, other: Area) -> bool:
    """Whether two parts have the same columns, wherever they stand."""
    if len(one.edges) != len(other.edges) or one.ruled != other.ruled:
        return False
    shift = other.edges[0] - one.edges[0]
    # Without lines a column begins where its first letters do, and ends with its longest text.
    edges = list(zip(one.edges, other.edges, strict=True))
    return all(abs(b - a - shift) <= COLUMN_TOLERANCE for a, b in (edges if one.ruled else edges[:-1]))


def _append(part: Paragraph, more: Paragraph, words: Words) -> None:
    assert part.table is not None and more.table is not None
    table, rest = part.table, more.table
    if part.area is not None and more.area is not None and part.area.cut_below and more.area.cut_above:
        table, rest = _row_joined(table, rest, words)
    part.table = _appended(table, rest)
    part.text = table_text(part.table)
    part.area = more.area
    part.boxes.extend(more.boxes)


def _row_joined(table: Table, more: Table, words: Words) -> tuple[Table, Table]:
    """Return both with the first row of the second part, the rest of a row that was cut, at the end of the first."""
    halves = zip(table.rows[-1], more.rows[0], strict=True)
    last = tuple(words.joined([half for half in both if half]) if any(both) else "" for both in halves)
    return replace(table, rows=(*table.rows[:-1], last)), _without_rows(more, 1)


def _appended(table: Table, more: Table) -> Table:
    """A header that is printed again is no row."""
    head = table.rows[: table.header_rows]
    if table.header_rows > 0 and more.rows[: table.header_rows] == head:
        more = _without_rows(more, table.header_rows)
    start = len(table.rows)
    spans = tuple(Span(span.row + start, span.column, span.rows, span.columns) for span in more.spans)
    return Table(table.rows + more.rows, table.header_rows, table.spans + spans)


def _without_rows(table: Table, count: int) -> Table:
    """Return the table without its first rows, spans cut accordingly."""
    spans = [
        Span(max(span.row - count, 0), span.column, span.rows - max(count - span.row, 0), span.columns)
        for span in table.spans
        if span.row + span.rows > count
    ]
    return Table(table.rows[count:], 0, tuple(span for span in spans if span.rows > 1 or span.columns > 1))
