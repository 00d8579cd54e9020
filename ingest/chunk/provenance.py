"""Where a chunk stands in its source, merged from the blocks that its slice touches."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.chunk.sections import Placed
from ingest.model.document import Provenance

_MOST_LOCATORS = 4


def touched(blocks: Sequence[Placed], start: int, end: int, first: int = 0) -> tuple[int, int]:
    """Return the range of `blocks` (in order of place) that overlaps `[start, end)`, looking from index `first` on."""
    while first < len(blocks) and blocks[first].end <= start:
        first += 1
    last = first
    while last < len(blocks) and blocks[last].start < end:
        last += 1
    return first, last


def merged(blocks: Sequence[Placed], start: int, end: int) -> Provenance:
    """Return the provenance of the slice `[start, end)`, which touches all of `blocks`: boxes and locators in reading order
    without repetition, lines and times from the first to the last."""
    if len(blocks) == 1:
        one = blocks[0].block.provenance
        boxes = tuple(dict.fromkeys(one.boxes)) if len(one.boxes) > 1 else one.boxes
        return Provenance(boxes, one.lines, one.time, one.locator or None, (start, end))
    parts = [placed.block.provenance for placed in blocks]
    lines = [part.lines for part in parts if part.lines]
    times = [part.time for part in parts if part.time]
    return Provenance(
        boxes=tuple(dict.fromkeys(box for part in parts for box in part.boxes)),
        lines=(min(first for first, _ in lines), max(last for _, last in lines)) if lines else None,
        time=(min(begin for begin, _ in times), max(stop for _, stop in times)) if times else None,
        locator=_locators([part.locator for part in parts if part.locator]),
        span=(start, end),
    )


def _locators(found: list[str]) -> str | None:
    names = list(dict.fromkeys(found))
    if len(names) > _MOST_LOCATORS:
        names = [names[0], "…", names[-1]]
    return "; ".join(names) or None
