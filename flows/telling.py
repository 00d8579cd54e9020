"""A run, told: a span around it, metrics of what it did, and a line of the structured log for what ended well and what did not.

What is told is the report that the run makes anyway, so the pipeline knows nothing of it. Nothing of a document is told but its
uri, where it is kept and why it failed in one word.
"""

from __future__ import annotations

import logging
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from flows import pipeline
from flows.pipeline import Options
from ingest.errors import ConcordError
from ingest.model.instant import seconds_since
from ingest.model.report import CheckReport, RunReport
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.layout import layout_of
from ingest.store.opening import open_catalog
from ingest.telemetry import signals
from ingest.telemetry.batched import batched
from ingest.telemetry.records import bound, log

KB = "default"
"""What a knowledge base is called where no configuration gives it an id."""


def run(settings: Settings, options: Options, progress: Progress) -> RunReport:
    """As `flows.pipeline.run`, told to whoever listens."""
    with running(settings) as run:
        report = pipeline.run(settings, options, batched(progress))
        run.done(report)
    return report


class Run:
    """One run while it is told. `id` is on its span and on every line of the log."""

    def __init__(self, id: str, settings: Settings, span: signals.Told) -> None:
        self.id = id
        self._settings, self._span = settings, span
        self.outcome: dict[str, str] = {"concord.outcome": "failed"}

    def done(self, report: RunReport) -> None:
        """Tell what a run has done."""
        self.outcome = {"concord.outcome": "published" if report.published else "unchanged"}
        self._span.say({
            "concord.generation": report.generation, "concord.published": report.published,
            "concord.documents": sum(report.sources.get(name, 0) for name in ("added", "changed", "renamed")),
            "concord.chunks": report.chunks.get("added", 0), "concord.failures": len(report.failures),
        })
        _measured(report)
        _logged(report)
        told_of_head(self._settings)


@contextmanager
def running(settings: Settings) -> Iterator[Run]:
    """Tell a run: a span, how long it took, how it ended. `done` is called inside when there is a report."""
    id, started = uuid.uuid4().hex, time.perf_counter()
    with bound(run=id), signals.span("run", {"concord.run.id": id}) as span:
        run = Run(id, settings, span)
        log("run", logging.INFO, "run begun")
        try:
            yield run
        except BaseException as error:
            run.outcome["error.type"] = type(error).__name__
            retryable = isinstance(error, ConcordError) and error.retryable
            log("run", logging.ERROR, "run failed", error=type(error).__name__, retryable=retryable)
            raise
        finally:
            signals.record("concord.run.duration", time.perf_counter() - started, run.outcome)


def checked(settings: Settings, report: CheckReport) -> None:
    """Tell what `check` found: how many sources are not as published, and how old the head is."""
    told_of_head(settings)
    signals.gauge("concord.sources.waiting", len(report.changes))
    log("check", logging.INFO, report.status, generation=report.generation, uris=[change.uri for change in report.changes][:100])


def told_of_head(settings: Settings, kb: str = KB) -> None:
    """Have the age of the published head told whenever metrics are collected in this process."""
    if not signals.listened():
        return
    try:
        with open_catalog(layout_of(settings)) as catalog:
            head = catalog.published(catalog.head())
    except ConcordError:
        return
    who = {"concord.kb": kb}
    signals.watch("concord.index.generation", lambda: [(head.generation, who)])
    signals.watch("concord.index.lag", lambda: _age(head.published_at, who))
    signals.watch("concord.index.unconfirmed", lambda: _age(head.confirmed_at, who))


def _age(instant: str, who: Mapping[str, str]) -> list[tuple[float, Mapping[str, str]]]:
    age = seconds_since(instant)
    return [] if age is None else [(age, who)]


def _measured(report: RunReport) -> None:
    for change, count in report.sources.items():
        signals.add("concord.documents", count, {"concord.change": change})
    for change, count in report.chunks.items():
        signals.add("concord.chunks", count, {"concord.change": change})
    signals.add("concord.texts.embedded", report.embedded)
    for failure in report.failures:
        signals.add("concord.failures", 1, {"concord.stage": failure.stage, "error.type": failure.error})
    for stage, seconds in report.seconds.items():
        signals.record("concord.stage.duration", seconds, {"concord.stage": stage})
    signals.gauge("concord.sources.waiting", len(report.failures))


def _logged(report: RunReport) -> None:
    for failure in report.failures:
        log(
            "run", logging.WARNING, "document failed", uri=failure.uri, stage=failure.stage, error=failure.error,
            retryable=failure.retryable, serving=failure.serving,
        )
    log(
        "run", logging.INFO, "generation published" if report.published else "nothing to do", generation=report.generation,
        snapshot=report.snapshot, counts={"sources": report.sources, "chunks": report.chunks, "embedded": report.embedded},
        seconds=round(sum(report.seconds.values()), 3),
    )
