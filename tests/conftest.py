"""A folder of documents with a knowledge base over it, run in this process: what tests of the whole pipeline stand on."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from flows.pipeline import Options
    from indexes.generation.verify import Drift
    from ingest.model.evidence import EvidencePack
    from ingest.model.report import CheckReport, RunReport
    from ingest.settings import Settings
    from ingest.store.catalog import Catalog

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

    def __init__(self, folder: Path, name: str = "docs", **parts: dict[str, Any]) -> None:
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
        """Return the distinct paths in the answer, sorted."""
        pack = self.search(query, generation, **request)
        return sorted({item.uri.partition("/")[2] for item in pack.evidence})

    def show(self, id: str, generation: int | None = None, *, who: Any = None) -> dict[str, Any]:
        from flows.answering import show
        from ingest.model.access import Principal

        return show(self.settings, id, who or Principal(), generation)

    def catalog(self) -> Catalog:
        from ingest.store.catalog import Catalog

        return Catalog(self.kb / "catalog.db")

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
def make_base() -> Callable[..., Base]:
    """Make a base in any folder: for fixtures that several tests share."""
    return Base


@pytest.fixture
def unflushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Do not wait for the disk: no test cuts the power, and hundreds of builds would measure the disk and nothing else."""
    monkeypatch.setattr("indexes.generation.seal.flush_path", lambda path: None)


@pytest.fixture
def base(tmp_path: Path, unflushed: None) -> Base:
    return Base(tmp_path)


@pytest.fixture
def new_base(tmp_path: Path, unflushed: None) -> Callable[..., Base]:
    """Make a base in a folder of its own below the test's: `new_base("here", chunk={"child_max": 80})`."""
    return lambda folder, **parts: Base(tmp_path / folder, **parts)


@pytest.fixture
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trust a file by its signature at once, as if it had been written long ago."""
    monkeypatch.setattr("ingest.sources.content.SETTLED_NS", -(10**18))
