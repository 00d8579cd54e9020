"""Do the indexes of a generation hold what they claim? It only reads; `flows.repair` mends."""

from __future__ import annotations

from flows.opening import layout_of
from indexes.generation.verify import Drift, verify
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.catalog import Catalog


def verify_generation(settings: Settings, generation: int | None, progress: Progress) -> tuple[int, list[Drift]]:
    """Return (the generation, everything in it that drifted). Raises KnowledgeBaseMissing, NotFound."""
    layout = layout_of(settings)
    with Catalog(layout.catalog) as catalog:
        head = catalog.served()
        manifest = catalog.published(head if generation is None else generation).manifest
        return manifest.generation, verify(layout, catalog, settings, manifest, progress)
