"""The mean idf of a build's terms, which only formula `okapi` asks for, and only where a query has a term that most rows hold.

It needs every posting once (some .1 s at 100,000 rows), so a reader works it out when it is first asked.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.build import Build
from indexes.bm25.merge import Part, live_frequencies
from indexes.bm25.scoring import mean_okapi_idf
from indexes.bm25.texts import Texts


def mean_idf(build: Build) -> float:
    """See `scoring.mean_okapi_idf`. The build must hold a term."""
    numbers, by_term = _numbered([part.segment.terms for part in build.parts])
    frequency = np.zeros(len(by_term), dtype=np.int64)
    first = np.full(len(by_term), build.rows, dtype=np.int64)
    for part, number, rank in zip(build.parts, numbers, _ranks(build.parts), strict=True):
        frequency[number] += live_frequencies(part.segment, part.alive)
        first[number] = np.minimum(first[number], _first_rows(part, rank, build.rows))
    order = by_term[np.argsort(first[by_term], kind="stable")]
    return mean_okapi_idf(frequency[order][frequency[order] > 0], build.rows)


def _numbered(lists: Sequence[Texts]) -> tuple[list[NDArray[np.int64]], NDArray[np.int64]]:
    """A number for each term of each list, the same for equal terms; and all numbers in order of their terms."""
    if len(lists) == 1:
        every = np.arange(len(lists[0]))
        return [every], every
    seen: dict[bytes, int] = {}
    numbers = [np.array([seen.setdefault(term, len(seen)) for term in terms.all_raw()], dtype=np.int64) for terms in lists]
    written = list(seen)
    return numbers, np.array(sorted(range(len(written)), key=written.__getitem__), dtype=np.int64)


def _ranks(parts: Sequence[Part]) -> list[NDArray[np.int64]]:
    """For each segment: the place of each row among all live rows by chunk id; past the end for dead rows."""
    ids = [(text, number, row) for number, part in enumerate(parts) for row, text in enumerate(part.segment.chunk_ids.all())
           if part.alive is None or part.alive[row]]
    ranks = [np.full(part.segment.rows, len(ids), dtype=np.int64) for part in parts]
    for rank, (_, number, row) in enumerate(sorted(ids)):
        ranks[number][row] = rank
    return ranks


def _first_rows(part: Part, rank: NDArray[np.int64], none: int) -> NDArray[np.int64]:
    if not len(part.segment.terms):
        return np.full(0, none, dtype=np.int64)
    return np.minimum.reduceat(rank[part.segment.doc], part.segment.start[:-1].astype(np.int64))
