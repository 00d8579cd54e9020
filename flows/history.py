"""Generations as an operator handles them: list, go back, release, drop."""

from __future__ import annotations

from dataclasses import dataclass

from flows.opening import writing
from flows.placing import tidied
from indexes.generation.prune import prune, prune_published
from indexes.generation.rollback import hold_of, release, rollback
from ingest.progress import Progress, Silent
from ingest.settings import Settings
from ingest.store.catalog import Catalog
from ingest.store.layout import layout_of
from ingest.store.opening import open_catalog


@dataclass(frozen=True, slots=True)
class Listed:
    """A kept generation. Times are those of this machine's clock and outside every digest."""

    generation: int
    snapshot: str
    published_at: str
    confirmed_at: str
    origin: str
    sources: int
    chunks: int


def listed(settings: Settings) -> tuple[list[Listed], dict[str, int] | None]:
    """Return the kept generations, newest first, and the hold in force."""
    with open_catalog(layout_of(settings)) as catalog:
        generations = [
            Listed(
                item.generation, item.manifest.snapshot, item.published_at, item.confirmed_at, item.origin,
                _count(item.manifest.catalog["sources"]), _count(item.manifest.catalog["chunks"]),
            )
            for item in catalog.generations()
        ]
        return generations, hold_of(catalog)


def _count(digest: str) -> int:
    return int(digest.partition(":")[0])


@dataclass(frozen=True, slots=True)
class WentBack:
    """What a rollback published. `documents` and `chunks`: how many it brought back, took out, and has again as they were."""

    generation: int
    snapshot: str
    target: int
    hold: dict[str, int]
    documents: dict[str, int]
    chunks: dict[str, int]
    kept_closed: tuple[str, ...] = ()
    """Uris of documents of then that nobody may read now: they stay out."""
    kept_narrower: tuple[str, ...] = ()
    """Uris of documents of then that fewer may read now: they are served to those alone who might then and may now."""


def go_back(settings: Settings, target: int, progress: Progress | None = None) -> WentBack:
    """Publish an older generation again and set the hold. Access that was withdrawn since stays withdrawn (`flows.narrowing`)."""
    from flows.narrowing import narrower_since, roll_back_narrowed
    from flows.reporting.others import publish_told

    with writing(settings) as base:
        narrower = narrower_since(base.catalog, target)
        if narrower.rules:
            manifest = roll_back_narrowed(base, target, narrower, progress or Silent())
        else:
            manifest = rollback(base.layout, base.catalog, target)
        note = f"with the content of generation {target}; runs are on hold until: ingest snapshots release"
        publish_told(base, "rollback", note, progress or Silent())
        generation = manifest.generation
        counts = {table: _written(base.catalog, table, generation) for table in ("sources", "chunks")}
        prune_published(base.layout, base.catalog, settings.generations.keep, progress or Silent())
        tidied(settings, base.layout, progress)
        hold = {"generation": generation, "target": target}
        return WentBack(
            generation, manifest.snapshot, target, hold, counts["sources"], counts["chunks"],
            narrower.uris(closed=True), narrower.uris(closed=False),
        )


def _written(catalog: Catalog, table: str, generation: int) -> dict[str, int]:
    """What a generation wrote of a table. Call before what ended with it may be pruned."""
    begun = {id for id, _ in catalog.begun(table, generation)}
    ended = catalog.removed(table, generation)
    return {"brought_back": len(begun - ended), "taken_out": len(ended - begun), "changed_back": len(begun & ended)}


def let_go(settings: Settings) -> bool:
    """Lift the hold; returns whether there was one."""
    with writing(settings) as base:
        return release(base.catalog)


def in_use(settings: Settings, keep: int | None) -> list[int]:
    """Return the generations beyond the last `keep` that are still there, because somebody reads them."""
    with open_catalog(layout_of(settings)) as catalog:
        return [item.generation for item in catalog.generations()[keep or settings.generations.keep :]]


def drop(settings: Settings, keep: int | None) -> list[int]:
    """Prune to the last `keep` generations (default: the setting); returns those dropped."""
    with writing(settings) as base:
        dropped = prune(base.layout, base.catalog, keep or settings.generations.keep)
        tidied(settings, base.layout)
        return dropped
