"""One hop stays within the relations, the window and the fan-out that a caller sets, and within what the caller may see."""

from contextlib import closing

import pytest

from indexes.graph.centrality import centrality, entity_graph
from indexes.graph.expand import expand
from ingest.model.access import Access, Principal
from ingest.model.edge import REGISTRY, Edge
from ingest.model.predicate import Predicate

ANYBODY = Predicate(Principal(), statuses=None)
GATE, MAKER, BUS, OTHER, HIDDEN = (f"urn:kb:entity:{name}" for name in ("gate", "maker", "bus", "other", "hidden"))


@pytest.fixture
def graph(engine, make_row):
    """Everybody is mentioned in the open but HIDDEN; the maker makes the rest."""
    rows = [
        make_row(0, entity_ids=(GATE, MAKER, BUS)), make_row(8, entity_ids=(OTHER,)),
        make_row(16, entity_ids=(HIDDEN,), access=Access(roles=("sre",))),
    ]
    made = [Edge(MAKER, "makes", each, REGISTRY, REGISTRY) for each in (GATE, BUS, HIDDEN)]
    made += [
        Edge(GATE, "uses", BUS, REGISTRY, REGISTRY, "2025-07-01T00:00:00Z", None, 0.5),
        Edge(GATE, "uses", OTHER, REGISTRY, REGISTRY, None, "2025-07-01T00:00:00Z", 0.9),
        Edge(OTHER, "resells", GATE, REGISTRY, REGISTRY),
    ]
    path, _ = engine.build(None, rows, edges=made)
    with closing(engine.open(path)) as reader:
        yield reader


def reached(steps):
    return [(step.edge.relation, step.reached, step.reverse) for step in steps]


def test_only_listed_relations_are_followed_both_ways(graph):
    assert reached(expand(graph, [GATE], ANYBODY, relations=["makes"])) == [("makes", MAKER, True)]
    assert expand(graph, [GATE], ANYBODY, relations=[]) == []
    both = expand(graph, [GATE], ANYBODY, relations=["resells", "makes"])
    assert reached(both) == [("resells", OTHER, True), ("makes", MAKER, True)]


def test_surest_edges_come_first_and_only_so_many(graph):
    steps = expand(graph, [GATE], ANYBODY, relations=["uses", "makes"])
    assert reached(steps) == [("makes", MAKER, True), ("uses", OTHER, False), ("uses", BUS, False)]
    assert expand(graph, [GATE], ANYBODY, relations=["uses", "makes"], fan_out=2) == steps[:2]
    assert expand(graph, [GATE], ANYBODY, relations=["uses"], fan_out=0) == []


@pytest.mark.parametrize(("window", "expected"), [
    (("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"), [BUS]), (("2025-01-01T00:00:00Z", "2025-01-02T00:00:00Z"), [OTHER]),
    (("2025-06-01T00:00:00Z", "2025-08-01T00:00:00Z"), [OTHER, BUS]),
])
def test_edges_hold_during_the_window(graph, window, expected):
    assert [step.reached for step in expand(graph, [GATE], ANYBODY, relations=["uses"], window=window)] == expected


def test_what_a_caller_may_not_see_is_not_reached(graph):
    assert [step.reached for step in expand(graph, [MAKER], ANYBODY, relations=["makes"])] == [BUS, GATE]
    sre = Predicate(Principal(roles=("sre",)), statuses=None)
    assert [step.reached for step in expand(graph, [MAKER], sre, relations=["makes"])] == [BUS, GATE, HIDDEN]
    assert expand(graph, [HIDDEN], ANYBODY, relations=["makes"]) == []


def test_merged_nodes_are_asked_under_every_id_and_told_by_the_one(graph):
    steps = expand(graph, [OTHER], ANYBODY, relations=["makes", "resells"], redirects={BUS: OTHER, MAKER: "urn:kb:entity:a"})
    assert reached(steps) == [("makes", "urn:kb:entity:a", True), ("resells", GATE, False)]
    assert {step.node for step in steps} == {OTHER}


def test_nodes_are_answered_in_their_order_and_once(graph):
    steps = expand(graph, [BUS, GATE, BUS, "urn:nobody"], ANYBODY, relations=["makes"])
    assert [step.node for step in steps] == [BUS, GATE]


def test_centrality_counts_only_what_shows(graph):
    everyone, relations = [GATE, MAKER, BUS, OTHER, HIDDEN], ["makes", "uses", "resells"]
    scores = centrality(graph, everyone, relations, ANYBODY)
    assert set(scores) == {GATE, MAKER, BUS, OTHER}
    assert max(scores, key=scores.__getitem__) == GATE
    assert scores == centrality(graph, reversed(everyone), relations, ANYBODY)


def test_entities_that_one_chunk_mentions_are_next_to_each_other(graph):
    made = entity_graph(graph, [GATE, MAKER, OTHER], [], ANYBODY, {})
    assert sorted(kind for _, kind in made.nodes(data="kind")) == ["chunk", "entity", "entity", "entity"]
    merged = entity_graph(graph, [GATE, MAKER, OTHER], ["resells"], ANYBODY, {OTHER: GATE})
    assert OTHER not in merged and merged.number_of_nodes() == 3
