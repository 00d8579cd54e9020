"""The rows of a table without lines.

Lines of text stand closer inside a cell than between two rows, if rows are set apart at all; if not, a line that leaves the
first column empty and fills few others goes on with the row above it. A cell over several rows (a heading beside two rows of
headings) bridges the gap between them, so rows that hold several cells in several columns are cut again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from ingest.parse.pdf.columns import Column
from ingest.parse.pdf.runs import Run

TIGHT = 1.42
"""In font sizes: lines of one cell are no further apart, where nothing else parts them from rows."""
OFTEN, SELDOM, NEVER = "often", "seldom", "never"
MOST_LINES = 12
"""Lines of a cell above its middle."""
PARTIAL = 0.6
"""Share of the columns that a line must fill to be a row by itself."""

_NUMBER = re.compile(r"[\s$€£¥+\-–—(]*\d[\d.,%):\s/±*]*")


@dataclass(slots=True)
class Band:
    """Runs between two white stripes, and the columns that they fill."""

    runs: list[Run]
    filled: set[int]
    y0: float
    y1: float

    @classmethod
    def of(cls, runs: Sequence[Run], columns: Sequence[Column]) -> Band:
        filled = {i for run in runs for i, column in enumerate(columns) if min(run.x1, column.x1) > max(run.x0, column.x0)}
        return cls(list(runs), filled, min(run.y0 for run in runs), max(run.y1 for run in runs))

    def numbers(self) -> int:
        return sum(bool(_NUMBER.fullmatch(run.text)) for run in self.runs)


def rows_of(runs: Sequence[Run], columns: Sequence[Column]) -> tuple[list[Band], float]:
    """Return the rows from the top, and the gap (points) that parts cells below each other."""
    bands = [Band.of(group, columns) for group in _stripes(runs)]
    if not bands:
        return [], 0.0
    size = median(run.size for run in runs)
    height = median(run.y1 - run.y0 for run in runs)
    pitch = _pitch(columns, size)
    apart = pitch - height + 0.2 * size
    bands = _centred(bands, apart, columns)
    gaps = [below.y0 - above.y1 for above, below in pairwise(bands)]
    wide = sum(gap > apart for gap in gaps)
    spaced = OFTEN if wide >= max(1, 0.3 * len(gaps)) else SELDOM if wide >= max(2, 0.1 * len(gaps)) else NEVER
    rows = [bands[0]]
    for gap, band in zip(gaps, bands[1:], strict=True):
        if gap <= apart and (spaced != NEVER or pitch <= TIGHT * size) and _goes_on(rows[-1], band, len(columns), spaced):
            rows[-1] = Band.of([*rows[-1].runs, *band.runs], columns)
        else:
            rows.append(band)
    return rows, apart


def _centred(bands: list[Band], apart: float, columns: Sequence[Column]) -> list[Band]:
    """Join a band with as many above it as below it that fill one column alone: a long cell beside short ones in its middle."""
    out: list[Band] = []
    at = 0
    while at < len(bands):
        middle = next((i for i in range(at, min(at + MOST_LINES, len(bands))) if _alone_around(bands, i, apart) == i - at), at)
        last = middle + _alone_around(bands, middle, apart)
        out.append(bands[at] if last == at else Band.of([run for band in bands[at : last + 1] for run in band.runs], columns))
        at = last + 1
    return out


def _alone_around(bands: Sequence[Band], middle: int, apart: float) -> int:
    """How many bands on either side of one are close, and fill one column of it and no other."""
    reach = 0
    while middle - reach - 1 >= 0 and middle + reach + 1 < len(bands):
        above, below = bands[middle - reach - 1], bands[middle + reach + 1]
        near = bands[middle - reach].y0 - above.y1 <= apart and below.y0 - bands[middle + reach].y1 <= apart
        if not near or len(above.filled) != 1 or above.filled != below.filled or not above.filled < bands[middle].filled:
            break
        reach += 1
    return reach


def _stripes(runs: Sequence[Run]) -> list[list[Run]]:
    """Group runs that overlap in height, directly or through others."""
    groups: list[list[Run]] = []
    end = float("-inf")
    for run in sorted(runs, key=lambda r: (r.y0, r.x0)):
        # Boxes include the leading of some fonts, so a little overlap is none.
        slack = 0.2 * (run.y1 - run.y0)
        if run.y0 < end - slack:
            groups[-1].append(run)
            end = max(end, run.y1)
        else:
            groups.append([run])
            end = run.y1
    return groups


def _pitch(columns: Sequence[Column], size: float) -> float:
    """The distance of lines inside a cell: the least that is usual between texts below each other in one column."""
    steps = sorted(
        below.y1 - above.y1
        for column in columns
        for above, below in pairwise(sorted(column.runs, key=lambda r: r.y1))
        if below.y1 - above.y1 >= 0.8 * size
    )
    return steps[int(0.1 * (len(steps) - 1))] if steps else 1.2 * size


def _goes_on(row: Band, band: Band, columns: int, spaced: str) -> bool:
    """Whether a band close below a row is more of its cells. `spaced`: how often rows of this table are set apart."""
    partial = len(band.filled) <= PARTIAL * columns
    if spaced == OFTEN:
        if partial or len(row.filled) <= PARTIAL * columns:
            return True
        return not (band.numbers() and row.numbers())
    if spaced == SELDOM and columns > 2 and not (band.numbers() and row.numbers()):
        # Rows may be set apart in groups only; one column that goes on alone is a long cell.
        alone = [one.filled for one in (row, band) if len(one.filled) == 1 and 0 not in one.filled]
        if alone:
            return True
    return partial and 0 not in band.filled and band.filled <= row.filled and not band.numbers()
