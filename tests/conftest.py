"""A folder of documents with a knowledge base over it, run in this process: what tests of the whole pipeline stand on."""

from __future__ import annotations

import importlib.util
import json
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings as properties

from fixtures.processes import quick_folder

if TYPE_CHECKING:
    from fixtures.postgres_server import PostgresServer
    from flows.pipeline import Options
    from indexes.generation.verify import Drift
    from ingest.model.edge import Edge
    from ingest.model.evidence import EvidencePack
    from ingest.model.generation import IndexKind
    from ingest.model.report import CheckReport, RunReport
    from ingest.model.row import ChunkRow
    from ingest.settings import Settings
    from ingest.store.catalog import Catalog

# A busy machine breaks no promise.
properties.register_profile("unhurried", deadline=None)
properties.load_profile("unhurried")

MANUAL = """---
title: 云脉网关手册
---
# 云脉网关手册

云脉网关是部署在企业边界的接入设备。

## 安装

安装前确认机柜有两路电源。上架后先接管理口，再接业务口。

## Limits

A node accepts 20000 connections. Beyond that it answers with ERR_1042 and keeps the ones it has.
"""


class Base:
    """Documents in `docs`, the knowledge base in `kb`; the hash embedder and one process unless `parts` say otherwise."""

    def __init__(self, folder: Path, name: str = "docs", **parts: Any) -> None:
        self.folder = folder
        self.docs = folder / name
        self.docs.mkdir(parents=True, exist_ok=True)
        self.kb = folder / "kb"
        self.parts: dict[str, Any] = {"embed": {"engine": "hash"}, "execute": {"executor": "inline"}, **parts}

    @property
    def settings(self) -> Settings:
        from ingest.settings import Settings

        return Settings.model_validate({"kb": str(self.kb), "base": str(self.folder), **self.parts})

    def set(self, part: str, **values: Any) -> None:
        """Change settings from the next run on."""
        self.parts[part] = {**self.parts.get(part, {}), **values}

    # Documents

    def write(self, path: str, content: str | bytes = MANUAL) -> Path:
        file = self.docs / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def seed(self, text: str, name: str = "seed.yaml") -> None:
        """Write a registry seed and name it in the settings."""
        (self.folder / name).write_text(text, encoding="utf-8")
        self.set("entities", seeds=(name,))

    def delete(self, path: str) -> None:
        (self.docs / path).unlink()

    # The pipeline

    def run(self, *paths: Path, **options: Any) -> RunReport:
        from flows.pipeline import run
        from ingest.progress import Silent

        return run(self.settings, self.options(*paths, **options), Silent())

    def options(self, *paths: Path, **options: Any) -> Options:
        from flows.pipeline import Options

        return Options(paths or (self.docs,), **options)

    def check(self, *paths: Path, **options: Any) -> CheckReport:
        from flows.checking import check
        from ingest.progress import Silent

        return check(self.settings, paths, Silent(), **options)

    def verify(self, generation: int | None = None, **level: Any) -> list[Drift]:
        from flows.verifying import verify_generation
        from indexes.generation.verify import Level
        from ingest.progress import Silent

        return verify_generation(self.settings, generation, Silent(), Level(**level))[1]

    # Answers

    def search(self, query: str, generation: int | None = None, *, who: Any = None, **request: Any) -> EvidencePack:
        """Search in mode bm25 (no evidence means that nobody has the word) unless the request says otherwise."""
        from flows.answering import answer
        from indexes.query.request import Request
        from ingest.model.access import Principal

        return answer(self.settings, Request(query, **{"mode": "bm25", "principal": who or Principal(), **request}), generation)

    def found(self, query: str, generation: int | None = None, **request: Any) -> list[str]:
        """Return the distinct paths in the answer, those of copies too, sorted."""
        pack = self.search(query, generation, **request)
        found = [uri for item in pack.evidence for uri in (item.uri, *(copy.uri for copy in item.also_in))]
        return sorted({uri.partition("/")[2] for uri in found})

    def show(self, id: str, generation: int | None = None, *, who: Any = None) -> dict[str, Any]:
        from flows.answering import show
        from ingest.model.access import Principal

        return show(self.settings, id, who or Principal(), generation)

    def catalog(self) -> Catalog:
        from ingest.store.layout import layout_of
        from ingest.store.opening import open_catalog

        return open_catalog(layout_of(self.settings))

    def head(self) -> int:
        with self.catalog() as catalog:
            return catalog.head()

    def chunks(self, path: str | None = None, generation: int | None = None) -> list[str]:
        """Return the chunk ids in effect, of one document or of all."""
        from ingest.model.source import source_id

        with self.catalog() as catalog:
            source = source_id(self.docs.name, path) if path is not None else None
            return [fact.id for fact in catalog.facts("chunks", generation or catalog.head(), source_id=source)]

    def generations(self) -> list[int]:
        """Return the kept generations, newest first."""
        with self.catalog() as catalog:
            return [published.generation for published in catalog.generations()]

    def parent_of(self, chunk: str, generation: int | None = None) -> str:
        """Return the parent of a chunk, whoever may see it."""
        from ingest.model.row import ChunkRow

        with self.catalog() as catalog:
            return catalog.get("chunks", generation or catalog.head(), [chunk])[chunk].noun(ChunkRow).parent_id

    def held(self) -> dict[str, set[str]]:
        """Return the chunk ids that each index of the head actually holds."""
        from flows.opening import reading

        with reading(self.settings) as snapshot:
            readers: Iterable[tuple[str, Any]] = (
                ("vector", snapshot.vector), ("bm25", snapshot.bm25), ("graph", snapshot.graph)
            )
            return {name: {chunk for chunk, _ in reader.pairs()} for name, reader in readers}


@pytest.fixture(scope="session")
def qdrant_shim() -> Any:
    """The module `tests/qdrant_shim.py`: a stand-in for a Qdrant server."""
    spec = importlib.util.spec_from_file_location("qdrant_shim", Path(__file__).with_name("qdrant_shim.py"))
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what needs a server that is nowhere but where somebody sets one up, unless it is asked for by name."""
    if "live" in (config.option.markexpr or ""):
        return
    live = [item for item in items if item.get_closest_marker("live")]
    if live:
        config.hook.pytest_deselected(items=live)
        items[:] = [item for item in items if not item.get_closest_marker("live")]


class ShimProcess:
    """The stand-in as a process of its own, on a port of loopback that it keeps when it is started again."""

    def __init__(self, folder: Path, key: str = "") -> None:
        self.folder, self.key = folder, key
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        script = Path(__file__).with_name("qdrant_shim.py")
        self._process = subprocess.Popen([sys.executable, script, self.folder, str(self.port), *([self.key] if self.key else [])])
        deadline = time.monotonic() + 60
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                assert self._process.poll() is None and time.monotonic() < deadline, "the stand-in did not start"
                time.sleep(0.05)

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def _in_memory() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(dir=quick_folder()) as folder:
        yield Path(folder)


@pytest.fixture
def qdrant_process() -> Iterator[Callable[..., ShimProcess]]:
    """`qdrant_process(key=...)`: a running stand-in of the test's own."""
    started: list[ShimProcess] = []
    with _in_memory() as folder:

        def start(key: str = "") -> ShimProcess:
            shim = ShimProcess(folder / f"shim-{len(started)}", key)
            shim.start()
            started.append(shim)
            return shim

        yield start
        for shim in started:
            shim.kill()


@pytest.fixture(scope="session")
def qdrant_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A running stand-in that tests share: each has collections of its own."""
    with _in_memory() as folder:
        shim = ShimProcess(folder)
        shim.start()
        yield shim.url
        shim.kill()


@pytest.fixture(scope="session")
def make_base() -> Callable[..., Base]:
    """Make a base in any folder: for fixtures that several tests share."""
    return Base


@pytest.fixture
def unflushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: no test cuts the power, and hundreds of builds would measure the disk and nothing else."""
    monkeypatch.setattr("indexes.generation.seal.flush_path", lambda path: None)


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A real server on loopback, for one process of tests."""
    from fixtures.postgres_server import PostgresServer

    server = PostgresServer()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def new_schema() -> Callable[[], str]:
    """Name a schema that nobody has used on this process's server."""
    numbers = count(1)
    return lambda: f"kb_{next(numbers)}"


ON_SERVER = {
    "flows": ("access", "change", "checking", "closing", "guards", "history", "judged", "near", "renamed", "repair", "showing",
              "validity", "verifying"),
    "flows/between": ("generations",),
    "flows/shipping": ("shipping",),
}
"""Tests of the whole pipeline that hold wherever the catalog is: folder -> modules."""
AT_ONCE = ("history",)
"""Those that `make test` runs on a server too; the others are for `make test-slow`."""


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run the tests of ON_SERVER a second time with the catalog in PostgreSQL."""
    file = metafunc.definition.path
    folder, name = file.parent.relative_to(Path(__file__).parent).as_posix(), file.stem.removeprefix("test_")
    looks_into_a_file = metafunc.definition.get_closest_marker("on_file") is not None
    if "kept_in" in metafunc.fixturenames and name in ON_SERVER.get(folder, ()) and not looks_into_a_file:
        marks = () if name in AT_ONCE else (pytest.mark.slow,)
        metafunc.parametrize("kept_in", ["file", pytest.param("postgres", marks=marks)], indirect=True)


@pytest.fixture
def kept_in(request: pytest.FixtureRequest, new_schema: Callable[[], str]) -> Callable[[], dict[str, str]]:
    """Settings of a catalog of its own: in a file, or on a server where the test says so."""
    if getattr(request, "param", "file") == "file":
        return dict
    server: PostgresServer = request.getfixturevalue("postgres")
    return lambda: {"catalog": server.url(), "catalog_schema": new_schema()}


@pytest.fixture
def base(tmp_path: Path, unflushed: None, kept_in: Callable[[], dict[str, str]]) -> Base:
    return Base(tmp_path, **kept_in())


@pytest.fixture
def new_base(tmp_path: Path, unflushed: None, kept_in: Callable[[], dict[str, str]]) -> Callable[..., Base]:
    """Make a base in a folder of its own below the test's: `new_base("here", chunk={"child_max": 80})`."""
    return lambda folder, **parts: Base(tmp_path / folder, **{**kept_in(), **parts})


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust a file by its signature at once, as if it had been written long ago."""
    monkeypatch.setattr("ingest.sources.content.SETTLED_NS", -(10**18))


# Behind the back of a published base

SEED = """
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}]}
  - {id: "urn:kb:entity:maker", type: organization, names: [{text: Yunmai, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:maker", relation: makes, object: "urn:kb:entity:gate", evidence: 手册.md}
"""
TAMPERED = {
    "手册.md": """---
title: 云脉网关手册
document: manual
version: '2.0'
valid_from: 2024-01-01
---
# 云脉网关手册

云脉网关是部署在企业边界的接入设备,由 Yunmai 制造。

## 安装

安装前确认机柜有两路电源。上架后先接管理口,再接业务口。
""",
    "cedar.md": """---
title: Trees
valid_until: 2030-01-01
---
# Trees

Beside the 云脉网关 stands a cedar. See [the manual](手册.md).

## Limits

A node accepts 20000 connections. Beyond that it answers with ERR_1042.
""",
    "secret.md": """---
allowed_roles: [sre]
---
# Passphrase

The passphrase of the vault is QUOKKA, told to nobody.
""",
}


class Behind:
    """A published base of Chinese and English documents, and somebody behind its back. `base` is the tests' own handle to it.

    Indexes are changed through their own writers and engines, the catalog through sqlite3. `vouch` then brings file hashes and
    stamp in order, so that only what is stored can tell."""

    def __init__(self, base: Any) -> None:
        self.base = base

    @property
    def manifest(self) -> Any:
        with self.base.catalog() as catalog:
            return catalog.published(catalog.head()).manifest

    def build(self, kind: IndexKind) -> Path:
        return Path(self.base.kb) / "builds" / kind / self.manifest.build(kind).id

    def rows(self) -> dict[str, ChunkRow]:
        from ingest.model.row import ChunkRow

        with self.base.catalog() as catalog:
            return {fact.id: fact.noun(ChunkRow) for fact in catalog.facts("chunks", catalog.head())}

    def row(self, text: str) -> ChunkRow:
        (found,) = (row for row in self.rows().values() if text in row.text)
        return found

    def edges(self) -> list[Edge]:
        from ingest.model.edge import Edge

        with self.base.catalog() as catalog:
            return [fact.noun(Edge) for fact in catalog.facts("edges", catalog.head())]

    def vectors(self) -> dict[str, Any]:
        import numpy as np

        from indexes.vector.format import chunk_id
        from indexes.vector.shard import Shard

        shard = Shard.open_sealed(self.build("vector") / "shard")
        held = {chunk_id(point.id): np.asarray(point.vector, np.float32) for point in shard.points()}
        shard.close()
        return held

    def rebuilt(
        self, kind: IndexKind, rows: Iterable[ChunkRow], edges: Iterable[Edge] | None = None,
        vectors: dict[str, Any] | None = None,
    ) -> None:
        """Put a build of other rows, edges or vectors in the place of the published one."""
        from indexes.bm25.writer import Bm25Writer
        from indexes.graph.writer import GraphWriter
        from indexes.vector.writer import VectorWriter
        from ingest.progress import Silent
        from ingest.protocols import Bm25Delta, GraphDelta, RowVector, VectorDelta

        listed, none = list(rows), frozenset[str]()
        target = self.build(kind).with_name("tampered")
        if kind == "vector":
            held = {**self.vectors(), **(vectors or {})}
            other = next(iter(held.values()))
            pairs = [RowVector(row, held.get(row.chunk_id, other)) for row in listed]
            VectorWriter().write(None, VectorDelta(pairs, len(pairs), none, len(other)), target, Silent())
        elif kind == "bm25":
            Bm25Writer().write(None, Bm25Delta(listed, len(listed), none), target, Silent())
        else:
            kept = self.edges() if edges is None else list(edges)
            GraphWriter().write(None, GraphDelta(listed, len(listed), none, kept, none), target, Silent())
        shutil.rmtree(self.build(kind))
        target.rename(self.build(kind))
        self.vouch(kind)

    def vouch(self, kind: IndexKind) -> None:
        """Write down as published whatever lies there now."""
        from indexes.generation.seal import hash_files, write_stamp
        from ingest.model.canonical import canonical

        write_stamp(self.build(kind), self.manifest.build(kind))
        path = Path(self.base.kb) / "generations" / str(self.manifest.generation) / "files.json"
        files = json.loads(path.read_bytes())
        files[f"{kind}/{self.build(kind).name}"] = hash_files(self.build(kind))
        path.write_bytes(canonical(files))

    def replaced(self, kind: IndexKind, row: ChunkRow, **changes: Any) -> None:
        """Have an index hold another state of one row, under the row checksum of the right one."""
        other = replace(row, **changes)
        self.rebuilt(kind, [other if one.chunk_id == row.chunk_id else one for one in self.rows().values()])

    def without(self, kind: IndexKind, row: ChunkRow) -> None:
        self.rebuilt(kind, [one for one in self.rows().values() if one.chunk_id != row.chunk_id])

    @contextmanager
    def db(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.base.kb / "catalog.db")
        with connection:
            yield connection
        connection.close()

    @contextmanager
    def cache(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self.base.kb / "cache" / "cache.db")
        with connection:
            yield connection
        connection.close()

    def payload(self, table: str, id: str, change: Callable[[dict[str, Any]], None]) -> None:
        """Change what a fact says."""
        with self.db() as db:
            (data,) = db.execute(f"select payload from {table} where id = ?", (id,)).fetchone()
            said = json.loads(data)
            change(said)
            db.execute(f"update {table} set payload = ? where id = ?", (json.dumps(said).encode(), id))

    def found(self, **level: Any) -> set[tuple[str, str]]:
        """Return kind and store of everything that verifying finds."""
        return {(item.kind, item.where) for item in self.base.verify(**level)}

    def finding(self, kind: str, **level: Any) -> Drift:
        (found,) = (item for item in self.base.verify(**level) if item.kind == kind)
        return found


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Base:
    """What `behind` is a copy of: nobody changes it."""
    base = Base(tmp_path_factory.mktemp("published"))
    base.seed(SEED)
    for path, text in TAMPERED.items():
        base.write(path, text)
    base.run()
    return base


@pytest.fixture
def behind(published: Base, base: Base) -> Behind:
    from indexes.vector.copy import copy_sparse

    base.seed(SEED)
    shutil.rmtree(base.docs)
    shutil.copytree(published.docs, base.docs)
    copy_sparse(published.kb, base.kb)
    copied = Behind(base)
    with copied.db() as db:
        db.execute("update roots set location = ?", (str(base.docs),))
    return copied


# Servers on loopback


@pytest.fixture(scope="session")
def servers() -> Any:
    """The module of servers that roots elsewhere are tested with."""
    import importlib.util
    import sys

    file = Path(__file__).parent / "ingest/sources/remote/servers.py"
    spec = importlib.util.spec_from_file_location("remote_servers", file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def buckets(servers: Any) -> Iterator[Any]:
    """A server that speaks S3; buckets are made by each test under a name of its own."""
    server = servers.Buckets()
    yield server
    server.stop()


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials for S3 where everybody keeps them."""
    for name, value in (("AWS_ACCESS_KEY_ID", "reader"), ("AWS_SECRET_ACCESS_KEY", "SECRETOFREADER")):
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")


@pytest.fixture
def site(servers: Any) -> Iterator[Any]:
    """A web site; without robots.txt and without pages."""
    server = servers.Site()
    yield server
    server.stop()
