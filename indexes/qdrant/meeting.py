"""Rows that have most of several things asked for, on a server: exact, whichever of their names the rows use.

What counts whole or not at all (`Asked.once`) cannot be ranked by stored weights, so rows are looked at in groups: those that
have the same of these things. Within a group the rest decides, and the server ranks by a bound of it: of each way its rarest term
alone, which says no less than all of them together. More candidates are asked for until none that was not given could come in
between.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np

from indexes.bm25.scoring import Scoring
from indexes.qdrant.conditions import among, any_of, every
from indexes.qdrant.points import Points
from indexes.qdrant.rows import Rows, chunk_of
from indexes.qdrant.weights import headroom, sparse_query
from ingest.protocols import Asked, Hit, Ranked

_EXTRA = 16
_ROUNDING = 1.0001
_AT_ONCE = 8
Way = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Thing:
    """What is asked for, as far as admitted rows have it. `most`: what it adds at most; `idf` of all its ways together."""

    ways: tuple[Way, ...]
    once: bool
    idf: float
    most: float

    def had(self) -> Any:
        """The condition of having it."""
        return any_of([having(way) for way in self.ways])


def having(way: Sequence[str]) -> Any:
    """The condition of holding all terms of a way."""
    return every([among("terms", [term]) for term in way])


class Meeting:
    """One question of `meets`. `counts` reads the terms of a point; `frequencies` tells how many rows hold each term, `idf` what
    holding something is worth that so many rows hold."""

    def __init__(
        self, rows: Rows, scoring: Scoring, conditions: Sequence[Any], idf: Callable[[int], float],
        frequencies: Callable[[Sequence[str]], Mapping[str, int]], counts: Callable[[Any], Mapping[str, int]],
    ) -> None:
        self._rows, self._scoring, self._counts = rows, scoring, counts
        self._where = [*rows.where, *conditions]
        self._idf, self._frequencies = idf, frequencies
        self._mean = rows.header.length / rows.header.points

    @property
    def _points(self) -> Points:
        return self._rows.points

    def best(self, asked: Sequence[Asked], limit: int) -> Ranked:
        """The best rows, and the score that none exceeds."""
        things = self._things(asked)
        found = [thing for thing in things if thing.ways]
        whole = [thing for thing in found if thing.once]
        hits: list[Hit] = []
        for had in itertools.product((True, False), repeat=len(whole)):
            hits = self._group(found, dict(zip(map(id, whole), had, strict=True)), hits, limit)
        ceiling = 0.0
        for thing in things:
            ceiling += thing.most
        return Ranked(hits, ceiling)

    def _things(self, asked: Sequence[Asked]) -> list[Thing]:
        ways = list(dict.fromkeys(way for each in asked for way in each.ways))
        if not ways:
            return [Thing((), each.once, self._idf(0), self._scoring.most(self._idf(0))) for each in asked]
        with ThreadPoolExecutor(_AT_ONCE) as beside:
            shown = dict(zip(ways, beside.map(self._shows, ways), strict=True))
        return [self._thing(each, tuple(way for way in each.ways if shown[way])) for each in asked]

    def _shows(self, way: Way) -> bool:
        return next(self._points.scroll([*self._where, having(way)], ["chunk_id"], most=1), None) is not None

    def _thing(self, asked: Asked, ways: tuple[Way, ...]) -> Thing:
        holders = self._points.count([*self._rows.where, any_of([having(way) for way in ways])]) if ways else 0
        idf = self._idf(holders)
        return Thing(ways, asked.once, idf, self._scoring.most(idf))

    def _group(self, things: Sequence[Thing], had: Mapping[int, bool], hits: list[Hit], limit: int) -> list[Hit]:
        """The best of `hits` and of the rows that have just these of the things that count whole."""
        others = [thing for thing in things if not thing.once]
        constant = sum(thing.most for thing in things if thing.once and had[id(thing)])
        if len(hits) >= limit and constant + sum(thing.most for thing in others) * _ROUNDING < hits[limit - 1].score:
            return hits
        where = list(self._where)
        where += [thing.had() if had[id(thing)] else every([], [thing.had()]) for thing in things if thing.once]
        given: dict[str, Hit] = {}
        exhausted = self._candidates(where, things, others, constant, hits, limit, given)
        best = _first([*hits, *given.values()], limit)
        if constant > 0 and exhausted and (len(best) < limit or best[-1].score <= constant):
            score = self._constant(things, had)
            rest = (Hit(chunk, score) for chunk in self._chunks(where) if chunk not in given)
            best = _first([*best, *rest], limit)
        return best

    def _candidates(
        self, where: Sequence[Any], things: Sequence[Thing], others: Sequence[Thing], constant: float, hits: Sequence[Hit],
        limit: int, given: dict[str, Hit],
    ) -> bool:
        """Fill `given` with the rows of a group that have some of `others`, as far as they may be among the best. Returns whether
        those are all that have some."""
        from qdrant_client.models import SparseVector

        indices, values = sparse_query(self._bound(others))
        if not indices:
            return True
        header = self._rows.header
        room = headroom(self._scoring, self._mean, header.mean, header.longest) * _ROUNDING
        asked = limit + _EXTRA
        while True:
            found = self._points.nearest(
                SparseVector(indices=indices, values=values), where, asked, ["chunk_id", "terms", "counts"]
            )
            given.update((hit.chunk_id, hit) for hit in self._scored(found, things))
            if len(found) < asked:
                return True
            best = _first([*hits, *given.values()], limit)
            if len(best) >= limit and constant + found[-1].score * room < best[limit - 1].score:
                return False
            asked *= 4

    def _bound(self, things: Sequence[Thing]) -> dict[str, float]:
        """Weights of terms that say no less of a row than it has: n / (n + K) of a sum is no more than the sum of these."""
        frequencies = self._frequencies(sorted({term for thing in things for way in thing.ways for term in way}))
        found: dict[str, float] = {}
        for thing in things:
            for way in thing.ways:
                rarest = min(way, key=lambda term: (frequencies[term], term))
                found[rarest] = found.get(rarest, 0.0) + max(thing.idf, 0.0)
        return found

    def _scored(self, candidates: Sequence[Any], things: Sequence[Thing]) -> Iterator[Hit]:
        counts = [self._counts(record) for record in candidates]
        lengths = np.array([sum(each.values()) for each in counts], dtype=np.int64)
        saturation = self._scoring.saturation(lengths, self._mean)
        scores = np.zeros(len(counts))
        for thing in things:
            times = np.array([
                sum(min(each.get(term, 0) for term in way) for way in thing.ways) for each in counts
            ], dtype=np.float64)
            rows = np.flatnonzero(times)
            scores[rows] += thing.most if thing.once else self._scoring.part(thing.idf, times[rows], saturation[rows])
        return (Hit(chunk_of(record), score) for record, score in zip(candidates, scores.tolist(), strict=True))

    def _constant(self, things: Sequence[Thing], had: Mapping[int, bool]) -> float:
        """The score of rows that have nothing but these things, added up as `_scored` does."""
        score = 0.0
        for thing in things:
            if thing.once and had[id(thing)]:
                score += thing.most
        return score

    def _chunks(self, where: Sequence[Any]) -> Iterator[str]:
        return (chunk_of(record) for record in self._points.scroll(where, ["chunk_id"], page=4096))


def _first(hits: Sequence[Hit], limit: int) -> list[Hit]:
    return sorted((hit for hit in hits if hit.score > 0), key=lambda hit: (-hit.score, hit.chunk_id))[:limit]
