"""Fragments: items that follow each other on one line without a gap as wide as one between columns; a table is one, too."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from ingest.parse.pdf.page import Area, Item

WORD_GAP = 0.6
"""In font sizes: items closer than this on one line are one fragment; justified words come to .5, gutters start at .8."""

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


def fragments_of(items: Sequence[Item]) -> list[Fragment]:
    """Join items that follow each other on one line. Items are looked up by height, so that a page of n costs about n."""
    shelves: dict[int, list[Fragment]] = defaultdict(list)
    made: list[Fragment] = []
    for item in sorted(items, key=lambda i: (i.x0, i.y0)):
        shelf = int(item.middle // 12)
        beside = [f for near in (shelf - 1, shelf, shelf + 1) for f in shelves.get(near, ()) if share_line(f, item)]
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


def share_line(one: Fragment, other: Item | Fragment) -> bool:
    overlap = min(one.y1, other.y1) - max(one.y0, other.y0)
    return overlap >= 0.5 * min(one.y1 - one.y0, other.y1 - other.y0)
