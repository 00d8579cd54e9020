"""Tables that nothing but the alignment of their texts tells, among the rows of one column of a page.

A stretch of rows with gaps in them is tried as a table. Lists (a column of bullets or numbers), printed contents (leaders),
numbered formulas and prose are aligned, too, and are refused; two columns must look more like a table than three.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median

from ingest.parse.pdf import aligned
from ingest.parse.pdf.columns import Column, across
from ingest.parse.pdf.fragments import Fragment
from ingest.parse.pdf.page import Area
from ingest.parse.pdf.runs import Run
from ingest.parse.pdf.text import is_caption

LEAST_ROWS = 3
MOST_SINGLE = 2
"""Lines with one text only that may follow each other inside a table: the rest of a cell of several lines, a row over all."""
LONG = 35
"""Characters of a line of prose; three of them below each other in two columns are columns of a page."""
EVEN = 2.0
"""Points within which edges are at one place."""
FAR = 2.6
"""Times the usual distance of its rows beyond which a table ends."""

_LABEL = re.compile(r"[^\w\s]{1,2}|[(（\[]?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5})[.)）、\]:]?|第\w{1,4}[章节条]")
_LEADERS = re.compile(r"(?:[.·…_]\s?){5,}")
_FORMULA_NUMBER = re.compile(r"[(（]\d{1,3}(?:[.-]\d{1,3})?[a-z]?[)）]")

Row = Sequence[Fragment]


def unruled(rows: Sequence[Row]) -> Iterator[Row | Area]:
    """Yield the rows, those that make a table as its area."""
    at = 0
    while at < len(rows):
        end = _stretch(rows, at)
        area = _table(rows[at:end]) if end - at >= LEAST_ROWS else None
        if area is not None:
            yield area
            at = end
        else:
            yield rows[at]
            at += 1


def _stretch(rows: Sequence[Row], start: int) -> int:
    """Return where the rows that may be one table with the one at `start` end; `start` itself when that is no row of cells."""
    if not _has_cells(rows[start]):
        return start
    end, single = start + 1, 0
    steps: list[float] = []
    for at in range(start + 1, len(rows)):
        row, before = rows[at], rows[at - 1]
        if row[0].area is not None:
            break
        step = row[0].middle - before[0].middle
        if steps and step > FAR * median(steps):
            break
        steps.append(step)
        if _has_cells(row):
            end, single = at + 1, 0
        elif single == MOST_SINGLE or is_caption(row[0].items[0].text):
            break
        else:
            single += 1
    return end


def _has_cells(row: Row) -> bool:
    return len(row) > 1 and row[0].area is None and not any(_LEADERS.search(f.items[-1].text) for f in row)


def _table(rows: Sequence[Row]) -> Area | None:
    items = [item for row in rows for fragment in row for item in fragment.items]
    reading = aligned.read(items, ())
    if reading is None or len(reading.rows) < LEAST_ROWS or aligned.is_prose(reading) or not _is_table(reading):
        return None
    box = (
        min(i.x0 for i in items), min(i.y0 for i in items), max(i.x1 for i in items), max(i.y1 for i in items),
    )
    return aligned.area_of(reading, items, (), box)


def _is_table(reading: aligned.Reading) -> bool:
    columns, rows = reading.columns, reading.rows
    filled = [len(row.filled) for row in rows]
    first, last = ([run.text for run in column.runs] for column in (columns[0], columns[-1]))
    labels = sum(bool(_LABEL.fullmatch(text)) for text in first) >= 0.8 * len(first)
    numbered = sum(bool(_FORMULA_NUMBER.fullmatch(text)) for text in last) >= 0.6 * len(last)
    if len(columns) - labels - numbered < 2:
        return False
    # Justified prose has gaps too, but not one below the other.
    if sum(_is_aligned(column, len(rows)) for column in columns) < len(columns) - (len(columns) > 3):
        return False
    if sum(sum(len(run.text) >= LONG for run in column.runs) >= 3 for column in columns) >= 2:
        return False
    wide = sum(_is_wide(run, columns) for row in rows for run in row.runs)
    if wide > 0.25 * len(rows):
        return False
    whole = sum(count >= 0.6 * len(columns) for count in filled)
    if len(columns) >= 3:
        return whole >= max(LEAST_ROWS, 0.5 * len(rows)) and sum(filled) >= 0.5 * len(columns) * len(rows)
    left, right = columns
    apart = right.x0 - left.x1 >= 0.8 * max(run.size for run in left.runs)
    short = median(len(text) for text in first) <= 30
    starts = sorted(run.x0 for run in right.runs)
    ends = sorted(run.x1 for run in right.runs)
    even = min(_spread(starts), _spread(ends)) <= EVEN
    return apart and short and even and whole >= max(LEAST_ROWS, 0.75 * len(rows))


def _is_wide(run: Run, columns: Sequence[Column]) -> bool:
    first, last = across(run, columns) or (0, 0)
    return first != last


def _is_aligned(column: Column, rows: int) -> bool:
    """Whether most texts of a column begin, end or are centred at one place, in at least a third of the rows."""
    if len(column.runs) < max(2, 0.3 * rows):
        return False
    edges = ([r.x0 for r in column.runs], [r.x1 for r in column.runs], [(r.x0 + r.x1) / 2 for r in column.runs])
    return any(_most_at_one_place(places) >= 0.7 * len(places) for places in edges)


def _most_at_one_place(places: Sequence[float]) -> int:
    return max(sum(abs(other - place) <= EVEN for other in places) for place in places)


def _spread(values: Sequence[float]) -> float:
    """Distance between the outer tenths."""
    return values[int(0.9 * (len(values) - 1))] - values[int(0.1 * (len(values) - 1))]
