"""Names as one caller may know them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexes.query.plan.names import Names, Register, register_of
from indexes.query.visible import Visible
from ingest.model.entity import Entity, Name

QUERIES = ("海力网关", "Atlas 的电话", "王芳的邮箱", "Helix Technology 和 Ops Console", "Project Tern", "HG")


def test_threads_that_forget_for_one_another_read_the_same(world: Any, cleared: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {(query, cleared): world.plan(query, cleared) for query in QUERIES}
    monkeypatch.setattr("indexes.query.plan.names._REMEMBERED", 1)
    with ThreadPoolExecutor(8) as pool:
        asked = [key for _ in range(20) for key in expected]
        for key, plan in zip(asked, pool.map(lambda key: world.plan(*key), asked), strict=True):
            assert plan == expected[key]


@given(data=st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_shows_of_an_entity_is_what_visible_says(
    make_snapshot: Any, make_fact: Any, some_rows: Any, some_predicates: Any, data: st.DataObject
) -> None:
    """Any rows, any predicate, asked in any order: what is remembered for one caller widens nothing for the next."""
    rows = data.draw(some_rows)
    ids = sorted({id for row in rows for id in row.entity_ids})
    words = ("gateway", "Helix Storage Ltd", "海力", "ERR_1042", "never said")
    entities = [Entity(id, "product", tuple(Name(f"{word}") for word in words[number % 3 :])) for number, id in enumerate(ids)]
    with make_snapshot(rows, entities=[make_fact(each, each.entity_id, "") for each in entities]) as snapshot:
        for predicate in data.draw(st.lists(some_predicates, min_size=1, max_size=4)):
            names = Names(register_of(snapshot), snapshot, predicate)
            for entity in entities:
                shown = Visible(snapshot, predicate).entity(entity)
                assert set(names.of(entity.entity_id)) == set(shown.names if shown else ())


def test_a_register_is_made_once_for_a_snapshot(world: Any) -> None:
    assert register_of(world.snapshot) is register_of(world.snapshot)
    assert isinstance(register_of(world.snapshot), Register)


def test_a_shorter_name_is_not_hidden_by_a_longer_one_that_does_not_show(world: Any, cleared: Any) -> None:
    assert [each.text for each in world.plan("海力网关专业版").entities] == ["海力网关"]
    assert [each.text for each in world.plan("海力网关专业版", cleared).entities] == ["海力网关专业版"]
