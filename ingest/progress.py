"""Progress is an argument with a null default: stages count, and a terminal, a log or a scheduler reads.

A stage calls `start(stage, total)`, then `advance(stage)` as items finish, then `finish(stage)`. Calls may come from one
thread only. Totals may be unknown (None).
"""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Whoever watches a run. Implementations must be cheap: `advance` is called once a batch or oftener."""

    def start(self, stage: str, total: int | None, unit: str = "items") -> None: ...
    def advance(self, stage: str, amount: int = 1) -> None: ...
    def finish(self, stage: str) -> None: ...
    def note(self, message: str) -> None: ...


class Silent:
    """Nobody watches."""

    def start(self, stage: str, total: int | None, unit: str = "items") -> None:
        pass

    def advance(self, stage: str, amount: int = 1) -> None:
        pass

    def finish(self, stage: str) -> None:
        pass

    def note(self, message: str) -> None:
        pass
