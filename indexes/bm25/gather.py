"""Rows as they arrive become a segment in memory. What is held is one number a term, never the texts.

`add` until `full`, then `take` a segment and go on with the next: however many rows come, memory stays that of one piece.
"""

from __future__ import annotations

from array import array

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.arrayfile import narrowed
from indexes.bm25.columns import NUMBER_COLUMNS, TEXT_COLUMNS, Columns, TextColumn, acl_text
from indexes.bm25.content import content_hashes, term_digests
from indexes.bm25.segment import Segment
from indexes.bm25.terms import tokens
from indexes.bm25.texts import Texts, encode
from ingest.model.predicate import FilterColumns, filter_columns
from ingest.model.row import ChunkRow

MOST_TOKENS = 6_000_000
"""Terms, repeats counted, that one piece may hold: about 150 MB while it is sorted."""


Numbers = NDArray[np.int64]


class _Numbered(dict[str, int]):
    """Text -> its number, given at first sight."""

    def __missing__(self, text: str) -> int:
        number = self[text] = len(self)
        return number


class Gatherer:
    """Collects rows. Their chunk ids must differ."""

    def __init__(self, most_tokens: int = MOST_TOKENS) -> None:
        self._most = most_tokens
        self._begin()

    def _begin(self) -> None:
        self._ids: list[str] = []
        self._checksums: list[str] = []
        self._columns: list[FilterColumns] = []
        self._lengths = array("Q")
        self._terms = _Numbered()
        self._tokens = array("I")

    def add(self, row: ChunkRow) -> None:
        found = tokens(row.search_text)
        self._tokens.extend(map(self._terms.__getitem__, found))
        self._lengths.append(len(found))
        self._ids.append(row.chunk_id)
        self._checksums.append(row.row_checksum)
        self._columns.append(filter_columns(row))

    @property
    def full(self) -> bool:
        return len(self._tokens) >= self._most

    @property
    def empty(self) -> bool:
        return not self._ids

    def take(self) -> tuple[Segment, dict[str, str]]:
        """Return what was gathered since the last call, and chunk id -> content hash of each row of it."""
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        ids, columns = [self._ids[at] for at in order], [self._columns[at] for at in order]
        lengths = np.frombuffer(self._lengths, dtype=np.uint64).astype(np.int64)
        terms, doc, term, count = self._postings(np.array(order, dtype=np.int64), lengths)
        lengths = lengths[order]
        bounds = np.searchsorted(doc, np.arange(len(ids) + 1))
        digests = term_digests(terms)
        hashes = content_hashes(digests[term], count, bounds, lengths.tolist(), columns)
        by_term = np.argsort(term, kind="stable")
        segment = Segment(
            Texts.of(ids), Texts.of([self._checksums[at] for at in order]), narrowed(lengths), _columns(columns),
            Texts.of_raw(terms), narrowed(np.searchsorted(term[by_term], np.arange(len(terms) + 1))),
            narrowed(doc[by_term]), narrowed(count[by_term]),
        )
        self._begin()
        return segment, dict(zip(ids, hashes, strict=True))

    def _postings(self, order: Numbers, lengths: Numbers) -> tuple[list[bytes], Numbers, Numbers, Numbers]:
        """The sorted terms, and row, term and count of every posting, by row and then by term."""
        written = list(self._terms)
        sorted_terms = sorted(range(len(written)), key=written.__getitem__)
        rank = np.empty(len(written), dtype=np.uint64)
        rank[sorted_terms] = np.arange(len(written), dtype=np.uint64)
        place = np.empty(len(order), dtype=np.uint64)
        place[order] = np.arange(len(order), dtype=np.uint64)
        key = rank[np.frombuffer(self._tokens, dtype=np.uint32)] if written else np.empty(0, dtype=np.uint64)
        key |= np.repeat(place << np.uint64(32), lengths)
        key.sort()
        first = np.flatnonzero(np.diff(key, prepend=key[:1] + np.uint64(1))) if key.size else np.empty(0, dtype=np.int64)
        count = np.diff(first, append=key.size)
        key = key[first]
        doc, term = (key >> np.uint64(32)).astype(np.int64), (key & np.uint64(0xFFFFFFFF)).astype(np.int64)
        return [encode(written[at]) for at in sorted_terms], doc, term, count


def _columns(rows: list[FilterColumns]) -> Columns:
    texts = {}
    for name in TEXT_COLUMNS:
        numbered = _Numbered()
        values = (acl_text(row.acl) for row in rows) if name == "acl" else (getattr(row, name) for row in rows)
        codes = np.array([numbered[value] for value in values], dtype=np.int64)
        texts[name] = TextColumn.of(list(numbered), codes)
    return Columns(texts, {name: narrowed([getattr(row, name) for row in rows]) for name in NUMBER_COLUMNS})
