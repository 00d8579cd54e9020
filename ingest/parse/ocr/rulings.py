"""Straight lines of a picture: long unbroken runs of dark pixels, thin across. Scanned tables are drawn with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ingest.parse.ocr.lines import Picture

DARK = 140
"""Greys below this are ink; rules are often grey."""
HOLES = 0.04
"""Share of a run that may be missing, as scanners and printers break lines."""


def rulings(picture: Picture, shortest: int, thickest: int) -> Iterator[tuple[float, float, float, float]]:
    """Yield the horizontal and vertical lines of a picture as (x0, y0, x1, y1), in pixels along their middle.

    `shortest`: pixels that a line is long at least; `thickest`: what is thicker is an area.
    """
    dark = picture < DARK
    for at, start, end in _level(dark, shortest, thickest):
        yield start, at, end, at
    for at, start, end in _level(dark.T, shortest, thickest):
        yield at, start, at, end


def _level(dark: NDArray[np.bool_], shortest: int, thickest: int) -> Iterator[tuple[float, float, float]]:
    """Yield (y, x0, x1) of the horizontal lines."""
    import numpy as np

    height, width = dark.shape
    if width <= shortest:
        return
    sums = np.zeros((height, width + 1), dtype=np.int32)
    np.cumsum(dark, axis=1, out=sums[:, 1:])
    # True where a window of the shortest length, beginning here, is ink all over.
    begins = sums[:, shortest:] - sums[:, :-shortest] >= (1 - HOLES) * shortest
    open_lines: list[list[float]] = []  # first row, last row, x0, x1
    for y in np.flatnonzero(begins.any(axis=1)):
        edges = np.flatnonzero(np.diff(np.concatenate(([False], begins[y], [False])).astype(np.int8)))
        for start, stop in zip(edges[::2], edges[1::2], strict=True):
            end = stop - 1 + shortest
            near = next((one for one in open_lines if y - one[1] <= 2 and start <= one[3] and one[2] <= end), None)
            if near is None:
                open_lines.append([float(y), float(y), float(start), float(end)])
            else:
                near[1], near[2], near[3] = float(y), min(near[2], float(start)), max(near[3], float(end))
        yield from (_line(one) for one in open_lines if y - one[1] > 2 and one[1] - one[0] < thickest)
        open_lines = [one for one in open_lines if y - one[1] <= 2]
    yield from (_line(one) for one in open_lines if one[1] - one[0] < thickest)


def _line(one: list[float]) -> tuple[float, float, float]:
    return (one[0] + one[1]) / 2, one[2], one[3]
