"""From items to lines in reading order: columns are found, then read one after the other.

A page is cut at a gutter where many lines start at one edge and little text crosses it. What crosses (a title, a wide table)
divides the page into bands; within a band the left column is read before the right one. Columns are cut again in the same way.
Rows of a table without lines look like columns but do not read like them, and are told by their short, aligned texts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from ingest.parse.pdf.fragments import Fragment, fragments_of
from ingest.parse.pdf.lines import elements_of
from ingest.parse.pdf.page import Item, Layout, Page, Zone
from ingest.parse.pdf.tables import tables

LEAST_LINES = 3
MANY_LINES = 6
LEAST_SHARE = 0.18
"""Of the width: a narrower strip is a margin note or a list's numbers, not a column."""
DEEPEST = 8
MARGIN = 0.09
"""Of the height or width: where running headers, footers and stamps stand."""


def laid_in_order(page: Page) -> Layout:
    """Return the page's lines and tables in reading order; text inside a table's area is the table's alone."""
    zones: list[Zone] = []
    for turn, side in sorted(page.sides.items()):
        areas = tables(side, *((page.height, page.width) if turn in (90, 270) else (page.width, page.height)))
        owned = {id(item) for area in areas for item in area.owned}
        free = [item for item in side.items if id(item) not in owned]
        fragments = fragments_of(free) + [Fragment(area) for area in areas]
        # Turned by a quarter, the page is as high as it was wide: its upper and lower edges are the sides of the page.
        margin = turn in (90, 270) and len(page.sides) > 1 and _along_edge(side.items, page.width)
        zones.extend(Zone(elements_of(zone), turn, margin) for zone in _zones(fragments, DEEPEST))
    return Layout(page.number, page.width, page.height, [zone for zone in zones if zone.elements], page.links)


def _along_edge(items: Sequence[Item], height: float) -> bool:
    edge = MARGIN * height
    return all(item.y1 <= edge for item in items) or all(item.y0 >= height - edge for item in items)


def _zones(fragments: list[Fragment], depth: int) -> list[list[Fragment]]:
    """Cut where the best gutter stands: what is above it, left of it, right of it and below it are read in this order."""
    gutter = _gutter(fragments) if depth and sum(f.weight for f in fragments) >= 2 * LEAST_LINES else None
    if gutter is None:
        return [fragments] if fragments else []
    above = [f for f in gutter.others if f.middle <= gutter.top]
    below = [f for f in gutter.others if f.middle > gutter.top]
    parts = (above, gutter.left, gutter.right, below)
    return [zone for part in parts if part for zone in _zones(part, depth - 1)]


@dataclass(slots=True)
class _Gutter:
    """A white strip between two columns that begins at the height `top`, and what stands beside it and above or below."""

    top: float
    left: list[Fragment]
    right: list[Fragment]
    others: list[Fragment]


def _gutter(fragments: list[Fragment]) -> _Gutter | None:
    """Return the strip with most text beside it, just left of an edge where lines start, or None."""
    x0, x1 = min(f.x0 for f in fragments), max(f.x1 for f in fragments)
    width = x1 - x0
    starts: Counter[int] = Counter()
    edges: dict[int, float] = {}
    for fragment in fragments:
        bucket = round(fragment.x0 / 3)
        edges[bucket] = min(edges.get(bucket, fragment.x0), fragment.x0)
        if x0 + LEAST_SHARE * width < fragment.x0 < x1 - LEAST_SHARE * width:
            starts[bucket] += fragment.weight
    best: tuple[int, float, float, list[Fragment], list[Fragment]] | None = None
    for bucket, count in sorted(starts.items()):
        if count + starts.get(bucket - 1, 0) + starts.get(bucket + 1, 0) < LEAST_LINES:
            continue
        cut = min(edges[near] for near in (bucket - 1, bucket, bucket + 1) if near in edges) - 2
        for top, left, right in _bands(fragments, cut):
            if _are_columns(left, right, cut):
                text = sum(f.weight for f in left) + sum(f.weight for f in right)
                if best is None or (-text, cut) < (-best[0], best[1]):
                    best = (text, cut, top, left, right)
    if best is None:
        return None
    _, _, top, left, right = best
    beside = {id(f) for f in (*left, *right)}
    return _Gutter(top, left, right, [f for f in fragments if id(f) not in beside])


def _bands(fragments: list[Fragment], cut: float) -> Iterator[tuple[float, list[Fragment], list[Fragment]]]:
    """Yield the stretches that nothing crosses at `cut`, with what stands on either side."""
    left = [f for f in fragments if f.x1 <= cut]
    right = [f for f in fragments if f.x0 >= cut]
    crossing: list[Fragment] = []
    for fragment in sorted((f for f in fragments if f.x0 < cut < f.x1), key=lambda f: f.middle):
        side = _own_side(fragment, left, right, cut)
        (crossing if side is None else side).append(fragment)
    top = float("-inf")
    for divider in [*crossing, None]:
        bottom = divider.middle if divider is not None else float("inf")
        sides = [[f for f in side if top <= f.middle < bottom] for side in (left, right)]
        if all(sides):
            yield top, sides[0], sides[1]
        top = bottom


def _own_side(fragment: Fragment, left: list[Fragment], right: list[Fragment], cut: float) -> list[Fragment] | None:
    """The side to which something that reaches over the gutter belongs: what divides columns has its height to itself."""
    mine, other = (left, right) if (fragment.x0 + fragment.x1) / 2 < cut else (right, left)
    beside = sum(max(0.0, min(f.y1, fragment.y1) - max(f.y0, fragment.y0)) for f in other)
    return mine if beside > 0.3 * (fragment.y1 - fragment.y0) else None


def _are_columns(left: list[Fragment], right: list[Fragment], cut: float) -> bool:
    if any(sum(f.weight for f in side) < LEAST_LINES for side in (left, right)):
        return False
    spans = [(min(f.y0 for f in side), max(f.y1 for f in side)) for side in (left, right)]
    shared = min(end for _, end in spans) - max(start for start, _ in spans)
    if shared < 0.4 * min(end - start for start, end in spans):
        return False
    reach = sorted(f.x1 for f in left)[int(0.9 * (len(left) - 1))]
    if cut + 2 - reach < 5:
        return False
    # Columns of prose are filled; the cells of a row share their baseline and leave most of their column empty.
    rows = [_rows(side) for side in (left, right)]
    fill = min(_fill(side) for side in rows)
    letters = min(float(median(row.letters for row in side)) for side in rows)
    aligned = max(_aligned(*rows), _aligned(*reversed(rows)))
    wordy = letters >= 18 and (fill >= 0.6 or (letters >= 22 and cut + 2 - reach >= 20))
    # In a few lines of one column, gaps may fall below each other by chance.
    many = min(len(side) for side in rows) >= MANY_LINES
    return fill >= 0.3 and letters >= 6 and (aligned < 0.6 or (wordy and many))


@dataclass(slots=True)
class _Row:
    """What one side has at one height. Digits are no letters; a Han character takes the room of two."""

    x0: float
    x1: float
    middle: float
    letters: int


def _rows(side: list[Fragment]) -> list[_Row]:
    rows: list[_Row] = []
    for fragment in sorted(side, key=lambda f: f.middle):
        letters = 40 if fragment.area else sum(c.isalpha() + (c > "\u2e80") for item in fragment.items for c in item.text)
        if rows and fragment.area is None and fragment.middle - rows[-1].middle < 2:
            last = rows[-1]
            last.x0, last.x1, last.letters = min(last.x0, fragment.x0), max(last.x1, fragment.x1), last.letters + letters
        else:
            rows.append(_Row(fragment.x0, fragment.x1, fragment.middle, letters))
    return rows


def _aligned(rows: list[_Row], others: list[_Row]) -> float:
    """Share of rows at whose height the other side has a row too."""
    heights = {round(other.middle) + by for other in others for by in (-1, 0, 1)}
    return sum(round(row.middle) in heights for row in rows) / len(rows)


def _fill(rows: list[_Row]) -> float:
    width = max(row.x1 for row in rows) - min(row.x0 for row in rows)
    return float(median(row.x1 - row.x0 for row in rows)) / width if width else 0.0


