"""Writes vector builds: a base and a delta become a sealed shard with its gates.

Rows are streamed in batches and never held together. The base is copied, never touched; points are deleted, then upserted.
The engine leaves a dead slot for each deleted point, so from time to time the live rows are moved to a fresh shard instead.
Points of one gate are put beside one another (`runs.py`): a search reads some gates and passes over others.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexes.header import read_gates, read_header, write_header
from indexes.vector.copy import copy_sparse
from indexes.vector.format import FINGERPRINT, FORMAT, SHARD, content_hash, gates_path, point_id, point_ids, unit
from indexes.vector.runs import runs
from indexes.vector.shard import Point, Shard
from ingest.errors import BuildCorrupt, StorageFailed
from ingest.model.batches import batches
from ingest.model.gate import Gates
from ingest.model.generation import IndexKind
from ingest.progress import Progress
from ingest.protocols import RowVector, VectorDelta

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 512
_HELD = 8192
"""Rows that wait until there are many of their gate: 20 MB."""
_SLACK = 1000
_PAYLOAD_BYTES = 1024
"""Of a row on disk besides its vector, generously: payload, payload indexes, id."""


class VectorWriter:
    """See `ingest.protocols.IndexWriter`. Raises StorageFailed before anything is written where the disk would not hold the
    build: the engine maps its files, and a full disk under a mapping kills the process."""

    kind: IndexKind = "vector"
    fingerprint = FINGERPRINT

    def write(self, base: Path | None, delta: VectorDelta, target: Path, progress: Progress) -> dict[str, str]:
        _need_room(base, delta, target)
        try:
            return _write(base, delta, target, progress)
        except OSError as error:
            raise StorageFailed(f"the vector build {target} cannot be written ({error}); free space and run again") from error


def _write(base: Path | None, delta: VectorDelta, target: Path, progress: Progress) -> dict[str, str]:
    target.mkdir(parents=True)
    shard, gates, header = _start(base, delta, target)
    try:
        shard.delete(point_ids(delta.removed))
        dead = header["dead"] + header["points"] - shard.count()
        contents = _upsert(shard, delta, gates, progress)
        points = shard.count()
        held = shard.facet("gate", len(gates.columns) + 1)
    except BaseException:
        shard.close()
        raise
    shard.seal()
    gates_path(target).write_bytes(gates.only(held).dumped())
    write_header(target, "vector", FORMAT, {"dimensions": delta.dimensions, "points": points, "dead": dead})
    return contents


def _start(base: Path | None, delta: VectorDelta, target: Path) -> tuple[Shard, Gates, dict[str, Any]]:
    """Return a shard in `target` that holds what the base holds (perhaps without what is removed), and what is known of it."""
    if base is None:
        return Shard.create(target / SHARD, delta.dimensions), Gates(), {"points": 0, "dead": 0}
    header = read_header(base, "vector", FORMAT)
    if header["dimensions"] != delta.dimensions:
        held = header["dimensions"]
        raise BuildCorrupt(f"{base} holds vectors of {held} dimensions, not {delta.dimensions}; it must be built from empty")
    gates = read_gates(gates_path(base))
    if header["dead"] + len(delta.removed) > max(_SLACK, header["points"] // 4):
        shard = Shard.create(target / SHARD, delta.dimensions)
        return shard, gates, {"points": _move(base, delta.removed, shard), "dead": 0}
    copy_sparse(base / SHARD, target / SHARD)
    return Shard.open(target / SHARD), gates, header


def _move(base: Path, removed: frozenset[str], into: Shard) -> int:
    """Stream the points of `base` that stay into an empty shard, bit for bit; return how many."""
    import numpy as np

    gone = set(point_ids(removed))
    source = Shard.open_sealed(base / SHARD)
    try:
        kept = (point for point in source.points() if point.id not in gone)
        moved = 0
        points = (
            (point.id, np.asarray(point.vector, "<f4"), _payload(point.row_checksum, point.source_id, point.gate))
            for point in kept
        )
        for part in _in_order(points):
            into.upsert(part)
            moved += len(part)
    finally:
        source.close()
    return moved


def _upsert(shard: Shard, delta: VectorDelta, gates: Gates, progress: Progress) -> dict[str, str]:
    contents: dict[str, str] = {}
    progress.start("vector", delta.count, "rows")
    for part in _in_order(_points(delta, gates, contents)):
        shard.upsert(part)
        progress.advance("vector", len(part))
    progress.finish("vector")
    return contents


def _points(delta: VectorDelta, gates: Gates, contents: dict[str, str]) -> Iterator[Point]:
    """The points of rows as they come; what they are to hold is noted."""
    for part in batches(delta.rows, _BATCH):
        vectors = unit(_stacked(part, delta.dimensions))
        for item, vector in zip(part, vectors, strict=True):
            row, gate = item.row, gates.add(item.row)
            contents[row.chunk_id] = content_hash(vector.tobytes(), row.row_checksum, row.source_id, gate)
            # Its own copy: one row that waits would else keep all vectors of its batch.
            yield point_id(row.chunk_id), vector.copy(), _payload(row.row_checksum, row.source_id, gate)


def _in_order(points: Iterable[Point]) -> Iterator[list[Point]]:
    """Points to put at once, those of a gate one after the other."""
    for run in runs(points, lambda point: point[2]["gate"], _HELD):
        yield from batches(run, _BATCH)


def _payload(row_checksum: str, source_id: str, gate: str) -> dict[str, str]:
    return {"row_checksum": row_checksum, "source_id": source_id, "gate": gate}


def _stacked(part: list[RowVector], dimensions: int) -> NDArray[np.float32]:
    import numpy as np

    for item in part:
        if item.vector.shape != (dimensions,):
            raise ValueError(f"the vector of {item.row.chunk_id} has shape {item.vector.shape}, not ({dimensions},)")
    return np.stack([item.vector for item in part]).astype(np.float32, copy=False)


def _need_room(base: Path | None, delta: VectorDelta, target: Path) -> None:
    needed = delta.count * (delta.dimensions * 4 + _PAYLOAD_BYTES) + (64 << 20)
    if base is not None:
        needed += sum(path.stat().st_blocks * 512 for path in base.rglob("*") if path.is_file())
    free = shutil.disk_usage(target.parent).free
    if free < needed:
        room = f"{free >> 20} MB free where {needed >> 20} MB are needed"
        raise StorageFailed(f"{target.parent} cannot hold a vector build: {room}; free space and run again")
