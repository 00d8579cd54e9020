"""Writes graph builds: tables of rows and edges, and adjacency arrays derived from them.

The tables of the base are read, changed and sorted in memory (columns, not objects), then everything is written anew. The
files are a function of the content alone: the way that led there leaves no trace in them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from indexes.graph.format import CHUNKS, EDGES, FINGERPRINT, FORMAT, GATES
from indexes.header import read_gates, read_header, write_header
from ingest.errors import StorageFailed
from ingest.model.gate import Gates
from ingest.model.generation import IndexKind
from ingest.progress import Progress
from ingest.protocols import GraphDelta

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]


class GraphWriter:
    """See `ingest.protocols.IndexWriter`."""

    kind: IndexKind = "graph"
    fingerprint = FINGERPRINT

    def write(self, base: Path | None, delta: GraphDelta, target: Path, progress: Progress) -> dict[str, str]:
        from indexes.graph import tables

        gates, old_chunks, old_edges = _held(base)
        progress.start("graph", delta.count, "rows")
        fresh, contents = tables.chunk_table(delta.rows, gates, progress)
        chunks = tables.merged(old_chunks, delta.removed, fresh, "chunk_id", ["chunk_id"])
        del fresh, old_chunks  # of a large base, both beside the sorted table are too much
        edges = tables.merged(old_edges, delta.removed_edges, tables.edge_table(delta.edges), "edge_id", tables.EDGE_ORDER)
        try:
            _write(target, chunks, edges, gates)
        except OSError as error:
            raise StorageFailed(f"the graph build {target} cannot be written ({error}); free space and run again") from error
        del chunks, edges
        tables.release_memory()
        progress.finish("graph")
        return contents


def _held(base: Path | None) -> tuple[Gates, pa.Table | None, pa.Table | None]:
    """Return the gates and tables of the base."""
    if base is None:
        return Gates(), None, None
    from indexes.graph import tables

    read_header(base, "graph", FORMAT)
    gates = read_gates(base / GATES)
    return gates, tables.read_table(base / CHUNKS, tables.CHUNK_SCHEMA), tables.read_table(base / EDGES, tables.EDGE_SCHEMA)


def _write(target: Path, chunks: pa.Table, edges: pa.Table, gates: Gates) -> None:
    from indexes.graph import tables
    from indexes.graph.adjacency import write_adjacency

    target.mkdir(parents=True)
    (target / GATES).write_bytes(gates.only(chunks["gate"].unique().to_pylist()).dumped())
    tables.write_table(chunks, target / CHUNKS)
    tables.write_table(edges, target / EDGES)
    relations = write_adjacency(chunks, edges, target)
    write_header(target, "graph", FORMAT, {"relations": relations, "rows": len(chunks), "edges": len(edges)})
