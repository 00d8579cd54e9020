"""Adjacency arrays: every edge of the graph, sorted by subject and again by object, as files that are mapped, not read.

In: the two tables of a build. Out: numbered nodes and, for each direction, where a node's edges begin, where they lead, and
what they rest on (docs/formats.md has the layout). Building is a handful of vectorised passes, never a loop over edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from indexes.graph.format import BY_NOBODY, BY_REGISTRY, CHUNK, ENTITY, FROM_ROW, PARENT, SOURCE
from ingest.model.edge import HAS_CHILD, HAS_PARENT, MENTIONS, REGISTRY

Ints = NDArray[np.int32]

COLUMNS = ("starts", "ends", "relations", "evidence", "records")


@dataclass(frozen=True, slots=True)
class EdgeList:
    """All edges as parallel columns: nodes, place in `relations`, evidence, line of edges.parquet."""

    subject: Ints
    relation: Ints
    object: Ints
    evidence: Ints
    record: Ints


def write_adjacency(chunks: pa.Table, edges: pa.Table, folder: Path) -> list[str]:
    """Write the nodes.*, out.* and in.* files; return the relations in the order in which they are numbered."""
    nodes = _nodes(chunks, edges)
    kinds = _kinds(chunks, nodes)
    relations = sorted({HAS_PARENT, HAS_CHILD, MENTIONS, *pc.unique(edges["relation"]).to_pylist()})
    listed = _edge_list(chunks, edges, nodes, kinds, relations)
    _save(folder, "nodes.ids", np.frombuffer(b"".join(text.encode() for text in nodes.to_pylist()), np.uint8))
    lengths = pc.binary_length(nodes).to_numpy()
    _save(folder, "nodes.offsets", _starts(lengths.astype(np.int64)))
    _save(folder, "nodes.kinds", kinds)
    subject, relation, object_ = listed.subject, listed.relation, listed.object
    _write_direction(folder, "out", listed, object_, (subject, relation, object_), len(nodes))
    _write_direction(folder, "in", listed, subject, (object_, subject, relation), len(nodes))
    return relations


def _nodes(chunks: pa.Table, edges: pa.Table) -> pa.Array:
    """Return every node id once, sorted by bytes."""
    columns = [chunks["source_id"], chunks["parent_id"], chunks["chunk_id"], pc.list_flatten(chunks["entity_ids"])]
    columns += [edges["subject"], edges["object"]]
    found = pc.unique(pa.concat_arrays([_flat(pc.unique(column)) for column in columns]))
    return found.take(pc.array_sort_indices(found))


def _kinds(chunks: pa.Table, nodes: pa.Array) -> NDArray[np.uint8]:
    kinds = np.zeros(len(nodes), np.uint8)
    kinds[_numbers(pc.unique(pc.list_flatten(chunks["entity_ids"])), nodes)] = ENTITY
    kinds[_numbers(pc.unique(chunks["source_id"]), nodes)] = SOURCE
    kinds[_numbers(pc.unique(chunks["parent_id"]), nodes)] = PARENT
    kinds[_numbers(chunks["chunk_id"], nodes)] = CHUNK
    return kinds


def _edge_list(chunks: pa.Table, edges: pa.Table, nodes: pa.Array, kinds: NDArray[np.uint8], relations: list[str]) -> EdgeList:
    """Edges made from rows by chunk, then those of the table: a stable sort by ends keeps that as the order of ties."""
    source, parent, chunk = (_numbers(chunks[name], nodes) for name in ("source_id", "parent_id", "chunk_id"))
    entity = _numbers(pc.list_flatten(chunks["entity_ids"]), nodes)
    owner = chunk[pc.list_parent_indices(chunks["entity_ids"]).to_numpy()]
    subject, object_ = _numbers(edges["subject"], nodes), _numbers(edges["object"], nodes)
    named = _numbers(edges["relation"], pa.array(relations))
    made = [(relations.index(HAS_PARENT), len(chunk)), (relations.index(HAS_CHILD), len(chunk)),
            (relations.index(MENTIONS), len(owner))]
    return EdgeList(
        np.concatenate([source, parent, owner, subject]),
        np.concatenate([*(np.full(length, number, np.int32) for number, length in made), named]),
        np.concatenate([parent, chunk, entity, object_]),
        np.concatenate([chunk, chunk, owner, _evidence(edges["evidence"], nodes, kinds)]),
        np.concatenate([np.full(2 * len(chunk) + len(owner), FROM_ROW, np.int32), np.arange(len(edges), dtype=np.int32)]),
    )


def _evidence(column: Any, nodes: pa.Array, kinds: NDArray[np.uint8]) -> Ints:
    numbers = pc.fill_null(pc.index_in(column, value_set=nodes), BY_NOBODY).to_numpy()
    known = np.zeros(len(numbers), bool)
    known[numbers >= 0] = np.isin(kinds[numbers[numbers >= 0]], (CHUNK, SOURCE))
    by_registry = pc.equal(column, REGISTRY).to_numpy()
    return np.where(known, numbers, np.where(by_registry, BY_REGISTRY, BY_NOBODY)).astype(np.int32)


def _write_direction(folder: Path, name: str, listed: EdgeList, far: Ints, keys: tuple[Ints, ...], nodes: int) -> None:
    """Write one direction; `keys` order its edges, the near node first."""
    order = _sorted(keys)
    _save(folder, f"{name}.starts", _starts(np.bincount(keys[0], minlength=nodes).astype(np.int64)))
    for column, values in zip(COLUMNS[1:], (far, listed.relation, listed.evidence, listed.record), strict=True):
        _save(folder, f"{name}.{column}", values[order])


def _sorted(keys: tuple[Ints, ...]) -> NDArray[np.int64]:
    """Return the stable order by `keys`, first key first; as one 64-bit key where they fit, which is three times as fast."""
    spans = [int(key.max(initial=0)) + 1 for key in keys]
    if spans[0] * spans[1] * spans[2] < 1 << 63:
        packed = (keys[0].astype(np.int64) * spans[1] + keys[1]) * spans[2] + keys[2]
        return np.argsort(packed, kind="stable")
    return np.lexsort(keys[::-1])


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def _numbers(column: Any, nodes: pa.Array) -> Ints:
    """Return the place of each value in `nodes`; all must be there."""
    found: Ints = pc.index_in(_flat(column), value_set=nodes).to_numpy().astype(np.int32, copy=False)
    return found


def _flat(column: Any) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _save(folder: Path, name: str, values: NDArray[Any]) -> None:
    np.save(folder / f"{name}.npy", values, allow_pickle=False)
