"""A reader's view: one generation, pinned. Nothing of another generation can enter an answer made from it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock, RLock
from typing import Any, TypeVar

from indexes.generation.kinds import open_kind
from indexes.generation.seal import carries
from ingest.errors import BuildCorrupt, NotFound, VersionMismatch
from ingest.model.canonical import canonical
from ingest.model.codec import decode
from ingest.model.generation import INDEX_KINDS, IndexKind, Manifest
from ingest.protocols import Bm25Reader, GraphReader, VectorReader
from ingest.settings import Bm25Part, Settings
from ingest.store.catalog import Catalog, Published
from ingest.store.layout import Layout
from ingest.store.lease import Shared, share_generation

T = TypeVar("T")

_WHILE_PRUNED = 0.01
"""Seconds between two looks at a generation that is being pruned; pruning one takes milliseconds."""


@dataclass(slots=True)
class Snapshot:
    """One published generation with its three readers, opened when first used. Threads may share one. Close it: that lets
    prune go on."""

    layout: Layout
    catalog: Catalog
    settings: Settings
    manifest: Manifest
    _lock: Shared
    _readers: dict[str, Any] = field(default_factory=dict)
    _opening: Lock = field(default_factory=Lock)
    _kept: dict[str, Any] = field(default_factory=dict)
    _keeping: RLock = field(default_factory=RLock)

    @property
    def generation(self) -> int:
        return self.manifest.generation

    @property
    def vector(self) -> VectorReader:
        reader: VectorReader = self._reader("vector")
        return reader

    @property
    def bm25(self) -> Bm25Reader:
        reader: Bm25Reader = self._reader("bm25")
        return reader

    @property
    def graph(self) -> GraphReader:
        reader: GraphReader = self._reader("graph")
        return reader

    def _reader(self, kind: IndexKind) -> Any:
        if kind not in self._readers:
            with self._opening:  # twenty threads that ask at once must not take twenty times the memory
                if kind not in self._readers:
                    self._readers[kind] = open_kind(kind, self.layout.build(self.manifest.build(kind)), self._as_published())
        return self._readers[kind]

    def kept(self, name: str, make: Callable[[], T]) -> T:
        """Return what `make` makes of this generation, made once: it lasts as long as the snapshot is open. It must hold for
        every caller: what depends on who asks is no part of it."""
        if name not in self._kept:
            with self._keeping:
                if name not in self._kept:
                    self._kept[name] = make()
        kept: T = self._kept[name]
        return kept

    def _as_published(self) -> Settings:
        """The settings, with the scoring that the generation was published with: one digest gives one answer, whoever asks."""
        return self.settings.model_copy(update={"bm25": Bm25Part(**self.manifest.scoring)})

    def is_pinned(self) -> bool:
        """Whether the generation still is kept from being pruned: a server that has the catalog can forget that it is."""
        return self._lock.is_held()

    def close(self) -> None:
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()
        self._kept.clear()
        self._lock.close()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def pin(layout: Layout, catalog: Catalog, settings: Settings, generation: int | None = None) -> Snapshot:
    """Pin the head, or an older generation that is kept, and check that its builds carry their stamps.

    Raises KnowledgeBaseMissing (nothing published), NotFound (not kept), VersionMismatch, BuildCorrupt.
    """
    while True:
        head = catalog.served()
        wanted = head if generation is None else generation
        try:
            pinned = _pinned(layout, catalog, wanted)
        except NotFound:
            if generation is None and catalog.head() != head:
                continue  # the head moved on and this one was pruned, all between two looks
            raise
        if pinned is not None:
            return Snapshot(layout, catalog, settings, *pinned)
        time.sleep(_WHILE_PRUNED)


def _pinned(layout: Layout, catalog: Catalog, generation: int) -> tuple[Manifest, Shared] | None:
    """Share a generation's lock; return its manifest and the lock. None: somebody is pruning it, and it is soon not listed."""
    manifest = catalog.published(generation).manifest
    lock = share_generation(layout, generation)
    if lock is None:
        if layout.reader_lock(generation).exists():
            return None
        catalog.published(generation)  # raises NotFound when it was pruned meanwhile
        raise BuildCorrupt(f"generation {generation} is listed but its folder is missing; run: ingest verify")
    try:
        catalog.published(generation)  # the re-check: pruning takes the lock alone before it stops listing
        check_stamps(layout, manifest)
    except BaseException:
        lock.close()
        raise
    return manifest, lock


@contextmanager
def head_held(catalog: Catalog, layout: Layout) -> Iterator[Published]:
    """Yield the head as the catalog lists it, kept from being pruned meanwhile, in whatever state its files are.

    Raises KnowledgeBaseMissing (nothing published), NotFound (the head is not listed)."""
    while True:
        head = catalog.served()
        lock = share_generation(layout, head)
        if lock is None and layout.reader_lock(head).exists():  # being pruned, so the head has moved on
            time.sleep(_WHILE_PRUNED)
            continue
        try:
            try:
                published = catalog.published(head)
            except NotFound:
                if catalog.head() != head:
                    continue
                raise
            yield published
            return
        finally:
            if lock is not None:
                lock.close()


@contextmanager
def held(catalog: Catalog, layout: Layout, generation: int) -> Iterator[Published]:
    """Yield a generation as the catalog lists it, kept from being pruned meanwhile, in whatever state its files are.

    Raises NotFound when it is not kept, or no longer."""
    catalog.published(generation)
    lock = share_generation(layout, generation)
    try:
        if lock is None and layout.reader_lock(generation).exists():
            raise NotFound(f"generation {generation} is being pruned; `ingest snapshots list` shows those that are kept")
        yield catalog.published(generation)
    finally:
        if lock is not None:
            lock.close()


def check_stamps(layout: Layout, manifest: Manifest) -> None:
    """Raise VersionMismatch unless the manifest on disk and every build are the ones that the catalog names."""
    check_manifest(layout, manifest)
    for kind in INDEX_KINDS:
        check_stamp(layout, manifest, kind)


def check_manifest(layout: Layout, manifest: Manifest) -> None:
    """Raise VersionMismatch unless the manifest on disk is the one that the catalog published."""
    path = layout.manifest(manifest.generation)
    try:
        on_disk = json.loads(path.read_bytes())
    except (OSError, ValueError) as error:
        raise BuildCorrupt(f"{path} cannot be read ({error}); run: ingest verify") from error
    if not _says(on_disk, manifest):
        raise VersionMismatch(f"{path} is not the manifest that the catalog published; run: ingest verify")


def _says(on_disk: Any, manifest: Manifest) -> bool:
    """Whether a manifest's file says the same. Compared as decoded: one from before a key was added lacks that key."""
    try:
        return canonical(decode(Manifest, on_disk)) == canonical(manifest)
    except (TypeError, ValueError, LookupError):
        return False


def check_stamp(layout: Layout, manifest: Manifest, kind: IndexKind) -> None:
    """Raise VersionMismatch unless a build carries the stamp that the catalog names."""
    build = manifest.build(kind)
    if not carries(layout.build(build), build):
        raise VersionMismatch(
            f"the {kind} build {build.id} of generation {manifest.generation} carries another stamp; run: ingest verify"
        )
