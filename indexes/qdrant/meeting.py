"""Rows that have most of several things asked for, on a server: exact, whichever of their names the rows use.

What counts whole or not at all (`Asked.once`) cannot be ranked by stored weights, so rows are looked at in groups: those that
have the same of these things. Within a group the rest decides, and the server ranks by a bound of it: of each way its rarest term
alone, which says no less than all of them together. More candidates are asked for until none that was not given could come in
between.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from indexes.bm25.scoring import Scoring
from indexes.qdrant.bm25_view import View, having
from indexes.qdrant.candidates import ROUNDING, candidates
from indexes.qdrant.conditions import any_of, every
from indexes.qdrant.points import Points
from indexes.qdrant.rows import Rows, chunk_of
from ingest.protocols import Asked, Hit, Ranked
from ingest.together import together

Way = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """What is asked for, as far as rows have it which the caller may see. `ways` with their shares; `idf` of all of them
    together, weighed; `most`: what it adds to its part at most; `factor`: what its part counts for in the score."""

    ways: tuple[tuple[Way, float], ...]
    once: bool
    idf: float
    most: float
    factor: float = 0.0

    def had(self) -> Any:
        """The condition of having it."""
        return any_of([having(way) for way, _ in self.ways])


class Meeting:
    """One question of `meets`. `counts` reads the terms of a point; `view`: what words are weighed over."""

    def __init__(
        self, rows: Rows, scoring: Scoring, view: View, conditions: Sequence[Any], counts: Callable[[Any], Mapping[str, int]],
    ) -> None:
        self._rows, self._scoring, self._view, self._counts = rows, scoring, view, counts
        self._where = [*rows.where, *conditions]

    @property
    def _points(self) -> Points:
        return self._rows.points

    def best(self, asked: Sequence[Asked], named: Sequence[Asked], share: float, limit: int) -> Ranked:
        """The best rows, measured in parts of what a row could have of what is asked and of what is named."""
        shown = self._shown([*asked, *named])
        parts = [(weight, self._things(some, shown)) for weight, some in ((1 - share, asked), (share, named))]
        sums = [(weight, math.fsum(thing.most for thing in things), things) for weight, things in parts]
        whole = math.fsum(weight for weight, most, _ in sums if most > 0)
        things = [
            replace(thing, factor=weight / whole / most)
            for weight, most, some in sums if most > 0 and weight > 0 for thing in some if thing.ways
        ]
        hits = self._under(things, [thing for thing in things if thing.once], frozenset(), self._where, [], limit)
        return Ranked(hits, 1.0 if whole else 0.0)

    def _shown(self, asked: Sequence[Asked]) -> dict[Way, bool]:
        """Which ways some row has that the caller may see."""
        ways = list(dict.fromkeys(way for each in asked for way in each.ways))
        return dict(zip(ways, together([partial(self._shows, way) for way in ways]), strict=True))

    def _shows(self, way: Way) -> bool:
        return self._any([*self._view.where, having(way)])

    def _any(self, where: Sequence[Any]) -> bool:
        return next(self._points.scroll(where, ["chunk_id"], most=1), None) is not None

    def _things(self, asked: Sequence[Asked], shown: Mapping[Way, bool]) -> list[Thing]:
        return together([partial(self._thing, each, shown) for each in asked])

    def _thing(self, asked: Asked, shown: Mapping[Way, bool]) -> Thing:
        shares = asked.shares or (1.0,) * len(asked.ways)
        ways = tuple((way, share) for way, share in zip(asked.ways, shares, strict=True) if shown[way])
        if not ways:
            return Thing((), asked.once, 0.0, asked.weight * self._scoring.most(self._view.idf(0)))
        if asked.shares:
            holders = math.fsum(share * self._view.holders([way]) for way, share in ways)
        else:
            holders = self._view.holders([way for way, _ in ways])
        idf = asked.weight * self._view.idf(holders)
        return Thing(ways, asked.once, idf, self._scoring.most(idf))

    def _under(
        self, things: Sequence[Thing], once: Sequence[Thing], had: frozenset[int], where: Sequence[Any], hits: list[Hit],
        limit: int,
    ) -> list[Hit]:
        """The best of `hits` and of the rows `where` some things that count whole are `had` and some are not; of the others,
        `once`, a row may have any. There are as many groups as such things have subsets: what no row is in, or none that can be
        among the best, is not gone into."""
        most = math.fsum(thing.factor * thing.most for thing in things if not thing.once or id(thing) in had or thing in once)
        if len(hits) >= limit and most * ROUNDING < hits[limit - 1].score:
            return hits
        if not once:
            return self._group(things, had, where, hits, limit)
        if len(once) > 1 and len(where) > len(self._where) and not self._any(where):
            return hits
        first, *rest = once
        hits = self._under(things, rest, had | {id(first)}, [*where, first.had()], hits, limit)
        return self._under(things, rest, had, [*where, every([], [first.had()])], hits, limit)

    def _group(
        self, things: Sequence[Thing], had: frozenset[int], where: Sequence[Any], hits: list[Hit], limit: int
    ) -> list[Hit]:
        """As `_under`, of the rows that have just these of the things that count whole."""
        others = [thing for thing in things if not thing.once]
        constant = sum(thing.factor * thing.most for thing in things if id(thing) in had)
        given: dict[str, Hit] = {}
        exhausted = self._candidates(where, things, others, constant, hits, limit, given)
        best = _first([*hits, *given.values()], limit)
        if constant > 0 and exhausted and (len(best) < limit or best[-1].score <= constant * ROUNDING):
            rest = [Hit(chunk, constant) for chunk in self._chunks(where) if chunk not in given]
            best = _first([*best, *rest], limit)
        return best

    def _candidates(
        self, where: Sequence[Any], things: Sequence[Thing], others: Sequence[Thing], constant: float, hits: Sequence[Hit],
        limit: int, given: dict[str, Hit],
    ) -> bool:
        """Fill `given` with the rows of a group that have some of `others`, as far as they may be among the best. Returns whether
        those are all that have some."""
        for found, beyond in candidates(self._rows, self._scoring, self._view.mean, self._bound(others), where, limit):
            given.update((hit.chunk_id, hit) for hit in self._scored(found, things))
            best = _first([*hits, *given.values()], limit)
            if beyond is not None and len(best) >= limit and constant + beyond < best[limit - 1].score:
                return False
        return True

    def _bound(self, things: Sequence[Thing]) -> dict[str, float]:
        """Weights of terms that say no less of a row than it has: n / (n + K) of a sum is no more than the sum of these."""
        terms = sorted({term for thing in things for way, _ in thing.ways for term in way})
        frequencies = self._view.frequencies(terms)
        found: dict[str, float] = {}
        for thing in things:
            for way, share in thing.ways:
                rarest = min(way, key=lambda term: (frequencies[term], term))
                found[rarest] = found.get(rarest, 0.0) + thing.factor * max(thing.idf, 0.0) * max(share, 1.0)
        return found

    def _scored(self, candidates: Sequence[Any], things: Sequence[Thing]) -> Iterator[Hit]:
        counts = [self._counts(record) for record in candidates]
        lengths = np.array([sum(each.values()) for each in counts], dtype=np.int64)
        saturation = self._scoring.saturation(lengths, self._view.mean)
        scores = np.zeros(len(counts))
        for thing in things:
            times = np.array([
                sum(share * min(each.get(term, 0) for term in way) for way, share in thing.ways) for each in counts
            ], dtype=np.float64)
            rows = np.flatnonzero(times)
            part = thing.most if thing.once else self._scoring.part(thing.idf, times[rows], saturation[rows])
            scores[rows] += thing.factor * part
        return (Hit(chunk_of(record), score) for record, score in zip(candidates, scores.tolist(), strict=True))

    def _chunks(self, where: Sequence[Any]) -> Iterator[str]:
        return (chunk_of(record) for record in self._points.scroll(where, ["chunk_id"], page=4096))


def _first(hits: Sequence[Hit], limit: int) -> list[Hit]:
    return sorted((hit for hit in hits if hit.score > 0), key=lambda hit: (-hit.score, hit.chunk_id))[:limit]
