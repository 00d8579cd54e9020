"""`ingest verify` as a flow: do the indexes hold what they claim?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flows.scheduled import artifacts, events
from flows.scheduled.logs import Logged, observed
from flows.scheduled.opened import settings_of
from flows.scheduled.sdk import Failed, State, flow
from flows.scheduled.stage import PAUSE_SECONDS, RETRIES, staged
from flows.verifying import verify_generation
from indexes.generation.verify import Level
from indexes.generation.verify.levels import SAMPLE


@flow(name="concord-verify", persist_result=False)
def verify_flow(
    config: str | None = None, kb: str | None = None, generation: int | None = None, deep: bool = False, sample: int = SAMPLE,
    every: bool = False, retries: int = RETRIES, pause_seconds: float = PAUSE_SECONDS,
) -> dict[str, Any] | State[Any]:
    """Verify a generation (None: the head) and return what was found. Drift is told by the event concord.drift and fails the
    flow, as does what could not be told; nothing is repaired (`ingest verify --repair` does)."""
    settings = settings_of(config, kb)
    with observed(settings) as log:
        number, found = staged(
            "verify", lambda: verify_generation(settings, generation, Logged(log), Level(deep, sample, every)),
            retries=retries, pause=pause_seconds,
        )
        rows = [
            {"kind": item.kind, "where": item.where, "detail": item.detail, "documents": ", ".join(item.sources[:3])}
            for item in found
        ]
        artifacts.table("concord-verify-findings", rows, f"generation {number}: {len(found)} findings")
        drift = [item for item in found if item.told]
        if drift:
            events.drifted(settings, number, drift)
            return Failed(message=f"generation {number} drifted: {'; '.join(f'{one.kind}: {one.where}' for one in drift)}")
        if found:
            return Failed(message=f"could not tell: {'; '.join(item.detail for item in found)}")
        log.info("generation %s is as published", number)
    return {"generation": number, "clean": True, "findings": [asdict(item) for item in found]}
