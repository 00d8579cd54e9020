"""Items handed to any number of seats, one at a time each, so that what happens to a seat costs the item it was given.

Each seat has a thread of its own here, and there is no queue or lock that a dying worker could take down with it. Items are drawn
from the caller's iterator only in the caller's thread, at most two a seat ahead, so memory stays bounded whatever the iterator's
length.
"""

from __future__ import annotations

import pickle
import threading
import time
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, Protocol

from ingest import worker
from ingest.errors import ConcordError
from ingest.execute.outcome import IN_FLIGHT, Item, Outcome

_GRACE_SECONDS = 5.0


class Seat(Protocol):
    """Where one item at a time is worked on. Used by one thread, but for `kill`."""

    def prepare(self) -> None:
        """Have ready what takes long to get, before an item is taken. Raises NoSeat where there is no place for one more worker,
        and what makes work impossible at all."""
        ...

    def answer(self, message: bytes) -> bytes:
        """Return a reply, as `ingest.worker.loaded` reads it, to a pickled item, whatever becomes of the worker.

        Raises what makes work impossible at all."""
        ...

    def kill(self) -> None:
        """End it now, from another thread; whoever waits in `answer` or `prepare` is let go by any exception."""
        ...

    def close(self) -> None:
        """End it. May be called twice."""
        ...


class Stopped(Exception):
    """The seat was killed; nobody waits for its outcome."""


class NoSeat(Exception):
    """There is no place for this seat; the others do its share. `error`: what to tell where there are no others."""

    def __init__(self, error: ConcordError) -> None:
        super().__init__(str(error))
        self.error = error


def over(seat: Callable[[], Seat], seats: int, items: Iterable[Item]) -> Generator[Outcome[Item, Any], None, None]:
    """Yield an Outcome for every item. Up to `seats` are made, as items need them, and all are closed in the end."""
    waiting: SimpleQueue[tuple[int, Item] | None] = SimpleQueue()
    done: SimpleQueue[Outcome[Item, Any] | _Ended] = SimpleQueue()
    lanes: list[_Lane] = []
    numbered = iter(enumerate(items))
    in_flight, missing, exhausted = 0, 0, False
    try:
        while True:
            while not exhausted and in_flight < IN_FLIGHT * seats:
                entry = next(numbered, None)
                if entry is None:
                    exhausted = True
                    break
                waiting.put(entry)
                in_flight += 1
                if len(lanes) < min(seats, in_flight):
                    lanes.append(_Lane(seat(), waiting, done))
            if in_flight == 0:
                break
            outcome = done.get()
            if isinstance(outcome, _Ended):
                missing += 1
                if outcome.for_all or missing == len(lanes):
                    raise outcome.error
                continue
            in_flight -= 1
            yield outcome
        for _ in lanes:
            waiting.put(None)
        until = time.monotonic() + _GRACE_SECONDS  # for all together: one that still waits for its place has no item
        for lane in lanes:
            lane.thread.join(max(until - time.monotonic(), 0))
    finally:
        for lane in lanes:
            lane.kill()
        for lane in lanes:
            lane.thread.join()


@dataclass(frozen=True, slots=True)
class _Ended:
    """A lane that takes no more items. `for_all`: the factory failed, or no worker can be started at all."""

    error: ConcordError
    for_all: bool


class _Lane:
    """A seat, and the thread that feeds it. The thread lives as long as the seat: the kernel kills a worker process when the
    thread that started it ends."""

    def __init__(self, seat: Seat, waiting: SimpleQueue[Any], done: SimpleQueue[Any]) -> None:
        self._seat, self._waiting, self._done = seat, waiting, done
        self._killed = False
        self.thread = threading.Thread(target=self._run, name="ingest-lane", daemon=True)
        self.thread.start()

    def kill(self) -> None:
        """End the lane now, from another thread."""
        self._killed = True
        self._seat.kill()
        self._waiting.put(None)

    def _run(self) -> None:
        try:
            while not self._killed:
                self._seat.prepare()
                if (entry := self._waiting.get()) is None:
                    break
                self._done.put(self._outcome(*entry))
        except NoSeat as full:
            self._done.put(_Ended(full.error, for_all=False))
        except BaseException as error:  # the caller must hear of it, or it would wait for ever
            self._done.put(_Ended(worker.translated(error), for_all=True))
        finally:
            self._seat.close()

    def _outcome(self, index: int, item: Any) -> Outcome[Any, Any]:
        try:
            message = pickle.dumps(item, protocol=5)
        except Exception as error:
            return Outcome(index, item, None, worker.translated(error))
        kind, made = worker.loaded(self._seat.answer(message))
        return Outcome(index, item, None, made) if kind == worker.ERROR else Outcome(index, item, made, None)
