"""A published base of Chinese and English documents, and somebody behind its back.

Indexes are changed through their own writers and engines, the catalog through sqlite3. `vouch` then brings file hashes and stamp
in order, so that only what is stored can tell.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from indexes.generation.verify import Drift
    from ingest.model.edge import Edge
    from ingest.model.generation import IndexKind
    from ingest.model.row import ChunkRow

SEED = """
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}]}
  - {id: "urn:kb:entity:maker", type: organization, names: [{text: Yunmai, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:maker", relation: makes, object: "urn:kb:entity:gate", evidence: 手册.md}
"""
DOCUMENTS = {
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
    """The base from behind. `base` is the tests' own handle to it."""

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


@pytest.fixture
def behind(base: Any) -> Behind:
    base.seed(SEED)
    for path, text in DOCUMENTS.items():
        base.write(path, text)
    base.run()
    return Behind(base)
