"""`ingest run` as a flow: the same steps under the same lease, one task each."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from flows import pipeline, telling
from flows.pipeline import Options, Run
from flows.scheduled import artifacts, events
from flows.scheduled.logs import Logged, observed
from flows.scheduled.opened import settings_of
from flows.scheduled.sdk import flow
from flows.scheduled.stage import PAUSE_SECONDS, RETRIES, staged
from ingest.model.report import RunReport
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.telemetry.batched import batched


@flow(name="concord-ingest", persist_result=False)
def ingest_flow(
    paths: list[str] | None = None, config: str | None = None, kb: str | None = None, name: str | None = None,
    rehash: bool = False, allow_mass_delete: bool = False, re_engine: bool = False, retries: int = RETRIES,
    pause_seconds: float = PAUSE_SECONDS,
) -> dict[str, Any]:
    """Bring a knowledge base up to its sources and return the report. `paths` empty: every registered root.

    The flow fails when the run does (the generation before is then still served); documents that failed are in the report, in
    its artifacts and in the log as warnings, and do not fail it.
    """
    settings = settings_of(config, kb)
    options = Options(tuple(map(Path, paths or ())), name, rehash, allow_mass_delete, re_engine)
    with observed(settings) as log:
        bar = artifacts.Bar("concord-ingest-progress")
        report = _run(settings, options, Logged(log, bar), retries, pause_seconds)
        bar.done()
        for failure in report.failures:
            log.warning("%s: %s (%s)", failure.uri, failure.message, failure.error)
        log.info("generation %s, snapshot %s, published: %s", report.generation, report.snapshot, report.published)
        _tell(settings, report)
    return asdict(report)


def _run(settings: Settings, options: Options, progress: Progress, retries: int, pause: float) -> RunReport:
    with telling.running(settings) as told, ExitStack() as held:
        watched = batched(progress)
        opened: list[Run] = []

        def plan() -> Run:
            if not opened:  # the lease is taken in the first task, so that waiting for another run is one of its retries
                opened.append(held.enter_context(pipeline.running(settings, options, watched)))
            opened[0].plan()
            return opened[0]

        steps = staged("plan", plan, retries=retries, pause=pause)
        staged("parse", steps.parse, retries=retries, pause=pause)
        staged("chunk and entities", steps.chunk, retries=retries, pause=pause)
        if steps.staged:
            staged("embed", steps.embed, retries=retries, pause=pause)
            staged("index", steps.index, retries=retries, pause=pause)
        report = staged("prove and publish", steps.publish, retries=retries, pause=pause)
        told.done(report)
        return report


def _tell(settings: Settings, report: RunReport) -> None:
    artifacts.table("concord-ingest-summary", artifacts.run_rows(report), f"generation {report.generation}")
    artifacts.markdown("concord-ingest-report", artifacts.run_lines(report), "what the run did")
    artifacts.link("concord-ingest-html", report.report, "the report of the run, on the machine that ran it")
    if report.published:
        events.published(settings, report)
