"""A snapshot without files: a catalog of facts by generation, and the three in-memory indexes over its rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from indexes.bm25.memory import MemoryBm25
from indexes.generation.snapshot import Snapshot
from indexes.graph.memory import MemoryGraphs
from indexes.vector.memory import MemoryVectors
from ingest.embed.hash import Hash
from ingest.errors import NotFound
from ingest.model.canonical import digest_of
from ingest.model.chunk import Parent
from ingest.model.document import Provenance
from ingest.model.edge import Edge
from ingest.model.generation import Manifest
from ingest.model.row import ChunkRow
from ingest.model.source import Declared, Revision, Root, SourceRecord
from ingest.progress import Silent
from ingest.protocols import Bm25Delta, GraphDelta, RowVector, VectorDelta
from ingest.settings import Settings
from ingest.store.catalog import Fact
from ingest.store.lease import Shared

EMBEDDER = Hash(64)
BUILD = Path("build")


@dataclass
class MemoryCatalog:
    """The reading half of a catalog. `held`: generation -> table -> facts."""

    held: dict[int, dict[str, list[Fact]]] = field(default_factory=dict)
    names: tuple[str, ...] = ("docs",)

    def head(self) -> int:
        return max(self.held)

    def generations(self) -> list[Any]:
        return [type("Published", (), {"generation": number}) for number in sorted(self.held, reverse=True)]

    def published(self, generation: int) -> Any:
        if generation not in self.held:
            raise NotFound(f"generation {generation} is not kept")
        times = {"published_at": "2026-01-01T00:00:00Z", "confirmed_at": "2026-01-02T00:00:00Z"}
        return type("Published", (), {"generation": generation, **times})

    def roots(self) -> dict[str, Root]:
        return {name: Root(name, "") for name in self.names}

    def facts(self, table: str, generation: int, *, source_id: str | None = None) -> Iterator[Fact]:
        facts = self.held[generation].get(table, [])
        return iter([fact for fact in facts if source_id is None or fact.source_id == source_id])

    def get(self, table: str, generation: int, ids: Sequence[str]) -> dict[str, Fact]:
        return {fact.id: fact for fact in self.every(table, generation, ids)}

    def every(self, table: str, generation: int, ids: Sequence[str]) -> Iterator[Fact]:
        return (fact for fact in self.facts(table, generation) if fact.id in set(ids))

    def latest(self, table: str, generation: int, ids: Sequence[str]) -> dict[str, Fact]:
        numbers = [number for number in sorted(self.held) if number <= generation]
        return {id: fact for number in numbers for id, fact in self.get(table, number, ids).items()}

    def pairs(self, table: str, generation: int) -> Iterator[tuple[str, str]]:
        return ((fact.id, fact.checksum) for fact in self.facts(table, generation))


def record_of(source: str, **fields: Any) -> SourceRecord:
    values = {
        "source_id": source, "root": "docs", "path": f"{source[-2:]}.md", "revision": Revision("", "", 0), "served": "x",
        "state": "served", "media_type": None, "stages": {}, "declared": Declared(), "title": "", "valid_from": None,
        "valid_until": None,
    }
    return SourceRecord(**{**values, **fields})


def fact_of(noun: Any, id: str, source: str, checksum: str | None = None) -> Fact:
    return Fact.of(noun, id=id, source_id=source, checksum=checksum or digest_of(noun))


def tables_of(rows: Sequence[ChunkRow], **others: list[Fact]) -> dict[str, list[Fact]]:
    """The facts of rows: themselves, a parent for each parent id, a record for each source."""
    parents = {
        row.parent_id: Parent(row.parent_id, row.source_id, row.heading_path, f"context of {row.parent_id}", 1, Provenance())
        for row in rows
    }
    return {
        "chunks": [fact_of(row, row.chunk_id, row.source_id, row.row_checksum) for row in rows],
        "parents": [fact_of(parent, parent.parent_id, parent.source_id) for parent in parents.values()],
        "sources": [fact_of(record_of(source), source, source) for source in sorted({row.source_id for row in rows})],
        **others,
    }


def snapshot_of(
    rows: Iterable[ChunkRow], edges: Sequence[Edge] = (), catalog: MemoryCatalog | None = None, generation: int = 1,
    **others: list[Fact],
) -> Snapshot:
    rows = list(rows)
    catalog = catalog or MemoryCatalog({1: tables_of(rows, **others)})
    vectors, bm25, graphs = MemoryVectors(), MemoryBm25(), MemoryGraphs()
    embedded = EMBEDDER.passages([row.embed_text for row in rows])
    pairs = [RowVector(row, vector) for row, vector in zip(rows, embedded, strict=True)]
    vectors.write(None, VectorDelta(pairs, len(rows), frozenset(), EMBEDDER.dimensions), BUILD, Silent())
    bm25.write(None, Bm25Delta(rows, len(rows), frozenset()), BUILD, Silent())
    graphs.write(None, GraphDelta(rows, len(rows), frozenset(), list(edges), frozenset()), BUILD, Silent())
    readers = {"vector": vectors.open_reader(BUILD), "bm25": bm25.open_reader(BUILD), "graph": graphs.open_reader(BUILD)}
    manifest = Manifest(generation, "digest", (), {}, "")
    lock = Shared(os.open(os.devnull, os.O_RDONLY))
    return Snapshot(None, catalog, Settings(), manifest, lock, readers)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def embedder() -> Hash:
    """The embedder of every snapshot made here."""
    return EMBEDDER


@pytest.fixture(scope="session")
def make_snapshot() -> Callable[..., Snapshot]:
    """`make_snapshot(rows, edges, entities=[...], ...)`: a generation of these rows; further tables as lists of facts.

    `catalog` and `generation` replace what is made of the rows."""
    return snapshot_of


@pytest.fixture(scope="session")
def make_catalog() -> Callable[..., MemoryCatalog]:
    """`make_catalog({generation: {table: facts}})`."""
    return MemoryCatalog


@pytest.fixture(scope="session")
def make_tables() -> Callable[..., dict[str, list[Fact]]]:
    """`make_tables(rows, **other_tables)`: facts by table."""
    return tables_of


@pytest.fixture(scope="session")
def make_fact() -> Callable[..., Fact]:
    """`make_fact(noun, id, source)`."""
    return fact_of


@pytest.fixture(scope="session")
def make_record() -> Callable[..., SourceRecord]:
    """`make_record(source_id, **fields)`."""
    return record_of
