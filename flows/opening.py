"""Opening a knowledge base: to write (lease, recovery) or to read (one pinned generation)."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.base import Base
from flows.placing import tidied
from indexes.generation.prune import recover
from indexes.generation.snapshot import Snapshot, pin
from ingest.settings import Settings
from ingest.steps import reached, stopping
from ingest.store.cache import Cache
from ingest.store.layout import layout_of
from ingest.store.lease import lease
from ingest.store.opening import open_catalog


def models_of(settings: Settings) -> Path:
    """Return the folder of converted models."""
    return Path(settings.models) if settings.models else layout_of(settings).models


@contextmanager
def writing(settings: Settings, *, create: bool = False) -> Iterator[Base]:
    """Hold the lease, discard what a dead writer staged, and yield the base. Raises LeaseHeld, KnowledgeBaseMissing."""
    layout = layout_of(settings)
    if not create:
        open_catalog(layout).close()  # a command that changes nothing new must not leave a folder behind
    debug = settings.debug
    with (
        stopping(debug.stop_at, debug.stop_how, trace=debug.trace),
        lease(layout) as held, open_catalog(layout, create=create, upgrade=True) as catalog,
    ):
        reached("catalog opened")
        catalog.take(uuid.uuid4().hex, held.check)
        if recover(layout, catalog):
            tidied(settings, layout)
        reached("recovered")
        cache = Cache(layout.cache)
        try:
            yield Base(layout, catalog, cache, settings, models_of(settings))
        finally:
            cache.close()


@contextmanager
def reading(settings: Settings, generation: int | None = None) -> Iterator[Snapshot]:
    """Yield one pinned generation: the head, or an older one that is kept."""
    layout = layout_of(settings)
    with open_catalog(layout) as catalog, pin(layout, catalog, settings, generation) as snapshot:
        yield snapshot
