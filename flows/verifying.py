"""Do the indexes of a generation hold what they claim? It only reads; `flows.repair` mends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from flows.opening import models_of
from flows.pipeline import engine_of
from indexes.generation.verify import Drift, Level, verify
from indexes.generation.verify.findings import CACHE_ENTRY, TORN_FILE
from indexes.generation.verify.levels import DEFAULT
from indexes.generation.verify.records import head_of, settled
from ingest.embed.batches import STAGE
from ingest.embed.engine import load
from ingest.errors import StorageFailed
from ingest.model.canonical import sha256_hex
from ingest.model.generation import Manifest
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.cache import Cache
from ingest.store.catalog import Catalog
from ingest.store.layout import Layout, layout_of
from ingest.store.opening import open_catalog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ingest.protocols import Embedder


def verify_generation(
    settings: Settings, generation: int | None, progress: Progress, level: Level = DEFAULT
) -> tuple[int, list[Drift]]:
    """Return (the generation, everything in it that drifted and whatever could not be told). The generation is 0 where the
    catalog is too damaged to tell.

    Raises KnowledgeBaseMissing, NotFound, Inconsistent where what the generation is cannot be told."""
    layout = layout_of(settings)
    try:
        with open_catalog(layout) as catalog:
            head = head_of(layout, catalog) or catalog.served()
            manifest = settled(layout, catalog, head if generation is None else generation)
            return manifest.generation, verified(layout, catalog, settings, manifest, progress, level)
    except StorageFailed as error:
        if not error.of_catalog:
            raise
        return generation or 0, [Drift(TORN_FILE, layout.catalog_name, str(error))]


def verified(
    layout: Layout, catalog: Catalog, settings: Settings, manifest: Manifest, progress: Progress, level: Level
) -> list[Drift]:
    """Verify one generation with what there is to compare it with: the cache, and the engine that made its vectors."""
    with _cache(layout) as (cache, damage):
        embeddings = Embeddings(settings, manifest, cache)
        found = verify(layout, catalog, settings, manifest, progress, level=level, embeddings=embeddings, cache=cache)
        return [*found, *damage] if level.deep else found


@contextmanager
def _cache(layout: Layout) -> Iterator[tuple[Cache | None, list[Drift]]]:
    """Yield the cache, if there is one that can be opened, and what is wrong with it."""
    if not layout.cache.exists():
        yield None, []
        return
    try:
        cache = Cache(layout.cache)
    except StorageFailed as error:
        yield None, [Drift(CACHE_ENTRY, "cache", str(error))]
        return
    try:
        yield cache, []
    finally:
        cache.close()


class Embeddings:
    """See `indexes.generation.verify.vectors.Embeddings`. The engine is loaded when it is first asked."""

    def __init__(self, settings: Settings, manifest: Manifest, cache: Cache | None) -> None:
        self.stage = f"{STAGE}:{manifest.fingerprints['embed']}"
        self._settings = settings
        self._manifest = manifest
        self._cache = cache
        self._engine: Embedder | None = None

    def cached(self, texts: Sequence[str]) -> list[bytes | None]:
        keys = [sha256_hex(text) for text in texts]
        try:
            held = self._cache.get_many(self.stage, keys) if self._cache is not None else {}
        except StorageFailed:  # told of by who looks at the cache itself
            held = {}
        return [held.get(key) for key in keys]

    def embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._engine is None:
            choice = engine_of(as_recorded(self._settings), self._manifest, re_engine=False)
            self._engine = load(choice, self._settings.embed, models_of(self._settings))
        return self._engine.passages(texts)


def as_recorded(settings: Settings) -> Settings:
    """Return the settings with the embedding engine that a generation was published with, whatever they would choose now."""
    return settings.model_copy(update={"embed": settings.embed.model_copy(update={"engine": "auto"})})
