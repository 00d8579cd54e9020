"""Writes vector builds on a server: rows become points with a dense vector of unit length, and the folder says which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from indexes.qdrant.format import DENSE, Header, header_of, payload_of, sendable
from indexes.qdrant.place import Place
from indexes.qdrant.points import Put
from indexes.qdrant.writer import begun
from indexes.vector.format import content_hash, unit
from ingest.errors import BuildCorrupt
from ingest.model.batches import batches
from ingest.model.gate import Gates
from ingest.model.generation import IndexKind
from ingest.model.predicate import filter_columns
from ingest.progress import Progress
from ingest.protocols import VectorDelta

_BATCH = 512


class ServerVectorWriter:
    """See `ingest.protocols.IndexWriter`. Raises ServerUnavailable where the server is away; nothing of it is visible then."""

    kind: IndexKind = "vector"

    def __init__(self, place: Place) -> None:
        self._place = place

    def write(self, base: Path | None, delta: VectorDelta, target: Path, progress: Progress) -> dict[str, str]:
        header = header_of(base, "vector") if base is not None else None
        if header is not None and header.dimensions != delta.dimensions:
            raise BuildCorrupt(
                f"{base} holds vectors of {header.dimensions} dimensions, not {delta.dimensions}; it must be built from empty"
            )
        target.mkdir(parents=True)
        epoch = begun(self._place, "vector", DENSE, header, delta.dimensions)
        contents: dict[str, str] = {}
        progress.start("vector", delta.count, "rows")
        epoch.carry(_restored, delta.removed)
        epoch.close(delta.removed)
        for part in epoch.put(_points(delta, contents)):
            progress.advance("vector", len(part))
        progress.finish("vector")
        Header("vector", epoch.points.collection, epoch.number, epoch.held(), delta.dimensions).write(target)
        return contents


def _points(delta: VectorDelta, contents: dict[str, str]) -> Iterator[Put]:
    import numpy as np

    gates = Gates()
    for part in batches(delta.rows, _BATCH):
        for item in part:
            if item.vector.shape != (delta.dimensions,):
                raise ValueError(f"the vector of {item.row.chunk_id} has shape {item.vector.shape}, not ({delta.dimensions},)")
        vectors = unit(np.stack([item.vector for item in part]).astype(np.float32, copy=False))
        for item, vector in zip(part, vectors, strict=True):
            row = item.row
            payload = {
                "chunk_id": sendable(row.chunk_id), "row_checksum": row.row_checksum, **payload_of(filter_columns(row))
            }
            contents[row.chunk_id] = content_hash(vector.tobytes(), row.row_checksum, row.source_id, gates.add(row))
            yield Put(row.chunk_id, payload, vector.tolist())


def _restored(record: Any) -> Put:
    from indexes.qdrant.rows import row_payload

    return Put(*row_payload(record), record.vector[DENSE])
