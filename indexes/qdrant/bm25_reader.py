"""Searches a BM25 build on a server, with the scores of the one in files, and says what it holds.

The server finds candidates by stored weights; scores are made here, from the counts of candidates and exact frequencies, in the
same order of the same operations as in files. See `indexes.qdrant.weights` for why the best rows are among the candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from indexes.bm25.codes import RARE, codes
from indexes.bm25.content import content_hashes, term_digests
from indexes.bm25.scoring import Formula, Scoring
from indexes.bm25.slips import slips
from indexes.bm25.terms import query_terms
from indexes.bm25.texts import encode
from indexes.qdrant.bm25_view import View, having
from indexes.qdrant.candidates import candidates
from indexes.qdrant.conditions import admits, among, any_of, every, within
from indexes.qdrant.connect import Server
from indexes.qdrant.format import LENGTH, OPEN, SPARSE, columns_of, header_of, received
from indexes.qdrant.meeting import Meeting
from indexes.qdrant.points import Points
from indexes.qdrant.rows import Rows, aspects_of, chunk_of
from indexes.qdrant.weights import sparse
from ingest.model.batches import batches
from ingest.model.predicate import Predicate
from ingest.protocols import Asked, Aspects, Hit, Ranked

_TERMS_AT_ONCE = 100
_CHUNKS_AT_ONCE = 500
_SAMPLE = 32
_CALLERS = 64
"""Views that are kept: a few numbers, and one for each term that was asked for."""
_VALUES = 100_000


def open_reader(
    path: Path, server: Server, formula: Formula = "lucene", k1: float = 1.5, b: float = 0.75, *, whole: bool = True
) -> ServerBm25Reader:
    """Open the build that the folder `path` stands for. Raises BuildCorrupt where rows of it are missing (not with `whole`
    False: for who looks at what is wrong), ServerUnavailable."""
    header = header_of(path, "bm25")
    rows = Rows(Points(server, header.collection, "bm25", SPARSE), header)
    if whole:
        rows.check()
    return ServerBm25Reader(rows, Scoring(formula, k1, b))


class ServerBm25Reader:
    """See `ingest.protocols.Bm25Reader`. Threads may share one; of its last callers it remembers how many of their rows hold the
    terms that were asked for."""

    def __init__(self, rows: Rows, scoring: Scoring) -> None:
        self._rows, self._points, self._header = rows, rows.points, rows.header
        self._scoring = scoring
        self._view = lru_cache(_CALLERS)(self._seen)

    def search(self, query: str, predicate: Predicate, limit: int) -> list[Hit]:
        return self.rank(query, predicate, limit).hits

    def rank(self, query: str, predicate: Predicate, limit: int) -> Ranked:
        view = self._view(predicate.caller())
        if limit <= 0 or view is None or not view.length:
            return Ranked([])
        terms, conditions = query_terms(query), admits(predicate)
        frequencies = view.frequencies(terms)
        idf = {term: view.idf(frequencies[term]) for term in terms}
        known = {term: idf[term] for term in terms if frequencies[term]}
        hits = [] if conditions is None else self._best(known, view, conditions, limit)
        weights = {term: self._scoring.most(idf[term]) for term in terms}
        held = {} if conditions is None else self._codes(sorted(codes(query) & known.keys()), conditions)
        return Ranked(hits, sum(weights.values()), held, weights)

    def meets(self, asked: Sequence[Asked], named: Sequence[Asked], share: float, predicate: Predicate, limit: int) -> Ranked:
        view = self._view(predicate.caller())
        if limit <= 0 or view is None or not view.length:
            return Ranked([])
        conditions = admits(predicate)
        if conditions is None:
            return Ranked([], 1.0 if asked or named else 0.0)
        meeting = Meeting(self._rows, self._scoring, view, conditions, _counts)
        return meeting.best(asked, named, share, limit)

    def having(self, ways: Collection[Sequence[str]], chunk_ids: Collection[str]) -> frozenset[str]:
        found: set[str] = set()
        for part in batches(sorted(chunk_ids), _CHUNKS_AT_ONCE) if ways else ():
            where = [*self._rows.where, among("chunk_id", part), any_of([having(way) for way in ways])]
            found.update(chunk_of(record) for record in self._points.scroll(where, ["chunk_id"]))
        return frozenset(found)

    def held(self, terms: Collection[str], predicate: Predicate) -> frozenset[str]:
        conditions = admits(predicate)
        return frozenset() if conditions is None else self._held(terms, conditions)

    def codes_like(self, code: str, predicate: Predicate, limit: int) -> list[str]:
        near = slips(code)
        held = self.held(near, predicate) if limit > 0 else frozenset[str]()
        return [term for term in near if term in held][: max(limit, 0)]

    def versions(self, predicate: Predicate) -> frozenset[str]:
        return self._values("version", predicate, [])

    def families(self, versions: Collection[str], predicate: Predicate) -> frozenset[str]:
        return self._values("family", predicate, [among("version", versions)]) if versions else frozenset()

    def dated(self, predicate: Predicate) -> bool:
        conditions = admits(predicate)
        if conditions is None:
            return False
        undated = every([within("valid_from", lte=-OPEN), within("valid_until", gte=OPEN)])
        found = self._points.scroll([*self._rows.where, *conditions, every([], [undated])], ["chunk_id"], most=1)
        return next(found, None) is not None

    def pairs(self) -> Iterator[tuple[str, str]]:
        return self._rows.pairs()

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        return {chunk: self._hash(record) for chunk, record in self._rows.of(chunk_ids)}

    def described(self, chunk_ids: Sequence[str]) -> dict[str, Aspects]:
        found: dict[str, Aspects] = {}
        for chunk, record in self._rows.of(chunk_ids):
            counts = _counts(record)
            found[chunk] = {**aspects_of(record), "terms": counts, "length": sum(counts.values())}
        return found

    def false_gates(self) -> list[str]:
        return []

    def check(self) -> None:
        """Nothing is in files; what the server holds is compared row by row."""

    def disorder(self) -> str | None:
        """What look-ups rely on is the server's."""
        return None

    def close(self) -> None:
        self._points.server.close()

    def _seen(self, who: Predicate) -> View | None:
        """What a caller may see; None: nothing."""
        conditions = admits(who)
        return None if conditions is None else View(self._rows, self._scoring, conditions)

    def _best(self, idf: dict[str, float], view: View, conditions: Sequence[Any], limit: int) -> list[Hit]:
        """The best rows. More candidates are asked for until the last of them, at its best, is below the last hit."""
        hits: list[Hit] = []
        for found, beyond in candidates(self._rows, self._scoring, view.mean, idf, [*self._rows.where, *conditions], limit):
            hits = self._scored(found, idf, view.mean)
            if beyond is not None and len(hits) >= limit and beyond < hits[limit - 1].score:
                break
        return hits[:limit]

    def _scored(self, candidates: Sequence[Any], idf: dict[str, float], mean: float) -> list[Hit]:
        counts = [_counts(record) for record in candidates]
        lengths = np.array([sum(each.values()) for each in counts], dtype=np.int64)
        saturation = self._scoring.saturation(lengths, mean)
        scores = np.zeros(len(counts))
        for term, weight in idf.items():
            held = np.array([each.get(term, 0) for each in counts], dtype=np.float64)
            rows = np.flatnonzero(held)
            scores[rows] += self._scoring.part(weight, held[rows], saturation[rows])
        hits = [Hit(chunk_of(record), score) for record, score in zip(candidates, scores.tolist(), strict=True) if score > 0]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))

    def _held(self, terms: Collection[str], conditions: Sequence[Any]) -> frozenset[str]:
        """Those of some terms that admitted rows hold. Some rows that hold any of them are looked at, then some that hold any of
        the rest, until none does."""
        held: set[str] = set()
        for part in batches(sorted(terms), _TERMS_AT_ONCE):
            left = set(part)
            while left:
                where = [*self._rows.where, *conditions, among("terms", sorted(left))]
                records = list(self._points.scroll(where, ["terms"], page=_SAMPLE, most=_SAMPLE))
                found = {received(term) for record in records for term in record.payload["terms"]} & left
                if not found:
                    break
                held |= found
                left -= found
        return frozenset(held)

    def _codes(self, wanted: Sequence[str], conditions: Sequence[Any]) -> dict[str, int]:
        found: Counter[str] = Counter()
        for term in wanted:
            where = [*self._rows.where, *conditions, among("terms", [term])]
            rows = [chunk_of(record) for record in self._points.scroll(where, ["chunk_id"], most=RARE + 1)]
            found.update(rows if len(rows) <= RARE else [])
        return dict(found)

    def _values(self, field: str, predicate: Predicate, more: Sequence[Any]) -> frozenset[str]:
        conditions = admits(predicate)
        if conditions is None:
            return frozenset()
        found = self._points.facet(field, [*self._rows.where, *conditions, *more], _VALUES)
        return frozenset(map(received, found)) - {""}

    def _hash(self, record: Any) -> str:
        """The content of a point, derived anew; empty, which equals none, where payload and weights do not belong together."""
        try:
            columns, counts = columns_of(record.payload), _counts(record)
            listed = [received(term) for term in record.payload["terms"]]
        except (KeyError, TypeError, ValueError):
            return ""
        held = (record.vector or {}).get(SPARSE)
        stored = dict(zip(held.indices, held.values, strict=True)) if held is not None else {}
        same = stored == dict(zip(*sparse(counts, self._header.mean), strict=True)) and listed == sorted(counts, key=encode)
        if not same or record.payload.get(LENGTH) != sum(counts.values()):
            return ""
        return content_hashes(
            term_digests(map(encode, listed)), np.array([counts[term] for term in listed], dtype=np.int64),
            np.array([0, len(listed)]), [sum(counts.values())], [columns],
        )[0]


def _counts(record: Any) -> dict[str, int]:
    """term -> how often the row has it."""
    payload = record.payload or {}
    return dict(zip(map(received, payload.get("terms", ())), payload.get("counts", ()), strict=False))



