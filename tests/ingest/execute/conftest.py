"""Factories for workers, and what of them is running."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import psutil
import pytest

WORKLOADS = Path(__file__).parent / "workloads"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(WORKLOADS))
    import spread_work

    return spread_work


@pytest.fixture
def running() -> Callable[[], list[psutil.Process]]:
    """The worker processes below this one, those beside actors included."""

    def now() -> list[psutil.Process]:
        return [child for child in psutil.Process().children(recursive=True) if _is_worker(child)]

    return now


def _is_worker(process: psutil.Process) -> bool:
    try:
        return any("ingest.worker" in word for word in process.cmdline()) and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def until() -> Callable[[Callable[[], bool]], None]:
    """Wait for something that happens soon; fail after a minute."""

    def wait(holds: Callable[[], bool]) -> None:
        for _ in range(6000):
            if holds():
                return
            time.sleep(0.01)
        raise AssertionError("it never happened")

    return wait
