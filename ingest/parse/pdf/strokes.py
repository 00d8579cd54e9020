"""Straight strokes of a page, horizontal and vertical: what ruled tables, and the rules above and below others, are made of.

Drawing programs cut one border into a piece a cell and draw it twice; pieces that continue each other are one stroke here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

TOUCH = 2.5
"""Points by which strokes may miss each other."""
SHORTEST = 6.0
"""Points; shorter strokes are dashes, ticks and parts of letters."""
TOO_MANY = 20_000
TOO_MANY_JOINED = 3_000
"""Strokes of one page, as drawn and joined, beyond which it is a drawing that nobody reads as a table."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A horizontal or vertical line: its position across and its ends along."""

    at: float
    start: float
    end: float
    horizontal: bool
    edge: bool = False
    """Only the edge of a coloured area: it shows where rows are, but columns may share one colour."""


def stroke(x0: float, y0: float, x1: float, y1: float, edge: bool = False) -> Stroke | None:
    """Return the line between two points, or a thin rectangle, as a stroke; None when it is slanted, thick or short."""
    width, height = abs(x1 - x0), abs(y1 - y0)
    if height < 1.5 and width >= SHORTEST:
        return Stroke((y0 + y1) / 2, min(x0, x1), max(x0, x1), True, edge)
    if width < 1.5 and height >= SHORTEST:
        return Stroke((x0 + x1) / 2, min(y0, y1), max(y0, y1), False, edge)
    return None


def joined(strokes: Iterable[Stroke]) -> list[Stroke]:
    """Return the strokes with those that continue or repeat each other made one, horizontal ones first, from top left."""
    shelves: dict[tuple[bool, int], list[Stroke]] = {}
    for one in sorted(strokes, key=lambda s: (not s.horizontal, s.at, s.start, s.end)):
        shelf = round(one.at)
        last = next(
            (
                (key, i)
                for key in ((one.horizontal, shelf), (one.horizontal, shelf - 1))
                for i, other in enumerate(shelves.get(key, ()))
                if abs(other.at - one.at) < 1 and one.start <= other.end + TOUCH and other.start <= one.end + TOUCH
            ),
            None,
        )
        if last is None:
            shelves.setdefault((one.horizontal, shelf), []).append(one)
        else:
            key, i = last
            other = shelves[key][i]
            start, end = min(other.start, one.start), max(other.end, one.end)
            shelves[key][i] = Stroke(other.at, start, end, other.horizontal, one.edge and other.edge)
    return sorted((s for shelf in shelves.values() for s in shelf), key=lambda s: (not s.horizontal, s.at, s.start))


def touching(strokes: Sequence[Stroke]) -> Iterator[list[Stroke]]:
    """Group strokes that cross or touch, directly or through others."""
    parent = list(range(len(strokes)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    flat = sorted((i for i, s in enumerate(strokes) if s.horizontal), key=lambda i: strokes[i].at)
    for upright in (i for i, s in enumerate(strokes) if not s.horizontal):
        one = strokes[upright]
        for i in flat:
            other = strokes[i]
            if other.at > one.end + TOUCH:
                break
            if other.at >= one.start - TOUCH and other.start - TOUCH <= one.at <= other.end + TOUCH:
                parent[root(upright)] = root(i)
    groups: dict[int, list[Stroke]] = {}
    for i, one in enumerate(strokes):
        groups.setdefault(root(i), []).append(one)
    yield from groups.values()


def positions(values: Iterable[float]) -> list[float]:
    """Distinct positions; strokes within the tolerance are one border drawn twice."""
    out: list[float] = []
    for value in sorted(values):
        if not out or value - out[-1] > TOUCH:
            out.append(value)
    return out
