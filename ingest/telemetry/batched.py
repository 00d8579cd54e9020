"""Progress as spans: one for each large batch of a stage, never one for each item, and what is still to be done as a gauge."""

from __future__ import annotations

import time

from ingest.progress import Progress
from ingest.telemetry import signals

_LEAST = 1000
_MOST_OF_A_STAGE = 100
"""Items of a batch at least, and batches of a stage about at most: a run of a million documents tells some hundred spans."""


class Batched:
    """A progress that tells its batches on the way to another one."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._stages: dict[str, _Stage] = {}

    def start(self, stage: str, total: int | None, unit: str = "items") -> None:
        self._progress.start(stage, total, unit)
        self._stages[stage] = _Stage(stage, total, unit)

    def advance(self, stage: str, amount: int = 1) -> None:
        self._progress.advance(stage, amount)
        if stage in self._stages:
            self._stages[stage].done(amount)

    def finish(self, stage: str) -> None:
        self._progress.finish(stage)
        if stage in self._stages:
            self._stages.pop(stage).over()

    def note(self, message: str) -> None:
        self._progress.note(message)


class _Stage:
    """One stage while it lasts."""

    def __init__(self, stage: str, total: int | None, unit: str) -> None:
        self._stage, self._total, self._unit = stage, total, unit
        self._size = max(_LEAST, (total or 0) // _MOST_OF_A_STAGE)
        self._all = self._batch = 0
        self._since = time.time_ns()
        self._pending()

    def done(self, amount: int) -> None:
        self._all += amount
        self._batch += amount
        if self._batch >= self._size:
            self._tell()
            self._pending()

    def over(self) -> None:
        if self._batch:
            self._tell()
        signals.gauge("concord.work.pending", 0, {"concord.stage": self._stage})

    def _tell(self) -> None:
        moment = time.time_ns()
        told: dict[str, str | int] = {"concord.stage": self._stage, "concord.items": self._batch, "concord.unit": self._unit}
        signals.past(f"batch {self._stage}", told, self._since, moment)
        self._batch, self._since = 0, moment

    def _pending(self) -> None:
        if self._total is not None:
            signals.gauge("concord.work.pending", max(0, self._total - self._all), {"concord.stage": self._stage})


def batched(progress: Progress) -> Progress:
    """Return a progress that tells its batches, where somebody listens; else the same one."""
    return Batched(progress) if signals.listened() else progress
