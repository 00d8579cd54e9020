"""The two implementations of the vector index, behind one handle, and vectors for rows."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.processes import quick_folder
from indexes.vector.memory import MemoryVectors
from indexes.vector.reader import open_reader
from indexes.vector.writer import VectorWriter
from ingest.model.row import ChunkRow
from ingest.progress import Silent
from ingest.protocols import RowVector, VectorDelta, VectorReader

DIMENSIONS = 8
_ROOM = 4 << 30
"""A build of the engine takes 70 MB of a file system in memory, where reading a hole fills it; a test makes ten at most."""


def vector_of(row: ChunkRow) -> np.ndarray:
    """Return a vector of small integers made of the text: many rows share one, so that scores tie."""
    digest = hashlib.sha256(row.text.encode()).digest()
    return np.array([byte % 3 - 1 for byte in digest[:3]] + [1.0] + [0.0] * (DIMENSIONS - 4), dtype=np.float32)


@dataclass
class Engine:
    """An implementation with a private folder. `build` gives paths 0, 1, 2 ..."""

    name: str
    writer: Any
    open: Callable[[Path], VectorReader]
    folder: Path
    made: int = 0

    def build(self, base: Path | None, rows: Iterable[ChunkRow], removed: Iterable[str] = ()) -> tuple[Path, dict[str, str]]:
        """Write a build of `rows` with their vectors; return its path and the promised contents."""
        rows = list(rows)
        target = self.folder / str(self.made)
        self.made += 1
        items = (RowVector(row, vector_of(row)) for row in rows)
        delta = VectorDelta(items, len(rows), frozenset(removed), DIMENSIONS)
        return target, self.writer.write(base, delta, target, Silent())


def make_engine(name: str, folder: Path) -> Engine:
    if name == "memory":
        memory = MemoryVectors()
        return Engine(name, memory, memory.open_reader, folder)
    return Engine(name, VectorWriter(), open_reader, folder)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=quick_folder(_ROOM)) as folder:
        yield Path(folder)


@pytest.fixture(scope="session", params=["disk", "memory", "server"])
def engines(request: pytest.FixtureRequest, server_in_process: Callable[..., Any]) -> Iterator[Callable[[], Engine]]:
    """A function that gives a fresh engine at every call, in place of the last, for properties that run many times."""
    with _folder() as folder, ExitStack() as stack:
        path = folder / "builds"
        server, shim = stack.enter_context(server_in_process()) if request.param == "server" else (None, None)

        def fresh() -> Engine:
            shutil.rmtree(path, ignore_errors=True)
            path.mkdir()
            if shim is not None:
                shim.drop()
                return on_server(server, path)
            return make_engine(request.param, path)

        yield fresh


def on_server(server: Any, folder: Path) -> Engine:
    """An engine with a collection of its own on the stand-in."""
    from indexes.qdrant.format import header_of
    from indexes.qdrant.place import Place
    from indexes.qdrant.vector_reader import open_reader as open_on_server
    from indexes.qdrant.vector_writer import ServerVectorWriter

    place = Place(server, folder / "server.json", lambda: (header_of(path, "vector") for path in folder.iterdir() if path.is_dir()
                                                           and (path / "server.json").exists()))
    return Engine("server", ServerVectorWriter(place), lambda path: open_on_server(path, server), folder)


@pytest.fixture
def engine(engines: Callable[[], Engine]) -> Engine:
    return engines()


@pytest.fixture
def disk() -> Iterator[Engine]:
    """The implementation on disk alone."""
    with _folder() as folder:
        yield make_engine("disk", folder)


@pytest.fixture(scope="session")
def vector() -> Callable[[ChunkRow], np.ndarray]:
    return vector_of
