"""The named steps of whatever writes a knowledge base, and a way to stop at one of them: a debugging aid.

A writer announces each step the moment it has been taken (`reached("head moved")`; a name that says so, the moment before).
Announcing costs next to nothing unless somebody asked, with `INGEST_DEBUG__STOP_AT`, that the process be killed, paused or
failed there. That is how one looks at what lies on the disk between two steps, and how the failure suite kills at all of them.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

from ingest.errors import StoppedAtStep

How = Literal["kill", "pause", "raise"]

STEPS: dict[str, str] = {
    "lease taken": "the lock is held, nothing has been looked at",
    "catalog opened": "its tables are there; on a first run they were made just now",
    "recovered": "what a dead writer left was discarded",
    "root registered": "a root is known by its name; it has no sources yet",
    "planned": "sources were compared with the catalog",
    "document read": "the bytes of a document are in memory",
    "document parsed": "a worker gave its chunks back; they are not kept yet",
    "parsed form kept": "the cache has a document of a format that is slow to parse",
    "chunks kept": "the cache has the chunks of a few documents, and not yet the heads that promise them",
    "documents kept": "the cache has a few documents whole",
    "staging begun": "the staging transaction is open",
    "source staged": "the facts of one source are in it",
    "copies staged": "the edges between passages that say the same are in it",
    "facts about to be staged": "all facts are in the transaction, which is not committed",
    "facts staged": "the catalog has the facts of the next generation, which no reader sees",
    "bases checked": "the builds that the next ones start from were read and are what was published",
    "vectors made": "a batch was embedded; it is not kept yet",
    "vectors kept": "the cache has the batch",
    "texts embedded": "every text to be written has its vector",
    "build begun": "an index is about to be written below staging/",
    "build written": "its files are closed",
    "build stamped": "it says what it is",
    "build flushed": "its files and folders are on the disk",
    "indexes applied": "the three builds are ready",
    "build proven": "one of them was read back and holds what the catalog says",
    "generation proven": "all of them do",
    "build moved": "one of them is in its place; no generation names it",
    "generation written": "manifest.json, files.json and the lock are below staging/",
    "generation moved": "they are in their place; no catalog lists them",
    "head about to move": "the last moment at which nothing has happened",
    "head moving": "the head is moved in a transaction that is not committed",
    "head moved": "the generation is published",
    "pruning": "generations beyond the last K are about to go",
    "generation forgotten": "one is not listed any more; its files are there",
    "generation folder removed": "its manifest is gone, its builds are there",
    "build removed": "a build that no listed generation names is gone",
    "pruned": "what was to go is gone",
    "signatures remembered": "the next run need not read what this one has read",
    "confirmed": "nothing had changed, and the catalog says when that was found",
    "rollback staged": "the facts of the older generation are staged as the next one",
    "hold set": "runs will be refused as soon as the head has moved",
    "hold lifted": "runs are let through again",
}
"""Every step by name, in about the order in which they are taken, and what is true at it."""


def reached(step: str) -> None:
    """Announce a step. Returns at once unless somebody wants to be stopped here."""
    stop = _armed.get()
    if stop is not None:
        stop.reached(step)


class Stop:
    """Counts steps until the one to stop at. `at`: a name, or `name:3` for the third time; empty for none."""

    def __init__(self, at: str, how: How, *, trace: bool) -> None:
        self._step, self._time = parsed(at) if at else ("", 0)
        self._how = how
        self._trace = trace
        self._times = dict.fromkeys(STEPS, 0)
        self._since = time.monotonic()

    def reached(self, step: str) -> None:
        self._times[step] += 1
        times = self._times[step]
        if self._trace:
            _tell(f"step {step}:{times} after {time.monotonic() - self._since:.3f} s")
        if (step, times) == (self._step, self._time):
            self._stop()

    def _stop(self) -> None:
        where = f"{self._step}:{self._time}"
        if self._how == "raise":
            raise StoppedAtStep(f"stopped at {where}, as debug.stop_at asks; unset it and run again")
        if self._how == "pause":
            pid = os.getpid()
            _tell(f"paused at {where}; go on with: kill -CONT {pid}")
            os.kill(pid, signal.SIGSTOP)
        else:
            os.kill(os.getpid(), signal.SIGKILL)


def _tell(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


_armed: ContextVar[Stop | None] = ContextVar("armed", default=None)


@contextmanager
def stopping(at: str, how: How, *, trace: bool) -> Iterator[None]:
    """Within this context, stop at a step, and tell each on stderr where `trace` says so. With neither, nothing is counted."""
    token = _armed.set(Stop(at, how, trace=trace) if at or trace else None)
    try:
        yield
    finally:
        _armed.reset(token)


def parsed(at: str) -> tuple[str, int]:
    """Return (step, at which time). Raises ValueError naming the steps that are spelt most like it."""
    name, _, times = at.partition(":")
    name = name.strip()
    if name not in STEPS:
        import difflib

        like = difflib.get_close_matches(name, STEPS) or ["see `ingest doctor --steps`"]
        raise ValueError(f"no step is called {name!r}; did you mean: {', '.join(like)}?")
    if times and not (times.strip().isdecimal() and int(times) > 0):
        raise ValueError(f"{at!r} does not say at which time; write for example '{name}:3'")
    return name, int(times or 1)
