"""What BM25 is asked for: names apart from what is asked of them, and the question in the other language."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from indexes.query.evidence import search
from indexes.query.named import about, asked, things
from indexes.query.plan.lexicon import lexicon
from indexes.query.plan.plan import Called, Plan
from indexes.query.plan.planner import planned
from indexes.query.request import Request
from ingest.model.access import Access, Principal
from ingest.model.entity import Entity, Name
from ingest.model.predicate import Predicate
from ingest.settings import SearchPart

PLOVER = Entity("urn:kb:entity:plover", "product", (Name("Plover Gateway", "preferred", "en"), Name("鸻网关", language="zh")))
TEXTS = (
    "Plover Gateway, the gateway of Plover Gateway.", "The Plover Gateway (鸻网关) keeps backups for ninety days.",
    "The Otter Gateway keeps backups for one year, the first time.", "鸻网关的备份保留九十天。", "水獭网关的备份在一年以后删除。",
)


@pytest.fixture(scope="module")
def rows(make_row: Callable[..., Any]) -> list[Any]:
    return [make_row(number, text=text, prefix="", entity_ids=() if number in (2, 4) else (PLOVER.entity_id,))
            for number, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def snapshot(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], make_fact: Callable[..., Any], rows: list[Any]
) -> Any:
    hidden = make_row(9, text="Plover Gateway warranty", entity_ids=(PLOVER.entity_id,), access=Access(level=2))
    with make_snapshot([*rows, hidden], entities=[make_fact(PLOVER, PLOVER.entity_id, "")]) as made:
        yield made


def ranked(snapshot: Any, plan: Plan, predicate: Predicate = Predicate()) -> list[str]:
    found = asked(snapshot, plan, predicate, 40, snapshot.bm25.rank(plan.keywords, predicate, 40))
    assert all(0 < hit.score <= found.ceiling + 1e-9 for hit in found.hits)
    return [hit.chunk_id for hit in found.hits]


def test_a_plan_says_what_is_named_and_what_is_asked_of_it(snapshot: Any) -> None:
    plan = planned(snapshot, Request("How long does the Plover Gateway keep backups?"), Predicate(), SearchPart())
    assert plan.called == (Called(("Plover Gateway", "鸻网关")),)
    assert plan.rest is not None and "Plover" not in plan.rest and "backups" in plan.rest
    nobody = planned(snapshot, Request("How long are backups kept?"), Predicate(), SearchPart())
    assert nobody.called == () and nobody.rest is None


@pytest.mark.parametrize("query", ["How long does the Plover Gateway keep backups?", "how long are backups of 鸻网关 kept"])
def test_what_is_asked_counts_more_than_how_often_a_name_stands_there(snapshot: Any, rows: list[Any], query: str) -> None:
    evidence = search(snapshot, None, Request(query, "bm25"), SearchPart()).evidence
    assert evidence, "mode bm25 takes the words as they are"
    order = ranked(snapshot, planned(snapshot, Request(query), Predicate(), SearchPart()))
    assert order[0] == rows[1].chunk_id
    assert order.index(rows[1].chunk_id) < order.index(rows[0].chunk_id)


def test_a_chinese_question_finds_english_rows_by_their_words(snapshot: Any, rows: list[Any]) -> None:
    order = ranked(snapshot, Plan("备份", "备份"))
    assert set(order) == {rows[number].chunk_id for number in (1, 2, 3, 4)}


def test_without_the_lexicon_nothing_is_translated(snapshot: Any, rows: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert lexicon() is not None
    monkeypatch.setattr("indexes.query.named.lexicon", lambda: None)
    assert set(ranked(snapshot, Plan("备份", "备份"))) == {rows[number].chunk_id for number in (3, 4)}


def test_rows_about_what_is_named_have_one_of_its_names(snapshot: Any, rows: list[Any]) -> None:
    chunks = [row.chunk_id for row in rows]
    plan = Plan("q", "q", called=(Called(("Plover Gateway", "鸻网关")), Called(("水獭网关",), 2)), rest="")
    having = things(snapshot, plan, chunks)
    assert having == [{chunks[number] for number in (0, 1, 3)}, {chunks[4]}]
    assert about(plan, having) == {chunks[number]: 1.0 for number in (0, 1, 3)} | {chunks[4]: 0.5}
    assert things(snapshot, Plan("q", "q"), chunks) == [] and about(Plan("q", "q"), []) == {}


def test_words_of_hidden_rows_move_nothing(snapshot: Any) -> None:
    name = "Plover Gateway"
    one, other = (Plan(f"{name} {word}", "q", called=(Called((name,)),), rest=word) for word in ("warranty", "wombat"))
    assert ranked(snapshot, one) == ranked(snapshot, other)
    assert len(ranked(snapshot, one, Predicate(Principal(level=2)))) == len(ranked(snapshot, one)) + 1
