"""How much one session may have: calls, tokens of evidence, opened documents. What is used up is refused in words that say so."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Literal

from ingest.errors import BudgetExhausted
from ingest.settings import ServePart

What = Literal["calls", "tokens", "opened"]

_NAMES: Mapping[What, str] = {"calls": "calls", "tokens": "tokens of evidence", "opened": "opened documents, sections or chunks"}
_SETTINGS: Mapping[What, str] = {"calls": "calls", "tokens": "evidence_tokens", "opened": "opened"}
_ADVICE: Mapping[What, str] = {
    "calls": "answer from the evidence you have",
    "tokens": "answer from the evidence you have, or say that it does not suffice",
    "opened": "answer from what you have read",
}


@dataclass(frozen=True, slots=True)
class Amounts:
    """Calls, tokens of evidence, opened things. As limits, 0 is any number."""

    calls: int = 0
    tokens: int = 0
    opened: int = 0


def limits(settings: ServePart) -> Amounts:
    """Return the limits of a session."""
    return Amounts(settings.calls, settings.evidence_tokens, settings.opened)


class Budget:
    """What a session may have and has had. Threads may share one.

    `window`: seconds after which it begins anew, 0: never (the session's end is its end)."""

    def __init__(self, limits: Amounts, window: float = 0, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits = limits
        self._window = window
        self._clock = clock
        self._lock = threading.Lock()
        self._begun = clock()
        self._used = Amounts()

    def spend(self, *, calls: int = 0, opened: int = 0, text: bool = True) -> None:
        """Take this much, or raise BudgetExhausted and take nothing. Raises too when the tokens of evidence are used up, where
        `text` is wanted: an answer can be checked without more of it."""
        with self._lock:
            self._begin_anew()
            used = replace(self._used, calls=self._used.calls + calls, opened=self._used.opened + opened)
            for what, amount, limit in (
                ("calls", used.calls, self._limits.calls), ("opened", used.opened, self._limits.opened),
                ("tokens", used.tokens + 1 if text else 0, self._limits.tokens),
            ):
                if limit and amount > limit:
                    raise self._exhausted(what, limit)  # type: ignore[arg-type]
            self._used = used

    def took(self, tokens: int) -> None:
        """Count the tokens of evidence that were handed out. Never raises: they are out. The next `spend` does."""
        with self._lock:
            self._used = replace(self._used, tokens=self._used.tokens + tokens)

    @property
    def left(self) -> dict[What, int | None]:
        """What may still be had of each; None: any number."""
        with self._lock:
            self._begin_anew()
            used, limits = asdict(self._used), asdict(self._limits)
            return {what: max(0, limits[what] - used[what]) if limits[what] else None for what in _NAMES}

    @property
    def used(self) -> Amounts:
        with self._lock:
            self._begin_anew()
            return self._used

    def _begin_anew(self) -> None:
        if self._window and self._clock() - self._begun >= self._window:
            self._begun, self._used = self._clock(), Amounts()

    def _exhausted(self, what: What, limit: int) -> BudgetExhausted:
        seconds = max(1, round(self._window - (self._clock() - self._begun))) if self._window else None
        until = f"in {seconds} seconds they are counted anew" if seconds else "a new session begins anew"
        return BudgetExhausted(
            f"the {limit} {_NAMES[what]} of this session are used up: {_ADVICE[what]}; {until} "
            f"(whoever runs the server sets serve.{_SETTINGS[what]})", what=what, seconds=seconds,
        )
