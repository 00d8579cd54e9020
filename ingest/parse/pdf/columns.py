"""The columns of a table without lines.

Narrow runs make the columns, wide ones are then laid over them: two neighbouring columns stay apart when there are lines that
fill both, and more of them than runs that cross from one to the other. What crosses nevertheless is a cell over both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ingest.parse.pdf.runs import Run

NEAR = 1.5
"""In font sizes: a column that never shares a line with its neighbour and is closer than this to it is part of it."""


@dataclass(slots=True)
class Column:
    x0: float
    x1: float
    runs: list[Run] = field(default_factory=list)
    lines: set[int] = field(default_factory=set)
    """Numbers of the lines that fill it."""


def columns_of(lines: Sequence[Sequence[Run]]) -> list[Column]:
    """Return the columns from left to right; a run that crosses several of them belongs to none."""
    numbered = [(run, number) for number, line in enumerate(lines) for run in line]
    numbered.sort(key=lambda one: (one[0].x1 - one[0].x0, one[0].x0, one[1]))
    columns: list[Column] = []
    wide: list[tuple[Run, int]] = []
    for run, number in numbered:
        met = [column for column in columns if _overlap(run, column) > 0]
        if len(met) > 1:
            wide.append((run, number))
        elif met:
            _take(met[0], run, number)
        else:
            columns.append(Column(run.x0, run.x1, [run], {number}))
    columns.sort(key=lambda column: column.x0)
    while (pair := _to_merge(columns, wide)) is not None:
        wide = _merge(columns, pair, wide)
    return columns


def across(run: Run, columns: Sequence[Column]) -> tuple[int, int] | None:
    """Return the first and last column that a run reaches into, or None."""
    met = [i for i, column in enumerate(columns) if _overlap(run, column) > 0]
    return (met[0], met[-1]) if met else None


def _overlap(run: Run, column: Column) -> float:
    return min(run.x1, column.x1) - max(run.x0, column.x0)


def _take(column: Column, run: Run, number: int) -> None:
    column.x0, column.x1 = min(column.x0, run.x0), max(column.x1, run.x1)
    column.runs.append(run)
    column.lines.add(number)


def _to_merge(columns: Sequence[Column], wide: Sequence[tuple[Run, int]]) -> int | None:
    """Return the first column that is one with the next, the closest pairs first."""
    for i in sorted(range(len(columns) - 1), key=lambda i: (columns[i + 1].x0 - columns[i].x1, i)):
        left, right = columns[i], columns[i + 1]
        both = len(left.lines & right.lines)
        crossing = sum(_overlap(run, left) > 0 and _overlap(run, right) > 0 for run, _ in wide)
        if crossing > both or (both < 2 and crossing == both > 0) or (not both and _is_part(left, right)):
            return i
    return None


def _is_part(left: Column, right: Column) -> bool:
    size = max(run.size for run in (*left.runs, *right.runs))
    return right.x0 - left.x1 < NEAR * size


def _merge(columns: list[Column], at: int, wide: Sequence[tuple[Run, int]]) -> list[tuple[Run, int]]:
    """Make columns `at` and the next one; return the runs that are still across several."""
    left, right = columns[at], columns.pop(at + 1)
    left.x0, left.x1 = min(left.x0, right.x0), max(left.x1, right.x1)
    left.runs += right.runs
    left.lines |= right.lines
    return list(_still_wide(columns, wide))


def _still_wide(columns: Sequence[Column], wide: Sequence[tuple[Run, int]]) -> Iterator[tuple[Run, int]]:
    for run, number in wide:
        met = across(run, columns)
        if met is not None and met[0] == met[1]:
            _take(columns[met[0]], run, number)
        else:
            yield run, number
