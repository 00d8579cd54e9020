"""What Concord says while it works, where Prefect shows it: library logs, stages, and one bar for the whole run."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from logging import Logger, LoggerAdapter

from flows.scheduled.artifacts import Bar
from flows.scheduled.sdk import get_run_logger
from ingest.settings import Settings
from ingest.telemetry.wanted import sends

LIBRARIES = ("concord", "ingest", "entities", "indexes", "flows")
"""Loggers that are forwarded: our structured one, and those that our modules are named by."""

RunLogger = Logger | LoggerAdapter[Logger]


class _Forward(logging.Handler):
    """Hands a record of a library to the run. Prefect's own handler would drop those of threads that it does not know."""

    def __init__(self, run: RunLogger) -> None:
        super().__init__(logging.INFO)
        self._run = run

    def emit(self, record: logging.LogRecord) -> None:
        fields = "".join(f" {name}={value}" for name, value in getattr(record, "fields", {}).items())
        self._run.log(record.levelno, "%s: %s%s", record.name, record.getMessage(), fields)


@contextmanager
def forwarded() -> Iterator[RunLogger]:
    """Within this context, what our packages log from INFO on is in the logs of the flow run. Yields its logger."""
    run = get_run_logger()
    handler = _Forward(run)
    loggers = [logging.getLogger(name) for name in LIBRARIES]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        if logger.getEffectiveLevel() > logging.INFO:
            logger.setLevel(logging.INFO)
    try:
        yield run
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.removeHandler(handler)
            logger.setLevel(level)


@contextmanager
def observed(settings: Settings) -> Iterator[RunLogger]:
    """As `forwarded`, and send traces and metrics where settings or the worker's OTEL_* variables say where to."""
    from ingest.telemetry.signals import listened

    with ExitStack() as stack:
        run = stack.enter_context(forwarded())
        environ = dict(os.environ)
        part = settings.telemetry
        if sends(part, environ) and not listened():
            from ingest.telemetry.otel import telling

            stack.enter_context(telling(part, environ))
        yield run


class Logged:
    """Progress of a run: a line when a stage starts and one when it ends, and a bar that moves every few seconds at most."""

    def __init__(self, run: RunLogger, bar: Bar | None = None) -> None:
        self._run = run
        self._bar = bar
        self._stages: dict[str, tuple[int, int | None, float]] = {}

    def start(self, stage: str, total: int | None, unit: str = "items") -> None:
        self._stages[stage] = (0, total, time.perf_counter())
        self._run.info("%s: %s %s", stage, "an unknown number of" if total is None else total, unit)

    def advance(self, stage: str, amount: int = 1) -> None:
        done, total, since = self._stages[stage]
        self._stages[stage] = (done + amount, total, since)
        if self._bar is not None and total:
            self._bar.at(stage, (done + amount) / total)

    def finish(self, stage: str) -> None:
        done, _, since = self._stages.pop(stage)
        self._run.info("%s: %s done in %.1f s", stage, done, time.perf_counter() - since)

    def note(self, message: str) -> None:
        self._run.warning("%s", message)
