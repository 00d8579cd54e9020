"""In which order the shapes of a slide are read: title first, then bands from top to bottom, and columns within a band.

The order of a file is that in which shapes were drawn, the order of a reader is that of places. Bands and columns are found
by cutting the slide where no shape stands, again and again. A heading set right over a text of its width is one thing with it,
so that two such pairs beside each other are read one after the other and not headings first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in English Metric Units (914,400 an inch)."""

SAME_ROW = 457_200 // 2
"""Shapes whose tops differ by less than a quarter inch are beside each other."""
TOUCHING = 914_400 // 8
"""Shapes may overlap by this and still be cut apart."""
NEAR = 914_400 // 2
DEEPEST = 30


@dataclass(frozen=True, slots=True)
class Placed:
    """A shape with its place on the slide, and whether it is text that could head what is below it."""

    shape: Any
    box: Box
    heads: bool = False


def in_reading_order(placed: Sequence[Placed]) -> list[Any]:
    """Return the shapes as a reader takes them. Shapes at one place stay in their order."""
    return [one.shape for unit in _cut(_paired(placed), 0) for one in unit.members]


@dataclass(frozen=True, slots=True)
class _Unit:
    members: tuple[Placed, ...]
    box: Box


def _paired(placed: Sequence[Placed]) -> list[_Unit]:
    """Join a heading with the shape below it, where exactly these two are stacked."""
    below: dict[int, int] = {}
    for at, upper in enumerate(placed):
        stacked = [i for i, lower in enumerate(placed) if i != at and _aligned(upper.box, lower.box)]
        if upper.heads and len(stacked) == 1 and _near(upper.box, placed[stacked[0]].box):
            under = placed[stacked[0]]
            if sum(_aligned(under.box, other.box) for i, other in enumerate(placed) if i != stacked[0]) == 1:
                below[at] = stacked[0]
    taken = set(below.values())
    units = []
    for at, one in enumerate(placed):
        if at in below:
            other = placed[below[at]]
            units.append(_Unit((one, other), _around(one.box, other.box)))
        elif at not in taken:
            units.append(_Unit((one,), one.box))
    return units


def _aligned(one: Box, other: Box) -> bool:
    """Whether two shapes begin and end at about the same distance from the left."""
    width = max(one[2] - one[0], other[2] - other[0], 1)
    return abs(one[0] - other[0]) <= width // 10 and abs(one[2] - other[2]) <= width // 10


def _near(upper: Box, lower: Box) -> bool:
    return -TOUCHING <= lower[1] - upper[3] <= NEAR and upper[3] - upper[1] < lower[3] - lower[1]


def _around(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _cut(units: list[_Unit], depth: int) -> list[_Unit]:
    if len(units) < 2:
        return units
    if depth < DEEPEST:
        for low, high in ((1, 3), (0, 2)):  # bands first, then columns
            groups = _groups(units, low, high)
            if len(groups) > 1:
                return [unit for group in groups for unit in _cut(group, depth + 1)]
    return _by_rows(units)


def _groups(units: list[_Unit], low: int, high: int) -> list[list[_Unit]]:
    """Units apart along one axis: a new group begins where all before have ended."""
    groups: list[list[_Unit]] = []
    end = 0
    for unit in sorted(units, key=lambda unit: unit.box[low]):
        if groups and unit.box[low] < end - TOUCHING:
            groups[-1].append(unit)
        else:
            groups.append([unit])
        end = max(end, unit.box[high]) if len(groups[-1]) > 1 else unit.box[high]
    return groups


def _by_rows(units: list[_Unit]) -> list[_Unit]:
    """Units that overlap too much to be cut: by their tops, those about level from left to right."""
    rows: list[list[_Unit]] = []
    for unit in sorted(units, key=lambda unit: unit.box[1]):
        if rows and unit.box[1] - rows[-1][0].box[1] < SAME_ROW:
            rows[-1].append(unit)
        else:
            rows.append([unit])
    return [unit for row in rows for unit in sorted(row, key=lambda unit: unit.box[0])]
