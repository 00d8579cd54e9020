"""What is tried again, how long is waited, and when a place is given up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ingest.settings import RootPart
from ingest.sources.remote.patience import HASTY_AFTER, MOST_IN_A_ROW, Busy, Patience, Unreachable


class Flaky:
    """Raises what it is given, one after the other, then answers."""

    def __init__(self, *errors: Exception) -> None:
        self.errors = list(errors)
        self.asked = 0

    def __call__(self) -> str:
        self.asked += 1
        if self.errors:
            raise self.errors.pop(0)
        return "answer"


@pytest.fixture
def patient() -> tuple[Patience, list[float]]:
    slept: list[float] = []
    return Patience(RootPart(tries=4, backoff_seconds=0.5), slept.append), slept


def test_what_may_pass_is_tried_again_later_each_time(patient: tuple[Patience, list[float]]) -> None:
    patience, slept = patient
    assert patience.ask(Flaky(ConnectionError(), TimeoutError(), ConnectionResetError())) == "answer"
    assert slept == [0.5, 1.0, 2.0]


def test_a_server_is_left_alone_as_long_as_it_asks_within_reason(patient: tuple[Patience, list[float]]) -> None:
    patience, slept = patient
    patience.ask(Flaky(Busy("later", 7), Busy("much later", 3600)))
    assert slept == [7, 30]


@pytest.mark.parametrize("make", [FileNotFoundError, PermissionError, OSError, ValueError])
def test_what_does_not_pass_is_tried_once(patient: tuple[Patience, list[float]], make: Callable[[], Exception]) -> None:
    patience, slept = patient
    flaky = Flaky(make())
    with pytest.raises(make):  # type: ignore[arg-type]
        patience.ask(flaky)
    assert (flaky.asked, slept) == (1, [])


def test_a_place_that_fails_again_and_again_is_given_up(patient: tuple[Patience, list[float]]) -> None:
    patience, _ = patient
    for count in range(MOST_IN_A_ROW - 1):
        flaky = Flaky(*[ConnectionError()] * 4)
        with pytest.raises(ConnectionError):
            patience.ask(flaky)
        assert flaky.asked == (4 if count < HASTY_AFTER else 1)
    with pytest.raises(Unreachable):
        patience.ask(Flaky(*[ConnectionError()] * 4))
    asked = Flaky()
    with pytest.raises(Unreachable):
        patience.ask(asked)
    assert asked.asked == 0


def test_an_answer_of_any_kind_means_that_it_is_there(patient: tuple[Patience, list[float]]) -> None:
    patience, _ = patient
    for _ in range(3 * MOST_IN_A_ROW):
        with pytest.raises(ConnectionError):
            patience.ask(Flaky(*[ConnectionError()] * 4))
        with pytest.raises(FileNotFoundError):
            patience.ask(Flaky(FileNotFoundError()))
