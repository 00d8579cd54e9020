"""Intervals: the same for the same outcomes, around the figure, and as wide as theory has them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.evaluation.intervals import change, figure, percentile

PARTS = st.lists(st.tuples(st.floats(0, 1), st.sampled_from([0.0, 1.0])).map(lambda part: (part[0] * part[1], part[1])),
                 min_size=1, max_size=40)


@settings(max_examples=30, deadline=None)
@given(PARTS)
def test_figure_is_a_quotient_of_sums_inside_its_interval(parts: list[tuple[float, float]]) -> None:
    made = figure(parts)
    below = sum(part[1] for part in parts)
    if below == 0:
        assert made is None
        return
    assert made is not None and made == figure(parts)
    assert made.value == pytest.approx(sum(part[0] for part in parts) / below)
    assert 0 <= made.low <= made.high <= 1 + 1e-9 and made.questions == below


def test_interval_of_a_share_is_as_wide_as_the_binomial_has_it() -> None:
    made = figure([(1.0, 1.0)] * 80 + [(0.0, 1.0)] * 20)
    assert made is not None
    half = 1.96 * math.sqrt(0.8 * 0.2 / 100)
    assert made.low == pytest.approx(0.8 - half, abs=0.02) and made.high == pytest.approx(0.8 + half, abs=0.02)


def test_precision_speaks_of_what_was_refused_alone() -> None:
    made = figure([(1, 1), (0, 1), (0, 0), (0, 0)])
    assert made is not None and (made.value, made.questions) == (0.5, 2)


def test_pairing_sees_what_two_intervals_do_not() -> None:
    """Every question is a little better: surely a gain, though the questions differ from each other by far more."""
    first = [(at / 50, 1.0) for at in range(50)]
    second = [(above + 0.01, below) for above, below in first]
    made = change(first, second)
    assert made is not None and made.difference == pytest.approx(0.01)
    assert made.low == pytest.approx(0.01) and made.not_better == 0.0
    before, after = figure(first), figure(second)
    assert before is not None and after is not None and after.low < before.high


def test_no_difference_is_told_as_none() -> None:
    made = change([(1, 1), (0, 1)], [(1, 1), (0, 1)])
    assert made is not None and (made.difference, made.low, made.high, made.not_better) == (0, 0, 0, 1)
    assert change([], []) is None and change([(0, 0)], [(0, 0)]) is None


def test_percentile_lies_in_its_interval() -> None:
    made = percentile([float(at) for at in range(101)], 95)
    assert made.value == 95 and made.low < 95 < made.high <= 100 and made.questions == 101


def test_many_questions_are_resampled_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = [(1.0, 1.0)] * 80 + [(0.0, 1.0)] * 20
    whole = figure(parts)
    monkeypatch.setattr("flows.evaluation.intervals._DRAWN_AT_ONCE", 1000)
    made = figure(parts)
    assert whole is not None and made is not None
    assert (made.low, made.high) == (pytest.approx(whole.low, abs=0.02), pytest.approx(whole.high, abs=0.02))
