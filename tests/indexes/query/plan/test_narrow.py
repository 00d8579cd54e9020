"""A plan takes away, and adds nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from indexes.query.plan.narrow import narrowed, timed
from indexes.query.plan.plan import Plan
from indexes.query.request import Request
from ingest.model.predicate import Editions, filter_columns

VALUES = st.none() | st.lists(st.sampled_from(("", "1.0", "2.1", "handbook", "手册")), max_size=3).map(tuple)
EDITIONS = st.none() | st.builds(
    Editions, st.frozensets(st.sampled_from(("handbook", "手册"))), st.frozensets(st.sampled_from(("1.0", "2.1")))
)
PLANS = st.builds(
    lambda versions, families, editions: Plan("", "", versions=versions, families=families, editions=editions),
    VALUES, VALUES, EDITIONS,
)


@given(data=st.data())
@settings(deadline=None)
def test_no_row_is_admitted_that_was_not(some_rows: Any, some_predicates: Any, data: st.DataObject) -> None:
    rows, predicate, plan = data.draw(some_rows), data.draw(some_predicates), data.draw(PLANS)
    after = narrowed(predicate, plan)
    assert (after.principal, after.as_of, after.during, after.statuses) == (
        predicate.principal, predicate.as_of, predicate.during, predicate.statuses
    )
    for row in map(filter_columns, rows):
        kept = (plan.versions is None or row.version in plan.versions) and (plan.families is None or row.family in plan.families)
        narrows = plan.editions is not None and predicate.editions is None
        kept = kept and (not narrows or plan.editions.admits(row.family, row.version))
        assert after.admits(row) == (predicate.admits(row) and kept)


def test_a_plan_that_says_nothing_changes_nothing(some_predicates: Any) -> None:
    request = Request("x")
    assert timed(request, Plan("", "")) is request


def test_only_a_request_without_a_time_is_moved() -> None:
    plan = Plan("", "", as_of="2024-06-01T00:00:00Z")
    assert timed(Request("x"), plan).as_of == "2024-06-01T00:00:00Z"
    during = ("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")
    for dated in (Request("x", as_of="2025-01-01T00:00:00Z"), Request("x", during=during)):
        assert timed(dated, plan) is dated
