"""The pipeline as a Prefect flow: the same function as the command line calls, with its progress and report in Prefect.

This module and its siblings that schedule are the only ones that know Prefect. One flow, no task per document: a task costs
Prefect milliseconds and kilobytes of database each, and our own caches already resume what was interrupted.
"""

from __future__ import annotations

from dataclasses import asdict
from logging import Logger, LoggerAdapter
from pathlib import Path
from typing import Any

from flows.pipeline import Options, run
from ingest.errors import ConcordError, ExtraMissing
from ingest.settings import load

try:
    from prefect import flow, get_run_logger, task
    from prefect.cache_policies import NO_CACHE
except ModuleNotFoundError as error:
    raise ExtraMissing("the Prefect flow", "flows") from error

_RETRIES = 2
_RETRY_DELAY_SECONDS = 10.0


def _worth_a_retry(task: Any, task_run: Any, state: Any) -> bool:
    """Retry what may pass by itself (a full disk, another run, a mount that is away), never a wrong setting."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, ConcordError) and error.retryable


@task(
    name="ingest", cache_policy=NO_CACHE, persist_result=False, retries=_RETRIES, retry_delay_seconds=_RETRY_DELAY_SECONDS,
    retry_condition_fn=_worth_a_retry,
)
def ingest_task(paths: list[str], config: str | None, kb: str | None) -> dict[str, Any]:
    """Run the whole pipeline once and return its report as JSON types."""
    settings = load(Path(config) if config else None, {"kb": kb})
    report = run(settings, Options(tuple(Path(path) for path in paths)), _Logged(get_run_logger()))
    return asdict(report)


@flow(name="concord-ingest", persist_result=False)
def ingest_flow(paths: list[str] | None = None, config: str | None = None, kb: str | None = None) -> dict[str, Any]:
    """Bring a knowledge base up to its sources. `paths` empty: every registered root.

    The flow fails when the run does (its generation is then the one before); documents that failed are in the report and in
    the log as warnings, and do not fail it.
    """
    report: dict[str, Any] = ingest_task(paths or [], config, kb)
    logger = get_run_logger()
    for failure in report["failures"]:
        logger.warning("%s: %s (%s)", failure["uri"], failure["message"], failure["error"])
    logger.info("generation %s, snapshot %s, published: %s", report["generation"], report["snapshot"], report["published"])
    logger.info("report: %s", report["report"] or "not written")
    return report


class _Logged:
    """Progress as log lines of the run: one when a stage starts, one when it ends."""

    def __init__(self, logger: Logger | LoggerAdapter[Logger]) -> None:
        self._logger = logger
        self._done: dict[str, int] = {}

    def start(self, stage: str, total: int | None, unit: str = "items") -> None:
        self._done[stage] = 0
        self._logger.info("%s: %s %s", stage, "an unknown number of" if total is None else total, unit)

    def advance(self, stage: str, amount: int = 1) -> None:
        self._done[stage] += amount

    def finish(self, stage: str) -> None:
        self._logger.info("%s: %s done", stage, self._done.pop(stage))

    def note(self, message: str) -> None:
        self._logger.info("%s", message)
