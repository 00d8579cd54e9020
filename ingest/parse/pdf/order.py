"""From items to lines in reading order: columns are found, then read one after the other.

A page is cut at a gutter where many lines start at one edge and little text crosses it. What crosses (a title, a wide table)
divides the page into bands; within a band the left column is read before the right one. Columns are cut again in the same way.
Rows of a table without lines look like columns but do not read like them, and are told by their short, aligned texts.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from ingest.parse.pdf.page import Area, Item, Layout, Line, Page, Zone
from ingest.parse.pdf.tables import tables
from ingest.parse.pdf.text import side_by_side

WORD_GAP = 0.6
"""In font sizes: items closer than this on one line are one fragment; justified words come to .5, gutters start at .8."""
LEAST_LINES = 3
LEAST_SHARE = 0.18
"""Of the width: a narrower strip is a margin note or a list's numbers, not a column."""
DEEPEST = 3
MARGIN = 0.09
"""Of the height or width: where running headers, footers and stamps stand."""


_MARKER = re.compile(r"[^\w\s]|[(（]?\w{1,3}[.)）、:：]|\d{1,2}(?:\.\d{1,2})*|第\w{1,4}[章节条]")


class Fragment:
    """Neighbouring items of one line, or a table."""

    __slots__ = ("area", "items", "marker", "x0", "x1", "y0", "y1")

    def __init__(self, first: Item | Area) -> None:
        self.items: list[Item] = [first] if isinstance(first, Item) else []
        self.area = first if isinstance(first, Area) else None
        self.marker = False
        self.x0, self.y0, self.x1, self.y1 = first.x0, first.y0, first.x1, first.y1

    def add(self, item: Item) -> None:
        self.items.append(item)
        self.x1 = max(self.x1, item.x1)
        self.y0, self.y1 = min(self.y0, item.y0), max(self.y1, item.y1)

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2

    @property
    def weight(self) -> int:
        """Lines that it counts for."""
        return 1 if self.area is None else len(self.area.table.rows)


def laid_in_order(page: Page) -> Layout:
    """Return the page's lines and tables in reading order; text inside a table's area is the table's alone."""
    zones: list[Zone] = []
    for turn, side in sorted(page.sides.items()):
        areas = tables(side)
        owned = {id(item) for area in areas for item in area.owned}
        free = [item for item in side.items if id(item) not in owned]
        fragments = _fragments(free) + [Fragment(area) for area in areas]
        # Turned by a quarter, the page is as high as it was wide: its upper and lower edges are the sides of the page.
        margin = turn in (90, 270) and len(page.sides) > 1 and _along_edge(side.items, page.width)
        zones.extend(Zone(_elements(zone), turn, margin) for zone in _zones(fragments, DEEPEST))
    return Layout(page.number, page.width, page.height, [zone for zone in zones if zone.elements], page.links)


def _along_edge(items: Sequence[Item], height: float) -> bool:
    edge = MARGIN * height
    return all(item.y1 <= edge for item in items) or all(item.y0 >= height - edge for item in items)


def _fragments(items: Sequence[Item]) -> list[Fragment]:
    """Join items that follow each other on one line. Items are looked up by height, so that a page of n costs about n."""
    shelves: dict[int, list[Fragment]] = defaultdict(list)
    made: list[Fragment] = []
    for item in sorted(items, key=lambda i: (i.x0, i.y0)):
        shelf = int(item.middle // 12)
        beside = [f for near in (shelf - 1, shelf, shelf + 1) for f in shelves.get(near, ()) if _share_line(f, item)]
        joining = [f for f in beside if -item.size < item.x0 - f.x1 <= _reach(f, item)]
        if joining:
            max(joining, key=lambda f: f.x1).add(item)
            continue
        fragment = Fragment(item)
        # A list's number stands alone at its line's start; one that other words precede is part of them, however far they are.
        fragment.marker = bool(_MARKER.fullmatch(item.text)) and all(item.x0 - f.x1 > 4 * item.size for f in beside)
        made.append(fragment)
        shelves[shelf].append(fragment)
    return made


def _reach(fragment: Fragment, item: Item) -> float:
    """How far from a fragment an item may stand and still belong to it: a bullet or number stands further from its text."""
    size = max(item.size, fragment.items[-1].size)
    return (3.0 if fragment.marker and len(fragment.items) == 1 else WORD_GAP) * size


def _share_line(one: Fragment, other: Item | Fragment) -> bool:
    overlap = min(one.y1, other.y1) - max(one.y0, other.y0)
    return overlap >= 0.5 * min(one.y1 - one.y0, other.y1 - other.y0)


def _zones(fragments: list[Fragment], depth: int) -> list[list[Fragment]]:
    cut = _gutter(fragments) if depth and sum(f.weight for f in fragments) >= 2 * LEAST_LINES else None
    if cut is None:
        return [fragments] if fragments else []
    left = [f for f in fragments if f.x1 <= cut]
    right = [f for f in fragments if f.x0 >= cut]
    crossing = []
    for fragment in sorted((f for f in fragments if f.x0 < cut < f.x1), key=lambda f: f.middle):
        side = _own_side(fragment, left, right, cut)
        (crossing if side is None else side).append(fragment)
    zones: list[list[Fragment]] = []
    wide: list[Fragment] = []
    top = float("-inf")
    for divider in [*crossing, None]:
        bottom = divider.middle if divider is not None else float("inf")
        band = [[f for f in side if top <= f.middle < bottom] for side in (left, right)]
        if all(band):
            zones.extend([wide] if wide else [])
            zones.extend(_zones(band[0], depth - 1))
            zones.extend(_zones(band[1], depth - 1))
            wide = []
        else:  # on one side only: the short last line of a wide paragraph
            wide.extend(band[0] or band[1])
        if divider is not None:
            wide.append(divider)
            top = bottom
    zones.extend([wide] if wide else [])
    return zones


def _own_side(fragment: Fragment, left: list[Fragment], right: list[Fragment], cut: float) -> list[Fragment] | None:
    """The side to which something that reaches over the gutter belongs: what divides columns has its height to itself."""
    mine, other = (left, right) if (fragment.x0 + fragment.x1) / 2 < cut else (right, left)
    beside = sum(max(0.0, min(f.y1, fragment.y1) - max(f.y0, fragment.y0)) for f in other)
    return mine if beside > 0.3 * (fragment.y1 - fragment.y0) else None


def _gutter(fragments: list[Fragment]) -> float | None:
    """Return the x at which to cut, just left of an edge where lines start, or None."""
    x0, x1 = min(f.x0 for f in fragments), max(f.x1 for f in fragments)
    width = x1 - x0
    starts: Counter[int] = Counter()
    for fragment in fragments:
        if x0 + LEAST_SHARE * width < fragment.x0 < x1 - LEAST_SHARE * width:
            starts[round(fragment.x0 / 3)] += fragment.weight
    best: tuple[int, int, float] | None = None
    for bucket, count in starts.items():
        if count + starts.get(bucket - 1, 0) + starts.get(bucket + 1, 0) < LEAST_LINES:
            continue
        edge = min(f.x0 for f in fragments if abs(round(f.x0 / 3) - bucket) <= 1)
        cut = edge - 2
        left = [f for f in fragments if f.x1 <= cut]
        right = [f for f in fragments if f.x0 >= cut]
        crossing = len(fragments) - len(left) - len(right)
        if crossing <= 0.5 * len(fragments) and _are_columns(left, right, cut):
            score = (crossing, -len(right), cut)
            best = min(best, score) if best is not None else score
    return best[2] if best is not None else None


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
    return fill >= 0.3 and letters >= 6 and (aligned < 0.6 or (fill >= 0.6 and letters >= 18))


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


def _elements(fragments: list[Fragment]) -> list[Line | Area]:
    """Group fragments into lines from top to bottom."""
    rows: list[list[Fragment]] = []
    for fragment in sorted(fragments, key=lambda f: (f.middle, f.x0)):
        row = rows[-1] if rows else None
        if row is not None and fragment.area is None and row[0].area is None and any(_share_line(f, fragment) for f in row):
            row.append(fragment)
        else:
            rows.append([fragment])
    return [row[0].area or _line([item for f in sorted(row, key=lambda f: f.x0) for item in f.items]) for row in rows]


def _line(items: list[Item]) -> Line:
    weights: Counter[float] = Counter()
    for item in items:
        weights[item.size] += len(item.text)
    total = sum(weights.values())
    tagged = Counter({item.tagged: 0 for item in items})
    for item in items:
        tagged[item.tagged] += len(item.text)
    return Line(
        text=side_by_side(items),
        x0=min(item.x0 for item in items),
        y0=min(item.y0 for item in items),
        x1=max(item.x1 for item in items),
        y1=max(item.y1 for item in items),
        size=max(weights, key=lambda size: (weights[size], size)),
        bold=sum(len(item.text) for item in items if item.bold) >= 0.8 * total,
        mono=sum(len(item.text) for item in items if item.mono) >= 0.9 * total,
        tagged=tagged.most_common(1)[0][0],
    )
