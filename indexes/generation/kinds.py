"""The three indexes as the commit protocol sees them: a writer, a reader, and what to hand to the writer.

The only place that names the implementations, so that another engine is another `Kind` and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexes.qdrant.format import is_on_server
from ingest.model.batches import batches
from ingest.model.edge import Edge
from ingest.model.generation import IndexKind
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.protocols import Bm25Delta, GraphDelta, IndexReader, RowVector, VectorDelta
from ingest.settings import Settings
from ingest.store.layout import layout_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indexes.qdrant.place import Place

VectorSource = Callable[[Sequence[str]], "NDArray[np.float32]"]
"""Texts -> their unit vectors, [n, dimensions]; every text was embedded before."""

_ROWS_AT_ONCE = 512


@dataclass(frozen=True, slots=True)
class Delta:
    """What one index has to write. `rows` and `edges` give a fresh iterator at every call, each streamed once a kind."""

    rows: Callable[[], Iterable[ChunkRow]]
    count: int
    removed: frozenset[str]
    edges: Callable[[], Iterable[Edge]]
    removed_edges: frozenset[str]


@dataclass(frozen=True, slots=True)
class Kind:
    """One index. Its writer and reader, and the engine behind them, are imported when they are called."""

    name: IndexKind
    fingerprint: str
    write: Callable[[Path | None, Delta, Path, Progress], dict[str, str]]
    open: Callable[[Path], IndexReader]


def kinds(settings: Settings, embedder: str, dimensions: int, vectors: VectorSource) -> tuple[Kind, ...]:
    """Return the three indexes. `embedder` is the fingerprint of what makes vectors: a new one starts the vector index anew.

    `vectors` is called by the vector writer only.
    """
    if settings.index.backend == "qdrant":
        return (*_on_server(settings, embedder, dimensions, vectors), _graph(settings))
    return (_vector(settings, embedder, dimensions, vectors), _bm25(settings), _graph(settings))


def open_kind(kind: IndexKind, path: Path, settings: Settings) -> Any:
    """Open one build for reading, wherever it is. Returns the kind's reader (VectorReader, Bm25Reader, GraphReader)."""
    if is_on_server(path):
        return _open_on_server(kind, path, settings, whole=True)
    if kind == "vector":
        from indexes.vector import reader as vector

        return vector.open_reader(path)
    if kind == "bm25":
        from indexes.bm25 import reader as bm25

        return bm25.open_reader(path, settings.bm25.formula, settings.bm25.k1, settings.bm25.b)
    from indexes.graph import reader as graph

    return graph.open_reader(path)


def open_as_is(kind: IndexKind, path: Path, settings: Settings) -> Any:
    """Open one build to look at what is in it, not to search: in whatever state, and without changing a byte of it.

    Returns an `ingest.protocols.Inspected`."""
    if is_on_server(path):
        return _open_on_server(kind, path, settings, whole=False)
    if kind == "vector":
        from indexes.vector import reader as vector

        return vector.open_as_is(path)
    return open_kind(kind, path, settings)


def expected_contents(kind: IndexKind, rows: Sequence[ChunkRow], vectors: Sequence[bytes | None] = ()) -> dict[str, str]:
    """Return chunk id -> what an index must give back (`IndexReader.contents`) for `rows`, worked out anew. `vectors`: their unit
    vectors, for the vector index, which leaves out rows without one."""
    if kind == "bm25":
        from indexes.bm25.gather import Gatherer

        gatherer = Gatherer()
        for row in rows:
            gatherer.add(row)
        return {} if gatherer.empty else gatherer.take()[1]
    if kind == "graph":
        from indexes.graph import tables

        return tables.expected(rows)
    from indexes.vector.format import content_hash
    from ingest.model.gate import Gates

    gates = Gates()
    return {
        row.chunk_id: content_hash(vector, row.row_checksum, row.source_id, gates.add(row))
        for row, vector in zip(rows, vectors, strict=True) if vector is not None
    }


def units(vectors: Sequence[bytes | None]) -> list[bytes | None]:
    """Return cached vectors as the vector index stores them, of unit length. One that no index could hold counts as none."""
    import numpy as np

    from indexes.vector.format import unit

    arrays = [None if vector is None or len(vector) % 4 else np.frombuffer(vector, "<f4") for vector in vectors]
    there = [array for array in arrays if array is not None and np.isfinite(array).all()]
    if not there or len({len(array) for array in there}) != 1:
        return [None] * len(vectors)
    scaled = iter(unit(np.stack(there)))
    return [None if array is None or not np.isfinite(array).all() else next(scaled).tobytes() for array in arrays]


def _vector(settings: Settings, embedder: str, dimensions: int, vectors: VectorSource) -> Kind:
    from indexes.vector.format import FINGERPRINT

    def write(base: Path | None, delta: Delta, target: Path, progress: Progress) -> dict[str, str]:
        from indexes.vector.writer import VectorWriter

        rows = _with_vectors(delta.rows(), vectors)
        return VectorWriter().write(base, VectorDelta(rows, delta.count, delta.removed, dimensions), target, progress)

    return Kind("vector", f"{FINGERPRINT} {embedder}", write, lambda path: open_kind("vector", path, settings))


def _with_vectors(rows: Iterable[ChunkRow], vectors: VectorSource) -> Iterator[RowVector]:
    for part in batches(rows, _ROWS_AT_ONCE):
        for row, vector in zip(part, vectors([row.embed_text for row in part]), strict=True):
            yield RowVector(row, vector)


def _bm25(settings: Settings) -> Kind:
    from indexes.bm25.format import FINGERPRINT

    def write(base: Path | None, delta: Delta, target: Path, progress: Progress) -> dict[str, str]:
        from indexes.bm25.writer import Bm25Writer

        return Bm25Writer().write(base, Bm25Delta(delta.rows(), delta.count, delta.removed), target, progress)

    return Kind("bm25", FINGERPRINT, write, lambda path: open_kind("bm25", path, settings))


def _graph(settings: Settings) -> Kind:
    from indexes.graph.format import FINGERPRINT

    def write(base: Path | None, delta: Delta, target: Path, progress: Progress) -> dict[str, str]:
        from indexes.graph.writer import GraphWriter

        full = GraphDelta(delta.rows(), delta.count, delta.removed, delta.edges(), delta.removed_edges)
        return GraphWriter().write(base, full, target, progress)

    return Kind("graph", FINGERPRINT, write, lambda path: open_kind("graph", path, settings))



def _on_server(settings: Settings, embedder: str, dimensions: int, vectors: VectorSource) -> tuple[Kind, Kind]:
    """The vector and the BM25 index on a Qdrant server. They share points, so a new embedder begins both anew."""
    from indexes.qdrant.format import BM25_FINGERPRINT, VECTOR_FINGERPRINT

    def write_vector(base: Path | None, delta: Delta, target: Path, progress: Progress) -> dict[str, str]:
        from indexes.qdrant.vector_writer import ServerVectorWriter

        rows = _with_vectors(delta.rows(), vectors)
        with _place(settings) as place:
            full = VectorDelta(rows, delta.count, delta.removed, dimensions)
            return ServerVectorWriter(place).write(base, full, target, progress)

    def write_bm25(base: Path | None, delta: Delta, target: Path, progress: Progress) -> dict[str, str]:
        from indexes.qdrant.bm25_writer import ServerBm25Writer

        with _place(settings) as place:
            writer = ServerBm25Writer(place, dimensions)
            return writer.write(base, Bm25Delta(delta.rows(), delta.count, delta.removed), target, progress)

    return (
        Kind("vector", f"{VECTOR_FINGERPRINT} {embedder}", write_vector, lambda path: open_kind("vector", path, settings)),
        Kind("bm25", f"{BM25_FINGERPRINT};beside {embedder}", write_bm25, lambda path: open_kind("bm25", path, settings)),
    )


@contextmanager
def _place(settings: Settings) -> Iterator[Place]:
    from indexes.qdrant.connect import Server
    from indexes.qdrant.place import place_of

    server = Server(settings.index)
    try:
        yield place_of(layout_of(settings), server)
    finally:
        server.close()


def _open_on_server(kind: IndexKind, path: Path, settings: Settings, *, whole: bool) -> Any:
    from indexes.qdrant.connect import Server

    if kind == "vector":
        from indexes.qdrant import vector_reader as vector

        return vector.open_reader(path, Server(settings.index), whole=whole)
    from indexes.qdrant import bm25_reader as bm25

    scoring = settings.bm25
    return bm25.open_reader(path, Server(settings.index), scoring.formula, scoring.k1, scoring.b, whole=whole)


def reading_kinds(settings: Settings, embedder: str) -> tuple[Kind, ...]:
    """Return the three indexes for who only opens builds whose vectors were made by `embedder`, wherever that was."""

    def none(texts: Sequence[str]) -> NDArray[np.float32]:
        raise AssertionError(f"{len(texts)} vectors were asked of what only reads")

    return kinds(settings, embedder, 0, none)


def dimensions_of(build: Path) -> int:
    """Return the length of the vectors in a vector build. Raises BuildCorrupt."""
    from indexes.header import read_header
    from indexes.qdrant.format import header_of
    from indexes.vector.format import FORMAT

    if is_on_server(build):
        return header_of(build, "vector").dimensions
    return int(read_header(build, "vector", FORMAT)["dimensions"])


def vector_contents(rows: Sequence[ChunkRow], vectors: NDArray[np.float32]) -> dict[str, str]:
    """Return chunk id -> what the vector index must give back (`IndexReader.contents`) for rows with these vectors, [n, d].

    Raises ValueError where a number is not finite."""
    from indexes.vector.format import content_hash, unit
    from ingest.model.gate import Gates

    gates = Gates()
    return {
        row.chunk_id: content_hash(vector.tobytes(), row.row_checksum, row.source_id, gates.add(row))
        for row, vector in zip(rows, unit(vectors), strict=True)
    }
