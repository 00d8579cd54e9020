"""Clusters: components of accepted edges, taken apart where they contradict themselves, whatever the order of arrival."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from entities.clusters import Edge, Ground, clusters, edge
from entities.judgements import Pair, judged
from ingest.model.entity import Judgement


def nothing(members: Sequence[str]) -> None:
    return None


def apart(kind: str, one: str, other: str) -> dict[Pair, Judgement]:
    return {(one, other): judged(kind, actor="lin", at="2026-01-01", reason="two sites", entities=[one, other])}  # type: ignore[arg-type]


def into(found: object) -> dict[str, str]:
    return {redirect.entity_id: redirect.into for redirect in found.redirects}  # type: ignore[attr-defined]


def test_the_smallest_id_survives_and_every_redirect_tells_why() -> None:
    found = clusters([edge("c", "b", "name", "n"), edge("b", "a", "identifier", "i")], {}, nothing)
    assert into(found) == {"b": "a", "c": "a"} and not found.undecided
    assert found.redirects[0].reasons == ("i", "n") and found.redirects[1].reasons == ("n",)


def test_a_component_with_a_negative_edge_keeps_only_identifiers() -> None:
    edges = [edge("a", "b", "identifier", "i"), edge("b", "c", "name", "n"), edge("c", "d", "judgement", "j")]
    found = clusters(edges, apart("split", "a", "d"), nothing)
    assert into(found) == {"b": "a"}
    assert [(each.edge.pair, each.why) for each in found.undecided] == [
        (("b", "c"), "lin keeps a and d apart (two sites)"), (("c", "d"), "lin keeps a and d apart (two sites)"),
    ]


def test_a_judgement_about_the_very_pair_is_no_question() -> None:
    assert clusters([edge("a", "b", "name", "n")], apart("reject", "a", "b"), nothing) == clusters([], {}, nothing)
    assert into(clusters([edge("a", "b", "identifier", "i")], apart("split", "a", "b"), nothing)) == {"b": "a"}
    assert not clusters([edge("a", "b", "identifier", "i")], apart("pin", "a", "b"), nothing).redirects


def test_a_pin_outweighs_identifiers_on_the_way_too() -> None:
    edges = [edge("a", "b", "identifier", "i"), edge("b", "c", "identifier", "k")]
    assert into(clusters(edges, apart("split", "a", "c"), nothing)) == {"b": "a", "c": "a"}
    found = clusters(edges, apart("pin", "a", "c"), nothing)
    assert not found.redirects and len(found.undecided) == 2


def test_an_identifier_conflict_undoes_names_and_then_identifiers() -> None:
    def conflict(members: Sequence[str]) -> str | None:
        return "codes differ" if {"a", "c"} <= set(members) else None

    edges = [edge("a", "b", "identifier", "i"), edge("b", "c", "name", "n")]
    assert into(clusters(edges, {}, conflict)) == {"b": "a"}
    assert not clusters([edges[0], edge("b", "c", "identifier", "k")], {}, conflict).redirects


IDS = "abcdef"
GROUNDS: list[Ground] = ["identifier", "name", "judgement"]
EDGES = st.lists(
    st.tuples(st.sampled_from(IDS), st.sampled_from(IDS), st.sampled_from(GROUNDS))
    .filter(lambda each: each[0] != each[1]).map(lambda each: edge(each[0], each[1], each[2], each[2])), max_size=9,
)


@given(EDGES, st.randoms(use_true_random=False), st.sampled_from(["split", "pin", "none"]))
def test_the_outcome_does_not_depend_on_the_order_of_edges(edges: list[Edge], random: object, kind: str) -> None:
    negative = apart(kind, "a", "d") if kind != "none" else {}
    found = clusters(edges, negative, nothing)
    random.shuffle(edges)  # type: ignore[attr-defined]
    assert clusters([*edges, *edges[:2]], negative, nothing) == found
    ends = into(found)
    assert not set(ends) & set(ends.values()) and all(end < id for id, end in ends.items())
    if kind == "pin":
        assert ends.get("a", "a") != ends.get("d", "d")
