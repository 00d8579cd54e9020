"""The report of what ended with an error: what it was, and that what was published before is still served."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from flows.base import Base
from flows.reporting.history import Earlier, history
from flows.reporting.keep import keep
from flows.reporting.made import made_with
from flows.reporting.parsers import of_head
from flows.reporting.record import Kind, Report
from ingest.errors import ConcordError
from ingest.model.instant import now
from ingest.progress import Progress


@dataclass(frozen=True, slots=True)
class Stop:
    """The error that ended a run. `after`: the last stage that was finished, empty where none was."""

    error: str
    message: str
    exit_code: int
    retryable: bool
    after: str = ""


def stop_told(
    base: Base, kind: Kind, error: BaseException, seconds: Mapping[str, float], progress: Progress, beside: Path | None = None
) -> str:
    """Keep the report of an error. `seconds`: of the stages that were finished. Returns where its HTML is."""

    def make() -> Report:
        kept = base.catalog.generations()
        manifest = kept[0].manifest if kept else None
        served = manifest.generation if manifest is not None else 0
        earlier = Earlier(base.layout, served)
        return Report(
            kind, "failed", now(), served, manifest.snapshot if manifest is not None else "", served,
            error=Stop(
                type(error).__name__, str(error) or "it was interrupted", getattr(error, "exit_code", 1),
                isinstance(error, ConcordError) and error.retryable, next(reversed(list(seconds)), ""),
            ),
            seconds=dict(seconds), made_with=made_with(manifest, None) if manifest is not None else None,
            parsers=of_head(base, earlier, kept), history=history(kept, earlier),
        )

    return keep(base.layout, make, progress, beside=beside)
