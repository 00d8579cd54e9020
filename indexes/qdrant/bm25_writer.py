"""Writes BM25 builds on a server: rows become points with a sparse vector of term weights, and with the terms and their counts.

Counts are what scores are made of; weights are what the server finds candidates by (`indexes.qdrant.weights`). They are made
under the mean length of the first build of a line, and made anew once the mean has moved far from it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from indexes.bm25.memory import content_of
from indexes.bm25.terms import terms
from indexes.bm25.texts import encode
from indexes.qdrant.conditions import among, held_at
from indexes.qdrant.format import LENGTH, SPARSE, Header, header_of, payload_of, received, sendable
from indexes.qdrant.place import Place
from indexes.qdrant.points import Put
from indexes.qdrant.rows import row_payload
from indexes.qdrant.weights import DRIFT, sparse
from indexes.qdrant.writer import Epoch, begun
from ingest.model.batches import batches
from ingest.model.generation import IndexKind
from ingest.model.predicate import filter_columns
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.protocols import Bm25Delta

_REFERENCE_ROWS = 2048
"""The mean length of a new line is that of so many rows that come first."""
_IDS_AT_ONCE = 512


class ServerBm25Writer:
    """IndexWriter of `Bm25Delta`. Raises ServerUnavailable where the server is away; nothing of it is visible then."""

    kind: IndexKind = "bm25"

    def __init__(self, place: Place, dimensions: int) -> None:
        """`dimensions`: of the vectors in the collection that both indexes share."""
        self._place = place
        self._dimensions = dimensions

    def write(self, base: Path | None, delta: Bm25Delta, target: Path, progress: Progress) -> dict[str, str]:
        header = header_of(base, "bm25") if base is not None else None
        target.mkdir(parents=True)
        counted = _counted(delta.rows)
        mean, counted = _reference(header, counted)
        anew = header is not None and mean != header.mean
        dimensions = header.dimensions if header is not None else self._dimensions
        epoch = begun(self._place, "bm25", SPARSE, header, dimensions, anew=anew)
        sums = _Sums(epoch, header)
        contents: dict[str, str] = {}
        progress.start("bm25", delta.count, "chunks")
        sums.leave(delta.removed)
        epoch.carry(lambda record: _restored(record, mean), delta.removed)
        epoch.close(delta.removed)
        for part in batches(counted, epoch.batch):
            sums.leave([row.chunk_id for row, _ in part])
            for _ in epoch.put(_point(row, counts, mean) for row, counts in part):
                pass
            for row, counts in part:
                sums.come(counts)
                contents[row.chunk_id] = content_of(row)
            progress.advance("bm25", len(part))
        progress.finish("bm25")
        Header(
            "bm25", epoch.points.collection, epoch.number, epoch.held(), dimensions, sums.length, sums.longest, mean
        ).write(target)
        return contents


Counted = tuple[ChunkRow, Counter[str]]


def _counted(rows: Iterable[ChunkRow]) -> Iterator[Counted]:
    return ((row, Counter(terms(row.search_text))) for row in rows)


def _reference(header: Header | None, rows: Iterator[Counted]) -> tuple[float, Iterator[Counted]]:
    """Return the mean length that weights are made under, and the rows. Six digits, as a header keeps them."""
    if header is not None and header.points:
        mean = max(header.length / header.points, 1.0)
        moved = not 1 / DRIFT <= mean / header.mean <= DRIFT
        return (round(mean, 6) if moved else header.mean), rows
    first: list[Counted] = []
    for counted in rows:
        first.append(counted)
        if len(first) == _REFERENCE_ROWS:
            break
    total = sum(counts.total() for _, counts in first)
    return round(max(total / max(len(first), 1), 1.0), 6), _after(first, rows)


def _after(first: Sequence[Counted], rest: Iterator[Counted]) -> Iterator[Counted]:
    yield from first
    yield from rest


class _Sums:
    """Terms of all rows that the build will hold, and of the longest: the base's, without what leaves, and with what comes."""

    def __init__(self, epoch: Epoch, base: Header | None) -> None:
        self._epoch, self._base = epoch, base
        self._left: set[str] = set()
        self.length = base.length if base is not None else 0
        self.longest = base.longest if base is not None else 0

    def leave(self, chunk_ids: Iterable[str]) -> None:
        """Take out what the base holds of some chunks, once each."""
        if self._base is None:
            return
        fresh = [id for id in chunk_ids if id not in self._left]
        self._left.update(fresh)
        held = held_at("bm25", self._base.epoch)
        for part in batches(fresh, _IDS_AT_ONCE):
            for record in self._epoch.points.scroll([*held, among("chunk_id", part)], [LENGTH]):
                self.length -= record.payload.get(LENGTH, 0)

    def come(self, counts: Counter[str]) -> None:
        self.length += counts.total()
        self.longest = max(self.longest, counts.total())


def _point(row: ChunkRow, counts: Counter[str], mean: float) -> Put:
    listed = sorted(counts, key=encode)
    payload = {
        "chunk_id": sendable(row.chunk_id), "row_checksum": row.row_checksum, **payload_of(filter_columns(row)),
        "terms": [sendable(term) for term in listed], "counts": [counts[term] for term in listed],
        LENGTH: counts.total(),
    }
    return Put(row.chunk_id, payload, _vector(counts, mean))


def _restored(record: Any, mean: float) -> Put:
    chunk, payload = row_payload(record)
    counts = Counter({received(term): count for term, count in zip(payload["terms"], payload["counts"], strict=True)})
    return Put(chunk, payload, _vector(counts, mean))


def _vector(counts: Counter[str], mean: float) -> Any:
    from qdrant_client.models import SparseVector

    indices, values = sparse(counts, mean)
    return SparseVector(indices=indices, values=values) if indices else None
