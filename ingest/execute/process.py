"""A worker process beside us: `ingest.worker` at the other end of a pipe, started with its first item and again when it is gone.

A worker that is killed, crashes or hangs costs the item it was given and nothing else. What it wrote to its notes by then comes
back with the error: they are memory that both ends hold open, so they outlive the worker and never lie on a disk.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from multiprocessing import Pipe
from multiprocessing.connection import Connection

from ingest import worker
from ingest.errors import WorkFailed
from ingest.execute.lanes import Stopped, over
from ingest.execute.outcome import Item, Outcome, Value

_START_ATTEMPTS = 3
_GRACE_SECONDS = 5.0
_TOKEN = "RAY_AUTH_TOKEN"
"""What opens the cluster to whoever has it: nothing that a worker does needs it, and it reads what strangers wrote."""


def processes(
    factory: Callable[[], Callable[[Item], Value]], items: Iterable[Item], workers: int, timeout: float | None, fresh: bool
) -> Generator[Outcome[Item, Value], None, None]:
    """Yield an Outcome for every item, made in up to `workers` processes of this machine."""
    pickled = pickle.dumps(factory)
    return over(lambda: WorkerProcess(pickled, timeout, fresh, sys.path), workers, items)


class WorkerProcess:
    """One worker process at a time: a Seat. `path` is what it imports from."""

    def __init__(self, factory: bytes, timeout: float | None, fresh: bool, path: Sequence[str]) -> None:
        self._factory, self._timeout, self._fresh, self._path = factory, timeout, fresh, list(path)
        self._process: subprocess.Popen[bytes] | None = None
        self._pipe: Connection | None = None
        self._notes: int | None = None
        self._lock = threading.Lock()
        self._killed = False

    def prepare(self) -> None:
        """Nothing: a process of this machine is started with its first item."""

    def answer(self, message: bytes) -> bytes:
        """Have the worker answer one item; start one where there is none, and end it when it is of no more use."""
        pipe, notes = self.started()
        os.ftruncate(notes, 0)
        try:
            pipe.send_bytes(message)
            if not pipe.poll(self._timeout):
                noted, quiet = _noted(notes)
                self._end(now=True)
                late = f"no result after {self._timeout:g} seconds; the worker was stopped"
                return worker.refusal(WorkFailed(late, kind="timeout", notes=noted, quiet=quiet))
            reply = pipe.recv_bytes()
        except (EOFError, OSError):
            noted, quiet = _noted(notes)
            died = f"the worker process died ({self._end()})"
            return worker.refusal(WorkFailed(died, kind="crash", notes=noted, quiet=quiet))
        if not worker.goes_on(reply):
            self._end()
        return reply

    def started(self) -> tuple[Connection, int]:
        """Return the pipe and the notes of a worker whose factory has run.

        Raises what the factory raised, or WorkFailed if workers die again and again."""
        if self._pipe is not None and self._notes is not None:
            return self._pipe, self._notes
        for _ in range(_START_ATTEMPTS):
            pipe, notes = self._launch()
            try:
                pipe.send_bytes(self._factory)
                kind, made = worker.loaded(pipe.recv_bytes())
            except (EOFError, OSError):
                how = self._end()
                continue
            if kind == worker.READY:
                return pipe, notes
            self._end()
            raise made
        raise WorkFailed(f"a worker process dies while it starts ({how}); free memory or use fewer workers", kind="crash")

    def kill(self) -> None:
        """End it now, from another thread. Its pipe closes with its process, which wakes whoever waits for an answer."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """End the process, and wait for it."""
        self._end()

    def _end(self, *, now: bool = False) -> str:
        """Close the pipe, wait for the process (killing it when asked or when it lingers), and say how it ended."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._notes is not None:
            os.close(self._notes)
            self._notes = None
        process = self._process
        if process is None:
            return "never started"
        if now:
            process.kill()
        try:
            code = process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        with self._lock:
            self._process = None
        return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

    def _launch(self) -> tuple[Connection, int]:
        near, far = Pipe(duplex=True)
        notes = os.memfd_create("notes")
        self._pipe, self._notes = near, notes
        mode = "fresh" if self._fresh else "reused"
        told = [str(far.fileno()), mode, json.dumps(self._path), str(os.getpid()), str(notes)]
        with far, self._lock:
            if self._killed:
                raise Stopped
            # Descriptor 2 as the worker's stdout: what a library prints must not end in this process's results.
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and program
                [sys.executable, "-c", worker.START, *told], stdin=subprocess.DEVNULL, stdout=2, pass_fds=[far.fileno(), notes],
                env={**{name: value for name, value in os.environ.items() if name != _TOKEN}, **worker.SINGLE_THREADED},
            )
        return near, notes


def _noted(notes: int) -> tuple[bytes, float]:
    """What is in the notes, and how many seconds ago the last of it was written."""
    state = os.fstat(notes)
    return os.pread(notes, state.st_size, 0), max(time.time() - state.st_mtime, 0.0)
