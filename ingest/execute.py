"""Work spread over processes: `map_unordered` and what comes back of each item.

Each worker process has a thread of its own here that hands it one item at a time over its own pipe, so a worker that is
killed, crashes or hangs costs the item it was given and nothing else: there is no queue or lock shared between processes
that it could take down with it. Items are drawn from the caller's iterator only in the caller's thread, at most two a worker
ahead, so memory stays bounded whatever the iterator's length.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from queue import SimpleQueue
from typing import Any, Generic, Literal, TypeVar, cast

from ingest import worker
from ingest.errors import ConcordError, WorkFailed

Item = TypeVar("Item")
Value = TypeVar("Value")

IN_FLIGHT = 2
"""Items drawn for each worker: one it works on and one that waits, so that a busy caller does not leave workers idle."""

_START_ATTEMPTS = 3
_GRACE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Item, Value]):
    """What became of `item`, the `index`-th of the items: a value, or the error that it met."""

    index: int
    item: Item
    value: Value | None
    error: ConcordError | None

    def result(self) -> Value:
        """Return the value, or raise the error."""
        if self.error is not None:
            raise self.error
        return cast(Value, self.value)


def map_unordered(
    factory: Callable[[], Callable[[Item], Value]],
    items: Iterable[Item],
    *,
    executor: Literal["inline", "processes"],
    workers: int,
    timeout: float | None = None,
    fresh: bool = False,
) -> Generator[Outcome[Item, Value], None, None]:
    """Yield an Outcome for every item, as they finish: the callable that `factory()` returns is called on each.

    inline: factory is called once in this process, items one after the other; `workers`, `timeout` and `fresh` do not apply.
    processes: `factory`, the items and the values are pickled, so the factory is a module-level function of a
    module that can be imported by its name (not `__main__`), or a `functools.partial` of one. It is called once in each of up
    to `workers` processes (0: one a core), which are started as items need them, run numeric libraries single-threaded, ignore
    SIGINT, and print to stderr. `timeout` is the wall time in
    seconds of one item, start-up excluded. `fresh` gives every item a process of its own, forked from one in which the factory
    has run (so it should import and not start threads; a process with threads is replaced for every item instead).

    A ConcordError that the callable raises comes back as it is. Anything else is a WorkFailed: of kind `exception` or `memory`
    with the exception's type and text, `crash` when the process died, `timeout` when it was killed for its time. The others go
    on. What the factory raises is raised here, because no item could be done. Closing the iterator kills the workers; if this
    process is killed, so are they.
    """
    if executor == "inline":
        return _inline(factory, items)
    return _processes(factory, items, workers or cores(), timeout, fresh)


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0))


def _inline(
    factory: Callable[[], Callable[[Item], Value]], items: Iterable[Item]
) -> Generator[Outcome[Item, Value], None, None]:
    work: Callable[[Item], Value] | None = None
    for index, item in enumerate(items):
        work = work or factory()
        kind, made = worker.run(work, item)
        yield Outcome(index, item, None, made) if kind == worker.ERROR else Outcome(index, item, made, None)


def _processes(
    factory: Callable[[], Callable[[Item], Value]], items: Iterable[Item], workers: int, timeout: float | None, fresh: bool
) -> Generator[Outcome[Item, Value], None, None]:
    pickled = pickle.dumps(factory)
    waiting: SimpleQueue[tuple[int, Item] | None] = SimpleQueue()
    done: SimpleQueue[Outcome[Item, Value] | _Broken] = SimpleQueue()
    lanes: list[_Lane] = []
    numbered = iter(enumerate(items))
    in_flight, exhausted = 0, False
    try:
        while True:
            while not exhausted and in_flight < IN_FLIGHT * workers:
                entry = next(numbered, None)
                if entry is None:
                    exhausted = True
                    break
                waiting.put(entry)
                in_flight += 1
                if len(lanes) < min(workers, in_flight):
                    lanes.append(_Lane(pickled, waiting, done, timeout, fresh))
            if in_flight == 0:
                break
            outcome = done.get()
            if isinstance(outcome, _Broken):
                raise outcome.error
            in_flight -= 1
            yield outcome
        for _ in lanes:
            waiting.put(None)
        for lane in lanes:
            lane.thread.join(_GRACE_SECONDS)
    finally:
        for lane in lanes:
            lane.kill()
        for lane in lanes:
            lane.thread.join()


@dataclass(frozen=True, slots=True)
class _Broken:
    """No worker can be started, or the factory failed: nothing can be done about any item."""

    error: ConcordError


class _Lane:
    """One worker process at a time, and the thread that feeds it. The thread lives as long as its processes: the kernel kills
    a worker when the thread that started it ends."""

    def __init__(
        self, factory: bytes, waiting: SimpleQueue[Any], done: SimpleQueue[Any], timeout: float | None, fresh: bool
    ) -> None:
        self._factory, self._waiting, self._done = factory, waiting, done
        self._timeout, self._fresh = timeout, fresh
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._lock = threading.Lock()
        self._killed = False
        self.thread = threading.Thread(target=self._run, name="ingest-lane", daemon=True)
        self.thread.start()

    def kill(self) -> None:
        """End the lane now, from another thread. Its pipe closes with its process, which wakes the thread."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()
        self._waiting.put(None)

    def _run(self) -> None:
        try:
            while not self._killed and (entry := self._waiting.get()) is not None:
                self._done.put(self._outcome(*entry))
        except ConcordError as error:
            self._done.put(_Broken(error))
        except _Stopped:
            pass
        except BaseException as error:  # the caller must hear of it, or it would wait for ever
            self._done.put(_Broken(worker.translated(error)))
        finally:
            self._end()

    def _outcome(self, index: int, item: Any) -> Outcome[Any, Any]:
        try:
            message = pickle.dumps(item, protocol=5)
        except Exception as error:
            return Outcome(index, item, None, worker.translated(error))
        kind, made = self._exchange(message)
        return Outcome(index, item, None, made) if kind == worker.ERROR else Outcome(index, item, made, None)

    def _exchange(self, message: bytes) -> tuple[str, Any]:
        """Have the worker answer one item; start one where there is none, and end it when it is of no more use."""
        pipe = self._pipe or self._start()
        try:
            pipe.send_bytes(message)
            if not pipe.poll(self._timeout):
                self._end(signal.SIGKILL)
                late = WorkFailed(f"no result after {self._timeout:g} seconds; the worker was stopped", kind="timeout")
                return worker.ERROR, late
            reply = pipe.recv_bytes()
        except (EOFError, OSError):
            return worker.ERROR, WorkFailed(f"the worker process died ({self._end()})", kind="crash")
        kind, made, more = _loaded(reply)
        if not more:
            self._end()
        return kind, made

    def _start(self) -> Connection:
        """Start a worker whose factory has run. Raises what the factory raised, or WorkFailed if it dies again and again."""
        for _ in range(_START_ATTEMPTS):
            pipe = self._launch()
            try:
                pipe.send_bytes(self._factory)
                kind, made, _ = _loaded(pipe.recv_bytes())
            except (EOFError, OSError):
                how = self._end()
                continue
            if kind == worker.READY:
                return pipe
            self._end()
            raise made
        raise WorkFailed(f"a worker process dies while it starts ({how}); free memory or use fewer workers", kind="crash")

    def _launch(self) -> Connection:
        near, far = Pipe(duplex=True)
        mode = "fresh" if self._fresh else "reused"
        command = [sys.executable, "-c", worker.START, str(far.fileno()), mode, json.dumps(sys.path), str(os.getpid())]
        with far, self._lock:
            if self._killed:
                near.close()
                raise _Stopped
            # Descriptor 2 as the worker's stdout: what a library prints must not end in this process's results.
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and program
                command, stdin=subprocess.DEVNULL, stdout=2, pass_fds=[far.fileno()], env={**os.environ, **worker.SINGLE_THREADED}
            )
        self._pipe = near
        return near

    def _end(self, how: signal.Signals | None = None) -> str:
        """Close the pipe, wait for the process (killing it when asked or when it lingers), and say how it ended."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        process = self._process
        if process is None:
            return "never started"
        if how is not None:
            process.kill()
        try:
            code = process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        with self._lock:
            self._process = None
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


class _Stopped(Exception):
    """The lane was killed; nobody waits for its outcome."""


def _loaded(reply: bytes) -> tuple[str, Any, bool]:
    try:
        kind, made, more = pickle.loads(reply)  # noqa: S301  # from our own worker
    except Exception as error:  # a value that pickles there and does not load here
        return worker.ERROR, worker.translated(error), True
    if kind in (worker.ERROR, worker.BROKEN):
        made = worker.rebuilt(made)
    return kind, made, more


__all__ = ["IN_FLIGHT", "Outcome", "cores", "map_unordered"]
