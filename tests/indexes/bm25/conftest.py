"""Builds for the tests of the BM25 index: one small history of folders, on disk or in memory, behind the same three calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from indexes.bm25.memory import MemoryBm25
from indexes.bm25.reader import open_reader
from indexes.bm25.writer import Bm25Writer
from ingest.model.row import ChunkRow
from ingest.progress import Silent
from ingest.protocols import Bm25Delta, Bm25Reader


class Builds:
    """Writes builds into numbered folders. `base` None: from empty."""

    def __init__(self, folder: Path, writer: Any, opener: Callable[..., Bm25Reader]) -> None:
        self._folder, self._writer, self._open = folder, writer, opener
        self._number = 0
        self.contents: dict[str, str] = {}
        """What the last `write` returned."""

    def write(self, base: Path | None, rows: Iterable[ChunkRow], removed: Iterable[str] = ()) -> Path:
        self._number += 1
        target = self._folder / f"build-{self._number}"
        rows = list(rows)
        self.contents = self._writer.write(base, Bm25Delta(iter(rows), len(rows), frozenset(removed)), target, Silent())
        return target

    def open(self, path: Path, **scoring: Any) -> Bm25Reader:
        return self._open(path, **scoring)


@pytest.fixture(scope="session")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Builds]:
    """`on_disk(most_tokens=...)`: the segments."""
    return lambda **options: Builds(tmp_path_factory.mktemp("bm25"), Bm25Writer(**options), open_reader)


@pytest.fixture(scope="session")
def in_memory() -> Callable[[], Builds]:
    """`in_memory()`: the oracle."""

    def make() -> Builds:
        shelf = MemoryBm25()
        return Builds(Path("in-memory"), shelf, shelf.open_reader)

    return make


@pytest.fixture(scope="session")
def on_server(tmp_path_factory: pytest.TempPathFactory, server_in_process: Callable[..., Any]) -> Iterator[Callable[[], Builds]]:
    """`on_server()`: on the stand-in for a Qdrant server, empty; those made before are gone."""
    from indexes.qdrant.bm25_reader import open_reader as open_on_server
    from indexes.qdrant.bm25_writer import ServerBm25Writer
    from indexes.qdrant.format import header_of
    from indexes.qdrant.place import Place

    with server_in_process() as (server, shim):

        def make() -> Builds:
            shim.drop()
            folder = tmp_path_factory.mktemp("bm25-server")
            place = Place(server, folder / "server.json", lambda: (
                header_of(path, "bm25") for path in folder.iterdir() if (path / "server.json").exists()
            ))
            return Builds(folder, ServerBm25Writer(place, 4), lambda path, **scoring: open_on_server(path, server, **scoring))

        yield make


@pytest.fixture(scope="session", params=["disk", "memory", "server"])
def new_builds(
    request: pytest.FixtureRequest, on_disk: Callable[..., Builds], in_memory: Callable[[], Builds],
    on_server: Callable[[], Builds],
) -> Callable[[], Builds]:
    """`new_builds()`: each implementation in turn, empty."""
    return {"disk": on_disk, "memory": in_memory, "server": on_server}[request.param]


@pytest.fixture(scope="session", params=["disk", "server"])
def held_apart(
    request: pytest.FixtureRequest, on_disk: Callable[..., Builds], on_server: Callable[[], Builds]
) -> Callable[[], Builds]:
    """`held_apart()`: what is compared with the oracle."""
    return on_disk if request.param == "disk" else on_server


@pytest.fixture(scope="session")
def few(on_server: Callable[[], Builds]) -> Callable[[Callable[[], Builds], int], Any]:
    """Hypothesis settings with so many examples; on the stand-in, where each costs hundreds of requests, with some of them."""
    return lambda builds, examples: settings(
        max_examples=max(examples // 6, 5) if builds is on_server else examples, deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
