"""What every graph index promises, on disk and in memory alike."""

from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.model.access import Access, Principal
from ingest.model.edge import HAS_CHILD, HAS_PARENT, LINKS_TO, MENTIONS, NEAR_DUPLICATE, PASSAGES, REGISTRY, Edge
from ingest.model.predicate import Predicate

EVERYTHING = Predicate(None, statuses=None)
_LENGTHS = pytest.mark.parametrize("examples", [40, pytest.param(200, marks=pytest.mark.slow)])


def _property(examples):
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _ask(engine, path, nodes, relations=None, predicate=EVERYTHING, limit=100, reverse=False):
    with closing(engine.open(path)) as reader:
        return reader.neighbors(nodes, relations, predicate, limit, reverse)


def test_nothing_is_next_to_anything_in_an_empty_index(engine):
    path, contents = engine.build(None)
    assert contents == {}
    with closing(engine.open(path)) as reader:
        assert reader.neighbors(["urn:kb:source:x"], None, EVERYTHING, 5) == []
        assert list(reader.pairs()) == list(reader.edges()) == list(reader.edge_ids()) == []
        assert reader.contents(["urn:kb:chunk:x"]) == {}


def test_a_row_brings_its_source_parent_and_entities(engine, make_row):
    row = make_row(0, entity_ids=("urn:kb:entity:b", "urn:kb:entity:a", "urn:kb:entity:b"))
    path, _ = engine.build(None, [row])
    assert _ask(engine, path, [row.source_id]) == [Edge(row.source_id, HAS_PARENT, row.parent_id, row.source_id, row.chunk_id)]
    assert _ask(engine, path, [row.parent_id]) == [Edge(row.parent_id, HAS_CHILD, row.chunk_id, row.source_id, row.chunk_id)]
    mentions = [Edge(row.chunk_id, MENTIONS, f"urn:kb:entity:{name}", row.source_id, row.chunk_id) for name in "ab"]
    assert _ask(engine, path, [row.chunk_id]) == mentions
    assert _ask(engine, path, ["urn:kb:entity:a"], reverse=True) == mentions[:1]
    assert _ask(engine, path, ["urn:kb:entity:a"]) == []


def test_chunks_of_one_parent_bring_its_edge_once(engine, make_row):
    rows = [make_row(0, access=Access(users=("alice",))), make_row(1)]
    first, second = sorted(rows, key=lambda row: row.chunk_id)
    path, _ = engine.build(None, rows)
    for reverse, node in ((False, rows[0].source_id), (True, rows[0].parent_id)):
        assert [edge.evidence for edge in _ask(engine, path, [node], [HAS_PARENT], reverse=reverse)] == [first.chunk_id]
        seen = _ask(engine, path, [node], [HAS_PARENT], Predicate(), reverse=reverse)
        assert [edge.evidence for edge in seen] == [rows[1].chunk_id]
    assert second.chunk_id != first.chunk_id


def test_an_edge_shows_when_its_evidence_does(engine, make_row):
    closed, open_ = make_row(0, access=Access(users=("alice",))), make_row(4)
    link = Edge(closed.source_id, LINKS_TO, open_.source_id, closed.source_id, closed.source_id)
    said = Edge("urn:kb:entity:gateway", "delivers", "urn:kb:entity:海力", closed.source_id, closed.chunk_id)
    path, _ = engine.build(None, [closed, open_], edges=[link, said])
    alice = Predicate(Principal("alice"))
    assert _ask(engine, path, [closed.source_id], [LINKS_TO], alice) == [link]
    assert _ask(engine, path, ["urn:kb:entity:gateway"], None, alice) == [said]
    assert _ask(engine, path, [closed.source_id], [LINKS_TO], Predicate()) == []
    assert _ask(engine, path, ["urn:kb:entity:海力"], ["delivers"], Predicate(), reverse=True) == []


@pytest.mark.parametrize("hidden", [0, 1])
def test_copies_show_only_to_those_who_see_both(engine, make_row, hidden):
    """Whichever end is closed, and although the passage that the edge rests on is the one that is open."""
    access = [Access(), Access()]
    access[hidden] = Access(users=("alice",))
    one, other = make_row(0, access=access[0]), make_row(4, access=access[1])
    edge = Edge(one.chunk_id, NEAR_DUPLICATE, other.chunk_id, PASSAGES, one.chunk_id, confidence=0.9)
    path, _ = engine.build(None, [one, other], edges=[edge])
    for node, reverse in ((one.chunk_id, False), (other.chunk_id, True)):
        assert _ask(engine, path, [node], [NEAR_DUPLICATE], Predicate(Principal("alice")), reverse=reverse) == [edge]
        assert _ask(engine, path, [node], [NEAR_DUPLICATE], Predicate(), reverse=reverse) == []
        assert edge not in _ask(engine, path, [node], None, Predicate(), reverse=reverse)


def test_a_source_shows_when_one_of_its_chunks_does(engine, make_row):
    closed, open_, other = make_row(0, access=Access(users=())), make_row(1), make_row(4)
    link = Edge(closed.source_id, LINKS_TO, other.source_id, closed.source_id, closed.source_id)
    path, _ = engine.build(None, [closed, open_, other], edges=[link])
    assert _ask(engine, path, [closed.source_id], [LINKS_TO], Predicate()) == [link]


def test_the_registry_shows_between_entities_that_visible_chunks_mention(engine, make_row):
    one = make_row(0, entity_ids=("urn:kb:entity:a",))
    two = make_row(4, entity_ids=("urn:kb:entity:b",), access=Access(roles=("ops",)))
    edge = Edge("urn:kb:entity:a", "part_of", "urn:kb:entity:b", REGISTRY, REGISTRY)
    path, _ = engine.build(None, [one, two], edges=[edge])
    assert _ask(engine, path, ["urn:kb:entity:a"], None, Predicate()) == []
    assert _ask(engine, path, ["urn:kb:entity:a"], None, Predicate(Principal(roles=("ops",)))) == [edge]
    assert _ask(engine, path, ["urn:kb:entity:b"], ["part_of"], Predicate(Principal(roles=("ops",))), reverse=True) == [edge]


def test_a_dangling_edge_is_kept_and_does_not_show_until_its_end_arrives(engine, make_row):
    here, there = make_row(0), make_row(4)
    link = Edge(here.source_id, LINKS_TO, there.source_id, here.source_id, here.source_id)
    base, _ = engine.build(None, [here], edges=[link])
    assert _ask(engine, base, [here.source_id], [LINKS_TO]) == []
    with closing(engine.open(base)) as reader:
        assert list(reader.edges()) == [link]
    path, _ = engine.build(base, [there])
    assert _ask(engine, path, [here.source_id], [LINKS_TO]) == [link]
    gone, _ = engine.build(path, removed=[there.chunk_id])
    assert _ask(engine, gone, [here.source_id], [LINKS_TO]) == []


def test_an_edge_to_itself_with_no_evidence_in_the_base_does_not_show(engine):
    path, _ = engine.build(None, edges=[Edge("urn:kb:entity:a", "part_of", "urn:kb:entity:a", "s", "urn:kb:chunk:gone")])
    assert _ask(engine, path, ["urn:kb:entity:a"]) == []


def test_edges_come_in_order_and_the_limit_is_for_each_node(engine, make_row):
    rows = [make_row(number, entity_ids=tuple(f"urn:kb:entity:{name}" for name in "cab")) for number in range(3)]
    path, _ = engine.build(None, rows)
    nodes = [row.chunk_id for row in rows]
    found = _ask(engine, path, [*nodes, nodes[0], "urn:kb:chunk:nowhere"], limit=2)
    assert [(edge.subject, edge.object[-1]) for edge in found] == [(node, name) for node in sorted(nodes) for name in "ab"]
    assert _ask(engine, path, nodes, limit=0) == _ask(engine, path, nodes, [], limit=5) == []


def test_two_statements_of_one_fact_are_two_edges(engine, make_row):
    rows = [make_row(0), make_row(1)]
    edges = [Edge("urn:kb:entity:gateway", "负责", "urn:kb:entity:helix", row.source_id, row.chunk_id) for row in rows]
    path, _ = engine.build(None, rows, edges=edges)
    assert _ask(engine, path, ["urn:kb:entity:gateway"]) == sorted(edges, key=lambda edge: edge.evidence)


def test_edges_come_back_as_they_were_given(engine, make_row):
    row = make_row(0)
    edge = Edge(row.source_id, LINKS_TO, "urn:kb:source:nowhere", row.source_id, row.chunk_id, "2024-01-01T00:00:00Z", None, 0.25)
    base, _ = engine.build(None, [row], edges=[edge, replace(edge, valid_from=None)])
    with closing(engine.open(base)) as reader:
        assert {each.edge_id for each in reader.edges()} == set(reader.edge_ids())
    path, _ = engine.build(base, removed_edges=[edge.edge_id, "unknown"])
    with closing(engine.open(path)) as reader:
        assert list(reader.edges()) == [replace(edge, valid_from=None)]


def test_an_edge_removed_and_added_stays(engine):
    edge = Edge("urn:kb:entity:a", "part_of", "urn:kb:entity:b", REGISTRY, REGISTRY)
    base, _ = engine.build(None, edges=[edge])
    path, _ = engine.build(base, edges=[edge, edge], removed_edges=[edge.edge_id])
    with closing(engine.open(path)) as reader:
        assert list(reader.edges()) == [edge]


def test_a_row_removed_and_added_is_replaced(engine, make_row):
    old, new = make_row(3), make_row(3, entity_ids=("urn:kb:entity:新",), title="新")
    base, _ = engine.build(None, [old, make_row(4)])
    path, promised = engine.build(base, [new], [old.chunk_id])
    with closing(engine.open(path)) as reader:
        assert dict(reader.pairs())[old.chunk_id] == new.row_checksum
        assert reader.contents([old.chunk_id]) == promised
        assert [edge.object for edge in reader.neighbors([old.chunk_id], None, EVERYTHING, 9)] == ["urn:kb:entity:新"]


def test_contents_tell_columns_and_edges_apart(engine, make_row):
    variants = [
        make_row(0), make_row(0, title="x"), make_row(0, entity_ids=()), make_row(0, parent_id="urn:kb:parent:x"),
        make_row(0, access=Access(users=())), make_row(0, valid_from="2024-01-01T00:00:00Z"),
    ]
    seen = {engine.build(None, [row])[1][row.chunk_id] for row in variants}
    assert len(seen) == len(variants)


def test_text_that_is_not_unicode_is_held(engine, make_row):
    odd = ("urn:kb:entity:\udfff", "\0nul")
    row = make_row(1, scope="\udcff", title="\ud800", entity_ids=odd, access=Access(users=("\ud800",)))
    edge = Edge("\0nul", "\ud801", "urn:kb:entity:\udfff", row.source_id, row.chunk_id, "\udcff")
    path, promised = engine.build(None, [row], edges=[edge])
    mine = Predicate(Principal("\ud800"), scopes=("\udcff",))
    assert _ask(engine, path, ["\0nul"], ["\ud801"], mine) == [edge]
    with closing(engine.open(path)) as reader:
        assert reader.contents([row.chunk_id]) == promised
        assert list(reader.edges()) == [edge]


@_LENGTHS
def test_any_way_to_the_same_content_gives_the_same_answers(
    examples, engines, memory_engine, some_histories, some_edges, some_predicates, rows_in_effect
):
    changes = st.lists(st.tuples(some_edges, st.integers(0, 7)), min_size=5, max_size=5)

    @_property(examples)
    @given(some_histories, changes, some_predicates, st.integers(1, 6), st.booleans(), st.data())
    def check(history, changes, predicate, limit, reverse, data):
        engine, oracle = engines(), memory_engine()
        path, promised, edges = None, {}, {}
        for step, (added, every) in zip(history, changes, strict=False):
            gone = list(edges)[::every] if every else []
            path, written = engine.build(path, step.added, step.removed, added, gone)
            promised = {**promised, **written}
            kept = {key: edge for key, edge in edges.items() if key not in gone}
            edges = {**kept, **{edge.edge_id: edge for edge in added}}
        held = rows_in_effect(history)
        scratch, _ = engine.build(None, list(held.values())[::-1], edges=list(edges.values())[::-1])
        plain, _ = oracle.build(None, held.values(), edges=edges.values())
        ends = {end for edge in edges.values() for end in (edge.subject, edge.object)}
        for row in held.values():
            ends |= {row.source_id, row.parent_id, row.chunk_id, *row.entity_ids}
        nodes = sorted(ends)
        some_relations = st.lists(st.sampled_from([LINKS_TO, HAS_PARENT, HAS_CHILD, MENTIONS, "part_of"]), max_size=3)
        relations = data.draw(st.none() | some_relations)
        with closing(engine.open(path)) as one, closing(engine.open(scratch)) as two, closing(oracle.open(plain)) as wanted:
            assert dict(one.pairs()) == dict(two.pairs()) == {row.chunk_id: row.row_checksum for row in held.values()}
            expected = {chunk_id: promised[chunk_id] for chunk_id in held}
            assert one.contents(list(promised)) == two.contents(list(promised)) == wanted.contents(list(promised)) == expected
            assert list(one.edges()) == list(two.edges()) == list(wanted.edges())
            assert {edge.edge_id for edge in one.edges()} == set(one.edge_ids()) == set(edges)
            for asked in (nodes, *([node] for node in nodes)):
                answer = wanted.neighbors(asked, relations, predicate, limit, reverse)
                assert one.neighbors(asked, relations, predicate, limit, reverse) == answer
                assert two.neighbors(asked, relations, predicate, limit, reverse) == answer

    check()
