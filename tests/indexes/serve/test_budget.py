"""A session gets what its budget says, and is told in words what is used up."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from indexes.serve.budget import Amounts, Budget, limits
from ingest.errors import BudgetExhausted
from ingest.settings import ServePart


def test_calls_are_refused_when_used_up_and_the_refusal_says_what_to_do() -> None:
    budget = Budget(Amounts(calls=2))
    budget.spend(calls=1)
    budget.spend(calls=1)
    with pytest.raises(BudgetExhausted, match=r"2 calls .* used up: answer from the evidence you have; .*serve\.calls") as raised:
        budget.spend(calls=1)
    assert raised.value.what == "calls"
    assert budget.used.calls == 2


def test_refused_call_takes_nothing() -> None:
    budget = Budget(Amounts(calls=5, opened=1))
    with pytest.raises(BudgetExhausted):
        budget.spend(calls=1, opened=2)
    assert budget.used == Amounts()


def test_tokens_are_counted_after_they_are_out_and_the_next_call_is_refused() -> None:
    budget = Budget(Amounts(tokens=100))
    budget.spend(calls=1)
    assert budget.left["tokens"] == 100
    budget.took(130)
    assert budget.left["tokens"] == 0
    with pytest.raises(BudgetExhausted, match="tokens of evidence") as raised:
        budget.spend(calls=1)
    assert raised.value.what == "tokens"


def test_nought_is_any_number() -> None:
    budget = Budget(Amounts())
    for _ in range(1000):
        budget.spend(calls=1, opened=1)
    budget.took(10**9)
    assert budget.left["tokens"] is None
    budget.spend(calls=1)


def test_window_begins_anew_and_the_refusal_says_when() -> None:
    at = 0.0
    budget = Budget(Amounts(calls=1), window=60, clock=lambda: at)
    budget.spend(calls=1)
    at = 20.0
    with pytest.raises(BudgetExhausted, match="in 40 seconds they are counted anew") as raised:
        budget.spend(calls=1)
    assert raised.value.seconds == 40
    at = 60.0
    budget.spend(calls=1)


def test_threads_together_get_no_more_than_there_is() -> None:
    budget = Budget(Amounts(calls=500))

    def calls(_: int) -> int:
        got = 0
        for _ in range(100):
            try:
                budget.spend(calls=1)
                got += 1
            except BudgetExhausted:
                pass
        return got

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(calls, range(8))) == 500


def test_limits_come_from_the_settings() -> None:
    assert limits(ServePart(calls=3, evidence_tokens=4, opened=5)) == Amounts(3, 4, 5)
