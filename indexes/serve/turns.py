"""So many at once; who waits is served by turns, one of each caller and each caller's in the order in which they came.

Python's semaphores let whoever happens to run have the next turn, and under load somebody then waits for ever; one queue for all
would let a caller with a hundred questions keep everybody else waiting.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque


class Turns:
    """`at_once` turns. Threads share one."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._lock = threading.Lock()
        self._waiting: OrderedDict[str, deque[threading.Event]] = OrderedDict()

    def take(self, patience: float, who: str = "") -> bool:
        """Wait for a turn of `who`, `patience` seconds at most. Returns whether it was given."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            mine = threading.Event()
            self._waiting.setdefault(who, deque()).append(mine)
        if mine.wait(patience):
            return True
        with self._lock:
            if mine.is_set():
                return True
            self._waiting[who].remove(mine)
            if not self._waiting[who]:
                del self._waiting[who]
            return False

    def give_back(self) -> None:
        """Hand the turn to whom it is due."""
        with self._lock:
            if not self._waiting:
                self._free += 1
                return
            who, theirs = self._waiting.popitem(last=False)
            theirs.popleft().set()
            if theirs:
                self._waiting[who] = theirs  # behind everybody else

    @property
    def waiting(self) -> int:
        """How many wait."""
        with self._lock:
            return sum(map(len, self._waiting.values()))
