"""Where the tables of a sheet are, which of their rows are headers, and what around them is running text.

A range that the workbook itself calls a table is one. Elsewhere cells that adjoin are a region: it ends at an empty row or
column, and where what is above shares no column with what is below. Titles on top and remarks below are cut off a region.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ingest.model.document import Span, Table
from ingest.parse.office.sheet_cells import Cells, Rect

NOTE_LETTERS = 18
"""Mean length from which the cells of a single column are remarks."""
DEEPEST = 30
MOST_HEADER_ROWS = 4
_REMARKS = ("注", "备注", "说明", "来源", "数据来源", "note", "source", "*", "※", "资料来源", "remark")


@dataclass(frozen=True, slots=True)
class Declared:
    """A range that the workbook calls a table."""

    rect: Rect
    header_rows: int


@dataclass(frozen=True, slots=True)
class Piece:
    """A paragraph (`table` is None), or a table with its range."""

    rect: Rect
    text: str = ""
    table: Table | None = None


def pieces(cells: Cells, declared: Sequence[Declared]) -> Iterator[Piece]:
    """Everything that a sheet shows in cells, from top to bottom and left to right."""
    rest = cells.rows
    found: list[Piece] = []
    for one in declared:
        top, left, bottom, right = one.rect
        rows = (rest.get(row, {}) for row in range(top, min(bottom, max(rest, default=0)) + 1))
        if any(left <= column <= right for columns in rows for column in columns):
            found.append(_as_table(cells, one.rect, one.header_rows))
            rest = {row: _outside(columns, row, one.rect) for row, columns in rest.items()}
            rest = {row: columns for row, columns in rest.items() if columns}
    order = {}
    for piece in found:
        order[piece.rect[:2]] = [piece]
    for region in _regions(rest, 0):
        order.setdefault(region[:2], []).extend(_region_pieces(cells, region))
    if not found:  # regions come in the order of reading
        yield from (piece for group in order.values() for piece in group)
        return
    for place in sorted(order):
        yield from order[place]


def _outside(columns: dict[int, str], row: int, rect: Rect) -> dict[int, str]:
    top, left, bottom, right = rect
    return columns if not top <= row <= bottom else {c: text for c, text in columns.items() if not left <= c <= right}


def _region_pieces(cells: Cells, region: Rect) -> Iterator[Piece]:
    top, left, bottom, right = region
    while top < bottom and right > left and _is_title(cells, top, left, right):
        yield _paragraph(cells, (top, left, top, right))
        top += 1
    remarks: list[Piece] = []
    while bottom > top + 1 and right > left and _is_remark(cells, bottom, left, right):
        remarks.insert(0, _paragraph(cells, (bottom, left, bottom, right)))
        bottom -= 1
    if len({value for r in range(top, bottom + 1) for value in _distinct(cells, r, left, right)}) == 1:
        yield _paragraph(cells, (top, left, bottom, right))
    elif _are_notes(cells, (top, left, bottom, right)):
        for row in range(top, bottom + 1):
            yield _paragraph(cells, (row, left, row, right))
    else:
        yield _as_table(cells, (top, left, bottom, right), None)
    yield from remarks


def _paragraph(cells: Cells, rect: Rect) -> Piece:
    top, left, bottom, right = rect
    text = next((value for r in range(top, bottom + 1) for value in _distinct(cells, r, left, right)), "")
    return Piece(rect, text)


def _as_table(cells: Cells, rect: Rect, header_rows: int | None) -> Piece:
    top, left, bottom, right = rect
    bottom = min(bottom, max(cells.rows))
    shown = range(top, bottom + 1)
    # Columns are empty where a title is wider than its table, or where one sets labels apart from their values.
    used = sorted({column for row in shown for column in cells.rows.get(row, ()) if left <= column <= right})
    kept = [row for row in shown if any(column in cells.rows.get(row, ()) for column in used)]
    rows = tuple(tuple(cells.at(row, column) for column in used) for row in kept)
    rect = (top, used[0], bottom, used[-1])
    if header_rows is None:
        header_rows = _header_rows(cells, rect, kept)
    return Piece(rect, table=Table(rows, min(header_rows, max(0, len(rows) - 1)), _spans(cells, kept, used)))


def _spans(cells: Cells, rows: Sequence[int], columns: Sequence[int]) -> tuple[Span, ...]:
    """Merged cells in terms of the rows and columns that a table kept."""
    row_at, column_at = {row: at for at, row in enumerate(rows)}, {column: at for at, column in enumerate(columns)}
    found = []
    for top, left, bottom, right in cells.merged:
        if top not in row_at or left not in column_at:
            continue
        down = sum(top <= row <= bottom for row in rows[row_at[top] : row_at[top] + bottom - top + 1])
        across = sum(left <= column <= right for column in columns[column_at[left] : column_at[left] + right - left + 1])
        if down > 1 or across > 1:
            found.append(Span(row_at[top], column_at[left], down, across))
    return tuple(sorted(found, key=lambda span: (span.row, span.column)))


def _regions(rows: dict[int, dict[int, str]], depth: int) -> Iterator[Rect]:
    """Cut at empty rows, then at empty columns, then where columns change; from top to bottom, left to right."""
    numbers = sorted(row for row, cells in rows.items() if cells)
    for run in _runs(numbers):
        columns = sorted({column for row in run for column in rows[row]})
        strips = _with_labels(list(_runs(columns)))
        parts = [strips] if len(strips) > 1 else []
        if parts and depth < DEEPEST:
            for strip in strips:
                wanted = set(strip)
                yield from _regions({row: {c: v for c, v in rows[row].items() if c in wanted} for row in run}, depth + 1)
            continue
        cut = _diagonal(rows, run) if depth < DEEPEST else None
        if cut is not None:
            for part in (run[:cut], run[cut:]):
                yield from _regions({row: rows[row] for row in part}, depth + 1)
            continue
        yield run[0], columns[0], run[-1], columns[-1]


def _diagonal(rows: dict[int, dict[int, str]], run: list[int]) -> int | None:
    """Where in a run of rows nothing above shares a column with anything below, tables standing corner to corner."""
    lows, highs = [min(rows[row]) for row in run], [max(rows[row]) for row in run]
    low_above, high_above = list(accumulate(lows, min)), list(accumulate(highs, max))
    low_below, high_below = list(accumulate(reversed(lows), min))[::-1], list(accumulate(reversed(highs), max))[::-1]
    for cut in range(2, len(run) - 1):
        apart = high_above[cut - 1] < low_below[cut] or high_below[cut] < low_above[cut - 1]
        if apart and low_above[cut - 1] < high_above[cut - 1] and low_below[cut] < high_below[cut]:
            return cut
    return None


def _with_labels(strips: list[list[int]]) -> list[list[int]]:
    """Rejoin strips one empty column apart when either is a single column: forms set labels and units apart like that."""
    joined: list[list[int]] = []
    for strip in strips:
        if joined and strip[0] - joined[-1][-1] == 2 and 1 in (len(strip), len(joined[-1])):
            joined[-1] = joined[-1] + strip
        else:
            joined.append(strip)
    return joined


def _runs(numbers: list[int]) -> Iterator[list[int]]:
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run


def _distinct(cells: Cells, row: int, left: int, right: int) -> list[str]:
    columns = cells.rows.get(row, {})
    inside = (columns[c] for c in sorted(columns) if left <= c <= right)
    return list(dict.fromkeys(value for value in inside if value))


def _is_across(cells: Cells, row: int, left: int, right: int) -> bool:
    return any(top == row == bottom and first <= left and last >= right for top, first, bottom, last in cells.merged)


def _is_title(cells: Cells, row: int, left: int, right: int) -> bool:
    """Whether a row with one text is a title over what follows rather than a first row with one filled cell."""
    if len(_distinct(cells, row, left, right)) != 1 or any((row, c) in cells.numeric for c in range(left, right + 1)):
        return False
    return _is_across(cells, row, left, right) or len(_distinct(cells, row + 1, left, right)) > 1


def _is_remark(cells: Cells, row: int, left: int, right: int) -> bool:
    """Whether the last row of a region is a sentence below the table rather than a row of it."""
    said = _distinct(cells, row, left, right)
    if len(said) != 1 or any((row, c) in cells.numeric for c in range(left, right + 1)):
        return False
    if len(_distinct(cells, row - 1, left, right)) == 1 and not _is_remark_text(said[0]):
        return False  # a list of one column
    return _is_remark_text(said[0]) or (len(said[0]) >= NOTE_LETTERS and _is_across(cells, row, left, right))


def _is_remark_text(text: str) -> bool:
    return text.lower().startswith(_REMARKS) and len(text) > 3


def _are_notes(cells: Cells, rect: Rect) -> bool:
    """Whether each row is one sentence rather than a value: remarks below a table, or a name over two lines."""
    top, left, bottom, right = rect
    rows = [_distinct(cells, row, left, right) for row in range(top, bottom + 1)]
    if not all(len(row) == 1 for row in rows):
        return False
    plain = not any((row, column) in cells.numeric for row in range(top, bottom + 1) for column in range(left, right + 1))
    return sum(len(row[0]) for row in rows) >= NOTE_LETTERS * len(rows) or (len(rows) == 2 and plain)


def _header_rows(cells: Cells, rect: Rect, rows: Sequence[int]) -> int:
    """How many rows name the columns: those that are set apart from what follows by bold type or colour, those that stay when
    one scrolls, a row of groups and one of names below it; else the first unless it holds quantities."""
    top, left, bottom, right = rect
    if len(rows) < 2:
        return 0
    marked = next((at for at, row in enumerate(rows[: MOST_HEADER_ROWS + 1]) if not _stands_out(cells, row, left, right)), 0)
    if 0 < marked <= MOST_HEADER_ROWS and marked < len(rows) and not (marked == 1 and _is_body(cells, rows[0], left, right)):
        return marked + (marked == 1 and _has_groups(cells, top, left, right) and _names(cells, rows, 1, left, right))
    if top <= cells.frozen_rows < bottom and cells.frozen_rows - top < MOST_HEADER_ROWS:
        return sum(row <= cells.frozen_rows for row in rows)
    if _is_body(cells, rows[0], left, right):
        return 0
    return 2 if _has_groups(cells, top, left, right) and _names(cells, rows, 1, left, right) else 1


def _stands_out(cells: Cells, row: int, left: int, right: int) -> bool:
    filled = [column for column in cells.rows.get(row, ()) if left <= column <= right]
    own = [column for column in filled if (row, column) in cells.standing_out]
    return bool(own) and len(own) == len([c for c in filled if not _is_covered(cells, row, c)])


def _is_covered(cells: Cells, row: int, column: int) -> bool:
    """Whether a cell only repeats the one it is merged into."""
    return any(
        top <= row <= bottom and left <= column <= right and (row, column) != (top, left)
        for top, left, bottom, right in cells.merged
    )


def _is_body(cells: Cells, row: int, left: int, right: int) -> bool:
    """Whether a row holds quantities, and not only years, which are names of columns."""
    numbers = [cells.at(row, c) for c in range(left, right + 1) if (row, c) in cells.numeric]
    years = all(len(number) == 4 and number.isdecimal() and "1900" <= number <= "2100" for number in numbers)
    named = any((row, column) not in cells.numeric for column in cells.rows.get(row, ()) if left <= column <= right)
    return bool(numbers) and not (years and (named or len(numbers) > 1) and (row, left) not in cells.numeric)


def _has_groups(cells: Cells, top: int, left: int, right: int) -> bool:
    return any(t == b == top and left <= first < last <= right for t, first, b, last in cells.merged)


def _names(cells: Cells, rows: Sequence[int], at: int, left: int, right: int) -> bool:
    return len(rows) > at + 1 and not any((rows[at], c) in cells.numeric for c in range(left, right + 1))
