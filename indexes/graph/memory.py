"""The graph index in memory: dicts, and the contract in plain Python. The oracle of the contract suite.

Builds are kept under the paths they were written to, though nothing is written there, so it serves wherever the others do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from indexes.graph.format import CONFIDENCE_DIGITS, content_hash, entities_of, heading_of, said, stored, triples
from ingest.errors import BuildCorrupt
from ingest.model.edge import NEAR_DUPLICATE, REGISTRY, Edge
from ingest.model.generation import IndexKind
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.protocols import GraphDelta, GraphReader


@dataclass(frozen=True, slots=True)
class _Build:
    rows: dict[str, ChunkRow] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)


class MemoryGraphs:
    """Writer and shelf of graph builds in memory."""

    kind: IndexKind = "graph"
    fingerprint = "graph in memory"

    def __init__(self) -> None:
        self._builds: dict[Path, _Build] = {}

    def write(self, base: Path | None, delta: GraphDelta, target: Path, progress: Progress) -> dict[str, str]:
        old = _Build() if base is None else self._builds[base]
        made = _Build(dict(old.rows), dict(old.edges))
        progress.start("graph", delta.count, "rows")
        for gone in delta.removed:
            made.rows.pop(gone, None)
        contents = {}
        for row in delta.rows:
            made.rows[row.chunk_id] = row
            contents[row.chunk_id] = _content(row)
            progress.advance("graph")
        for gone in delta.removed_edges:
            made.edges.pop(gone, None)
        for edge in delta.edges:
            made.edges[edge.edge_id] = replace(edge, confidence=round(edge.confidence, CONFIDENCE_DIGITS))
        progress.finish("graph")
        self._builds[target] = made
        return contents

    def open_reader(self, path: Path) -> GraphReader:
        if path not in self._builds:
            raise BuildCorrupt(f"no graph build {path} in memory")
        return _Reader(self._builds[path])


class _Reader:
    def __init__(self, build: _Build) -> None:
        self._build = build

    def neighbors(
        self, nodes: Sequence[str], relations: Sequence[str] | None, predicate: Predicate, limit: int, reverse: bool = False
    ) -> list[Edge]:
        visible = self._brought(predicate)
        present = self._brought(None)
        shown: list[Edge] = []
        for node in set(nodes):
            mine = [
                edge for edge in self._shown(predicate, visible)
                if (edge.object if reverse else edge.subject) == node and (edge.subject if reverse else edge.object) in present
                and (relations is None or edge.relation in relations)
            ]
            shown += mine[: max(limit, 0)]
        return sorted(shown, key=self._order)

    def _shown(self, predicate: Predicate, visible: set[str]) -> list[Edge]:
        """Every edge whose evidence shows, in order; of equal ones made from rows the first."""
        made: dict[tuple[str, str, str], Edge] = {}
        for row in sorted(self._rows(predicate), key=lambda row: row.chunk_id):
            for edge in _edges(row):
                made.setdefault((edge.subject, edge.relation, edge.object), edge)
        given = [edge for edge in self._build.edges.values() if self._rests(edge, visible)]
        return sorted([*made.values(), *given], key=self._order)

    def _rests(self, edge: Edge, visible: set[str]) -> bool:
        ends = edge.subject in visible and edge.object in visible
        if edge.evidence == REGISTRY or (edge.relation == NEAR_DUPLICATE and not ends):
            return ends
        rows = self._build.rows.values()
        return edge.evidence in visible and any(edge.evidence in (row.chunk_id, row.source_id) for row in rows)

    def _rows(self, predicate: Predicate | None) -> list[ChunkRow]:
        rows = self._build.rows.values()
        return [row for row in rows if predicate is None or predicate.admits(filter_columns(row))]

    def _brought(self, predicate: Predicate | None) -> set[str]:
        """The nodes that some row brings; with a predicate, some row that it admits."""
        return {end for row in self._rows(predicate) for edge in _edges(row) for end in (edge.subject, edge.object)}

    def _order(self, edge: Edge) -> tuple[str, str, str, bool, str, str]:
        given = edge.edge_id in self._build.edges
        return edge.subject, edge.relation, edge.object, given, edge.evidence, edge.edge_id

    def pairs(self) -> Iterator[tuple[str, str]]:
        return ((row.chunk_id, row.row_checksum) for row in self._build.rows.values())

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        rows = self._build.rows
        return {chunk_id: _content(rows[chunk_id]) for chunk_id in chunk_ids if chunk_id in rows}

    def edges(self) -> Iterator[Edge]:
        return iter(sorted(self._build.edges.values(), key=self._order))

    def edge_ids(self) -> Iterator[str]:
        return iter(self._build.edges)

    def close(self) -> None:
        self._build = _Build()


def _edges(row: ChunkRow) -> list[Edge]:
    made = triples(row.source_id, row.parent_id, row.chunk_id, [said(entity) for entity in entities_of(row)])
    return [Edge(*triple, source_id=row.source_id, evidence=row.chunk_id) for triple in made]


def _content(row: ChunkRow) -> str:
    texts = [stored(text) for text in (row.chunk_id, row.source_id, row.parent_id, row.row_checksum, row.title)]
    entities = entities_of(row)
    made = triples(texts[1], texts[2], texts[0], entities)
    return content_hash([*texts, heading_of(row)], entities, filter_columns(row), made, made)
