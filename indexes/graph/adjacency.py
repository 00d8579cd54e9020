"""Adjacency arrays: every edge of the graph, sorted by subject and again by object, as files that are mapped, not read.

In: the two tables of a build. Out: numbered nodes and, for each direction, where a node's edges begin, where they lead, and
what they rest on (docs/formats.md has the layout). Building is a handful of vectorised passes, never a loop over edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
from numpy.typing import NDArray

from indexes.graph.arrays import Ints
from indexes.graph.columns import flat, texts, values
from indexes.graph.format import BY_NOBODY, BY_REGISTRY, CHUNK, COLUMNS, ENTITY, FROM_ROW, PARENT, SOURCE
from ingest.model.edge import HAS_CHILD, HAS_PARENT, MENTIONS, REGISTRY


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
    relations, arrays = derived(chunks, edges)
    for name, array in arrays:
        with (folder / f"{name}.npy").open("wb") as file:
            np.save(_Told(file), array, allow_pickle=False)
    return relations


class _Told:
    """A file that numpy does not know for one: to real files it writes past Python, and does not look whether that failed."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        return self._file.write(data)


def derived(chunks: pa.Table, edges: pa.Table) -> tuple[list[str], Iterator[tuple[str, NDArray[Any]]]]:
    """Return the relations in the order in which they are numbered, and every array that follows from two tables, by the name of
    its file without `.npy`, one at a time."""
    nodes, numbers = _numbered(chunks, edges)
    kinds = _kinds(numbers, len(nodes))
    relations = sorted({HAS_PARENT, HAS_CHILD, MENTIONS, *pc.unique(edges["relation"]).to_pylist()})
    listed = _edge_list(chunks, edges, numbers, _evidence(edges["evidence"], nodes, kinds), relations)
    return relations, _arrays(nodes, kinds, listed)


def _arrays(nodes: pa.Array, kinds: NDArray[np.uint8], listed: EdgeList) -> Iterator[tuple[str, NDArray[Any]]]:
    offsets = _starts(values(pc.binary_length(nodes)).astype(np.int64))
    yield "nodes.ids", np.frombuffer(nodes.buffers()[2] or b"", np.uint8)[: offsets[-1]]
    yield "nodes.offsets", offsets
    yield "nodes.kinds", kinds
    subject, relation, object_ = listed.subject, listed.relation, listed.object
    yield from _direction("out", listed, object_, (subject, relation, object_), len(nodes))
    yield from _direction("in", listed, subject, (object_, subject, relation), len(nodes))


@dataclass(frozen=True, slots=True)
class _Numbers:
    """The node of each value of the columns that name nodes."""

    source: Ints
    parent: Ints
    chunk: Ints
    entity: Ints
    subject: Ints
    object: Ints


def _numbered(chunks: pa.Table, edges: pa.Table) -> tuple[pa.Array, _Numbers]:
    """Return every node id once, sorted by bytes, and the columns as numbers: one hash pass over all names, one sort of nodes."""
    columns = [flat(chunks["source_id"]), flat(chunks["parent_id"]), flat(chunks["chunk_id"])]
    columns += [flat(pc.list_flatten(chunks["entity_ids"])), flat(edges["subject"]), flat(edges["object"])]
    encoded = pa.concat_arrays(columns).dictionary_encode()
    order = pc.array_sort_indices(encoded.dictionary)
    rank = np.empty(len(order), np.int32)
    rank[values(order)] = np.arange(len(order), dtype=np.int32)
    ends = np.cumsum([len(column) for column in columns])
    return encoded.dictionary.take(order), _Numbers(*np.split(rank[values(encoded.indices)], ends[:-1]))


def _kinds(numbers: _Numbers, nodes: int) -> NDArray[np.uint8]:
    kinds = np.zeros(nodes, np.uint8)
    kinds[numbers.entity] = ENTITY
    kinds[numbers.source] = SOURCE
    kinds[numbers.parent] = PARENT
    kinds[numbers.chunk] = CHUNK
    return kinds


def _edge_list(chunks: pa.Table, edges: pa.Table, numbers: _Numbers, evidence: Ints, relations: list[str]) -> EdgeList:
    """Edges made from rows by chunk, then those of the table: a stable sort by ends keeps that as the order of ties."""
    chunk = numbers.chunk
    owner = chunk[values(pc.list_parent_indices(flat(chunks["entity_ids"])))]
    named = values(pc.index_in(flat(edges["relation"]), value_set=texts(relations))).astype(np.int32)
    made = ((HAS_PARENT, len(chunk)), (HAS_CHILD, len(chunk)), (MENTIONS, len(owner)))
    return EdgeList(
        np.concatenate([numbers.source, numbers.parent, owner, numbers.subject]),
        np.concatenate([*(np.full(length, relations.index(name), np.int32) for name, length in made), named]),
        np.concatenate([numbers.parent, chunk, numbers.entity, numbers.object]),
        np.concatenate([chunk, chunk, owner, evidence]),
        np.concatenate([np.full(2 * len(chunk) + len(owner), FROM_ROW, np.int32), np.arange(len(edges), dtype=np.int32)]),
    )


def _evidence(column: Any, nodes: pa.Array, kinds: NDArray[np.uint8]) -> Ints:
    numbers = _places(flat(column), nodes)
    known = np.zeros(len(numbers), bool)
    known[numbers >= 0] = np.isin(kinds[numbers[numbers >= 0]], (CHUNK, SOURCE))
    by_registry = _places(flat(column), texts([REGISTRY])) >= 0
    return np.where(known, numbers, np.where(by_registry, BY_REGISTRY, BY_NOBODY)).astype(np.int32)


def _places(column: pa.Array, among: pa.Array) -> Ints:
    """Return where each value is in `among`, BY_NOBODY where it is not."""
    found = pc.index_in(column, value_set=among)
    there = values(pc.is_valid(found).cast(pa.uint8())) > 0
    return np.where(there, values(found), BY_NOBODY).astype(np.int32)


def _direction(
    name: str, listed: EdgeList, far: Ints, keys: tuple[Ints, ...], nodes: int
) -> Iterator[tuple[str, NDArray[Any]]]:
    """One direction; `keys` order its edges, the near node first."""
    order = _sorted(keys)
    yield f"{name}.starts", _starts(np.bincount(keys[0], minlength=nodes).astype(np.int64))
    for column, held in zip(COLUMNS[1:], (far, listed.relation, listed.evidence, listed.record), strict=True):
        yield f"{name}.{column}", held[order]


def _sorted(keys: tuple[Ints, ...]) -> NDArray[np.int64]:
    """Return the stable order by `keys`, first key first; as one 64-bit key where they fit, which is three times as fast."""
    spans = [int(key.max(initial=0)) + 1 for key in keys]
    if spans[0] * spans[1] * spans[2] < 1 << 63:
        packed = (keys[0].astype(np.int64) * spans[1] + keys[1]) * spans[2] + keys[2]
        return np.argsort(packed, kind="stable")
    return np.lexsort(keys[::-1])


def _starts(lengths: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
