"""What today's rules let a caller see of an older generation."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.query.history import visible_now
from indexes.query.request import Request, predicate_of
from ingest.model.access import Access, Principal
from ingest.model.source import Declared

ALICE, NOBODY = Principal("alice"), Principal()
OPEN, CLOSED = Access(), Access(users=("alice",))
SOURCE, OTHER = "urn:kb:source:01", "urn:kb:source:02"


@pytest.fixture(scope="session")
def pinned(make_catalog: Callable[..., Any], make_fact: Callable[..., Any], make_record: Callable[..., Any]) -> Any:
    """`pinned(generation, {n: {source: access or a state}})`."""

    def make(generation: int, held: dict[int, dict[str, Access | str]]) -> Any:
        def facts(rules: dict[str, Access | str]) -> list[Any]:
            records = {
                source: make_record(source, state=rule, served=None) if isinstance(rule, str)
                else make_record(source, declared=Declared(access=rule))
                for source, rule in rules.items()
            }
            return [make_fact(record, source, source) for source, record in records.items()]

        catalog = make_catalog({number: {"sources": facts(rules)} for number, rules in held.items()})
        return SimpleNamespace(catalog=catalog, generation=generation)

    return make


def seen(snapshot: Any, who: Principal) -> set[str]:
    return set(visible_now(snapshot, snapshot.catalog.head(), who))


def test_rules_of_the_head_decide(pinned: Any) -> None:
    snapshot = pinned(1, {1: {SOURCE: OPEN, OTHER: CLOSED}, 2: {SOURCE: CLOSED, OTHER: OPEN}})
    assert (seen(snapshot, NOBODY), seen(snapshot, ALICE)) == ({OTHER}, {SOURCE, OTHER})


def test_sources_that_came_later_are_none_of_it(pinned: Any) -> None:
    assert seen(pinned(1, {1: {SOURCE: OPEN}, 2: {SOURCE: OPEN, OTHER: OPEN}}), NOBODY) == {SOURCE}


def test_withdrawn_is_closed_to_everybody(pinned: Any) -> None:
    assert seen(pinned(1, {1: {SOURCE: OPEN}, 2: {SOURCE: "withdrawn"}}), Principal("alice", level=9)) == set()
    assert seen(pinned(1, {1: {SOURCE: OPEN}, 2: {SOURCE: "withdrawn"}, 3: {}}), ALICE) == set()


def test_what_is_gone_keeps_its_last_rules(pinned: Any) -> None:
    assert seen(pinned(1, {1: {SOURCE: OPEN}, 2: {}}), NOBODY) == {SOURCE}
    snapshot = pinned(1, {1: {SOURCE: OPEN}, 2: {SOURCE: CLOSED}, 3: {}, 4: {}})
    assert (seen(snapshot, NOBODY), seen(snapshot, ALICE)) == (set(), {SOURCE})


def test_what_is_gone_is_closed_where_its_last_rules_are_not_known(pinned: Any) -> None:
    held = {1: {SOURCE: OPEN, OTHER: OPEN}, 3: {OTHER: OPEN}, 4: {OTHER: OPEN}}
    assert seen(pinned(1, held), ALICE) == {OTHER}
    assert seen(pinned(3, held), ALICE) == {OTHER}


ACCESSES = st.sampled_from((OPEN, CLOSED, Access("acme"), Access(level=2), Access(roles=("ops",)), "withdrawn", None))
HISTORIES = st.lists(st.fixed_dictionaries(dict.fromkeys("abc", ACCESSES)), min_size=2, max_size=4)


@given(history=HISTORIES, who=st.sampled_from((NOBODY, ALICE, Principal(None, ("ops",), "acme", 2))))
def test_the_last_rule_that_was_published_decides(pinned: Any, history: list[dict[str, Any]], who: Principal) -> None:
    held = {
        number: {name: rule for name, rule in rules.items() if rule is not None} for number, rules in enumerate(history, 1)
    }
    last = {name: rule for number in sorted(held) for name, rule in held[number].items()}
    expected = {name for name in held[1] if isinstance(last[name], Access) and last[name].admits(who)}
    assert seen(pinned(1, held), who) == expected


def test_the_head_is_read_by_rows_and_older_ones_by_sources(pinned: Any) -> None:
    held = {1: {SOURCE: OPEN, OTHER: OPEN}, 2: {SOURCE: CLOSED, OTHER: OPEN}}
    assert predicate_of(Request(""), pinned(2, held), None).principal == NOBODY
    older = predicate_of(Request(""), pinned(1, held), None)
    assert (older.principal, older.sources) == (None, (OTHER,))
    assert predicate_of(Request("", sources=(SOURCE,)), pinned(1, held), None).sources == ()
