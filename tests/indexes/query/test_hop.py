"""What the graph leads to: rows of named entities, of the other ends of what is asserted, and never one that is hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from indexes.query.hop import NEAR, OTHER_END, Led, led
from indexes.query.plan.plan import Named, Plan
from indexes.query.request import Request
from indexes.query.retrieve import retrieve
from ingest.model.access import Access, Principal
from ingest.model.edge import REGISTRY, Edge
from ingest.model.predicate import Predicate
from ingest.settings import SearchPart

GATE, MAKER, BUS, HIDDEN = (f"urn:kb:entity:{name}" for name in ("gate", "maker", "bus", "hidden"))
ANYBODY = Predicate(Principal(), statuses=None)
WINDOW = ("2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z~")
RULES = SearchPart(expand_relations=("makes", "uses"))


@pytest.fixture(scope="module")
def rows(make_row: Callable[..., Any]) -> dict[str, Any]:
    return {
        "gate": make_row(0, entity_ids=(GATE,)), "maker": make_row(1, entity_ids=(MAKER,)), "bus": make_row(2, entity_ids=(BUS,)),
        "hidden": make_row(3, entity_ids=(HIDDEN, BUS), access=Access(roles=("sre",))), "none": make_row(4, entity_ids=()),
    }


@pytest.fixture(scope="module")
def snapshot(make_snapshot: Callable[..., Any], rows: dict[str, Any]) -> Any:
    edges = [
        Edge(MAKER, "makes", GATE, REGISTRY, REGISTRY), Edge(MAKER, "makes", HIDDEN, REGISTRY, REGISTRY),
        Edge(GATE, "uses", BUS, rows["none"].source_id, rows["none"].chunk_id, None, "2025-07-01T00:00:00Z", 0.8),
    ]
    with make_snapshot(rows.values(), edges) as made:
        yield made


def plan(*names: tuple[str, ...], relations: tuple[str, ...] = ()) -> Plan:
    return Plan("q", "q", entities=tuple(Named(0, 1, "q", ids) for ids in names), relations=relations)


def scores(rows: dict[str, Any], found: Led) -> dict[str, float]:
    names = {row.chunk_id: name for name, row in rows.items()}
    return {names[chunk]: score for chunk, score in found.scores.items()}


def test_a_name_leads_to_the_other_end_and_where_asked_to_its_own_rows(snapshot: Any, rows: dict[str, Any]) -> None:
    found = led(snapshot, plan((GATE,)), [], ANYBODY, WINDOW, RULES)
    assert scores(rows, found) == {"maker": OTHER_END}
    found = led(snapshot, plan((GATE,)), [], ANYBODY, WINDOW, RULES, near=NEAR)
    assert scores(rows, found) == {"gate": NEAR, "maker": OTHER_END}
    assert (found.entities, found.steps) == (1, 1)


def test_an_assertion_leads_to_the_row_that_says_so_while_it_holds(snapshot: Any, rows: dict[str, Any]) -> None:
    found = led(snapshot, plan((GATE,)), [], ANYBODY, ("2024-01-01T00:00:00Z", "2024-01-01T00:00:00Z~"), RULES)
    assert scores(rows, found) == pytest.approx({"maker": OTHER_END, "none": 0.8, "bus": 0.8 * OTHER_END})


def test_relations_that_are_asked_by_weigh_more_and_unlisted_ones_nothing(snapshot: Any, rows: dict[str, Any]) -> None:
    asked = led(snapshot, plan((GATE,), relations=("uses",)), [], ANYBODY, WINDOW, RULES)
    assert scores(rows, asked)["maker"] == OTHER_END / 2
    assert led(snapshot, plan((GATE,)), [], ANYBODY, WINDOW, replace_(expand_relations=("uses",))).steps == 0
    assert led(snapshot, plan((GATE,)), [], ANYBODY, WINDOW, replace_(expand_fan_out=0)).steps == 0


def replace_(**changes: Any) -> SearchPart:
    return RULES.model_copy(update=changes)


def test_a_name_of_two_things_gives_each_its_half(snapshot: Any, rows: dict[str, Any]) -> None:
    found = scores(rows, led(snapshot, plan((GATE, MAKER)), [], ANYBODY, WINDOW, RULES, near=NEAR))
    assert found == {"gate": OTHER_END / 2, "maker": OTHER_END / 2}
    assert led(snapshot, plan((GATE, MAKER)), [], ANYBODY, WINDOW, RULES).scores == {}  # words find both by themselves


def test_what_is_hidden_is_not_reached_and_does_not_count(snapshot: Any, rows: dict[str, Any]) -> None:
    found = led(snapshot, plan((MAKER,), (HIDDEN,)), [], ANYBODY, WINDOW, RULES, near=NEAR)
    assert set(scores(rows, found)) == {"maker", "gate"}
    assert found.steps == 1


def test_an_entity_that_too_many_rows_mention_leads_to_none(snapshot: Any, rows: dict[str, Any]) -> None:
    sre = replace(ANYBODY, principal=Principal(roles=("sre",)))
    assert set(scores(rows, led(snapshot, plan((BUS,)), [], sre, WINDOW, RULES, near=NEAR))) == {"bus", "hidden"}
    assert led(snapshot, plan((BUS,)), [], sre, WINDOW, replace_(expand_rows=1), near=NEAR).scores == {}


def test_a_query_that_names_nothing_starts_from_its_best_rows_if_it_asks_by_a_relation(
    snapshot: Any, rows: dict[str, Any]
) -> None:
    best = [rows["gate"].chunk_id]
    assert led(snapshot, plan(), best, ANYBODY, WINDOW, RULES) == Led({})
    assert set(scores(rows, led(snapshot, plan(relations=("makes",)), best, ANYBODY, WINDOW, RULES))) == {"maker"}


def test_expansion_can_be_switched_off_and_mode_graph_is_nothing_else(snapshot: Any, embedder: Any, rows: dict[str, Any]) -> None:
    asked = plan((GATE,))

    def found(settings: SearchPart = RULES, plan: Plan = asked, **request: Any) -> Any:
        return retrieve(snapshot, embedder, Request("q", as_of=WINDOW[0], **request), plan, ANYBODY, settings)

    assert found().graph and found(replace_(expand=False), expand=True).graph
    assert not found(expand=False).graph and not found(replace_(expand=False)).graph
    assert not found(plan=replace(asked, expand=False)).graph
    assert not found(mode="vector").graph and not found(mode="bm25").graph
    only = found(mode="graph")
    assert [hit.chunk_id for hit in only.hits] == [rows["maker"].chunk_id, rows["gate"].chunk_id]
    assert (only.vector, only.bm25) == ({}, {})
