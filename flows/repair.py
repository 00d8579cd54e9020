"""What drifted is made anew, as one more generation, and proven: the same content, the same snapshot.

Indexes are built from the catalog. What the catalog itself no longer holds as published is read from the sources again
(`flows.regain`). Its own records come back from the manifests on disk, and damaged cache entries are dropped. Nothing is made up:
what none of them can give back is named, and is served no more.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from entities.mentions.recogniser import Recogniser
from flows.base import Base
from flows.commit import commit
from flows.opening import writing
from flows.pipeline import engine_of
from flows.regain import Loss, regain
from flows.reviewed import registry_of
from flows.shape import Shape, shape_of
from flows.verifying import as_recorded, verified
from indexes.generation.kinds import dimensions_of
from indexes.generation.verify import Drift, Level
from indexes.generation.verify.findings import CACHE_ENTRY, RECORD, TORN_FILE
from indexes.generation.verify.levels import DEFAULT
from indexes.generation.verify.records import UNLISTED, head_of, readable, said_head, settled, unlisted
from ingest.embed.engine import Choice
from ingest.errors import EngineUnavailable, Inconsistent, SettingsInvalid, StorageFailed
from ingest.model.generation import INDEX_KINDS, Manifest
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.cache import Cache
from ingest.store.catalog import Catalog
from ingest.store.layout import Layout, layout_of
from ingest.store.lease import lease
from ingest.store.opening import open_catalog


@dataclass(slots=True)
class Mended:
    """What was repaired, and what could not be."""

    repaired: list[Drift] = field(default_factory=list)
    left: list[Loss] = field(default_factory=list)


def mend(settings: Settings, progress: Progress, level: Level = DEFAULT) -> Mended:
    """Repair whatever verifying the head at `level` finds.

    Raises as `flows.pipeline.run`; EngineUnavailable also where other vectors would be made than those of the head.
    """
    mended = Mended()
    try:
        _mend(settings, progress, level, mended)
    except StorageFailed as error:
        if not error.of_catalog:
            raise
        layout = layout_of(settings)
        mended.left.append(Loss(layout.catalog_name, f"it is damaged ({error})", _anew(layout)))
    return mended


def _mend(settings: Settings, progress: Progress, level: Level, mended: Mended) -> None:
    _records(settings, mended)
    with writing(settings) as base:
        head = base.catalog.served()
        previous = settled(base.layout, base.catalog, head)
        found = [item for item in verified(base.layout, base.catalog, base.settings, previous, progress, level) if item.told]
        cached, rest = [item for item in found if item.kind == CACHE_ENTRY], [item for item in found if item.kind != CACHE_ENTRY]
        if cached:
            _drop(base.cache, cached)
            mended.repaired += cached
        if rest:
            _rebuild(base, previous, rest, mended, progress)


def _rebuild(base: Base, previous: Manifest, found: list[Drift], mended: Mended, progress: Progress) -> None:
    from flows.reporting.documents import Moves
    from flows.reporting.others import publish_told

    if any((item.kind, item.where) == (TORN_FILE, base.layout.catalog_name) for item in found):
        base.catalog.reindex()
    # What could be given back of the records has been. Where neither copy follows from itself, nothing that they say is a
    # measure, and nothing counts but what the sources give under settings that are those of now.
    measure = not any(item.kind == RECORD for item in found)
    lost_record = Loss(
        f"the record of generation {previous.generation}", "neither of its copies follows from itself", _anew(base.layout)
    )
    shape = Shape.recorded(previous) if measure else _present(base, previous)
    if shape is None:
        mended.left.append(lost_record)
        return
    anew: frozenset[str] = frozenset(kind for kind in INDEX_KINDS if any(item.where.partition("/")[0] == kind for item in found))
    generation = previous.generation + 1
    regained = not measure or any(item.where.startswith("catalog/") for item in found)
    if regained:
        losses, staged = regain(base, previous, found, generation, progress, measure=measure)
        mended.left += losses
        if not staged:
            mended.left += [] if measure else [lost_record]
            return
        if losses or not measure:  # rows that the catalog lost for good are in the builds still, and no delta would take them out
            anew = frozenset(INDEX_KINDS)
    else:
        with base.catalog.staging(generation, "repair"):
            pass  # not a fact differs
    choice = _choice(base, previous, anew)
    moves = Moves.of(base.catalog, generation)
    committed = commit(base, generation, previous, choice, shape, progress, anew=anew, recount=regained)
    note = f"of what verifying generation {previous.generation} found"
    left = tuple(f"{loss.what}: {loss.why}; {loss.remedy}" for loss in mended.left)
    publish_told(base, "repair", note, progress, moves=moves, committed=committed, warnings=left)
    lost = {loss.what for loss in mended.left}
    mended.repaired += [item for item in found if not (item.where.startswith("catalog/") and lost.intersection(item.sources))]


def _anew(layout: Layout) -> str:
    return f"restore {layout.folder} from a copy, or delete it and build it anew: ingest run"


def _present(base: Base, previous: Manifest) -> Shape | None:
    """Return what shapes content now, if it is what shaped the generation; its scoring is that of now."""
    try:
        registry = registry_of(base.settings)
        choice = engine_of(as_recorded(base.settings), previous, re_engine=False)
    except (EngineUnavailable, SettingsInvalid):
        return None
    shape = shape_of(base.settings, choice, Recogniser(registry).fingerprint, registry)
    then = previous.registry, previous.settings, previous.fingerprints
    return shape if (shape.registry, shape.settings, shape.fingerprints) == then else None


def _choice(base: Base, previous: Manifest, anew: frozenset[str]) -> Choice:
    """The embedder of the head. Where no vector has to be made, it need not be here."""
    try:
        return engine_of(as_recorded(base.settings), previous, re_engine=False)
    except EngineUnavailable:
        if "vector" in anew:
            raise
        dimensions = dimensions_of(base.layout.build(previous.build("vector")))
        return Choice(previous.engines["embed"], previous.fingerprints["embed"], dimensions)


def _drop(cache: Cache, found: list[Drift]) -> None:
    """Forget entries that are not what they must be; they are made again when they are needed."""
    for item in found:
        cache.drop(item.where.removeprefix("cache/"), item.ids)
    damaged = [(stage, key) for stage, key, whole in cache.entries() if not whole]
    for stage in {stage for stage, _ in damaged}:
        cache.drop(stage, [key for of, key in damaged if of == stage])


def _records(settings: Settings, mended: Mended) -> None:
    """Give back what nothing works without: the head, its generations' records, a cache that can be opened."""
    layout = layout_of(settings)
    open_catalog(layout).close()  # a base that was never begun must not be left behind
    with lease(layout), open_catalog(layout, upgrade=True) as catalog:
        head = head_of(layout, catalog)
        if head and head != said_head(catalog):
            mended.repaired.append(Drift(RECORD, "head", f"the catalog's head was {said_head(catalog)}, published is {head}"))
            catalog.set_meta("head", str(head))
        for number in unlisted(layout, catalog):
            remedy = "put the newer catalog.db back, or let `ingest run` read the sources again"
            mended.left.append(Loss(f"generation {number}", UNLISTED, remedy))
        for number in sorted({*catalog.records(), *([head] if head else [])}):
            _record(layout, catalog, number, mended, older=number != head)
    _cache(layout, mended)


def _record(layout: Layout, catalog: Catalog, number: int, mended: Mended, *, older: bool) -> None:
    try:
        trusted = settled(layout, catalog, number)
    except Inconsistent:
        if not older or readable(catalog, number) is not None:
            return  # what there is of it is told by verifying it
        catalog.forget([number])
        mended.left.append(Loss(
            f"generation {number}", "neither the catalog nor its folder tells any more what it was",
            "it is not listed any longer, and nothing is to be done",
        ))
        return
    if readable(catalog, number) != trusted:
        catalog.put_record(trusted)
        mended.repaired.append(Drift(RECORD, f"generation {number}", "given back from its manifest on disk"))


def _cache(layout: Layout, mended: Mended) -> None:
    """A cache whose file is damaged is deleted: it costs time only."""
    if not layout.cache.exists():
        return
    try:
        cache = Cache(layout.cache)
        try:
            cache.check()
        finally:
            cache.close()
    except StorageFailed as error:
        for suffix in ("", "-wal", "-shm"):
            layout.cache.with_name(layout.cache.name + suffix).unlink(missing_ok=True)
        mended.repaired.append(Drift(CACHE_ENTRY, "cache", f"deleted, as its file was damaged: {error}"))
