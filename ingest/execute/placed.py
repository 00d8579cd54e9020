"""A seat on a machine of a Ray cluster: Ray places an actor and carries bytes, a worker process beside the actor does the work.

The work is not done in the actor itself, whose process is full of Ray's threads: it could not be forked, and limits of memory and
CPU time would bind Ray, too. So a parser that crashes or hangs ends the process beside the actor, in the same way and with the
same words as on one machine. An actor that dies, or its machine, costs its item likewise; another is placed for the next.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import chain, islice
from typing import Any

from ingest import worker
from ingest.errors import ClusterUnavailable, WorkFailed
from ingest.execute.cluster import connected, places
from ingest.execute.lanes import NoSeat, Stopped, over
from ingest.execute.machine import cores
from ingest.execute.outcome import Item, Outcome, Value
from ingest.execute.process import WorkerProcess

PLACED_SECONDS = 300.0
"""For an actor to be placed and its worker to start; a cluster that grows on demand needs minutes for a machine."""
LATE_SECONDS = 10.0
"""How much longer than its worker an actor may take to say that time is up; then it or its machine hangs."""

_START_ATTEMPTS = 3


def placed(
    factory: Callable[[], Callable[[Item], Value]], items: Iterable[Item], workers: int, timeout: float | None, fresh: bool,
    address: str,
) -> Generator[Outcome[Item, Value], None, None]:
    """Yield an Outcome for every item. Connects with the first; no items start nothing."""
    pickled = pickle.dumps(factory)
    drawn = iter(items)
    first = list(islice(drawn, 1))
    if not first:
        return
    ray = connected(address, max(workers, cores()))
    room = places(ray)
    if not room:
        raise ClusterUnavailable("the Ray cluster has no cores; start a node with --num-cpus of 1 or more")
    yield from over(lambda: _Placed(ray, pickled, timeout, fresh), min(workers or room, room), chain(first, drawn))


class Host:
    """What becomes the actor. `path`: what the driver imports from; folders of it that are here too come last."""

    def __init__(self, factory: bytes, timeout: float | None, fresh: bool, path: Sequence[str]) -> None:
        more = [folder for folder in path if folder not in sys.path and os.path.exists(folder)]  # noqa: PTH110  # zip or folder
        self._process = WorkerProcess(factory, timeout, fresh, [*sys.path, *more])

    def ready(self) -> bytes:
        """Start a worker where there is none. Returns a reply: READY, or BROKEN with what prevents it."""
        try:
            self._process.started()
        except Exception as error:
            return worker.refusal(worker.translated(error), worker.BROKEN)
        return worker.ready()

    def answer(self, message: bytes) -> bytes:
        return self._process.answer(message)


class _Placed:
    """The driver's side: a Seat."""

    def __init__(self, ray: Any, factory: bytes, timeout: float | None, fresh: bool) -> None:
        self._ray = ray
        self._timeout = None if timeout is None else timeout + LATE_SECONDS
        self._made_of = (factory, timeout, fresh, list(sys.path))
        self._actor: Any = None
        self._ready = self._killed = False

    def prepare(self) -> None:
        """Have an actor placed and its worker started."""
        for _ in range(_START_ATTEMPTS):
            if self._ready:
                return
            self._place()
        if not self._ready:
            raise WorkFailed("actors die while they start; see Ray's logs on the cluster", kind="crash")

    def answer(self, message: bytes) -> bytes:
        try:
            reply: bytes = self._ray.get(self._actor.answer.remote(message), timeout=self._timeout)
        except self._ray.exceptions.GetTimeoutError:
            self.close()
            late = f"no result after {self._timeout:g} seconds; the actor or its machine hangs, and was given up"
            return worker.refusal(WorkFailed(late, kind="crash"))  # of the place, not of the item
        except self._ray.exceptions.RayError as error:
            self.close()
            return worker.refusal(WorkFailed(f"the actor died ({_first_line(error)})", kind="crash"))
        self._ready = worker.goes_on(reply)
        return reply

    def kill(self) -> None:
        self._killed = True
        self.close()

    def close(self) -> None:
        actor, self._actor, self._ready = self._actor, None, False
        if actor is not None and self._ray.is_initialized():
            self._ray.kill(actor)

    def _place(self) -> None:
        if self._actor is None:
            # An actor is not restarted, nor an item given to it twice, by Ray: what follows a death is for whoever gave it.
            remote = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Host)
            self._actor = remote.remote(*self._made_of)
        if self._killed:
            self.close()
            raise Stopped
        try:
            kind, made = worker.loaded(self._ray.get(self._actor.ready.remote(), timeout=PLACED_SECONDS))
        except self._ray.exceptions.GetTimeoutError:
            self.close()
            raise NoSeat(ClusterUnavailable(
                f"the Ray cluster placed no worker within {PLACED_SECONDS:g} seconds; its cores are taken: wait, or add a node"
            )) from None
        except self._ray.exceptions.RayError:
            self.close()
            return
        if kind == worker.BROKEN:
            raise made
        self._ready = True


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]
