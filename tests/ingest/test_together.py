"""Calls at the same time: in order, ended on return, nested without waiting for one another."""

from __future__ import annotations

import threading
import time
from functools import partial

import pytest

from ingest import together as module
from ingest.together import together


def test_results_come_in_the_order_of_calls() -> None:
    assert together([partial(int, text) for text in "31415926"]) == [3, 1, 4, 1, 5, 9, 2, 6]
    assert together([]) == []


def test_the_first_call_is_made_here_and_others_beside_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cores", lambda: 2)
    met = threading.Barrier(2)

    def meeting() -> str:
        met.wait(30)
        return threading.current_thread().name

    here, there = together([meeting, meeting])
    assert here == threading.current_thread().name and there.startswith("together")


def test_calls_that_call_others_never_wait_for_a_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cores", lambda: 2)

    def deep(levels: int) -> int:
        return 1 if not levels else sum(together([partial(deep, levels - 1)] * 3))

    assert together([partial(deep, 4)] * 4) == [81] * 4


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_the_error_of_a_call_is_raised_when_all_that_runs_has_ended(monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    monkeypatch.setattr(module, "cores", lambda: 2)
    running: list[int] = []

    def call(number: int) -> None:
        running.append(number)
        try:
            if number == failing:
                raise ValueError(number)
            time.sleep(0.05)
        finally:
            running.remove(number)

    with pytest.raises(ValueError, match=str(failing)):
        together([partial(call, number) for number in range(3)])
    assert running == []


def test_one_core_makes_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "cores", lambda: 1)
    names = together([lambda: threading.current_thread().name] * 3)
    assert set(names) == {threading.current_thread().name}
