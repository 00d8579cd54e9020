"""Rows as they arrive become a segment in memory. What is held is one number a word, and the runs of Han text as they are.

`add` until `full`, then `take` a segment and go on with the next: however many rows come, memory stays that of one piece.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.arrayfile import narrowed
from indexes.bm25.columns import NUMBER_COLUMNS, TEXT_COLUMNS, Columns, TextColumn, acl_text
from indexes.bm25.content import content_hashes, term_digests
from indexes.bm25.order import stable_order
from indexes.bm25.pairs import SEPARATOR, characters_and_pairs
from indexes.bm25.segment import Segment
from indexes.bm25.terms import split
from indexes.bm25.texts import Texts, encode
from ingest.model.predicate import FilterColumns, filter_columns
from ingest.model.row import ChunkRow

MOST_TOKENS = 4_000_000
"""Terms, repeats counted, that one piece may hold: about 150 MB while it is sorted."""


Numbers = NDArray[Any]


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
        self._words = _Numbered()
        self._word = array("I")
        self._words_of_row = array("I")
        self._runs: list[str] = []
        self._runs_of_row = array("I")
        self._characters = 0

    def add(self, row: ChunkRow) -> None:
        runs, words = split(row.search_text)
        self._word.extend(map(self._words.__getitem__, words))
        self._words_of_row.append(len(words))
        text = SEPARATOR.join((*runs, ""))
        self._runs.append(text)
        self._runs_of_row.append(len(text))
        self._characters += len(text)
        self._ids.append(row.chunk_id)
        self._checksums.append(row.row_checksum)
        self._columns.append(filter_columns(row))

    @property
    def full(self) -> bool:
        return len(self._word) + 2 * self._characters >= self._most

    @property
    def empty(self) -> bool:
        return not self._ids

    def take(self) -> tuple[Segment, dict[str, str]]:
        """Return what was gathered since the last call, and chunk id -> content hash of each row of it."""
        order = sorted(range(len(self._ids)), key=self._ids.__getitem__)
        ids, columns = [self._ids[at] for at in order], [self._columns[at] for at in order]
        checksums = Texts.of([self._checksums[at] for at in order])
        terms, term, doc = self._occurrences(np.array(order, dtype=np.int64))
        self._begin()
        lengths = np.bincount(doc, minlength=len(ids))
        term, doc, count = _postings(term, doc, len(terms), len(ids))
        by_row = stable_order(doc, len(ids))
        bounds = np.searchsorted(doc[by_row], np.arange(len(ids) + 1))
        hashes = content_hashes(term_digests(terms)[term[by_row]], count[by_row], bounds, lengths.tolist(), columns)
        segment = Segment(
            Texts.of(ids), checksums, narrowed(lengths), _columns(columns), Texts.of_raw(terms),
            narrowed(np.searchsorted(term, np.arange(len(terms) + 1))), narrowed(doc), narrowed(count),
        )
        return segment, dict(zip(ids, hashes, strict=True))

    def _occurrences(self, order: Numbers) -> tuple[list[bytes], Numbers, Numbers]:
        """The sorted terms, and term and row of every occurrence, in no order. `order` puts rows in order of chunk id."""
        place = np.empty(len(order), dtype=np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        pairs, pair, at = characters_and_pairs("".join(self._runs))
        terms = sorted({*self._words, *pairs})
        numbers = {term: number for number, term in enumerate(terms)}
        of_words = np.array([numbers[word] for word in self._words], dtype=np.uint32)
        of_pairs = np.array([numbers[term] for term in pairs], dtype=np.uint32)
        term = np.concatenate([of_words[np.frombuffer(self._word, dtype=np.uint32)], of_pairs[pair]])
        row_of_char = np.repeat(place, np.frombuffer(self._runs_of_row, dtype=np.uint32))
        row_of_word = np.repeat(place, np.frombuffer(self._words_of_row, dtype=np.uint32))
        return [encode(text) for text in terms], term, np.concatenate([row_of_word, row_of_char[at]])


def _postings(term: Numbers, doc: Numbers, terms: int, rows: int) -> tuple[Numbers, Numbers, Numbers]:
    """Term, row and count of every posting, by term and then by row, from every occurrence."""
    order = stable_order(doc, rows)
    order = order[stable_order(term[order], terms)]
    term, doc = term[order], doc[order]
    new = np.ones(len(term), dtype=np.bool_)
    new[1:] = (term[1:] != term[:-1]) | (doc[1:] != doc[:-1])
    first = np.flatnonzero(new)
    return term[first], doc[first], np.diff(first, append=len(term))


def _columns(rows: list[FilterColumns]) -> Columns:
    texts = {}
    for name in TEXT_COLUMNS:
        numbered = _Numbered()
        values = (acl_text(row.acl) for row in rows) if name == "acl" else (getattr(row, name) for row in rows)
        codes = np.array([numbered[value] for value in values], dtype=np.int64)
        texts[name] = TextColumn.of(list(numbered), codes)
    return Columns(texts, {name: narrowed([getattr(row, name) for row in rows]) for name in NUMBER_COLUMNS})
