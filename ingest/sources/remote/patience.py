"""Trying again: only what may pass, later each time, and not for ever when a whole place is away.

The decision worth knowing: a few documents that always fail must not stop a root, and a place that is away must not be asked for
every one of thousands. After some failures in a row, all tries of each, there is one try each; after many, the place is taken for
unreachable, and the run stops as a whole.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from ingest.settings import RootPart

T = TypeVar("T")

HASTY_AFTER = 3
"""Requests of one root that fail, one after the other, before each is tried but once."""
MOST_IN_A_ROW = 16
"""Requests of one root that may fail, one after the other, before the place is called unreachable."""
_LONGEST_SECONDS = 30.0

RETRYABLE = (ConnectionError, TimeoutError)


class Busy(ConnectionError):
    """The place asks to come back later. `after`: in so many seconds, where it says so."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


class Unreachable(Exception):
    """The place as a whole does not answer any more."""


class Patience:
    """Counts failures of one root, from all threads."""

    def __init__(self, part: RootPart, sleep: Callable[[float], None] = time.sleep) -> None:
        self._part = part
        self._sleep = sleep
        self._lock = threading.Lock()
        self._failed = 0

    def ask(self, request: Callable[[], T]) -> T:
        """Return what `request` does. Raises what it raised last, or Unreachable."""
        if self._failed >= MOST_IN_A_ROW:
            raise Unreachable("it does not answer any more")
        tries = self._part.tries if self._failed < HASTY_AFTER else 1
        for attempt in range(1, tries + 1):
            try:
                answer = request()
            except RETRYABLE as error:
                if attempt == tries:
                    self._gave_up(error)
                    raise
                self._sleep(self._pause(attempt, error))
            except Exception:
                self._answered()  # a refusal is an answer
                raise
            else:
                self._answered()
                return answer
        raise AssertionError("tries are at least one")

    def _pause(self, attempt: int, error: Exception) -> float:
        asked = error.after if isinstance(error, Busy) and error.after is not None else 0.0
        return min(_LONGEST_SECONDS, max(asked, self._part.backoff_seconds * 2.0 ** (attempt - 1)))

    def _answered(self) -> None:
        with self._lock:
            self._failed = 0

    def _gave_up(self, error: Exception) -> None:
        with self._lock:
            self._failed += 1
            if self._failed >= MOST_IN_A_ROW:
                raise Unreachable(str(error) or type(error).__name__) from error
