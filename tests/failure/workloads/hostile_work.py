"""A worker that does to a document what its name says: workers import it by name, hence a module."""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from flows.work import Job, Worked, work
from ingest.settings import Settings


def worker(settings: Settings, *, limited: bool, slow: bool = False) -> Callable[[Job], Worked]:
    """Stands in for `flows.work.worker`."""

    def call(job: Job) -> Worked:
        if "once" in job.path and not (mark := Path(os.environ["HOSTILE_MARK"])).exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if "killed" in job.path:
            os.kill(os.getpid(), signal.SIGKILL)
        if "segfault" in job.path:
            ctypes.string_at(0)
        if "hang" in job.path:
            time.sleep(600)
        if "memory" in job.path:
            raise MemoryError
        if "foreign" in job.path:
            raise ZeroDivisionError("by nought")
        return work(settings, job)

    return call
