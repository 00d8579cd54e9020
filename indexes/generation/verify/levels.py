"""Do the published indexes hold what they claim? The order of looking, and how far it goes.

    default   both manifests, stamps, every byte of every build, every fact's checksum anew, digests of catalog and indexes
    deep      and the stored content of every row, the graph's arrays, facts against one another, the cache, a sample of vectors

Nothing is changed. A build with a torn file is not opened: engines mend in place what they find damaged, or die of it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from indexes.generation.kinds import open_as_is
from indexes.generation.verify.agreement import agreement
from indexes.generation.verify.cached import damaged_entries
from indexes.generation.verify.contents import deep
from indexes.generation.verify.facts import Table, examined, explained
from indexes.generation.verify.files import torn
from indexes.generation.verify.findings import TORN_FILE, Drift
from indexes.generation.verify.held import BROKEN, Held, edges, rows
from indexes.generation.verify.naming import with_documents
from indexes.generation.verify.records import Others, carries_another, check_records, others_of, stamp_drift
from indexes.generation.verify.structure import structure
from indexes.generation.verify.vectors import Embeddings
from ingest.errors import NotFound, StorageFailed
from ingest.model.generation import Build, Manifest
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.cache import Cache
from ingest.store.catalog import Catalog
from ingest.store.layout import Layout
from ingest.store.lease import share_generation

SAMPLE = 64


@dataclass(frozen=True, slots=True)
class Level:
    """How far verifying goes. `sample`: how many rows `deep` embeds anew; `every`: all of them."""

    deep: bool = False
    sample: int = SAMPLE
    every: bool = False


DEFAULT = Level()


def verify(
    layout: Layout, catalog: Catalog, settings: Settings, manifest: Manifest, progress: Progress, *, level: Level = DEFAULT,
    embeddings: Embeddings | None = None, cache: Cache | None = None,
) -> list[Drift]:
    """Return everything that drifted in one generation, and what could not be told; empty when it is as published.

    `manifest` is what the generation is (see `records.settled`). `embeddings` and `cache` are for `deep`. The generation is kept
    from being pruned meanwhile. Raises NotFound when that has begun."""
    lock = share_generation(layout, manifest.generation)
    try:
        if lock is None and layout.reader_lock(manifest.generation).exists():
            raise NotFound(f"generation {manifest.generation} is being pruned; `ingest snapshots list` shows those that are kept")
        looking = _Looking(layout, catalog, settings, manifest, progress, level, embeddings, cache)
        try:
            found = list(looking.all())
            return with_documents(catalog, manifest.generation, found, looking.opened)
        except StorageFailed as error:
            if not error.of_catalog:
                raise
            return [Drift(TORN_FILE, layout.catalog_name, str(error))]
        finally:
            looking.close()
    finally:
        if lock is not None:
            lock.close()


@dataclass(slots=True)
class _Looking:
    """One look at a generation: what it is given, and what it has open."""

    layout: Layout
    catalog: Catalog
    settings: Settings
    manifest: Manifest
    progress: Progress
    level: Level
    embeddings: Embeddings | None
    cache: Cache | None
    opened: list[Held] = field(default_factory=list)

    def all(self) -> Iterator[Drift]:
        yield from check_records(self.layout, self.catalog, self.manifest)
        # Answers come through the database's indexes too: one that lost a row hides it from `show`, whatever the tables say.
        # It looks in a thread of its own, which takes a third off the whole where there are two cores.
        with ThreadPoolExecutor(1) as beside:
            faults = beside.submit(self.catalog.faults)
            tables = yield from self._at_rest()
            yield from (Drift(TORN_FILE, self.layout.catalog_name, fault) for fault in faults.result())
        if self.level.deep:
            yield from self._deep(tables)
        else:
            yield from self._doubtful(tables)

    def _at_rest(self) -> Generator[Drift, None, dict[str, Table]]:
        """Facts, files, and the sets of what is held. Returns the catalog's tables."""
        tables = examined(self.catalog, self.manifest, self.progress)
        others = others_of(self.catalog, self.manifest)
        self.progress.start("verify", len(self.manifest.builds), "indexes")
        for build in self.manifest.builds:
            yield from self._build(build, others)
            self.progress.advance("verify")
        self.progress.finish("verify")
        yield from explained(self.catalog, self.manifest, tables)
        yield from rows(self.catalog, self.manifest, tables["chunks"], self.opened, others.rows)
        yield from edges(self.catalog, self.manifest, tables, self._graph)
        return tables

    @property
    def _graph(self) -> Held | None:
        return next((held for held in self.opened if held.kind == "graph"), None)

    def _build(self, build: Build, others: Others) -> Iterator[Drift]:
        """Look at stamp and files of a build; open it where every byte is as published."""
        stamp = stamp_drift(self.layout, build, others.builds)
        damage = list(torn(self.layout, self.manifest, build))
        if stamp is not None:
            yield stamp
        if damage:
            if stamp is None or not carries_another(self.layout, build):  # of another build all files differ, of course
                yield from damage
            return
        try:
            reader = open_as_is(build.kind, self.layout.build(build), self.settings)
        except BROKEN as error:
            yield Drift(TORN_FILE, f"{build.kind}/{build.id}", str(error))
            return
        held = Held(build, reader)
        try:
            held.look()
        except BROKEN as error:
            reader.close()
            yield Drift(TORN_FILE, held.where, str(error))
            return
        yield from held.notes
        self.opened.append(held)

    def _doubtful(self, tables: dict[str, Table]) -> Iterator[Drift]:
        """The rows of indexes that do not agree with themselves, as deep as there is; the sample is for who asks for it."""
        doubtful = [held for held in self.opened if held.doubtful]
        if doubtful:
            yield from deep(
                self.catalog, self.manifest, tables["chunks"], doubtful, self.embeddings, 0, self.progress, edges_told=False
            )

    def _deep(self, tables: dict[str, Table]) -> Iterator[Drift]:
        yield from agreement(self.catalog, self.manifest, tables)
        arrays = [] if self._graph is None else list(structure(self._graph))
        yield from arrays
        yield from deep(
            self.catalog, self.manifest, tables["chunks"], self.opened, self.embeddings,
            None if self.level.every else self.level.sample, self.progress, edges_told=bool(arrays),
        )
        if self.cache is not None:
            yield from damaged_entries(self.cache, self.progress)

    def close(self) -> None:
        for held in self.opened:
            held.reader.close()
