"""Searches a sealed BM25 build, and says what it holds.

Opening maps files and reads nothing of them. A search looks terms up in each segment, adds their parts to one float64 a row
in the order of `query_terms`, and ranks the rows that the predicate admits. Frequencies and lengths are exact integers over the
live rows that the caller may see (`view`), so scores depend only on which these are: not on what is hidden, on segments, their
order, or what was ever removed.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, lru_cache
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.build import Build, open_build
from indexes.bm25.codes import RARE, codes
from indexes.bm25.columns import rows_of
from indexes.bm25.content import content_hashes, term_digests
from indexes.bm25.facets import dated, families, versions
from indexes.bm25.mask import Mask, admitted
from indexes.bm25.merge import Part
from indexes.bm25.order import stable_order
from indexes.bm25.scoring import Floats, Formula, Scoring
from indexes.bm25.segment import Segment, disorder, file_name
from indexes.bm25.slips import slips
from indexes.bm25.terms import query_terms
from indexes.bm25.view import Rows, View, spread, view_of
from indexes.header import damaged
from ingest.model.predicate import Predicate
from ingest.protocols import Asked, Aspects, Hit, Ranked

_A_FEW = 256
_CALLERS = 8
"""Views that are kept, each nine bytes a row."""
_LANES = 64
_POSTINGS_AT_ONCE = 4_000_000
_ROWS_AT_ONCE = 50_000
"""How much `contents` turns round at once: some 150 MB."""


def open_reader(path: Path, formula: Formula = "lucene", k1: float = 1.5, b: float = 0.75) -> SegmentsReader:
    """Open the build in folder `path`. Formula and parameters may differ from one reader to the next.

    Raises BuildCorrupt, naming the file, when one is missing, cut or of another format.
    """
    return SegmentsReader(path, open_build(path), Scoring(formula, k1, b))


class SegmentsReader:
    """A Bm25Reader. Holds one float64 a row for each caller of late; everything else stays in the mapped files."""

    def __init__(self, path: Path, build: Build, scoring: Scoring) -> None:
        self._path = path
        self._build = build
        self._scoring = scoring
        self._last: tuple[Predicate, Mask | None] | None = None
        self._view = lru_cache(_CALLERS)(self._seen)

    @property
    def rows(self) -> int:
        """Rows held."""
        return self._build.rows

    def search(self, query: str, predicate: Predicate, limit: int) -> list[Hit]:
        return self.rank(query, predicate, limit).hits

    def rank(self, query: str, predicate: Predicate, limit: int) -> Ranked:
        try:
            view = self._view(predicate.caller())
            if limit <= 0 or not view.build.length:
                return Ranked([])
            mask = self._admitted(predicate)
            looked_up = self._look_up(query_terms(query), codes(query), view, mask)
            hits = self._ranked(looked_up.scores, mask, limit)
        except (IndexError, ValueError) as error:
            raise damaged(self._path, error) from error
        held = {self._chunk_id(row): count for row, count in looked_up.codes.items()}
        return Ranked(hits, sum(looked_up.weights.values()), held, looked_up.weights)

    def meets(self, asked: Sequence[Asked], named: Sequence[Asked], share: float, predicate: Predicate, limit: int) -> Ranked:
        try:
            view = self._view(predicate.caller())
            if limit <= 0 or not view.build.length:
                return Ranked([])
            parts = [self._met(some, view) for some in (asked, named)]
            whole = math.fsum(weight for weight, (most, _) in zip((1 - share, share), parts, strict=True) if most > 0)
            scores = np.zeros(self._bases[-1])
            for weight, (most, met) in zip((1 - share, share), parts, strict=True):
                if most > 0:
                    scores += weight / whole / most * met
            hits = self._ranked(scores, self._admitted(predicate), limit)
        except (IndexError, ValueError) as error:
            raise damaged(self._path, error) from error
        return Ranked(hits, 1.0 if whole else 0.0)

    def _met(self, asked: Sequence[Asked], view: View) -> tuple[float, Floats]:
        """What rows could have of some things that are asked for, and what each has."""
        scores = np.zeros(self._bases[-1] if asked else 1)
        return math.fsum([self._add(each, view, scores) for each in asked]), scores

    def _add(self, asked: Asked, view: View, scores: Floats) -> float:
        """Add what rows have of a thing that is asked for to their scores, and return what that is at most."""
        shares = asked.shares or (1.0,) * len(asked.ways)
        found = [(rows, share * counts, share, holders) for terms, share in zip(asked.ways, shares, strict=True)
                 for rows, counts in [self._together(terms)] if (holders := view.holders(rows))]
        if not found:
            return asked.weight * self._scoring.most(view.idf(0))
        rows, counts = _summed([(rows, counts) for rows, counts, _, _ in found])
        df = math.fsum(share * holders for _, _, share, holders in found) if asked.shares else view.holders(rows)
        idf = asked.weight * view.idf(df)
        most = self._scoring.most(idf)
        _gain(scores, rows, most if asked.once else self._scoring.part(idf, counts, view.saturation.take(rows)))
        return most

    def _together(self, terms: Sequence[str]) -> tuple[Rows, Floats]:
        """Live rows that hold all of some terms, and how often they do at most."""
        rows, counts = self._postings(terms[0])
        for term in terms[1:]:
            if not rows.size:
                break
            others, times = self._postings(term)
            rows, here, there = np.intersect1d(rows, others, assume_unique=True, return_indices=True)
            counts = np.minimum(counts[here], times[there])
        return rows, counts

    def having(self, ways: Collection[Sequence[str]], chunk_ids: Collection[str]) -> frozenset[str]:
        asked = sorted(chunk_ids)
        found: set[str] = set()
        try:
            having = np.zeros(self._bases[-1], np.bool_)
            for terms in ways:
                having[self._together(terms)[0]] = True
            for base, part in zip(self._bases, self._build.parts, strict=False):
                places = part.segment.chunk_ids.find_many(asked)
                found |= {name for name, place in zip(asked, places, strict=True) if place >= 0 and having[base + place]}
            return frozenset(found)
        except (IndexError, ValueError) as error:
            raise damaged(self._path, error) from error

    def held(self, terms: Collection[str], predicate: Predicate) -> frozenset[str]:
        try:
            found = {term: rows for term in terms if (rows := self._postings(term)[0]).size}
            mask = self._admitted(predicate) if found else None
            return frozenset(term for term, rows in found.items() if _any_shows(rows, mask))
        except (IndexError, ValueError) as error:
            raise damaged(self._path, error) from error

    def codes_like(self, code: str, predicate: Predicate, limit: int) -> list[str]:
        near = slips(code)
        held = self.held(near, predicate) if limit > 0 else frozenset[str]()
        return [term for term in near if term in held][: max(limit, 0)]

    def versions(self, predicate: Predicate) -> frozenset[str]:
        return self._common(predicate, versions)

    def families(self, versions: Collection[str], predicate: Predicate) -> frozenset[str]:
        return self._common(predicate, lambda segment, shown: families(segment, versions, shown))

    def dated(self, predicate: Predicate) -> bool:
        return bool(self._common(predicate, lambda segment, shown: {"dated"} if dated(segment, shown) else set()))

    def _common(self, predicate: Predicate, told: Callable[[Segment, Mask], set[str]]) -> frozenset[str]:
        """What is told of the live rows of each segment that the predicate admits."""
        try:
            mask = self._admitted(predicate)
            found: set[str] = set()
            for base, part in zip(self._bases, self._build.parts, strict=False):
                shown = np.ones(part.segment.rows, np.bool_) if mask is None else mask[base : base + part.segment.rows]
                found |= told(part.segment, shown if part.alive is None else shown & part.alive)
            return frozenset(found)
        except (IndexError, ValueError) as error:
            raise damaged(self._path, error) from error

    def pairs(self) -> Iterator[tuple[str, str]]:
        for part in self._build.parts:
            held = zip(part.segment.chunk_ids.all(), part.segment.checksums.all(), strict=True)
            yield from held if part.alive is None else compress(held, part.alive.tolist())

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        try:
            for part in self._build.parts:
                places = part.segment.chunk_ids.find_many(chunk_ids)
                wanted = {place: name for place, name in zip(places, chunk_ids, strict=True) if place >= 0}
                if part.alive is not None:
                    wanted = {place: name for place, name in wanted.items() if part.alive[place]}
                rows = sorted(wanted)
                found |= zip((wanted[row] for row in rows), _contents(part, rows), strict=True)
        except (IndexError, ValueError) as error:
            raise damaged(self._path, error) from error
        return found

    def false_gates(self) -> list[str]:
        return []

    def described(self, chunk_ids: Sequence[str]) -> dict[str, Aspects]:
        found: dict[str, Aspects] = {}
        try:
            for part in self._build.parts:
                for name, row in zip(chunk_ids, part.segment.chunk_ids.find_many(chunk_ids), strict=True):
                    if row >= 0 and (part.alive is None or part.alive[row]):
                        found[name] = _described(part.segment, row)
        except (IndexError, ValueError) as error:
            raise damaged(self._path, error) from error
        return found

    def disorder(self) -> str | None:
        """Say what is not in the order that look-ups rely on, if anything: a term that cannot be found is a lost one."""
        for part in self._build.parts:
            found = disorder(part.segment)
            if found is not None:
                return f"{file_name(part.segment.name)}: {found}"
        return None

    def check(self) -> None:
        """Compare every byte of every segment with its checksum. Raises BuildCorrupt naming the file."""
        for part in self._build.parts:
            part.segment.check()

    def close(self) -> None:
        """Let go of the mapped files."""
        self._build = Build((), "")
        self._last = None
        self._view.cache_clear()

    @cached_property
    def _bases(self) -> list[int]:
        """Number of the first row of each segment, and the number of all rows, dead ones too."""
        bases = [0]
        for part in self._build.parts:
            bases.append(bases[-1] + part.segment.rows)
        return bases

    def _seen(self, who: Predicate) -> View:
        return view_of(self._build, self._scoring, who)

    def _look_up(self, terms: Sequence[str], wanted: frozenset[str], view: View, mask: Mask | None) -> _LookedUp:
        """Go through the postings of each term once. `wanted`: those among them that are codes."""
        found = _LookedUp(np.zeros(self._bases[-1]), {}, Counter())
        for term in terms:
            rows, counts = self._postings(term)
            idf = view.idf(view.holders(rows))
            if rows.size:
                _gain(found.scores, rows, self._scoring.part(idf, counts, view.saturation.take(rows)))
            found.weights[term] = self._scoring.most(idf)
            if term in wanted:
                shown = rows if mask is None else rows[mask[rows]]
                found.codes.update(shown.tolist() if shown.size <= RARE else [])
        return found

    def _postings(self, term: str) -> tuple[Rows, Floats]:
        """Live rows that hold a term, numbered through all segments, and how often they do."""
        rows: list[NDArray[Any]] = []
        counts: list[NDArray[Any]] = []
        for base, part in zip(self._bases, self._build.parts, strict=False):
            number = part.segment.terms.find(term)
            if number < 0:
                continue
            doc, count = part.segment.postings(number)
            if part.alive is not None:
                alive = part.alive[doc]
                doc, count = doc[alive], count[alive]
            rows.append(doc.astype(np.intp) + base)
            counts.append(count.astype(np.float64))
        if len(rows) == 1:
            return rows[0], counts[0]
        return (np.concatenate(rows), np.concatenate(counts)) if rows else (np.empty(0, np.intp), np.empty(0))

    def _admitted(self, predicate: Predicate) -> Mask | None:
        """One boolean for each row of all segments, dead rows included; None: all are admitted. The last one is kept: what plans
        a query and what answers it ask alike, and so do many callers within a second."""
        last = self._last
        if last is not None and last[0] == predicate:
            return last[1]
        mask = self._compiled(predicate)
        self._last = (predicate, mask)
        return mask

    def _compiled(self, predicate: Predicate) -> Mask | None:
        seen = self._view(predicate.caller()).mask
        rest = replace(predicate, principal=None)
        mask = spread([admitted(part.segment, rest) for part in self._build.parts], self._build.parts)
        return seen if mask is None else mask if seen is None else mask & seen

    def _ranked(self, scores: Floats, mask: Mask | None, limit: int) -> list[Hit]:
        shown = scores if mask is None else scores * mask
        least = _bound(shown, limit)
        rows = np.flatnonzero(shown >= least if least > 0 else shown > 0)
        best = _best(rows, shown[rows], self._bases, limit)
        hits = [Hit(self._chunk_id(row), score) for row, score in best]
        return sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit]

    def _chunk_id(self, row: int) -> str:
        part = bisect_right(self._bases, row) - 1
        return self._build.parts[part].segment.chunk_ids[row - self._bases[part]]


@dataclass(slots=True)
class _LookedUp:
    """`scores`: one for each row, dead rows included. `weights`: what each term could add to one. `codes`: row -> how many codes
    of the query it holds."""

    scores: Floats
    weights: dict[str, float]
    codes: Counter[int]


def _summed(found: Sequence[tuple[Rows, Floats]]) -> tuple[Rows, Floats]:
    """Rows and counts of several terms as if they were one."""
    if len(found) == 1:
        return found[0]
    rows, place = np.unique(np.concatenate([having for having, _ in found]), return_inverse=True)
    return rows, np.bincount(place, weights=np.concatenate([counts for _, counts in found])).astype(np.float64)


def _gain(scores: Floats, rows: Rows, part: Floats | float) -> None:
    """Add to the scores of rows, each of which is there once. Taken and put back: numpy adds in place at half the speed."""
    scores[rows] = scores.take(rows) + part


def _bound(scores: Floats, limit: int) -> float:
    """A score that at least `limit` rows reach, 0 where there is none. Rows are dealt out to more lanes than that: as many lanes
    as the limit have a best row that good. So few rows are left to choose from, at the cost of one pass over all."""
    lanes = len(scores) // _LANES
    if lanes <= limit:
        return 0.0
    best = scores[: lanes * _LANES].reshape(_LANES, lanes).max(axis=0)
    return float(np.partition(best, lanes - limit)[lanes - limit])


def _any_shows(rows: Rows, mask: Mask | None) -> bool:
    """Whether the mask admits some of `rows`. Of a common term, one of the first nearly always does."""
    return bool(rows.size if mask is None else mask[rows[:_A_FEW]].any() or mask[rows[_A_FEW:]].any())


def _best(rows: Rows, scores: Floats, bases: Sequence[int], limit: int) -> list[tuple[int, float]]:
    """All rows that may be among the `limit` best, in any order. Of rows that tie for the last places those with the first ids
    win; within a segment ids ascend with the rows, so `limit` of each segment are enough."""
    if len(rows) > limit:
        last = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        ties = np.split(np.flatnonzero(scores == last), np.searchsorted(rows[scores == last], bases[1:-1]))
        chosen = np.concatenate([np.flatnonzero(scores > last), *(tie[:limit] for tie in ties)])
        rows, scores = rows[chosen], scores[chosen]
    return list(zip(rows.tolist(), scores.tolist(), strict=True))


def _described(segment: Segment, row: int) -> Aspects:
    (columns,) = rows_of(segment.columns, [row])
    at = np.flatnonzero(segment.doc == row)
    terms = (np.searchsorted(segment.start, at, side="right") - 1).tolist()
    counts = dict(zip(map(segment.terms.__getitem__, terms), segment.count[at].tolist(), strict=True))
    return {
        **asdict(columns), "row_checksum": segment.checksums[row], "terms": counts, "length": int(segment.lengths[row])
    }


def _contents(part: Part, rows: Sequence[int]) -> Iterator[str]:
    """Content hashes of some rows of a segment, ascending. Each turn reads all of its postings once."""
    lengths = part.segment.lengths[rows].astype(np.int64)
    turn = (np.cumsum(lengths) - lengths) // _POSTINGS_AT_ONCE + np.arange(len(rows)) // _ROWS_AT_ONCE
    for same in np.split(np.arange(len(rows)), np.flatnonzero(np.diff(turn)) + 1):
        if same.size:
            yield from _turned_round(part.segment, [rows[at] for at in same.tolist()])


def _turned_round(segment: Segment, rows: Sequence[int]) -> list[str]:
    """Content hashes of rows, ascending, from postings by term put in order of rows."""
    place = np.full(segment.rows, len(rows), dtype=np.uint32)
    place[rows] = np.arange(len(rows), dtype=np.uint32)
    at = np.flatnonzero(place[segment.doc] < len(rows))
    terms = np.searchsorted(segment.start, at, side="right") - 1
    used = terms[np.flatnonzero(np.diff(terms, prepend=-1))]
    times = np.diff(np.searchsorted(terms, used), append=len(terms))
    digests = np.repeat(term_digests(map(segment.terms.raw, used.tolist())), times)
    doc = place[segment.doc[at]]
    by_row = stable_order(doc, len(rows))
    bounds = np.searchsorted(doc[by_row], np.arange(len(rows) + 1))
    lengths: list[int] = segment.lengths[rows].tolist()
    return content_hashes(digests[by_row], segment.count[at[by_row]], bounds, lengths, rows_of(segment.columns, rows))
