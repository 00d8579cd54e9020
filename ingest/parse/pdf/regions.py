"""Parts of a page that rules of one width enclose: tables set with rules above, below and under their header only.

Rules that begin and end at the same place belong together. What stands between two of them is (part of) a table when it falls
into columns; prose between two tables, or between the rules of a page's header and footer, does not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from ingest.parse.pdf import aligned
from ingest.parse.pdf.page import Area, Item
from ingest.parse.pdf.runs import Run, lines_of, runs_of
from ingest.parse.pdf.strokes import Stroke
from ingest.parse.pdf.text import is_caption

SAME_EDGE = 4.0
"""Points by which the ends of rules of one table may differ."""
LEAST_WIDTH = 60.0
CELLS, ROW, EMPTY, OTHER = "cells", "row", "empty", "other"
"""What stands between two rules: cells in columns, one line over all columns (a part's title), nothing, or something else."""
DOUBLE_RULE = 6.0
"""Points between the two strokes of one rule."""
OUTSIDE = 0.05
"""Share of texts that may reach beyond the rules, as slanted headings do."""
LOOSE = 1.9
"""Times the usual distance of its lines beyond which text is no more of a table, on the side where no rule is close."""
MOST_HEADS = 4
"""Lines of a heading that stand above the first rule over all columns."""


def enclosed(rules: Sequence[Stroke], items: Sequence[Item]) -> Iterator[Area]:
    """Yield the tables between horizontal strokes that are in no grid."""
    free = list(items)
    for family in _families([rule for rule in rules if rule.horizontal and rule.end - rule.start >= LEAST_WIDTH]):
        heights = [rule.at for rule in family]
        x0, x1 = min(rule.start for rule in family), max(rule.end for rule in family)
        kinds = [_kind(_between(free, x0, x1, top, bottom), bottom - top) for top, bottom in pairwise(heights)]
        for start, end in _chains(kinds):
            area = _table(heights[start : end + 1], x0, x1, rules, free)
            if area is not None:
                owned = {id(item) for item in area.owned}
                free = [item for item in free if id(item) not in owned]
                yield area


def _chains(kinds: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of bands that make one table: bands of cells, with rows over the whole width between them."""
    start: int | None = None
    for at, kind in enumerate(kinds):
        after = next((later for later in kinds[at + 1 :] if later != EMPTY), OTHER)
        goes_on = kind == CELLS or (kind in (ROW, EMPTY) and start is not None and after == CELLS)
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
    families = [family for family in families if len(family) > 1]
    # The rules over some columns of a table belong to it.
    return sorted(families, key=lambda f: ((f[0].at - f[-1].at) * (f[0].end - f[0].start), f[0].at, f[0].start))


def _between(items: Sequence[Item], x0: float, x1: float, top: float, bottom: float) -> list[Item]:
    return [i for i in items if top - 1 <= i.middle <= bottom + 1 and x0 - 3 <= (i.x0 + i.x1) / 2 <= x1 + 3]


def _kind(inside: Sequence[Item], height: float) -> str:
    """Whether what stands between two rules falls into columns that are not those of prose, or is a row over all of them."""
    if not inside:
        return EMPTY if height < DOUBLE_RULE else OTHER
    reading = aligned.read(inside, ())
    if reading is not None:
        return OTHER if aligned.is_prose(reading) else CELLS
    one_line = max(i.y1 for i in inside) - min(i.y0 for i in inside) < 1.5 * max(i.y1 - i.y0 for i in inside)
    return ROW if one_line and height < 2.2 * max(i.y1 - i.y0 for i in inside) else OTHER


def _table(heights: Sequence[float], x0: float, x1: float, rules: Sequence[Stroke], items: Sequence[Item]) -> Area | None:
    lines = lines_of(runs_of(_between(items, x0, x1, heights[0], heights[-1])))
    pitch = _pitch(lines)
    lines = _close(lines, pitch)
    outside = [run.x0 < x0 - 6 or run.x1 > x1 + 6 for line in lines for run in line]
    if sum(outside) > OUTSIDE * len(outside):
        return None
    over = _between(items, x0, x1, heights[0] - MOST_HEADS * pitch, heights[0] - 1)
    lines = [*_heads_above(lines_of(runs_of(over)), lines, pitch), *lines]
    top = min(heights[0], min(run.y0 for run in lines[0]))
    bottom = max(run.y1 for line in lines for run in line)
    inside = [item for item in _between(items, x0, x1, top, bottom) if item.middle <= bottom]
    within = [r for r in rules if r.horizontal and top + 2 < r.at < bottom - 2 and x0 - 6 <= r.start and r.end <= x1 + 6]
    reading = aligned.read(inside, within)
    if reading is None or aligned.is_prose(reading) or aligned.is_list(reading):
        return None
    return aligned.area_of(reading, inside, within, (x0, top, x1, bottom))


def _pitch(lines: Sequence[Sequence[Run]]) -> float:
    steps = [below[0].middle - above[0].middle for above, below in pairwise(lines)]
    return max(median(steps), 1.0) if steps else 12.0


def _close(lines: list[list[Run]], pitch: float) -> list[list[Run]]:
    """Leave out what stands far below the other lines and in no columns: the last rule may be one at the foot of the page."""
    for at, (above, below) in enumerate(pairwise(lines), start=1):
        far = below[0].middle - above[0].middle > LOOSE * pitch
        if far and at >= max(2.0, 0.5 * len(lines)) and all(len(line) == 1 for line in lines[at:]):
            return lines[:at]
    return lines


def _heads_above(above: Sequence[Sequence[Run]], lines: Sequence[Sequence[Run]], pitch: float) -> list[list[Run]]:
    """Return the lines right above the first rule that head its columns: several short texts side by side, or one between two
    such lines."""
    left, right = min(run.x0 for line in lines for run in line), max(run.x1 for line in lines for run in line)
    size = median(run.size for line in lines for run in line)
    taken: list[list[Run]] = []
    pending: list[list[Run]] = []
    below = lines[0][0].middle
    for line in reversed(above):
        short = all(run.x1 - run.x0 < 0.45 * (right - left) and run.size < 1.15 * size for run in line)
        inside = left - 3 <= line[0].x0 and line[-1].x1 <= right + 3
        if not short or not inside or below - line[0].middle > LOOSE * pitch or is_caption(line[0].text):
            break
        pending.insert(0, list(line))
        if len(line) > 1:
            taken, pending = [*pending, *taken], []
        below = line[0].middle
    # A single text over the heading, not at its left edge, heads several of its columns.
    if taken and pending and pending[-1][0].x0 > left + 0.1 * (right - left):
        taken = [pending[-1], *taken]
    return taken
