"""A generation on its way to another machine: out of one knowledge base as a file, into a new one.

An archive knows its roots by name only. Where they are on the machine that it comes to is said there, by the first `run` or
`check` that names a folder; documents that are the same then are the same sources, and nothing is read into the base twice.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from flows.base import Base
from flows.opening import reading, writing
from flows.pipeline import engine_of
from flows.placing import at, backend_of
from flows.reviewed import registry_of
from indexes.generation.archive import CachedVectors, write_archive
from indexes.generation.arrival import Described, builds, describe, facts, refuse_foreign, vectors
from indexes.generation.container import Unpacking, packing, unpacking
from indexes.generation.kinds import reading_kinds
from indexes.generation.prove import prove
from indexes.generation.prune import abandon, prune_published, recover
from indexes.generation.publish import publish
from ingest.embed.batches import STAGE
from ingest.errors import ConcordError, Inconsistent, KnowledgeBaseMissing, LeaseHeld, UsageError
from ingest.model.generation import Manifest
from ingest.model.source import Root
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.steps import reached
from ingest.store.cache import Cache
from ingest.store.layout import Layout, layout_of
from ingest.store.lease import lease
from ingest.store.opening import has_catalog, open_catalog

_HASHED_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Exported:
    """An archive as written. `sha256` is of the file; `vectors` how many cached ones are in it."""

    generation: int
    snapshot: str
    file: str
    bytes: int
    sha256: str
    documents: int
    chunks: int
    vectors: int


@dataclass(frozen=True, slots=True)
class Imported:
    """What came out of an archive. `roots`: those whose folders are to be named here. `warnings`: what here differs from where
    it was made, so that a `run` would do work again, or a search could not be answered."""

    generation: int
    snapshot: str
    kb: str
    documents: int
    chunks: int
    vectors: int
    roots: tuple[str, ...]
    warnings: tuple[str, ...]


def send(settings: Settings, file: Path, generation: int | None, progress: Progress, *, with_cache: bool = False) -> Exported:
    """Write one generation, the head or an older one, as an archive. Readers, runs and pruning go on meanwhile.

    Raises KnowledgeBaseMissing, NotFound, UsageError, Inconsistent, StorageFailed; then there is no file, or the one before."""
    layout = layout_of(settings)
    with reading(settings, generation) as snapshot:
        _refuse_inside(layout, file)
        _refuse_on_server(snapshot.manifest)
        with _cached(layout, snapshot.manifest) as cached, packing(file) as pack:
            count = write_archive(pack, snapshot, progress, cached if with_cache else None)
        manifest = snapshot.manifest
    return Exported(
        manifest.generation, manifest.snapshot, str(file), file.stat().st_size, _sha256(file),
        _count(manifest, "sources"), _count(manifest, "chunks"), count,
    )


def _refuse_inside(layout: Layout, file: Path) -> None:
    if layout.folder.resolve() in file.resolve().parents:
        raise UsageError(f"{file} is inside the knowledge base {layout.folder}; name a place outside of it")


def _refuse_on_server(manifest: Manifest) -> None:
    if backend_of(manifest) == "qdrant":
        raise UsageError(
            f"the indexes of generation {manifest.generation} are on a Qdrant server, and an archive is made of files; move them "
            "into files first: ingest move --to embedded"
        )


@contextmanager
def _cached(layout: Layout, manifest: Manifest) -> Iterator[CachedVectors]:
    """What looks vectors up in the cache, as far as there is one."""
    if not layout.cache.exists():
        yield lambda keys: {}
        return
    cache = Cache(layout.cache)
    try:
        yield lambda keys: cache.get_many(_stage(manifest), keys)
    finally:
        cache.close()


def _stage(manifest: Manifest) -> str:
    return f"{STAGE}:{manifest.fingerprints['embed']}"


def _sha256(file: Path) -> str:
    digest = hashlib.sha256()
    with file.open("rb") as opened:
        while block := opened.read(_HASHED_AT_ONCE):
            digest.update(block)
    return digest.hexdigest()


def _count(manifest: Manifest, table: str) -> int:
    return int(manifest.catalog[table].partition(":")[0])


def receive(settings: Settings, file: Path, progress: Progress) -> Imported:
    """Make a knowledge base of an archive, which keeps its generation's number, snapshot digest and answers.

    The folder must not have a published generation. Nothing is visible before everything was proven; on any failure what was
    made for it is removed again, and when the process is killed the next writer recovers. Raises UsageError, ArchiveCorrupt,
    EngineUnavailable, LeaseHeld, StorageFailed."""
    from flows.reporting.others import publish_told

    limit = settings.generations.max_import_bytes
    layout = layout_of(settings)
    _refuse_published(layout)
    with unpacking(file, limit) as pack:  # what can be refused at once is refused before a folder is made
        refuse_foreign(*_foreign(settings, describe(pack)))
    with _from_nothing(settings, layout) as base, unpacking(file, limit) as pack:
        described = describe(pack)
        refuse_foreign(*_foreign(settings, described))
        roots, count = _staged(base, pack, described, progress)
        publish_told(base, "import", f"from {file.name}", progress)
        prune_published(layout, base.catalog, settings.generations.keep, progress)  # nothing yet, but what was staging goes
    return _imported(settings, described.manifest, roots, count)


def _foreign(settings: Settings, described: Described) -> tuple[Manifest, tuple[Any, ...]]:
    manifest = described.manifest
    return manifest, reading_kinds(at(settings, "embedded"), manifest.fingerprints["embed"])


def _staged(base: Base, pack: Unpacking, described: Described, progress: Progress) -> tuple[list[str], int]:
    """Stage everything, prove it, publish it. Returns the roots and the number of vectors."""
    layout, catalog, manifest = base.layout, base.catalog, described.manifest
    times = described.head.published_at, described.head.confirmed_at
    with catalog.staging(manifest.generation, "import", since=times) as stage:
        roots = facts(pack, manifest, stage, progress)
    staged = builds(pack, described, layout, progress)
    indexes = reading_kinds(at(base.settings, "embedded"), manifest.fingerprints["embed"])
    try:
        prove(staged, indexes, progress)
    except Inconsistent as error:
        raise pack.corrupt(f"an index in it is not what its manifest says ({error})") from error
    count = 0
    reader = next(kind for kind in indexes if kind.name == "vector").open(staged[0].path)
    try:
        for batch in vectors(pack, described, catalog, reader.contents, progress):
            base.cache.put_many(_stage(manifest), batch)
            reached("vectors kept")
            count += len(batch)
    finally:
        reader.close()
    pack.finish()
    placed = catalog.roots()
    for root in roots:
        if root not in placed:
            catalog.put_root(Root(root, ""))
    publish(layout, catalog, manifest, staged)
    return roots, count


def _refuse_published(layout: Layout) -> None:
    if not has_catalog(layout):
        return
    try:
        with open_catalog(layout) as catalog:
            head = catalog.head()
    except KnowledgeBaseMissing:
        return
    if head:
        raise UsageError(
            f"{layout.folder} holds a knowledge base already (generation {head}); an archive becomes one of its own: name a new "
            "folder with --kb, or remove that one first"
        )


@contextmanager
def _from_nothing(settings: Settings, layout: Layout) -> Iterator[Base]:
    """As `writing`, for a base without a generation; where it comes to nothing, what was made for it goes again."""
    begun, cache = has_catalog(layout), layout.cache.parent.exists()
    try:
        with writing(settings, create=True) as base:
            _refuse_published(layout)  # another import may have been faster
            try:
                yield base
            except BaseException:
                with suppress(ConcordError):
                    recover(layout, base.catalog)
                raise
    except LeaseHeld:
        raise
    except BaseException:
        if not begun:
            _abandoned(layout, cache=not cache)
        raise


def _abandoned(layout: Layout, *, cache: bool) -> None:
    """Remove a base that was made for an import which failed, unless it is somebody else's by now."""
    if not layout.folder.exists():
        return
    with suppress(ConcordError), lease(layout):  # whoever holds it goes on from where this stopped
        _refuse_published(layout)
        abandon(layout, cache=cache)


def _imported(settings: Settings, manifest: Manifest, roots: list[str], count: int) -> Imported:
    return Imported(
        manifest.generation, manifest.snapshot, str(settings.kb), _count(manifest, "sources"), _count(manifest, "chunks"), count,
        tuple(roots), tuple(_warnings(settings, manifest)),
    )


def _warnings(settings: Settings, manifest: Manifest) -> Iterator[str]:
    try:
        choice = engine_of(settings, manifest, re_engine=False)
        made_by = manifest.fingerprints["embed"]
        if choice.fingerprint != made_by:
            yield f"embed.engine is {choice.engine} here, the vectors were made by {made_by}; a run embeds everything anew"
    except ConcordError as error:
        yield f"{error} (until then, search with --mode bm25)"
    differing = [part for part, digest in settings.shape_digests().items() if manifest.settings.get(part) != digest]
    if differing:
        yield f"settings of {', '.join(differing)} are not those it was made with; a run does again what they shape"
    try:
        registry = registry_of(settings)
        if registry.digest() != manifest.registry:
            yield "the registry's seeds are not those it was made with (setting entities.seeds); a run takes those that are here"
    except ConcordError as error:
        yield str(error)
