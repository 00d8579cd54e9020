"""Reads a sealed graph build: who is next to whom, as far as a predicate lets evidence be seen.

Arrays are mapped when a build is opened; the tables are read at the first question that needs them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from indexes.graph.arrays import Direction, Ints, Nodes, open_direction, open_nodes
from indexes.graph.format import (
    BY_REGISTRY,
    CHUNK,
    CHUNKS,
    COLUMNS,
    EDGES,
    FORMAT,
    FROM_ROW,
    GATES,
    Triple,
    content_hash,
    said,
    stored,
)
from indexes.graph.visibility import Visibility
from indexes.header import damaged, read_gates, read_header
from ingest.model.edge import NEAR_DUPLICATE, REGISTRY, Edge
from ingest.model.gate import Gates, gate_aspects
from ingest.model.predicate import Predicate
from ingest.protocols import Aspects, GraphReader

if TYPE_CHECKING:
    import pyarrow as pa  # type: ignore[import-untyped]

Found = tuple[int, int, int, int, int]
"""An edge as (subject, relation, object, record, evidence): its order, and all that names it."""
Rested = tuple[str, str, str, str, int]
"""An edge by names: subject, relation, object, evidence, and its line of edges.parquet."""


def open_reader(path: Path) -> GraphReader:
    """Open the build in the folder `path`. Raises BuildCorrupt naming the file that is missing, cut or of another format."""
    return open_graph(path)


def open_graph(path: Path) -> SealedGraph:
    """As `open_reader`, typed with what exports need besides."""
    header = read_header(path, "graph", FORMAT)
    nodes = open_nodes(path)
    out, into = (open_direction(path, name, len(nodes)) for name in ("out", "in"))
    return SealedGraph(path, list(header["relations"]), nodes, out, into)


class SealedGraph:
    """See `ingest.protocols.GraphReader`. Threads may share one."""

    def __init__(self, path: Path, relations: list[str], nodes: Nodes, out: Direction, into: Direction) -> None:
        self.nodes = nodes
        self.out = out
        self._into = into
        self._path = path
        self._relations = relations
        self._near = relations.index(stored(NEAR_DUPLICATE)) if stored(NEAR_DUPLICATE) in relations else -1

    def neighbors(
        self, nodes: Sequence[str], relations: Sequence[str] | None, predicate: Predicate, limit: int, reverse: bool = False
    ) -> list[Edge]:
        wanted = np.array([relations is None or said(relation) in relations for relation in self._relations], bool)
        if not wanted.any():
            return []
        visible = self._visibility.of(predicate)
        found: list[Found] = []
        for name in set(nodes):
            node = self.nodes.find(name)
            if node is not None:
                found += self._shown(node, wanted, visible, reverse)[: max(limit, 0)]
        return [self.edge(each) for each in sorted(found)]

    def _shown(self, node: int, wanted: NDArray[np.bool_], visible: NDArray[np.bool_], reverse: bool) -> list[Found]:
        """The edges of one node that show, in order."""
        way = self._into if reverse else self.out
        span = way.span(node)
        ends, relations, evidence, records = way.ends[span], way.relations[span], way.evidence[span], way.records[span]
        by_registry = (evidence == BY_REGISTRY) & visible[node] & visible[ends]
        rests = np.where(evidence >= 0, visible[np.maximum(evidence, 0)], by_registry)
        if self._near >= 0:  # that a passage has a copy says something of the copy
            rests &= (relations != self._near) | (visible[node] & visible[ends])
        shown = np.flatnonzero(wanted[relations] & (self.nodes.kinds[ends] > 0) & rests)
        if len(shown) > 1:  # chunks of one parent each bring the edge that leads to it: the first stands for all
            before, here = shown[:-1], shown[1:]
            again = (ends[before] == ends[here]) & (relations[before] == relations[here])
            again &= (records[before] == FROM_ROW) & (records[here] == FROM_ROW)
            shown = shown[np.concatenate([[True], ~again])]
        near = np.full(len(shown), node, np.int32)
        subjects, objects = (ends[shown], near) if reverse else (near, ends[shown])
        columns = (subjects, relations[shown], objects, records[shown], evidence[shown])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def edge(self, found: Found) -> Edge:
        """Return an edge; its ends and evidence are what the arrays have, the rest what the tables say."""
        subject, relation, object_, record, evidence = found
        ends = self.nodes.name(subject), said(self._relations[relation]), self.nodes.name(object_)
        if record == FROM_ROW:
            source = self._served["source_id"][self._row(evidence)].as_py()
            return Edge(*ends, source_id=said(source), evidence=self.nodes.name(evidence))
        line = self._edges.slice(record, 1).to_pylist()[0]
        start, end = (None if line[name] is None else said(line[name]) for name in ("valid_from", "valid_until"))
        rests = self.nodes.name(evidence) if evidence >= 0 else REGISTRY if evidence == BY_REGISTRY else said(line["evidence"])
        return Edge(*ends, said(line["source_id"]), rests, start, end, line["confidence"])

    def pairs(self) -> Iterator[tuple[str, str]]:
        checksums = self.chunks["row_checksum"].to_pylist()
        names = (self.nodes.name(node) for node in self._chunk_nodes.tolist())
        return ((name, said(checksum)) for name, checksum in zip(names, checksums, strict=True))

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        from indexes.graph.columns import numbers

        held = {}
        for name in chunk_ids:
            node = self.nodes.find(name)
            if node is not None and self.nodes.kinds[node] == CHUNK:
                held[name] = node
        leaving, arriving = (self._resting_on(list(held.values()), reverse) for reverse in (False, True))
        lines = self.chunks.take(numbers(np.array([self._row(node) for node in held.values()], np.int64))).to_pylist()
        found = {}
        for (name, node), line in zip(held.items(), lines, strict=True):
            columns = self._gates.columns.get(line["gate"])
            texts = [self.nodes.key(node).decode(), *(line[column] for column in _TEXTS)]
            # A gate that is not in the table gives an empty hash, which equals none.
            found[name] = "" if columns is None else content_hash(
                texts, line["entity_ids"], columns, leaving.get(node, []), arriving.get(node, [])
            )
        return found

    def described(self, chunk_ids: Sequence[str]) -> dict[str, Aspects]:
        from indexes.graph.columns import numbers

        nodes = {name: self.nodes.find(name) for name in chunk_ids}
        held = {name: node for name, node in nodes.items() if node is not None and self.nodes.kinds[node] == CHUNK}
        leaving, arriving = (self._resting_on(list(held.values()), reverse) for reverse in (False, True))
        lines = self.chunks.take(numbers(np.array([self._row(node) for node in held.values()], np.int64))).to_pylist()
        found: dict[str, Aspects] = {}
        for (name, node), line in zip(held.items(), lines, strict=True):
            columns = self._gates.columns.get(line.pop("gate"))
            edges = {"leaving": leaving.get(node, []), "arriving": arriving.get(node, [])}
            found[name] = {**({} if columns is None else gate_aspects(columns)), **line, **edges}
        return found

    def false_gates(self) -> list[str]:
        return self._gates.false()

    def recorded(self) -> Iterator[tuple[str, Edge | None]]:
        """Every line of edges.parquet: its id, and the edge that searches find for it, None where they find none."""
        places = np.full(len(self._edges), -1, np.int64)
        records = self.out.records
        at = np.flatnonzero((records >= 0) & (records < len(places)))
        places[records[at]] = at
        near = self.out.near()
        for edge_id, place in zip(self._edges["edge_id"].to_pylist(), places.tolist(), strict=True):
            yield edge_id, None if place < 0 else self.edge(self.found(int(near[place]), place))

    def untrue(self) -> list[str]:
        """The names of arrays that are not what the two tables say (without `.npy`), and of `relations`."""
        from indexes.graph.adjacency import derived

        relations, arrays = derived(self.chunks, self._edges)
        false = [] if relations == self._relations else ["relations"]
        return false + [name for name, array in arrays if not np.array_equal(array, self._array(name))]

    def _array(self, name: str) -> NDArray[Any]:
        of, _, column = name.partition(".")
        held: NDArray[Any] = getattr({"nodes": self.nodes, "out": self.out, "in": self._into}[of], column)
        return held

    def triples(self, reverse: bool = False) -> Counter[Rested]:
        """Every edge as one direction has it, and how often: subject, relation, object, evidence (empty: none), line of
        edges.parquet (-1: made from a row)."""
        way, names = self._into if reverse else self.out, self._names()
        return _counted(way.near(), way, names, self._relations, reverse)

    def expected_triples(self) -> Counter[Rested]:
        """As `triples`, of what the tables say."""
        from indexes.graph.adjacency import derived

        relations, arrays = derived(self.chunks, self._edges)
        held = dict(arrays)
        data, at = held["nodes.ids"].tobytes(), held["nodes.offsets"].tolist()
        names = [said(data[begin:end].decode()) for begin, end in pairwise(at)]
        way = Direction(*(held[f"out.{column}"] for column in COLUMNS))
        return _counted(way.near(), way, names, relations, False)

    def _names(self) -> list[str]:
        data, at = self.nodes.ids.tobytes(), self.nodes.offsets.tolist()
        return [said(data[begin:end].decode("utf-8", "replace")) for begin, end in pairwise(at)]

    def _resting_on(self, chunks: list[int], reverse: bool) -> dict[int, list[Triple]]:
        """Chunk node -> the edges made from rows whose evidence it is, as one direction holds them, sorted."""
        way = self._into if reverse else self.out
        chosen = np.zeros(len(self.nodes), bool)
        chosen[chunks] = True
        made = np.flatnonzero(way.records == FROM_ROW)
        made = made[chosen[way.evidence[made]]]
        near, far = way.near()[made], way.ends[made]
        subjects, objects = (far, near) if reverse else (near, far)
        keys = {node: self.nodes.key(node).decode() for node in np.unique(np.concatenate([subjects, objects])).tolist()}
        found: dict[int, list[Triple]] = {}
        columns = (way.evidence[made], subjects, way.relations[made], objects)
        for chunk, subject, relation, object_ in zip(*(column.tolist() for column in columns), strict=True):
            found.setdefault(chunk, []).append((keys[subject], self._relations[relation], keys[object_]))
        for triples in found.values():
            triples.sort()
        return found

    def edges(self) -> Iterator[Edge]:
        places = np.flatnonzero(self.out.records != FROM_ROW)
        near = self.out.near()
        for place in places[np.argsort(self.out.records[places], kind="stable")].tolist():
            yield self.edge(self.found(int(near[place]), place))

    def edge_ids(self) -> Iterator[str]:
        yield from self._edges["edge_id"].to_pylist()

    def found(self, node: int, place: int) -> Found:
        """Return the edge at `place` of the edges by subject, which leaves `node`."""
        way = self.out
        return node, int(way.relations[place]), int(way.ends[place]), int(way.records[place]), int(way.evidence[place])

    def close(self) -> None:
        for name in ("nodes", "out", "_into", "chunks", "_served", "_gates", "_edges", "_chunk_nodes", "_visibility"):
            self.__dict__.pop(name, None)

    @cached_property
    def chunks(self) -> pa.Table:
        """chunks.parquet."""
        from indexes.graph.tables import CHUNK_SCHEMA, read_table

        return read_table(self._path / CHUNKS, CHUNK_SCHEMA)

    @cached_property
    def _served(self) -> pa.Table:
        """The columns of chunks.parquet that neighbours need."""
        from indexes.graph.tables import CHUNK_SCHEMA, read_table

        return read_table(self._path / CHUNKS, CHUNK_SCHEMA, ["source_id", "gate"])

    @cached_property
    def _gates(self) -> Gates:
        return read_gates(self._path / GATES)

    @cached_property
    def _edges(self) -> pa.Table:
        from indexes.graph.tables import EDGE_SCHEMA, read_table

        return read_table(self._path / EDGES, EDGE_SCHEMA)

    @cached_property
    def _chunk_nodes(self) -> NDArray[np.int64]:
        """[rows]: the node of each row of chunks.parquet; both are sorted by chunk id."""
        nodes = np.flatnonzero(self.nodes.kinds == CHUNK)
        if len(nodes) != len(self._served):
            raise damaged(self._path / CHUNKS, f"{len(self._served)} rows for {len(nodes)} nodes")
        return nodes

    @cached_property
    def _visibility(self) -> Visibility:
        return Visibility(self.nodes, self.out, self._served, self._chunk_nodes, self._gates)

    def _row(self, node: int) -> int:
        return int(np.searchsorted(self._chunk_nodes, node))


def _counted(near: Ints, way: Direction, names: list[str], relations: list[str], reverse: bool) -> Counter[Rested]:
    found: Counter[Rested] = Counter()
    columns = (near, way.relations, way.ends, way.evidence, way.records)
    for here, relation, there, evidence, record in zip(*(column.tolist() for column in columns), strict=True):
        subject, object_ = (there, here) if reverse else (here, there)
        rests = _named(names, evidence) if evidence >= 0 else REGISTRY if evidence == BY_REGISTRY else ""
        kind = said(relations[relation]) if 0 <= relation < len(relations) else ""
        found[_named(names, subject), kind, _named(names, object_), rests, record] += 1
    return found


def _named(names: list[str], node: int) -> str:
    return names[node] if 0 <= node < len(names) else ""


_TEXTS = ("source_id", "parent_id", "row_checksum", "title", "heading")
"""Columns of chunks.parquet that enter the content hash after the id, which comes from the nodes."""
