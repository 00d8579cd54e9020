"""The knowledge bases of a server, from its settings: which there are, and what encodes queries for them."""

from __future__ import annotations

import threading
from pathlib import Path

from flows.answering import query_embedder
from indexes.generation.snapshot import Snapshot
from indexes.serve.bases import Bases, Served
from ingest.protocols import Embedder
from ingest.settings import ServedBase, Settings, load

ONLY = "default"
"""The id of the knowledge base where settings name none for a server."""


class Embedders:
    """Embedders by what they are: bases whose vectors come from one model share it. Threads may share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: dict[tuple[str, ...], Embedder] = {}

    def of(self, settings: Settings, snapshot: Snapshot) -> Embedder:
        """Return what encodes queries for a generation, loading it when first asked for. Raises as `query_embedder`."""
        part = settings.embed  # two services may serve one model; a query goes to the one of its own base
        key = (snapshot.manifest.fingerprints["embed"], part.endpoint_url, part.endpoint_key_env)
        found = self._loaded.get(key)
        if found is None:
            with self._lock:
                found = self._loaded.get(key)
                if found is None:
                    found = self._loaded[key] = query_embedder(settings, snapshot)
        return found


def bases_of(settings: Settings) -> Bases:
    """Return the knowledge bases that a server of these settings answers from; none is opened. Raises SettingsInvalid."""
    embedders = Embedders()
    named = settings.serve.bases or {ONLY: ServedBase(kb=settings.kb)}
    return Bases([_served(kb_id, base, settings, embedders) for kb_id, base in named.items()])


def _served(kb_id: str, base: ServedBase, settings: Settings, embedders: Embedders) -> Served:
    below = Path(settings.base)
    own = load(below / base.config, {"kb": str(below / base.kb)} if base.kb else None) if base.config else settings
    if not base.config and settings.serve.bases:
        own = settings.model_copy(update={"kb": str(below / base.kb) if base.kb else settings.kb})
    return Served(kb_id, base.title or kb_id, own, lambda snapshot: embedders.of(own, snapshot))
