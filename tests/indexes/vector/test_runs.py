"""Items put in runs of one kind: nothing is lost, little is held, and runs are long."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from indexes.vector.runs import runs


@given(st.lists(st.integers(0, 5)), st.integers(1, 20))
def test_every_item_is_given_once_and_in_its_order_within_its_kind(kinds, held):
    items = list(enumerate(kinds))
    found = list(runs(items, lambda item: item[1], held))
    assert all(len({kind for _, kind in run}) == 1 for run in found)
    for kind in set(kinds):
        assert [item for run in found for item in run if item[1] == kind] == [item for item in items if item[1] == kind]


@given(st.lists(st.integers(0, 5)), st.integers(1, 20))
def test_no_more_than_was_said_are_in_hand(kinds, held):
    taken = 0

    def items():
        nonlocal taken
        for kind in kinds:
            taken += 1
            yield kind

    for run in runs(items(), lambda kind: kind, held):
        assert taken <= held
        taken -= len(run)


def test_runs_are_long_where_kinds_alternate():
    found = list(runs(range(10_000), lambda number: number % 4, 1000))
    assert len(found) < 30
    assert Counter(number % 4 for run in found for number in run) == dict.fromkeys(range(4), 2500)
