"""Several segments, each with some rows dead, become one segment file: what writing comes down to, whatever the reason.

Equal sets of live rows give equal bytes, however they were spread. Postings stream through in blocks of terms, so memory stays
small beside the segments, which are mapped.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress, pairwise, repeat
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.arrayfile import ArrayWriter, narrowed, narrowest
from indexes.bm25.columns import NUMBER_COLUMNS, TEXT_COLUMNS, Columns, TextColumn
from indexes.bm25.segment import KIND, Segment, arrays_of, file_name
from indexes.bm25.texts import Texts

BLOCK = 1 << 20
"""Postings sorted and written at once."""

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Part:
    """A segment and which of its rows count; None: all."""

    segment: Segment
    alive: NDArray[np.bool_] | None = None

    @property
    def live_rows(self) -> int:
        return self.segment.rows if self.alive is None else int(self.alive.sum())

    def live(self, values: Array) -> Array:
        return values if self.alive is None else values[self.alive]


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where everything goes. `rows[p]` and `terms[p]`: number in part p -> number in the new segment, -1 where it is gone."""

    rows: list[NDArray[np.int64]]
    terms: list[NDArray[np.int64]]
    start: NDArray[np.int64]
    most: int
    """The largest count of a posting."""


def write_segment(parts: Sequence[Part], folder: Path) -> str:
    """Write the live rows of `parts` as one segment file into `folder` and return its name.

    There must be a live row. Raises ValueError when two live rows have one chunk id.
    """
    order, rows = _row_order(parts)
    df, most = _live_frequencies(parts)
    terms, places = _union([part.segment.terms for part in parts], df)
    start = np.zeros(len(terms) + 1, dtype=np.int64)
    for place, frequency in zip(places, df, strict=True):
        start[place[place >= 0] + 1] += frequency[place >= 0]
    plan = _Plan(rows, places, np.cumsum(start), most)
    merged = _without_postings(parts, order, terms, plan.start)
    return _write(parts, plan, merged, folder)


def _row_order(parts: Sequence[Part]) -> tuple[NDArray[np.int64], list[NDArray[np.int64]]]:
    """The permutation that sorts all live rows, part after part, by chunk id; and for each part old row -> new row."""
    ids = list(chain.from_iterable(_live_texts(part, part.segment.chunk_ids) for part in parts))
    order = sorted(range(len(ids)), key=ids.__getitem__)
    double = next((ids[a] for a, b in pairwise(order) if ids[a] == ids[b]), None)
    if double is not None:
        raise ValueError(f"two rows with the chunk id {double} in one build")
    place = np.empty(len(ids), dtype=np.int64)
    place[order] = np.arange(len(ids))
    rows, at = [], 0
    for part in parts:
        new = np.full(part.segment.rows, -1, dtype=np.int64)
        new[slice(None) if part.alive is None else part.alive] = place[at : at + part.live_rows]
        rows.append(new)
        at += part.live_rows
    return np.array(order, dtype=np.int64), rows


def _live_texts(part: Part, texts: Texts) -> list[str]:
    return texts.all() if part.alive is None else list(compress(texts.all(), part.alive.tolist()))


def live_frequencies(segment: Segment, alive: NDArray[np.bool_] | None) -> NDArray[np.int64]:
    """In how many live rows each term of a segment occurs."""
    if alive is None:
        start: NDArray[np.int64] = segment.start.astype(np.int64)
        return start[1:] - start[:-1]
    if not len(segment.terms):
        return np.empty(0, dtype=np.int64)
    return np.add.reduceat(alive[segment.doc], segment.start[:-1].astype(np.int64), dtype=np.int64)


def _live_frequencies(parts: Sequence[Part]) -> tuple[list[NDArray[np.int64]], int]:
    most = 0
    for part in parts:
        counts = part.segment.count if part.alive is None else part.segment.count[part.alive[part.segment.doc]]
        most = max(most, int(counts.max(initial=0)))
    return [live_frequencies(part.segment, part.alive) for part in parts], most


def _union(lists: Sequence[Texts], df: Sequence[NDArray[np.int64]]) -> tuple[Texts, list[NDArray[np.int64]]]:
    """All terms with a live posting, sorted; and for each list old number -> new number."""
    places = [np.full(len(texts), -1, dtype=np.int64) for texts in lists]
    if len(lists) == 1 and df[0].all():
        return lists[0], [np.arange(len(lists[0]))]
    numbered = [zip(texts.all_raw(), repeat(part), range(len(texts))) for part, texts in enumerate(lists)]
    merged: list[bytes] = []
    for term, part, number in heapq.merge(*numbered):
        if df[part][number]:
            if not merged or merged[-1] != term:
                merged.append(term)
            places[part][number] = len(merged) - 1
    return Texts.of_raw(merged), places


def _without_postings(parts: Sequence[Part], order: NDArray[np.int64], terms: Texts, start: NDArray[np.int64]) -> Segment:
    ids = list(chain.from_iterable(_live_texts(part, part.segment.chunk_ids) for part in parts))
    checksums = list(chain.from_iterable(_live_texts(part, part.segment.checksums) for part in parts))
    places = order.tolist()
    columns = Columns(
        {name: _text_column(parts, name, order) for name in TEXT_COLUMNS},
        {name: _numbers(parts, [part.segment.columns.numbers[name] for part in parts], order) for name in NUMBER_COLUMNS},
    )
    none = np.empty(0, dtype=np.uint8)
    return Segment(
        Texts.of([ids[at] for at in places]), Texts.of([checksums[at] for at in places]),
        _numbers(parts, [part.segment.lengths for part in parts], order), columns, terms, narrowed(start), none, none,
    )


def _numbers(parts: Sequence[Part], values: Sequence[Array], order: NDArray[np.int64]) -> Array:
    live = [part.live(array).astype(np.int64) for part, array in zip(parts, values, strict=True)]
    return narrowed(np.concatenate(live)[order])


def _text_column(parts: Sequence[Part], name: str, order: NDArray[np.int64]) -> TextColumn:
    values: list[str] = []
    codes = []
    for part in parts:
        column = part.segment.columns.texts[name]
        codes.append(part.live(column.codes).astype(np.int64) + len(values))
        values += column.values.all()
    return TextColumn.of(values, np.concatenate(codes)[order])


def _write(parts: Sequence[Part], plan: _Plan, merged: Segment, folder: Path) -> str:
    total = int(plan.start[-1])
    arrays = dict(arrays_of(merged))
    shapes = [(name, array.dtype.str.lstrip("|"), array.size) for name, array in arrays.items()]
    shapes += [("doc", narrowest(max(merged.rows - 1, 0)), total), ("count", narrowest(plan.most), total)]
    path = folder / "segment.partial"
    writer = ArrayWriter(path, KIND, {}, shapes)
    try:
        for name, array in arrays.items():
            writer.put(name, array)
        for docs, counts in _blocks(parts, plan):
            writer.put("doc", docs)
            writer.put("count", counts)
        name = writer.close()
    finally:
        writer.abandon()
    path.rename(folder / file_name(name))
    return name


def _blocks(parts: Sequence[Part], plan: _Plan) -> Iterator[tuple[Array, Array]]:
    """New row and count of every posting, by new term and new row, in blocks of whole terms."""
    if len(parts) == 1 and parts[0].alive is None:
        yield parts[0].segment.doc, parts[0].segment.count
        return
    # Parts keep their order of terms, and so does the union: what falls into a range of new terms is one slice of each part.
    known = [np.maximum.accumulate(place) for place in plan.terms]
    first, terms = 0, len(plan.start) - 1
    while first < terms:
        end = max(int(np.searchsorted(plan.start, plan.start[first] + BLOCK, side="right")) - 1, first + 1)
        slices = [_slice(part, rows, place, int(np.searchsorted(seen, first)), int(np.searchsorted(seen, end)))
                  for part, rows, place, seen in zip(parts, plan.rows, plan.terms, known, strict=True)]
        key, counts = (np.concatenate(arrays) for arrays in zip(*slices, strict=True))
        order = np.argsort(key, kind="stable")
        yield key[order] & 0xFFFFFFFF, counts[order]
        first = end


def _slice(part: Part, rows: NDArray[np.int64], place: NDArray[np.int64], begin: int, end: int) -> tuple[Array, Array]:
    """Sort key (new term, new row) and count of the live postings of old terms begin to end."""
    start = part.segment.start[begin : end + 1].astype(np.int64)
    new_row = rows[part.segment.doc[start[0] : start[-1]]]
    counts = part.segment.count[start[0] : start[-1]].astype(np.int64)
    key = np.repeat(place[begin:end], np.diff(start)) << 32 | new_row
    return (key, counts) if part.alive is None else (key[new_row >= 0], counts[new_row >= 0])
