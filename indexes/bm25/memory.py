"""BM25 in memory: for small sets of rows, and the oracle that the contract suite holds the segments to.

Slow and obvious on purpose: plain Python for `lucene`, the package rank-bm25 for `okapi` (extra `okapi`, imported when
needed). Builds are kept under the paths they were written to, though nothing is written there, so it serves wherever the
others do.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from indexes.bm25.codes import RARE, codes
from indexes.bm25.columns import columns_bytes
from indexes.bm25.format import TERMS
from indexes.bm25.scoring import Formula, Scoring
from indexes.bm25.slips import slips
from indexes.bm25.terms import query_terms, terms
from indexes.bm25.texts import encode
from indexes.header import damaged
from ingest.errors import ExtraMissing
from ingest.model.generation import IndexKind
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.protocols import Asked, Bm25Delta, Hit, Ranked

if TYPE_CHECKING:
    from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]


class MemoryBm25:
    """Writer and shelf of BM25 builds in memory."""

    kind: IndexKind = "bm25"
    fingerprint = f"bm25 in memory;{TERMS}"

    def __init__(self) -> None:
        self._builds: dict[Path, dict[str, ChunkRow]] = {}

    def write(self, base: Path | None, delta: Bm25Delta, target: Path, progress: Progress) -> dict[str, str]:
        held = {} if base is None else dict(self._builds[base])
        for gone in delta.removed:
            held.pop(gone, None)
        contents = {}
        progress.start("bm25", delta.count, "chunks")
        for row in delta.rows:
            held[row.chunk_id] = row
            contents[row.chunk_id] = content_of(row)
            progress.advance("bm25")
        progress.finish("bm25")
        self._builds[target] = held
        return contents

    def open_reader(self, path: Path, formula: Formula = "lucene", k1: float = 1.5, b: float = 0.75) -> MemoryReader:
        if path not in self._builds:
            raise damaged(path, "no such build in memory")
        return MemoryReader(self._builds[path].values(), formula, k1, b)


class MemoryReader:
    """A Bm25Reader over rows. A caller is answered by a reader of the rows that he may see, and that is all there is to it.
    Raises ExtraMissing for `okapi` where rank-bm25 is not installed."""

    def __init__(self, rows: Iterable[ChunkRow], formula: Formula = "lucene", k1: float = 1.5, b: float = 0.75) -> None:
        self._rows = sorted(rows, key=lambda row: row.chunk_id)
        self._terms = [terms(row.search_text) for row in self._rows]
        self._formula, self._k1, self._b = formula, k1, b
        self._okapi = _okapi(self._terms, k1, b) if formula == "okapi" else None
        self._readers: dict[Predicate, MemoryReader] = {}

    def _for(self, predicate: Predicate) -> MemoryReader:
        """The reader of what the one who asks may see."""
        who = predicate.caller()
        if who not in self._readers:
            shown = [row for row in self._rows if _shows(row, who)]
            same = len(shown) == len(self._rows)
            self._readers[who] = self if same else MemoryReader(shown, self._formula, self._k1, self._b)
        return self._readers[who]

    def search(self, query: str, predicate: Predicate, limit: int) -> list[Hit]:
        return self.rank(query, predicate, limit).hits

    def rank(self, query: str, predicate: Predicate, limit: int) -> Ranked:
        return self._for(predicate)._rank(query, predicate, limit)

    def _rank(self, query: str, predicate: Predicate, limit: int) -> Ranked:
        if limit <= 0 or not any(self._terms):
            return Ranked([])
        wanted = query_terms(query)
        admitted = [predicate.admits(filter_columns(row)) for row in self._rows]
        hits = [Hit(row.chunk_id, score) for row, score, shown in zip(self._rows, self._scores(wanted), admitted, strict=True)
                if score > 0 and shown]
        hits.sort(key=lambda hit: (-hit.score, hit.chunk_id))
        weights = {term: Scoring(self._formula, self._k1, self._b).most(self._idf(term)) for term in wanted}
        return Ranked(hits[:limit], sum(weights.values()), self._codes(query, admitted), weights)

    def meets(self, asked: Sequence[Asked], named: Sequence[Asked], share: float, predicate: Predicate, limit: int) -> Ranked:
        return self._for(predicate)._meets(asked, named, share, predicate, limit)

    def _meets(self, asked: Sequence[Asked], named: Sequence[Asked], share: float, predicate: Predicate, limit: int) -> Ranked:
        if limit <= 0 or not any(self._terms):
            return Ranked([])
        admitted = [_shows(row, predicate) for row in self._rows]
        parts = []
        for weight, some in ((1 - share, asked), (share, named)):
            told = [self._told(each) for each in some]
            most = math.fsum(most for _, most in told)
            if most > 0:
                had = [math.fsum(each[row] for each, _ in told) / most for row in range(len(self._rows))]
                parts.append((weight, had))
        whole = math.fsum(weight for weight, _ in parts)
        scores = [math.fsum(weight * had[row] for weight, had in parts) / (whole or 1.0) for row in range(len(self._rows))]
        hits = [Hit(row.chunk_id, score) for row, score, shown in zip(self._rows, scores, admitted, strict=True)
                if score > 0 and shown]
        return Ranked(sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id))[:limit], 1.0 if whole else 0.0)

    def _told(self, asked: Asked) -> tuple[list[float], float]:
        """What each row has of a thing that is asked for, and what it could at most."""
        scoring = Scoring(self._formula, self._k1, self._b)
        shares = asked.shares or (1.0,) * len(asked.ways)
        ways = [([min(held.count(term) for term in terms) for held in self._terms], share)
                for terms, share in zip(asked.ways, shares, strict=True)]
        ways = [(times, share) for times, share in ways if any(times)]
        counts = [sum(share * times[row] for times, share in ways) for row in range(len(self._rows))]
        df = sum(share * sum(map(bool, times)) for times, share in ways) if asked.shares else sum(map(bool, counts))
        idf = asked.weight * scoring.idf(df, len(counts), lambda: 0.0 if self._okapi is None else self._okapi.average_idf)
        most = scoring.most(idf)
        if asked.once:
            return [most if count else 0.0 for count in counts], most
        lengths = [len(held) for held in self._terms]
        mean = sum(lengths) / len(lengths)
        over = 1.0 if self._formula == "lucene" else self._k1 + 1
        parts = [idf * over * count / (count + self._k1 * (1 - self._b + self._b * length / mean))
                 for count, length in zip(counts, lengths, strict=True)]
        return parts, most

    def _codes(self, query: str, admitted: Sequence[bool]) -> dict[str, int]:
        holders: Counter[str] = Counter()
        for code in codes(query):
            rows = zip(self._rows, self._terms, admitted, strict=True)
            found = [row.chunk_id for row, held, shown in rows if shown and code in held]
            holders.update(found if len(found) <= RARE else [])
        return dict(holders)

    def _idf(self, term: str) -> float:
        df = sum(term in held for held in self._terms)
        if self._okapi is not None and df:
            return float(self._okapi.idf[term])
        scoring = Scoring(self._formula, self._k1, self._b)
        return scoring.idf(df, len(self._rows), lambda: 0.0)

    def having(self, ways: Collection[Sequence[str]], chunk_ids: Collection[str]) -> frozenset[str]:
        held = {row.chunk_id: set(terms) for row, terms in zip(self._rows, self._terms, strict=True) if row.chunk_id in chunk_ids}
        return frozenset(chunk for chunk, terms in held.items() if any(terms.issuperset(way) for way in ways))

    def held(self, terms: Collection[str], predicate: Predicate) -> frozenset[str]:
        return frozenset(self._shown_terms(predicate) & set(terms))

    def codes_like(self, code: str, predicate: Predicate, limit: int) -> list[str]:
        shown = self._shown_terms(predicate)
        return [term for term in slips(code) if term in shown][: max(limit, 0)]

    def versions(self, predicate: Predicate) -> frozenset[str]:
        return frozenset(row.version for row in self._rows if row.version and _shows(row, predicate))

    def families(self, versions: Collection[str], predicate: Predicate) -> frozenset[str]:
        shown = (row for row in self._rows if _shows(row, predicate))
        return frozenset(row.family for row in shown if row.family and (row.version or "") in versions)

    def dated(self, predicate: Predicate) -> bool:
        return any(row.valid_from or row.valid_until for row in self._rows if _shows(row, predicate))

    def _shown_terms(self, predicate: Predicate) -> set[str]:
        pairs = zip(self._rows, self._terms, strict=True)
        return {term for row, held in pairs if _shows(row, predicate) for term in held}

    def pairs(self) -> Iterator[tuple[str, str]]:
        return ((row.chunk_id, row.row_checksum) for row in self._rows)

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        wanted = set(chunk_ids)
        return {row.chunk_id: content_of(row) for row in self._rows if row.chunk_id in wanted}

    def close(self) -> None:
        pass

    def _scores(self, wanted: Sequence[str]) -> list[float]:
        if self._okapi is not None:
            return [float(score) for score in self._okapi.get_scores(wanted)]
        counts = [Counter(found) for found in self._terms]
        lengths = [len(found) for found in self._terms]
        scores = [0.0] * len(counts)
        for term in wanted:
            df = sum(term in held for held in counts)
            idf = math.log(1 + (len(counts) - df + 0.5) / (df + 0.5))
            for row, held in enumerate(counts):
                if term in held:
                    saturation = self._k1 * (1 - self._b + self._b * lengths[row] / (sum(lengths) / len(lengths)))
                    scores[row] += idf * (held[term] / (held[term] + saturation))
        return scores


def _shows(row: ChunkRow, predicate: Predicate) -> bool:
    return predicate.admits(filter_columns(row))


def _okapi(corpus: list[list[str]], k1: float, b: float) -> BM25Okapi | None:
    """None where there is nothing to count: rank_bm25 would divide by zero, and either formula finds nothing."""
    try:
        from rank_bm25 import BM25Okapi
    except ImportError:
        raise ExtraMissing("the in-memory BM25 index with formula okapi", "okapi") from None
    return BM25Okapi(corpus, k1=k1, b=b) if any(corpus) else None


def content_of(row: ChunkRow) -> str:
    """The content hash of a row, straight from its text; see docs/formats.md."""
    counts = Counter(terms(row.search_text))
    made = hashlib.blake2b(digest_size=16)
    for term in sorted(counts):
        made.update(hashlib.blake2b(encode(term), digest_size=8).digest())
        made.update(counts[term].to_bytes(4, "little"))
    made.update(counts.total().to_bytes(4, "little"))
    made.update(columns_bytes(filter_columns(row)))
    return made.hexdigest()
