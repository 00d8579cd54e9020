"""Generations as an operator handles them: list, go back, release, drop."""

from __future__ import annotations

from dataclasses import dataclass

from flows.opening import layout_of, writing
from indexes.generation.prune import prune, prune_published
from indexes.generation.rollback import hold_of, release, rollback
from ingest.model.generation import Manifest
from ingest.progress import Progress, Silent
from ingest.settings import Settings
from ingest.store.catalog import Catalog


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
    with Catalog(layout_of(settings).catalog) as catalog:
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


def go_back(settings: Settings, target: int, progress: Progress | None = None) -> Manifest:
    """Publish an older generation again and set the hold."""
    from flows.reporting.others import publish_told

    with writing(settings) as base:
        manifest = rollback(base.layout, base.catalog, target, base.token)
        note = f"with the content of generation {target}; runs are on hold until: ingest snapshots release"
        publish_told(base, "rollback", note, progress or Silent())
        prune_published(base.layout, base.catalog, settings.generations.keep, progress or Silent())
        return manifest


def let_go(settings: Settings) -> bool:
    """Lift the hold; returns whether there was one."""
    with writing(settings) as base:
        return release(base.catalog)


def drop(settings: Settings, keep: int | None) -> list[int]:
    """Prune to the last `keep` generations (default: the setting); returns those dropped."""
    with writing(settings) as base:
        return prune(base.layout, base.catalog, keep or settings.generations.keep)
