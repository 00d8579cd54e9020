"""A knowledge base from behind: its files, rows and engines, opened by somebody who is not the product.

Indexes are changed with their own writers and engines, so what is left is a well-formed build that says something else. `vouch`
then brings in order what is written down about it (file hashes, stamp), which is what makes a tampering careful.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from indexes.generation.publish import snapshot_digest
from indexes.generation.seal import STAMP, hash_files, write_stamp
from ingest.model.canonical import SetDigest, canonical
from ingest.model.edge import Edge
from ingest.model.generation import IndexKind, Manifest
from ingest.model.row import ChunkRow
from ingest.progress import Silent
from ingest.protocols import Bm25Delta, GraphDelta, RowVector, VectorDelta
from ingest.store.catalog import FACTS, Catalog
from ingest.store.layout import Layout


class Behind:
    """The base in `folder`, whose head was published by the product."""

    def __init__(self, folder: Path) -> None:
        self.layout = Layout(folder)
        with Catalog(self.layout.catalog) as catalog:
            self.head = catalog.head()
            self.manifests = {one.generation: one.manifest for one in catalog.generations()}

    @property
    def manifest(self) -> Manifest:
        return self.manifests[self.head]

    # Rows

    @cached_property
    def rows(self) -> dict[str, ChunkRow]:
        """Chunk id -> row of the head."""
        with Catalog(self.layout.catalog) as catalog:
            return {fact.id: fact.noun(ChunkRow) for fact in catalog.facts("chunks", self.head)}

    @cached_property
    def edges(self) -> list[Edge]:
        """The head's links and asserted relations."""
        with Catalog(self.layout.catalog) as catalog:
            return [fact.noun(Edge) for fact in catalog.facts("edges", self.head)]

    def row(self, text: str) -> ChunkRow:
        """Return the row that says `text`."""
        (found,) = (row for row in self.rows.values() if text in row.text)
        return found

    # Builds

    def build(self, kind: IndexKind, generation: int | None = None) -> Path:
        return self.layout.build(self.manifests[generation or self.head].build(kind))

    def vectors(self, chunks: Sequence[str]) -> list[NDArray[np.float32]]:
        """Return the vectors that the index holds."""
        from indexes.vector.format import point_id
        from indexes.vector.shard import Shard

        shard = Shard.open_sealed(self.build("vector") / "shard")
        held = {point.id: np.asarray(point.vector, np.float32) for point in shard.points()}
        shard.close()
        return [held[point_id(chunk)] for chunk in chunks]

    def rewrite(
        self, kind: IndexKind, rows: Sequence[ChunkRow] = (), removed: Iterable[str] = (), *, edges: Sequence[Edge] = (),
        removed_edges: Iterable[str] = (), vectors: Sequence[NDArray[np.float32]] | None = None,
    ) -> None:
        """Write rows and edges into a build of the head with the index's own writer, keeping its name and stamp.

        A row goes in as it is, whether or not its checksum still says so. Vectors are kept unless given."""
        base = self.build(kind)
        made, lost = self.layout.folder / "made", frozenset(removed)
        if kind == "vector":
            from indexes.vector.writer import VectorWriter

            held = self.vectors([row.chunk_id for row in rows]) if vectors is None else vectors
            pairs = [RowVector(row, vector) for row, vector in zip(rows, held, strict=True)]
            dimensions = json.loads((base / "vector.json").read_bytes())["dimensions"]
            VectorWriter().write(base, VectorDelta(pairs, len(pairs), lost, dimensions), made, Silent())
        elif kind == "bm25":
            from indexes.bm25.writer import Bm25Writer

            Bm25Writer().write(base, Bm25Delta(rows, len(rows), lost), made, Silent())
        else:
            from indexes.graph.writer import GraphWriter

            delta = GraphDelta(rows, len(rows), lost, edges, frozenset(removed_edges))
            GraphWriter().write(base, delta, made, Silent())
        shutil.copyfile(base / STAMP, made / STAMP)
        self.put(kind, made)

    def put(self, kind: IndexKind, folder: Path) -> None:
        """Move a folder to where the head's build lies."""
        shutil.rmtree(self.build(kind))
        folder.rename(self.build(kind))

    def vouch(self, *kinds: IndexKind) -> None:
        """Write stamps and file hashes of the head's builds anew, as if what lies there had been published."""
        for kind in kinds:
            build = self.manifest.build(kind)
            write_stamp(self.layout.build(build), build)
            for generation in self.manifests:
                path, key = self.layout.files(generation), f"{kind}/{build.id}"
                files = json.loads(path.read_bytes())
                if key in files:
                    files[key] = hash_files(self.layout.build(build))
                    path.write_bytes(canonical(files))

    # Catalog and cache

    @contextmanager
    def catalog(self) -> Iterator[sqlite3.Connection]:
        with _database(self.layout.catalog) as database:
            yield database

    @contextmanager
    def cache(self) -> Iterator[sqlite3.Connection]:
        with _database(self.layout.cache) as database:
            yield database

    def write_row(self, chunk: str, row: ChunkRow, *, checksum: bool) -> None:
        """Replace the head's row of `chunk` in the catalog; `checksum`: its column too, so that the fact agrees with itself."""
        self.write_fact("chunks", chunk, orjson.dumps(row), row.row_checksum if checksum else None)

    def write_fact(self, table: str, id: str, payload: bytes, checksum: str | None = None) -> None:
        """Replace the payload of a fact of the head, and its checksum where one is given."""
        change = "payload = ?" if checksum is None else "payload = ?, checksum = ?"
        values = (payload,) if checksum is None else (payload, checksum)
        with self.catalog() as database:
            done = database.execute(f"update {table} set {change} where id = ? and gen_to is null", (*values, id))
            assert done.rowcount == 1, f"{table} {id}"

    def fact(self, table: str, containing: str) -> tuple[str, dict[str, Any], str]:
        """Return id, payload and owner of the first fact of the head whose payload contains a text."""
        with self.catalog() as database:
            found = database.execute(
                f"select id, payload, source_id from {table} where gen_to is null and instr(payload, ?) order by id",
                (containing.encode(),),
            ).fetchone()
        return found[0], json.loads(found[1]), found[2]

    def confirm(self) -> None:
        """Write both copies of the head's manifest anew with the digests of the catalog as it is now."""
        with Catalog(self.layout.catalog) as catalog:
            digests = {table: str(SetDigest.of(catalog.pairs(table, self.head))) for table in FACTS}
        self.write_manifest(resnapped(replace(self.manifest, catalog=digests)))

    def write_manifest(self, manifest: Manifest, *, file: bool = True, catalog: bool = True) -> None:
        if file:
            self.layout.manifest(self.head).write_bytes(canonical(manifest))
        if catalog:
            with self.catalog() as database:
                database.execute(
                    "update generations set manifest = ? where generation = ?", (orjson.dumps(manifest).decode(), self.head)
                )
        self.manifests[self.head] = manifest


def resnapped(manifest: Manifest) -> Manifest:
    """Return the manifest with the snapshot digest of what it says."""
    digest = snapshot_digest(manifest.catalog, manifest.registry, manifest.settings, manifest.fingerprints)
    return replace(manifest, snapshot=digest)


@contextmanager
def _database(path: Path) -> Iterator[sqlite3.Connection]:
    database = sqlite3.connect(path)
    try:
        with database:
            yield database
        database.execute("pragma wal_checkpoint(truncate)")
    finally:
        database.close()
