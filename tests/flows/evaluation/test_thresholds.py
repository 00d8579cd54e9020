"""Thresholds: how they are written, of whom they speak, and what a mistake in one is told with."""

from __future__ import annotations

import pytest

from flows.evaluation.outcome import Outcome
from flows.evaluation.summary import groups
from flows.evaluation.thresholds import threshold, verdicts
from ingest.errors import UsageError


def outcome(id: str, category: str, gain: float, leaks: tuple[str, ...] = ()) -> Outcome:
    return Outcome(id, category, "", "q", {"nDCG@10": (gain, 1.0)}, (1,), False, 5.0, leaks=leaks)


GROUPS = groups([outcome("a", "table", 1.0), outcome("b", "table", 0.5), outcome("c", "code", 1.0, ("secret",))])


@pytest.mark.parametrize(("said", "oks"), [
    ("nDCG@10>=0.8", [True]), ("ndcg@10 > 0.9", [False]), ("table:nDCG@10>=0.8", [False]), ("code:nDCG@10==1", [True]),
    ("each:nDCG@10>=0.9", [False, True]), ("each:leaks<=0", [True, False]), ("leaks<=0", [False]), ("p95 ms<=40", [True]),
    ("errors<=0", [True]), ("each:refusal recall>=0.9", []), ("refusal recall>=0.9", [False]),
])
def test_threshold_speaks_of_its_group(said: str, oks: list[bool]) -> None:
    assert [verdict.ok for verdict in verdicts([threshold(said)], GROUPS)] == oks


@pytest.mark.parametrize(("said", "told"), [
    ("nDCG@10", "is not METRIC>=NUMBER"), ("speed>=1", "names no metric"), ("nDCG@10>=1.2.3", "does not end in a number"),
])
def test_threshold_that_cannot_be_read_is_told(said: str, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        threshold(said)


def test_threshold_of_no_category_names_those_that_there_are() -> None:
    with pytest.raises(UsageError, match="categories are all, table, code"):
        verdicts([threshold("tabel:nDCG@10>=1")], GROUPS)


def test_threshold_is_told_as_it_was_meant() -> None:
    assert str(threshold("table: nDCG@10 >= 0.90")) == "table:nDCG@10>=0.9"
