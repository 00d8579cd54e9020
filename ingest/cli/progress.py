"""Progress on stderr: bars with time left on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ingest.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

_LINE_EVERY_SECONDS = 5.0


@contextmanager
def shown() -> Iterator[Progress]:
    """Yield a progress that draws on stderr as fits what stderr is."""
    if _structured():
        yield Logged()
        return
    if not sys.stderr.isatty():
        yield Lines()
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as RichProgress

    columns = (TextColumn("{task.description:<8}"), BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[unit]}"),
               TimeRemainingColumn())
    with RichProgress(*columns, console=Console(stderr=True), transient=True) as bars:
        yield Bars(bars)


def _structured() -> bool:
    """Whether stderr is a structured log. Nothing is imported to find that it is none."""
    records = sys.modules.get("ingest.telemetry.records")
    return records is not None and bool(records.structured())


class Bars:
    """One bar a stage."""

    def __init__(self, bars: RichProgress) -> None:
        self._bars = bars
        self._tasks: dict[str, TaskID] = {}

    def start(self, stage: str, total: int | None, unit: str = "items") -> None:
        self._tasks[stage] = self._bars.add_task(stage, total=total, unit=unit)

    def advance(self, stage: str, amount: int = 1) -> None:
        self._bars.advance(self._tasks[stage], amount)

    def finish(self, stage: str) -> None:
        self._bars.remove_task(self._tasks.pop(stage))

    def note(self, message: str) -> None:
        self._bars.console.print(message, markup=False, highlight=False)


class Lines:
    """A line when a stage has gone on for a while: for logs."""

    def __init__(self) -> None:
        self._stages: dict[str, tuple[float, float, int, int | None, str]] = {}

    def start(self, stage: str, total: int | None, unit: str = "items") -> None:
        moment = time.monotonic()
        self._stages[stage] = (moment, moment, 0, total, unit)

    def advance(self, stage: str, amount: int = 1) -> None:
        started, printed, done, total, unit = self._stages[stage]
        done += amount
        moment = time.monotonic()
        if moment - printed >= _LINE_EVERY_SECONDS:
            printed = moment
            self.tell(stage, done, total, unit, moment - started)
        self._stages[stage] = (started, printed, done, total, unit)

    def finish(self, stage: str) -> None:
        self._stages.pop(stage, None)

    def note(self, message: str) -> None:
        print(message, file=sys.stderr, flush=True)

    def tell(self, stage: str, done: int, total: int | None, unit: str, seconds: float) -> None:
        """Write the line of a stage that has gone on for so long."""
        left = f", about {seconds / done * (total - done):.0f} s left" if total and done else ""
        print(f"{stage}: {done}{f' of {total}' if total else ''} {unit}{left}", file=sys.stderr, flush=True)


class Logged(Lines):
    """The same lines in a structured log."""

    def note(self, message: str) -> None:
        from ingest.telemetry.records import log

        log("progress", logging.INFO, message)

    def tell(self, stage: str, done: int, total: int | None, unit: str, seconds: float) -> None:
        from ingest.telemetry.records import log

        told = {} if total is None else {"total": total}
        log("progress", logging.INFO, "working", stage=stage, done=done, unit=unit, seconds=round(seconds, 3), **told)
