"""What a server stands on, made from its settings: knowledge bases, what encodes queries for them, tokens, the audit log."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flows.answering import query_embedder
from indexes.generation.snapshot import Snapshot
from indexes.serve.audit import Audit, NoAudit
from indexes.serve.audit_log import AuditLog
from indexes.serve.bases import Bases, Served
from ingest.protocols import Embedder
from ingest.settings import ServedBase, Settings, load

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ONLY = "default"
"""The id of the knowledge base where settings name none for a server."""


class OneAtATime:
    """A model that threads share: they take turns. It computes on one core as it is, and not every engine is made for threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._turn = embedder, threading.Lock()
        self.fingerprint, self.dimensions, self.window = embedder.fingerprint, embedder.dimensions, embedder.window

    def tokens(self, texts: Sequence[str]) -> list[int]:
        with self._turn:
            return self._embedder.tokens(texts)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._turn:
            return self._embedder.passages(texts)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._turn:
            return self._embedder.queries(texts)


class Embedders:
    """Embedders by what they are: bases whose vectors come from one model share it. Threads may share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loaded: dict[tuple[str, ...], Embedder] = {}

    def of(self, settings: Settings, snapshot: Snapshot) -> Embedder:
        """Return what encodes queries for a generation, loading it when first asked for. Raises as `query_embedder`."""
        part = settings.embed  # two services may serve one model; a query goes to the one of its own base
        key = (snapshot.manifest.fingerprints["embed"], part.endpoint_url, part.endpoint_key_env)
        with self._lock:
            if key not in self._loaded:
                found = query_embedder(settings, snapshot)
                self._loaded[key] = found if snapshot.manifest.engines["embed"] == "endpoint" else OneAtATime(found)
            return self._loaded[key]


def bases_of(settings: Settings) -> Bases:
    """Return the knowledge bases that a server of these settings answers from; none is opened. Raises SettingsInvalid."""
    embedders = Embedders()
    named = settings.serve.bases or {ONLY: ServedBase(kb=settings.kb)}
    served = [_served(kb_id, base, settings, embedders) for kb_id, base in named.items()]
    part = settings.serve
    return Bases(served, at_once=part.at_once, patience=part.wait_seconds, open_bases=part.open_bases)


def kb_ids_of(settings: Settings) -> tuple[str, ...]:
    """Return the ids of those bases."""
    return tuple(settings.serve.bases) or (ONLY,)


def folder_of(settings: Settings) -> Path:
    """Return the folder of the server itself: tokens and the audit log."""
    return Path(settings.base) / settings.serve.folder


def tokens_of(settings: Settings) -> Path:
    """Return the file of tokens."""
    return folder_of(settings) / "tokens.json"


def log_of(settings: Settings) -> Path:
    """Return the folder of the audit log."""
    return folder_of(settings) / "audit"


def audit_of(settings: Settings, warn: Callable[[str], None]) -> Audit:
    """Return where operations are recorded; `warn` is told what is wrong with it. Raises AuditFailed when it is required and
    cannot be written."""
    if settings.serve.audit == "off":
        return NoAudit()
    log = AuditLog(log_of(settings), settings.serve, required=settings.serve.audit == "required", warn=warn)
    log.check()
    return log


def _served(kb_id: str, base: ServedBase, settings: Settings, embedders: Embedders) -> Served:
    """One base, with settings of its own or the server's."""
    own = _own(base, settings)
    return Served(kb_id, base.title or kb_id, own, lambda snapshot: embedders.of(own, snapshot))


def _own(base: ServedBase, settings: Settings) -> Settings:
    """The settings of one base. Paths in `serve.bases` are relative to the server's settings file, those in a settings file of
    its own to that; INGEST_KB and INGEST_CATALOG_SCHEMA name the base of a command and would make all of these one."""
    if not settings.serve.bases:
        return settings
    below = Path(settings.base)
    own = settings
    if base.config:
        own = load(below / base.config, environ={key: value for key, value in os.environ.items() if key not in _OF_ONE})
    kb = below / base.kb if base.kb else Path(own.base) / own.kb
    schema = {"catalog_schema": base.catalog_schema} if base.catalog_schema else {}
    return own.model_copy(update={"kb": str(kb), **schema})


_OF_ONE = ("INGEST_KB", "INGEST_CATALOG_SCHEMA")
