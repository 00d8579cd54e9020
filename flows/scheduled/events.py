"""What happened to a knowledge base, as events that automations can wait for.

    concord.published   a run made a new generation the head
    concord.stale       a check found that sources, settings or code are no longer those of the head
    concord.drift       verifying found that an index, a file or the catalog is not what was published

The resource of all three is the knowledge base, `concord.knowledge-base.<digest of its place>`, named by its place; the flow run,
flow and deployment are related to it by Prefect.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from flows.scheduled.sdk import emit_event
from indexes.generation.verify import Drift
from ingest.model.canonical import sha256_hex
from ingest.model.report import CheckReport, RunReport
from ingest.settings import Settings

PUBLISHED, STALE, DRIFT = "concord.published", "concord.stale", "concord.drift"
RESOURCE = "concord.knowledge-base"
_NAMED = 20
"""Documents that a payload names."""


def resource(settings: Settings) -> dict[str, str]:
    """Return the knowledge base as Prefect names things: equal for every run over a folder of the same path."""
    place = str(Path(settings.kb).resolve())
    return {"prefect.resource.id": resource_id(place), "prefect.resource.name": place, "concord.kb": place}


def resource_id(place: str) -> str:
    """Return the id of the knowledge base at an absolute path."""
    return f"{RESOURCE}.{sha256_hex(place)[:16]}"


def published(settings: Settings, report: RunReport) -> None:
    """Tell that a generation was published: its number, digest, counts and failures."""
    _emit(settings, PUBLISHED, {
        "generation": report.generation, "snapshot": report.snapshot, "sources": report.sources, "chunks": report.chunks,
        "embedded": report.embedded, "failed": [failure.uri for failure in report.failures[:_NAMED]], "report": report.report,
    })


def stale(settings: Settings, report: CheckReport) -> None:
    """Tell what is not as published any more: changes by kind, the first documents, settings, age."""
    _emit(settings, STALE, {
        "generation": report.generation, "changes": dict(Counter(change.what for change in report.changes)),
        "documents": [change.uri for change in report.changes[:_NAMED]], "settings": list(report.settings),
        "overdue": report.overdue, "confirmed_at": report.confirmed_at,
    })


def drifted(settings: Settings, generation: int, found: Sequence[Drift]) -> None:
    """Tell what verifying found, by kind and place."""
    _emit(settings, DRIFT, {
        "generation": generation, "kinds": dict(Counter(item.kind for item in found)),
        "where": sorted({item.where for item in found})[:_NAMED], "details": [item.detail for item in found[:_NAMED]],
    })


def _emit(settings: Settings, event: str, payload: dict[str, Any]) -> None:
    emit_event(event, resource(settings), payload=payload)
