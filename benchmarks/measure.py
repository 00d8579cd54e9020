"""What a command costs as a whole process: wall time, CPU time of it and its children, and the most memory of the process tree.

Memory is the proportional set size summed over the tree, so a page that workers share counts once. It is sampled, which costs
the measured process a little; both sides of a comparison pay it alike.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

_SAMPLED_EVERY = 0.05
_MOST_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one run: seconds of wall and CPU time, bytes of memory at the peak, and what it printed."""

    wall: float
    cpu: float
    memory: int
    printed: str
    code: int

    @property
    def json(self) -> Any:
        return json.loads(self.printed)


def cost(command: Sequence[str], environment: Mapping[str, str], *, folder: Path, expected: Sequence[int] = (0,)) -> Cost:
    """Run a command and return what it cost. Raises RuntimeError with its messages when it ends in an unexpected way."""
    started = time.perf_counter()
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, env={**os.environ, **environment})
        peak = Peak(process.pid)
        killer = threading.Timer(_MOST_SECONDS, process.kill)
        killer.start()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        killer.cancel()
        peak.stop()
    code = process.returncode = os.waitstatus_to_exitcode(status)
    if code not in expected:
        raise RuntimeError(f"{' '.join(command)} ended with {code}:\n{(folder / 'stderr').read_text()[-2000:]}")
    return Cost(wall, used.ru_utime + used.ru_stime, peak.memory, (folder / "stdout").read_text(), code)


class Peak:
    """Looks at a process tree every so many seconds, in a thread of its own: `memory` is the most that it had."""

    def __init__(self, pid: int, every: float = _SAMPLED_EVERY) -> None:
        self.memory = 0
        self._pid, self._every = pid, every
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(self._every):
            self.look()

    def look(self) -> None:
        self.memory = max(self.memory, memory_of_tree(self._pid))


def memory_of_tree(pid: int) -> int:
    """Return the proportional set size of a process and its descendants in bytes, 0 when it is gone."""
    total = 0
    try:
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            try:
                total += one.memory_full_info().pss
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
    except psutil.NoSuchProcess:
        return 0
    return total


def median_cost(costs: Sequence[Cost]) -> Cost:
    """Return the medians of wall, CPU and memory over several runs of one command."""
    return Cost(
        statistics.median(one.wall for one in costs), statistics.median(one.cpu for one in costs),
        int(statistics.median(one.memory for one in costs)), costs[-1].printed, costs[-1].code,
    )


def table(heading: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a Markdown table."""
    lines = [heading, ["---"] * len(heading), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
