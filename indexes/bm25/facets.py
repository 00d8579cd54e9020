"""What rows have in common beside their text: versions, families, windows.

Counted over columns that a segment has for its rows, so that a question costs a pass over numbers, whatever is asked. `shown` is
a mask of the rows that count.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from indexes.bm25.columns import TextColumn
from indexes.bm25.mask import Mask
from indexes.bm25.segment import Segment
from ingest.model.instant import BEGIN, END


def versions(segment: Segment, shown: Mask) -> set[str]:
    """The versions of rows, those without one left aside."""
    column = segment.columns.texts["version"]
    return _values(column, np.bincount(column.codes[shown], minlength=len(column.values)) > 0) - {""}


def families(segment: Segment, wanted: Collection[str], shown: Mask) -> set[str]:
    """The families of rows that have one of some versions, those without one left aside."""
    family, version = (segment.columns.texts[name] for name in ("family", "version"))
    listed = np.zeros(len(version.values), np.bool_)
    listed[[place for place in version.values.find_many(list(wanted)) if place >= 0]] = True
    rows = shown & listed[version.codes]
    return _values(family, np.bincount(family.codes[rows], minlength=len(family.values)) > 0) - {""}


def dated(segment: Segment, shown: Mask) -> bool:
    """Whether a row has a window."""
    begins, ends = (segment.columns.numbers[name] for name in ("valid_from", "valid_until"))
    return bool((shown & ((begins > BEGIN) | (ends < END))).any())


def _values(column: TextColumn, chosen: Mask) -> set[str]:
    """Some of the distinct values of a column."""
    places = np.flatnonzero(chosen).tolist()
    if len(places) * 2 < len(column.values):
        return {column.values[place] for place in places}
    every = column.values.all()
    return {every[place] for place in places}
