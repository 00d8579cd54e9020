"""What every vector index promises, on disk and in memory alike."""

from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexes.vector.memory import MemoryVectors
from ingest.model.access import Access, Principal
from ingest.model.predicate import Predicate, filter_columns
from ingest.progress import Silent
from ingest.protocols import Hit, RowVector, VectorDelta

EVERYTHING = Predicate(None, statuses=None)
_QUERY = np.array([1, 1, 1, 0, 0, 0, 0, 0], dtype=np.float32)
_LENGTHS = pytest.mark.parametrize("examples", [10, pytest.param(150, marks=pytest.mark.slow)])


def _property(examples):
    return settings(max_examples=examples, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _search(engine, path, predicate=EVERYTHING, limit=100, query=_QUERY):
    with closing(engine.open(path)) as reader:
        return reader.search(query, predicate, limit)


def test_nothing_is_found_in_an_empty_index(engine):
    path, contents = engine.build(None, [])
    assert contents == {}
    with closing(engine.open(path)) as reader:
        assert reader.search(_QUERY, EVERYTHING, 5) == []
        assert list(reader.pairs()) == []
        assert reader.contents(["urn:kb:chunk:" + "0" * 32, "urn:kb:entity:x", ""]) == {}


def test_every_row_is_found_by_its_own_vector(engine, make_row, vector):
    rows = [make_row(number) for number in range(12)]
    path, _ = engine.build(None, rows)
    for row in rows:
        query = vector(row) / np.linalg.norm(vector(row))
        best = _search(engine, path, query=query.astype(np.float32))
        assert row.chunk_id in {hit.chunk_id for hit in best if hit.score > 1 - 1e-6}


def test_vectors_are_brought_to_unit_length(engine, make_row):
    row = make_row(0)
    target = engine.folder / "long"
    delta = VectorDelta([RowVector(row, np.array([0, 9, 0, 0, 0, 0, 0, 0], np.float32))], 1, frozenset(), 8)
    engine.writer.write(None, delta, target, Silent())
    query = np.array([0, 1, 0, 0, 0, 0, 0, 0], np.float32)
    assert _search(engine, target, query=query) == [Hit(row.chunk_id, 1.0)]


def test_what_is_held_is_what_was_promised(engine, make_row):
    rows = [make_row(number) for number in range(20)]
    path, promised = engine.build(None, rows)
    with closing(engine.open(path)) as reader:
        assert dict(reader.pairs()) == {row.chunk_id: row.row_checksum for row in rows}
        assert reader.contents([row.chunk_id for row in rows]) == promised


def test_contents_tell_vector_checksum_and_access_apart(engine, make_row):
    row = make_row(0)
    _, plain = engine.build(None, [row])
    _, closed = engine.build(None, [make_row(0, access=Access(users=("alice",)))])
    _, titled = engine.build(None, [make_row(0, title="another")])
    target = engine.folder / "turned"
    delta = VectorDelta([RowVector(row, -_QUERY)], 1, frozenset(), 8)
    turned = engine.writer.write(None, delta, target, Silent())
    assert len({plain[row.chunk_id], closed[row.chunk_id], titled[row.chunk_id], turned[row.chunk_id]}) == 4


def test_a_row_removed_and_added_is_replaced(engine, make_row):
    old, new = make_row(3), make_row(3, access=Access(users=("王芳",)), title="新")
    base, _ = engine.build(None, [old, make_row(4)])
    path, promised = engine.build(base, [new], [old.chunk_id])
    with closing(engine.open(path)) as reader:
        assert dict(reader.pairs())[old.chunk_id] == new.row_checksum
        assert reader.contents([old.chunk_id]) == promised
        assert old.chunk_id not in {hit.chunk_id for hit in reader.search(_QUERY, Predicate(), 9)}
        mine = Predicate(Principal("王芳"))
        assert old.chunk_id in {hit.chunk_id for hit in reader.search(_QUERY, mine, 9)}


def test_removing_what_is_not_held_changes_nothing(engine, make_row):
    rows = [make_row(number) for number in range(3)]
    base, _ = engine.build(None, rows)
    path, _ = engine.build(base, [], ["urn:kb:chunk:" + "f" * 32, "not an id"])
    assert _search(engine, path) == _search(engine, base)


def test_everything_can_be_removed_and_come_back(engine, make_row):
    rows = [make_row(number) for number in range(5)]
    base, _ = engine.build(None, rows)
    empty, _ = engine.build(base, [], [row.chunk_id for row in rows])
    again, _ = engine.build(empty, rows)
    assert _search(engine, empty) == []
    assert _search(engine, again) == _search(engine, base)


@pytest.mark.parametrize("limit", [1, 2, 5, 7, 29, 30, 31])
def test_ties_are_decided_by_chunk_id_at_every_limit(engine, make_row, limit):
    rows = [make_row(number) for number in range(30)]
    target = engine.folder / "ties"
    delta = VectorDelta((RowVector(row, _QUERY) for row in rows), len(rows), frozenset(), 8)
    engine.writer.write(None, delta, target, Silent())
    assert [hit.chunk_id for hit in _search(engine, target, limit=limit)] == sorted(row.chunk_id for row in rows)[:limit]


def test_a_zero_vector_scores_zero(engine, make_row):
    target = engine.folder / "zero"
    delta = VectorDelta([RowVector(make_row(0), np.zeros(8, np.float32))], 1, frozenset(), 8)
    engine.writer.write(None, delta, target, Silent())
    assert _search(engine, target) == [Hit(make_row(0).chunk_id, 0.0)]


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_number_that_is_not_finite_is_refused(engine, make_row, bad):
    delta = VectorDelta([RowVector(make_row(0), np.full(8, bad, np.float32))], 1, frozenset(), 8)
    with pytest.raises(ValueError, match="not finite"):
        engine.writer.write(None, delta, engine.folder / "bad", Silent())


def test_text_that_is_not_unicode_is_held(engine, make_row):
    odd = make_row(1, scope="\udcff", access=Access(users=("\ud800",)))
    path, promised = engine.build(None, [odd])
    with closing(engine.open(path)) as reader:
        assert reader.contents([odd.chunk_id]) == promised
        mine = Predicate(Principal("\ud800"), scopes=("\udcff",))
        assert [hit.chunk_id for hit in reader.search(_QUERY, mine, 3)] == [odd.chunk_id]
        assert reader.search(_QUERY, Predicate(Principal("\ud801")), 3) == []


@_LENGTHS
def test_predicates_admit_what_they_say(examples, engines, some_rows, some_predicates):
    @_property(examples)
    @given(some_rows, st.lists(some_predicates, min_size=1, max_size=8))
    def check(rows, predicates):
        engine = engines()
        path, _ = engine.build(None, rows)
        with closing(engine.open(path)) as reader:
            for predicate in predicates:
                found = [hit.chunk_id for hit in reader.search(_QUERY, predicate, 100)]
                assert sorted(found) == sorted(row.chunk_id for row in rows if predicate.admits(filter_columns(row)))

    check()


@_LENGTHS
def test_any_way_to_the_same_rows_gives_the_same_answers(examples, engines, some_histories, some_predicates, rows_in_effect):
    @_property(examples)
    @given(some_histories, some_predicates, st.integers(1, 12))
    def check(history, predicate, limit):
        engine = engines()
        path, promised = None, {}
        for step in history:
            path, written = engine.build(path, step.added, step.removed)
            promised = {**promised, **written}
        held = rows_in_effect(history)
        scratch, _ = engine.build(None, held.values())
        with closing(engine.open(path)) as one, closing(engine.open(scratch)) as two:
            assert dict(one.pairs()) == dict(two.pairs()) == {row.chunk_id: row.row_checksum for row in held.values()}
            wanted = {chunk_id: promised[chunk_id] for chunk_id in held}
            assert one.contents(list(promised)) == two.contents(list(promised)) == wanted
            assert one.search(_QUERY, predicate, limit) == two.search(_QUERY, predicate, limit)

    check()


@_LENGTHS
def test_answers_are_those_of_the_plain_scan(examples, engines, some_rows, some_predicates):
    seeds = st.integers(0, 1 << 16)

    @_property(examples)
    @given(some_rows, some_predicates, seeds, st.integers(1, 25))
    def check(rows, predicate, seed, limit):
        engine, oracle = engines(), MemoryVectors()
        random = np.random.default_rng(seed)
        vectors = random.standard_normal((len(rows), 8)).astype(np.float32)
        query = random.standard_normal(8).astype(np.float32)
        for writer in (engine.writer, oracle):
            items = [RowVector(row, vector) for row, vector in zip(rows, vectors, strict=True)]
            writer.write(None, VectorDelta(items, len(rows), frozenset(), 8), engine.folder / "build", Silent())
        found = _search(engine, engine.folder / "build", predicate, limit, query)
        with closing(oracle.open_reader(engine.folder / "build")) as reader:
            wanted = reader.search(query, predicate, limit)
        assert [hit.chunk_id for hit in found] == [hit.chunk_id for hit in wanted]
        assert [hit.score for hit in found] == pytest.approx([hit.score for hit in wanted], abs=1e-5)

    check()


def test_each_language_is_searched_by_itself(engine, make_row):
    rows = [make_row(number) for number in range(30)]
    path, _ = engine.build(None, rows)
    narrowed = Predicate(None, statuses=None, as_of=int(1.72e9))
    with closing(engine.open(path)) as reader:
        for predicate in (EVERYTHING, narrowed, Predicate(None, sources=()), Predicate(Principal(user="alice"))):
            found = reader.by_language(_QUERY, predicate, 5)
            languages = {row.language or "" for row in rows if predicate.admits(filter_columns(row))}
            assert found.keys() == languages
            for language, hits in found.items():
                wanted = Predicate(**{
                    **{name: getattr(predicate, name) for name in predicate.__slots__}, "languages": (language,)
                })
                assert hits == reader.search(_QUERY, wanted, 5)
