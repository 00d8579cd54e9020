"""Do the published indexes hold what they claim? Nothing is changed here.

Per generation: the manifest on disk against the catalog's, stamps, the hash of every sealed file, the catalog's facts against
the manifest's digests, and what each index actually holds against both, row by row where the digests differ.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from indexes.generation.kinds import open_kind
from indexes.generation.publish import files_of
from indexes.generation.seal import hash_files
from indexes.generation.snapshot import check_stamps
from ingest.errors import Inconsistent, NotFound
from ingest.model.canonical import SetDigest, digest_of
from ingest.model.generation import Build, Manifest
from ingest.model.row import ChunkRow, resealed
from ingest.model.source import SourceRecord
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.catalog import FACTS, Catalog, Fact
from ingest.store.layout import Layout
from ingest.store.lease import share

_NAMED_AT_MOST = 20


@dataclass(frozen=True, slots=True)
class Drift:
    """Something that is not as published. `kind`: lost, ghost, altered, torn file, wrong build, catalog, edges."""

    kind: str
    where: str
    detail: str
    ids: tuple[str, ...] = ()


def verify(layout: Layout, catalog: Catalog, settings: Settings, manifest: Manifest, progress: Progress) -> list[Drift]:
    """Return everything that drifted in one generation, empty when it is as published.

    It is kept from being pruned meanwhile. Raises NotFound when that has begun."""
    lock = share(layout.reader_lock(manifest.generation))
    try:
        if lock is None and layout.reader_lock(manifest.generation).exists():
            raise NotFound(f"generation {manifest.generation} is being pruned; `ingest snapshots list` shows those that are kept")
        catalog.published(manifest.generation)
        return _drift(layout, catalog, settings, manifest, progress)
    finally:
        if lock is not None:
            os.close(lock)


def _drift(layout: Layout, catalog: Catalog, settings: Settings, manifest: Manifest, progress: Progress) -> list[Drift]:
    steps: list[Callable[[], Iterator[Drift]]] = [
        lambda: _stamps(layout, manifest),
        lambda: _catalog(catalog, manifest),
        *(lambda build=build: _build(layout, catalog, settings, manifest, build) for build in manifest.builds),
    ]
    progress.start("verify", len(steps), "checks")
    found: list[Drift] = []
    for step in steps:
        found.extend(step())
        progress.advance("verify")
    progress.finish("verify")
    return found


def _stamps(layout: Layout, manifest: Manifest) -> Iterator[Drift]:
    try:
        check_stamps(layout, manifest)
    except Inconsistent as error:
        yield Drift("wrong build", f"generation {manifest.generation}", str(error))


def _catalog(catalog: Catalog, manifest: Manifest) -> Iterator[Drift]:
    for table in FACTS:
        held, altered = SetDigest(), []
        for fact in catalog.facts(table, manifest.generation):
            held.add(fact.id, fact.checksum)
            if not _is_as_written(table, fact):
                altered.append(fact.id)
        if str(held) != manifest.catalog[table]:
            yield Drift("catalog", table, f"the catalog holds {held}, the manifest says {manifest.catalog[table]}")
        if altered:
            named = tuple(sorted(altered)[:_NAMED_AT_MOST])
            yield Drift("catalog", table, f"{len(altered)} facts are not what their checksums say", named)


def _is_as_written(table: str, fact: Fact) -> bool:
    """Whether a fact's checksum, derived anew from its payload, is the one it was stored with."""
    try:
        if table == "sources":
            return fact.noun(SourceRecord).digest() == fact.checksum
        if table != "chunks":
            payload = json.loads(fact.payload)
            return digest_of(payload["mentions"] if table == "mentions" else payload) == fact.checksum
        row = fact.noun(ChunkRow)
    except (ValueError, KeyError, TypeError, Inconsistent):
        return False
    return resealed(row) == row and (row.chunk_id, row.source_id, row.row_checksum) == (fact.id, fact.source_id, fact.checksum)


def _build(layout: Layout, catalog: Catalog, settings: Settings, manifest: Manifest, build: Build) -> Iterator[Drift]:
    """A build with a torn file is not opened: engines mend in place what they find damaged, or die of it."""
    torn = list(_files(layout, manifest, build))
    yield from torn or _held(layout, catalog, settings, manifest, build)


def _files(layout: Layout, manifest: Manifest, build: Build) -> Iterator[Drift]:
    expected = files_of(layout, [manifest.generation], build)
    if expected is None:
        yield Drift("torn file", f"generation {manifest.generation}", f"files.json does not list {build.kind}/{build.id}")
        return
    try:
        present = hash_files(layout.build(build)) if layout.build(build).is_dir() else {}
    except OSError as error:
        yield Drift("torn file", f"{build.kind}/{build.id}", f"it cannot be read: {error.filename}: {error.strerror}")
        return
    for name in sorted(expected.keys() | present.keys()):
        if name not in present:
            yield Drift("torn file", f"{build.kind}/{build.id}/{name}", "the file is missing")
        elif name not in expected:
            yield Drift("torn file", f"{build.kind}/{build.id}/{name}", "the file was not there when it was published")
        elif present[name] != expected[name]:
            yield Drift("torn file", f"{build.kind}/{build.id}/{name}", "the content is not what was published")


def _held(layout: Layout, catalog: Catalog, settings: Settings, manifest: Manifest, build: Build) -> Iterator[Drift]:
    try:
        reader = open_kind(build.kind, layout.build(build), settings)
    except Inconsistent as error:
        yield Drift("torn file", f"{build.kind}/{build.id}", str(error))
        return
    try:
        held = dict(reader.pairs())
        if str(SetDigest.of(held.items())) != build.rows:
            yield from _rows(build, held, dict(catalog.pairs("chunks", manifest.generation)))
        if build.kind == "graph":
            yield from _edges(reader, build)
    except Inconsistent as error:
        yield Drift("torn file", f"{build.kind}/{build.id}", str(error))
    finally:
        reader.close()


def _rows(build: Build, held: dict[str, str], wanted: dict[str, str]) -> Iterator[Drift]:
    groups = {
        "lost": [chunk for chunk in wanted if chunk not in held],
        "ghost": [chunk for chunk in held if chunk not in wanted],
        "altered": [chunk for chunk in wanted if chunk in held and held[chunk] != wanted[chunk]],
    }
    for kind, ids in groups.items():
        if ids:
            yield Drift(kind, build.kind, f"{len(ids)} rows", tuple(sorted(ids)[:_NAMED_AT_MOST]))
    if not any(groups.values()):
        yield Drift("wrong build", build.kind, "the rows equal the catalog's but not the digest that the manifest names")


def _edges(reader: Any, build: Build) -> Iterator[Drift]:
    stored = str(SetDigest.of((edge, edge) for edge in reader.edge_ids()))
    derived = str(SetDigest.of((edge.edge_id, edge.edge_id) for edge in reader.edges()))
    if not stored == derived == build.edges:
        yield Drift("edges", build.kind, f"stored {stored}, re-derived {derived}, published {build.edges}")
