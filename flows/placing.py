"""Where the vector and BM25 indexes of a knowledge base are: in its files, or on a Qdrant server.

As with engines, what the newest generation was published with is kept where settings leave it open. Readers need none of this: a
build says itself where it is.
"""

from __future__ import annotations

import logging
from typing import Literal

from ingest.errors import EngineUnavailable, Inconsistent, StorageFailed, UsageError
from ingest.model.generation import Manifest
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.layout import Layout

Backend = Literal["embedded", "qdrant"]

logger = logging.getLogger(__name__)

_KEY = "index"
"""Of the manifest's `engines`; absent means in files."""


def backend_of(manifest: Manifest | None) -> Backend:
    """Return where the indexes of a generation are."""
    return "qdrant" if manifest is not None and manifest.engines.get(_KEY) == "qdrant" else "embedded"


def placed(settings: Settings, previous: Manifest | None) -> Settings:
    """Return the settings with the place of the indexes named."""
    if settings.index.backend != "auto":
        return settings
    return at(settings, backend_of(previous))


def at(settings: Settings, backend: Backend) -> Settings:
    """Return the settings with this place of the indexes."""
    return settings.model_copy(update={"index": settings.index.model_copy(update={"backend": backend})})


def recorded(engines: dict[str, str], settings: Settings) -> dict[str, str]:
    """Return what a manifest says of engines, with the place that settings name."""
    others = {name: engine for name, engine in engines.items() if name != _KEY}
    return {**others, _KEY: "qdrant"} if settings.index.backend == "qdrant" else others


def tidied(settings: Settings, layout: Layout, progress: Progress | None = None) -> None:
    """Take from the server what no kept generation needs. What is served does not depend on it, so a failure is told and the next
    run, or `ingest snapshots prune`, tries again."""
    if not layout.qdrant.exists():
        return
    from indexes.qdrant.sweep import sweep

    try:
        sweep(layout, settings.index)
    except (EngineUnavailable, StorageFailed, Inconsistent, UsageError) as error:
        message = (
            f"what is no longer needed was left on the Qdrant server ({error}); the next run, or ingest snapshots prune, tries "
            "again"
        )
        if progress is not None:
            progress.note(message)
        else:
            logger.warning(message)
