"""Parts of a page that rules of one width enclose: tables set with rules above, below and under their header only.

Rules that begin and end at the same place belong together. What stands between two of them is (part of) a table when it falls
into columns; prose between two tables, or between the rules of a page's header and footer, does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ingest.parse.pdf import aligned
from ingest.parse.pdf.page import Area, Item
from ingest.parse.pdf.strokes import Stroke

SAME_EDGE = 4.0
"""Points by which the ends of rules of one table may differ."""
LEAST_WIDTH = 60.0
CELLS, ROW, OTHER = "cells", "row", "other"
"""What stands between two rules: cells in columns, one line over all columns (a part's title), or something else."""


def enclosed(rules: Sequence[Stroke], items: Sequence[Item]) -> Iterator[Area]:
    """Yield the tables between horizontal strokes that are in no grid."""
    for family in _families([rule for rule in rules if rule.horizontal and rule.end - rule.start >= LEAST_WIDTH]):
        heights = [rule.at for rule in family]
        x0, x1 = min(rule.start for rule in family), max(rule.end for rule in family)
        kinds = [_kind(_between(items, x0, x1, top, bottom), bottom - top) for top, bottom in pairwise(heights)]
        for start, end in _chains(kinds):
            yield from _table(heights[start : end + 1], x0, x1, rules, items)


def _chains(kinds: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of bands that make one table: bands of cells, with rows over the whole width between them."""
    start: int | None = None
    for at, kind in enumerate(kinds):
        goes_on = kind == CELLS or (kind == ROW and start is not None and kinds[at + 1 : at + 2] == [CELLS])
        if goes_on and start is None:
            start = at
        elif not goes_on and start is not None:
            yield start, at
            start = None
    if start is not None:
        yield start, len(kinds)


def _families(rules: Sequence[Stroke]) -> list[list[Stroke]]:
    families: list[list[Stroke]] = []
    for rule in sorted(rules, key=lambda r: (r.at, r.start)):
        for family in families:
            if abs(family[-1].start - rule.start) <= SAME_EDGE and abs(family[-1].end - rule.end) <= SAME_EDGE:
                family.append(rule)
                break
        else:
            families.append([rule])
    return [family for family in families if len(family) > 1]


def _between(items: Sequence[Item], x0: float, x1: float, top: float, bottom: float) -> list[Item]:
    return [i for i in items if top - 1 <= i.middle <= bottom + 1 and x0 - 3 <= (i.x0 + i.x1) / 2 <= x1 + 3]


def _kind(inside: Sequence[Item], height: float) -> str:
    """Whether what stands between two rules falls into columns that are not those of prose, or is a row over all of them."""
    if not inside:
        return OTHER
    reading = aligned.read(inside, ())
    if reading is not None:
        return OTHER if aligned.is_prose(reading) else CELLS
    one_line = max(i.y1 for i in inside) - min(i.y0 for i in inside) < 1.5 * max(i.y1 - i.y0 for i in inside)
    return ROW if one_line and height < 2.2 * max(i.y1 - i.y0 for i in inside) else OTHER


def _table(heights: Sequence[float], x0: float, x1: float, rules: Sequence[Stroke], items: Sequence[Item]) -> Iterator[Area]:
    inside = _between(items, x0, x1, heights[0], heights[-1])
    if any(item.x0 < x0 - 6 or item.x1 > x1 + 6 for item in inside):
        return
    within = [r for r in rules if r.horizontal and heights[0] + 2 < r.at < heights[-1] - 2]
    within = [r for r in within if x0 - 6 <= r.start and r.end <= x1 + 6]
    reading = aligned.read(inside, within)
    if reading is None or aligned.is_prose(reading):
        return
    area = aligned.area_of(reading, inside, within, (x0, heights[0], x1, heights[-1]))
    if area is not None:
        yield area
