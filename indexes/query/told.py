"""A search, told: how long it took, and its steps. Nothing of the question or of what was found."""

from __future__ import annotations

import time

from indexes.generation.snapshot import Snapshot
from indexes.query import evidence
from indexes.query.fuse import Nearest
from indexes.query.request import Request
from ingest.model.evidence import EvidencePack
from ingest.protocols import Embedder
from ingest.settings import SearchPart
from ingest.telemetry import signals


def search(snapshot: Snapshot, embedder: Embedder | None, request: Request, settings: SearchPart) -> EvidencePack:
    """As `indexes.query.evidence.search`, told to whoever listens."""
    return searched(snapshot, embedder, request, settings)[0]


def searched(
    snapshot: Snapshot, embedder: Embedder | None, request: Request, settings: SearchPart
) -> tuple[EvidencePack, Nearest]:
    """As `indexes.query.evidence.searched`, told to whoever listens."""
    if not signals.listened():
        return evidence.searched(snapshot, embedder, request, settings)
    started, status = time.perf_counter(), "failed"
    asked = {"concord.mode": request.mode, "concord.generation": snapshot.generation}
    with signals.span(f"search {request.mode}", asked) as span:
        try:
            pack, near = evidence.searched(snapshot, embedder, request, settings)
            status = pack.status
            span.say({"concord.status": status, "concord.items": len(pack.evidence)})
        finally:
            told = {"concord.mode": request.mode, "concord.status": status}
            signals.record("concord.search.duration", time.perf_counter() - started, told)
    for step, milliseconds in pack.trace.get("milliseconds", {}).items():
        signals.record("concord.search.step.duration", milliseconds / 1000, {"concord.step": step})
    return pack, near
