"""What one caller may see of a build: the rows over which words are counted.

How much a word weighs follows from how many rows hold it, how many there are and how long they are. Rows that the caller may not
see count for nothing in any of these, so an answer is what it would be had they never been written. What a question is narrowed
to (a time, a status, a language, some documents) changes none of them: only which rows are ranked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.build import Build
from indexes.bm25.mask import Mask, admitted
from indexes.bm25.mean_idf import mean_idf
from indexes.bm25.merge import Part
from indexes.bm25.scoring import Floats, Scoring
from ingest.model.predicate import Predicate

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class View:
    """`build`: with only the rows that show alive. `mask`: one boolean for each row of all segments, None where all are alive and
    show. What is asked of it is worked out once."""

    build: Build
    scoring: Scoring
    mask: Mask | None

    def holders(self, rows: Rows) -> int:
        """How many of some rows show."""
        return rows.size if self.mask is None else int(np.count_nonzero(self.mask.take(rows)))

    def idf(self, df: float) -> float:
        return self.scoring.idf(df, self.build.rows, lambda: self._mean_idf)

    @cached_property
    def saturation(self) -> Floats:
        """K of every row, shown or not. There must be a row that shows and has a term."""
        lengths = np.concatenate([part.segment.lengths for part in self.build.parts])
        possible = np.arange(int(lengths.max(initial=0)) + 1)
        return self.scoring.saturation(possible, self.build.length / self.build.rows).take(lengths)

    @cached_property
    def _mean_idf(self) -> float:
        return mean_idf(self.build)


def view_of(build: Build, scoring: Scoring, who: Predicate) -> View:
    """Return what a predicate that says who asks, and no more, lets somebody see."""
    parts = [_shown(part, admitted(part.segment, who)) for part in build.parts]
    return View(Build(tuple(parts), build.terms), scoring, spread([part.alive for part in parts], parts))


def spread(masks: Sequence[Mask | None], parts: Sequence[Part]) -> Mask | None:
    """Return masks of parts (None: all rows) as one mask of all rows."""
    if all(mask is None for mask in masks):
        return None
    return np.concatenate([_filled(mask, part) for mask, part in zip(masks, parts, strict=True)])


def _filled(mask: Mask | None, part: Part) -> NDArray[Any]:
    return np.ones(part.segment.rows, np.bool_) if mask is None else mask


def _shown(part: Part, shown: Mask | None) -> Part:
    if shown is None:
        return part
    return Part(part.segment, shown if part.alive is None else shown & part.alive)
