"""`ingest check` as a flow: is the knowledge base still true to its sources, settings and code?"""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from flows import telling
from flows.checking import check
from flows.scheduled import artifacts, events
from flows.scheduled.logs import Logged, observed
from flows.scheduled.opened import settings_of
from flows.scheduled.sdk import Failed, State, flow
from flows.scheduled.stage import PAUSE_SECONDS, RETRIES, staged


@flow(name="concord-check", persist_result=False)
def check_flow(
    paths: list[str] | None = None, config: str | None = None, kb: str | None = None, rehash: bool = False,
    strict: bool = False, max_age_hours: float | None = None, retries: int = RETRIES, pause_seconds: float = PAUSE_SECONDS,
) -> dict[str, Any] | State[Any]:
    """Compare the head with its sources and return the report. What is stale is an answer, told by the event concord.stale; the
    flow fails where it could not be told."""
    settings = settings_of(config, kb)
    with observed(settings) as log:
        most = None if max_age_hours is None else timedelta(hours=max_age_hours)
        roots = tuple(map(Path, paths or ()))
        report = staged(
            "check", lambda: check(settings, roots, Logged(log), rehash=rehash, strict=strict, max_age=most),
            retries=retries, pause=pause_seconds,
        )
        artifacts.markdown("concord-check-report", artifacts.check_lines(report), f"generation {report.generation}")
        log.info("generation %s is %s", report.generation, report.status)
        telling.checked(settings, report)
        if report.status == "stale":
            events.stale(settings, report)
        if report.status == "unknown":
            return Failed(message=f"could not tell: {'; '.join(report.problems)}")
    return asdict(report)
