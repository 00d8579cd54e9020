"""Runs: the pieces of text between the gaps of a line, out of which columns and rows of a table without lines are read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from ingest.parse.pdf.cutting import at_gaps, least_gap
from ingest.parse.pdf.page import Item

CELL_GAP = 0.45
"""In font sizes: what stands closer than this on a line is one piece of text; words are .25 to .35 apart."""

SHELF = 12.0
"""Points of height that are looked through for the runs beside an item."""


@dataclass(slots=True)
class Run:
    """Neighbouring items of one line."""

    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    items: list[Item] = field(default_factory=list)

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2

    @property
    def text(self) -> str:
        return " ".join(item.text for item in self.items)


def runs_of(items: Iterable[Item], gap: float = CELL_GAP) -> list[Run]:
    """Return the runs of some items, from top left; `gap` in font sizes is what parts two of them."""
    made: list[Run] = []
    shelves: dict[int, list[Run]] = defaultdict(list)
    pieces = (piece for item in items for piece in at_gaps(item, gap))
    for item in sorted(pieces, key=lambda i: (i.x0, i.y0)):
        size, most = max(item.size, 1.0), least_gap(item, gap)
        shelf = int(item.middle // SHELF)
        beside = (
            run for near in (shelf - 1, shelf, shelf + 1) for run in shelves.get(near, ())
            if -1.5 * size < item.x0 - run.x1 <= max(most, gap * run.size) and _on_one_line(run, item)
        )
        near = max(beside, key=lambda run: run.x1, default=None)
        if near is None:
            run = Run(item.x0, item.y0, item.x1, item.y1, size, [item])
            made.append(run)
            shelves[shelf].append(run)
        else:
            near.items.append(item)
            near.x1 = max(near.x1, item.x1)
            near.y0, near.y1 = min(near.y0, item.y0), max(near.y1, item.y1)
    return sorted(made, key=lambda run: (run.middle, run.x0))


def lines_of(runs: Sequence[Run]) -> list[list[Run]]:
    """Group runs whose middles are at one height, from the top; each line from left to right."""
    lines: list[list[Run]] = []
    for run in sorted(runs, key=lambda r: r.middle):
        height = run.y1 - run.y0
        if lines and run.middle - median(r.middle for r in lines[-1]) < 0.35 * height:
            lines[-1].append(run)
        else:
            lines.append([run])
    return [sorted(line, key=lambda r: r.x0) for line in lines]


def _on_one_line(run: Run, item: Item) -> bool:
    overlap = min(run.y1, item.y1) - max(run.y0, item.y0)
    return overlap >= 0.6 * min(run.y1 - run.y0, item.y1 - item.y0)
