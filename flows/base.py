"""What every step of a run is given: the knowledge base that it works on, and the clock that times it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from ingest.settings import Settings
from ingest.store.cache import Cache
from ingest.store.catalog import Catalog
from ingest.store.layout import Layout
from ingest.telemetry import signals


@dataclass(frozen=True, slots=True)
class Base:
    """The knowledge base that a run works on."""

    layout: Layout
    catalog: Catalog
    cache: Cache
    settings: Settings
    models: Path


class Clock:
    """Times the stages of a run, one after the other, and tells each as a span when it is over."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def resume(self) -> None:
        """Begin to count here: what passed since the last mark is nobody's."""
        self._since = time.perf_counter()

    def mark(self, stage: str) -> None:
        """Add the time since the last mark to `stage`."""
        moment = time.perf_counter()
        spent = moment - self._since
        self.seconds[stage] = round(self.seconds.get(stage, 0.0) + spent, 4)
        self._since = moment
        if signals.listened():
            ended = time.time_ns()
            signals.past(f"stage {stage}", {"concord.stage": stage}, ended - int(spent * 1e9), ended)

    def apart(self, stage: str, seconds: float) -> None:
        """Count `seconds` that passed since the last mark for `stage` instead of the stage that is marked next."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
        self._since += seconds
