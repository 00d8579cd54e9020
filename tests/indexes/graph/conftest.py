"""The two implementations of the graph index, behind one handle, and edges besides those that rows make."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from indexes.graph.memory import MemoryGraphs
from indexes.graph.reader import open_reader
from indexes.graph.writer import GraphWriter
from ingest.model.edge import LINKS_TO, NEAR_DUPLICATE, REGISTRY, Edge
from ingest.model.row import ChunkRow
from ingest.progress import Silent
from ingest.protocols import GraphDelta, GraphReader


@dataclass
class Engine:
    """An implementation with a private folder."""

    name: str
    writer: Any
    open: Callable[[Path], GraphReader]
    folder: Path
    made: int = 0

    def build(
        self, base: Path | None, rows: Iterable[ChunkRow] = (), removed: Iterable[str] = (), edges: Iterable[Edge] = (),
        removed_edges: Iterable[str] = (),
    ) -> tuple[Path, dict[str, str]]:
        """Write a build; return its path and the promised contents."""
        rows = list(rows)
        target = self.folder / str(self.made)
        self.made += 1
        delta = GraphDelta(iter(rows), len(rows), frozenset(removed), iter(list(edges)), frozenset(removed_edges))
        return target, self.writer.write(base, delta, target, Silent())


def _engine(name: str, folder: Path) -> Engine:
    if name == "memory":
        memory = MemoryGraphs()
        return Engine(name, memory, memory.open_reader, folder)
    return Engine(name, GraphWriter(), open_reader, folder)


@pytest.fixture(scope="session", params=["disk", "memory"])
def engines(request: pytest.FixtureRequest) -> Iterator[Callable[[], Engine]]:
    """A function that gives a fresh engine at every call, in place of the last, for properties that run many times."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "builds"

        def fresh() -> Engine:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
            return _engine(request.param, path)

        yield fresh


@pytest.fixture
def engine(engines: Callable[[], Engine]) -> Engine:
    return engines()


@pytest.fixture
def disk(tmp_path: Path) -> Engine:
    """The implementation on disk alone."""
    return _engine("disk", tmp_path)


@pytest.fixture(scope="session")
def memory_engine() -> Callable[[], Engine]:
    """A fresh oracle at every call."""
    return lambda: _engine("memory", Path("memory"))


@pytest.fixture(scope="session")
def some_edges(make_row: Callable[..., ChunkRow]) -> st.SearchStrategy[list[Edge]]:
    """Up to 8 edges between nodes of the universe and some that are nowhere, resting on anything."""
    rows = [make_row(number) for number in range(24)]
    sources = sorted({row.source_id for row in rows})
    entities = sorted({entity for row in rows for entity in row.entity_ids})
    nowhere = ["urn:kb:source:nowhere", "urn:kb:entity:nowhere"]
    ends = st.sampled_from([*sources, *entities, *nowhere, rows[0].chunk_id, rows[5].chunk_id, rows[0].parent_id])
    chunks = [row.chunk_id for row in rows]
    rests = st.sampled_from([REGISTRY, REGISTRY, *sources, *chunks, *nowhere, rows[0].parent_id, *entities[:1]])
    relations = st.sampled_from([LINKS_TO, NEAR_DUPLICATE, "delivers", "part_of", "mentions", "负责"])
    starts, stops = st.sampled_from([None, "2024-01-01T00:00:00Z"]), st.sampled_from([None, "2025-07-01T00:00:00Z"])
    confidence = st.sampled_from([1.0, 0.5, 0.1234567])
    edge = st.builds(Edge, ends, relations, ends, st.sampled_from([*sources, REGISTRY]), rests, starts, stops, confidence)
    return st.lists(edge, max_size=8)
