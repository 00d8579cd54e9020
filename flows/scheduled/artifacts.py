"""What a run leaves in Prefect for people to look at: a table, a report in Markdown, a bar, a link to report.html.

An artifact is told after the fact. What goes wrong with one is logged and fails nothing.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from flows.scheduled.sdk import (
    create_link_artifact,
    create_markdown_artifact,
    create_progress_artifact,
    create_table_artifact,
    get_run_logger,
    update_progress_artifact,
)
from ingest.model.report import CheckReport, RunReport

_SHARES = {"parse": (2, 50), "embed": (55, 90), "index": (90, 97)}
"""Percent of the bar at which a stage begins and ends."""
_EVERY_SECONDS = 2.0
_SHOWN = 50
"""Lines of a list in Markdown; report.html has them all."""


class Bar:
    """A progress artifact of the flow run."""

    def __init__(self, key: str) -> None:
        self._moved = time.monotonic()
        self._percent = 0.0
        self._id = _told(lambda: create_progress_artifact(0.0, key, "how far the run is"))

    def at(self, stage: str, share: float) -> None:
        """Move it to where a stage is, `share` (0-1) of which is done; not more often than every two seconds."""
        begin, end = _SHARES.get(stage, (self._percent, self._percent))
        percent = begin + (end - begin) * min(share, 1.0)
        if percent > self._percent and time.monotonic() - self._moved >= _EVERY_SECONDS:
            self._to(percent)

    def done(self) -> None:
        self._to(100.0)

    def _to(self, percent: float) -> None:
        self._percent, self._moved = percent, time.monotonic()
        if self._id is not None:
            artifact = self._id
            _told(lambda: update_progress_artifact(artifact, percent))


def table(key: str, rows: Iterable[dict[str, Any]], description: str) -> None:
    """Show rows, one object each."""
    listed = list(rows)
    _told(lambda: create_table_artifact(listed, key, description))


def markdown(key: str, lines: Iterable[str], description: str) -> None:
    text = "\n".join(lines)
    _told(lambda: create_markdown_artifact(text, key, description))


def link(key: str, file: str, description: str) -> None:
    """Link a file of this machine, or one that is shared; whoever opens the link needs access to it."""
    if file:
        url = Path(file).resolve().as_uri()
        _told(lambda: create_link_artifact(url, key=key, link_text=Path(file).name, description=description))


def run_rows(report: RunReport) -> Iterator[dict[str, Any]]:
    """The summary of a run: what there is of what."""
    for what, counts in (("sources", report.sources), ("chunks", report.chunks), ("embedded", {"texts": report.embedded})):
        yield from ({"of": what, "what": name, "count": count} for name, count in counts.items())
    yield from ({"of": "seconds", "what": stage, "count": seconds} for stage, seconds in report.seconds.items())


def run_lines(report: RunReport) -> Iterator[str]:
    """The report of a run in Markdown."""
    state = "published" if report.published else "unchanged"
    yield f"# Generation {report.generation} ({state})"
    yield f"\nSnapshot `{report.snapshot}`\n"
    yield "| | " + " | ".join(report.sources) + " |"
    yield "|---|" + "---|" * len(report.sources)
    yield "| sources | " + " | ".join(str(count) for count in report.sources.values()) + " |\n"
    yield from _listed("Failed", [f"{item.uri}: {item.message} ({item.error})" for item in report.failures])
    yield from _listed("Warnings", report.warnings)


def check_lines(report: CheckReport) -> Iterator[str]:
    """The report of a check in Markdown."""
    yield f"# Generation {report.generation}: {report.status}"
    yield f"\nConfirmed {report.confirmed_at or 'never'}; {report.same} sources are as published.\n"
    yield from _listed("Changes", [f"{item.what}: {item.uri} {item.reason}".rstrip() for item in report.changes])
    yield from _listed("Settings", report.settings)
    yield from _listed("Overdue", [report.overdue] if report.overdue else [])
    yield from _listed("Could not tell", report.problems)
    yield from _listed("Warnings", report.warnings)


def _listed(heading: str, lines: Sequence[str]) -> Iterator[str]:
    """A heading and the lines, as code: names of files are data and must not become markup."""
    if not lines:
        return
    yield f"## {heading} ({len(lines)})\n"
    for line in lines[:_SHOWN]:
        yield f"    {' '.join(line.split())}"
    if len(lines) > _SHOWN:
        yield f"\nand {len(lines) - _SHOWN} more"
    yield ""


def _told(tell: Callable[[], Any]) -> Any:
    try:
        return tell()
    except Exception as error:  # of any library below Prefect's client: the run has done, or is doing, its work
        get_run_logger().warning("an artifact was not kept: %s: %s", type(error).__name__, error)
        return None
