"""So many at once, in the order in which they came: Python's semaphores let whoever happens to run have the next turn, and under
load somebody then waits for ever."""

from __future__ import annotations

import threading
from collections import deque


class Turns:
    """`at_once` turns. Threads share one."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._lock = threading.Lock()
        self._waiting: deque[threading.Event] = deque()

    def take(self, patience: float) -> bool:
        """Wait for a turn, `patience` seconds at most. Returns whether it was given."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            mine = threading.Event()
            self._waiting.append(mine)
        if mine.wait(patience):
            return True
        with self._lock:
            if mine.is_set():
                return True
            self._waiting.remove(mine)
            return False

    def give_back(self) -> None:
        """Hand the turn to whoever has waited longest."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._free += 1
