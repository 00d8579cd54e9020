"""What `rank` tells besides hits, on segments and in memory: how far the query could have been met, and who holds its codes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexes.bm25.codes import RARE
from ingest.model.access import Access, Principal
from ingest.model.predicate import Predicate

ALL = Predicate(None, statuses=None)
QUERIES = (
    "gateway", "错误码 ERR_1042 是什么", "備份 保留", "GET /api/v2/users", "the second generation of the storage gateway",
    "v2.1 and ERR-1042 and absent", "absent", "", "Helix 2.1 429",
)


def test_hits_are_those_of_search(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    reader = builds.open(builds.write(None, [make_row(number) for number in range(24)]))
    for query in QUERIES:
        for limit in (0, 1, 5, 100):
            assert reader.rank(query, ALL, limit).hits == reader.search(query, ALL, limit)


@pytest.mark.parametrize("formula", ["lucene", "okapi"])
def test_no_score_exceeds_the_ceiling(new_builds: Callable[[], Any], make_row: Callable[..., Any], formula: str) -> None:
    builds = new_builds()
    rows = [make_row(number, text="gateway " * 2**number) for number in range(6)] + [make_row(number) for number in range(6, 30)]
    reader = builds.open(builds.write(None, rows), formula=formula)
    for query in QUERIES:
        ranked = reader.rank(query, ALL, 100)
        assert all(0 < hit.score <= ranked.ceiling for hit in ranked.hits), query


def test_the_ceiling_is_what_all_terms_could_add(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    rows = [make_row(number, text=f"{'quokka' if number else 'zephyr'} {number}", prefix="") for number in range(4)]
    reader = builds.open(builds.write(None, rows))
    idf = {df: math.log(1 + (4 - df + 0.5) / (df + 0.5)) for df in (0, 1, 3)}
    assert reader.rank("zephyr quokka absent", ALL, 5).ceiling == pytest.approx(idf[1] + idf[3] + idf[0])


def test_a_term_that_only_hidden_rows_hold_counts_as_unknown(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    closed = [make_row(number, text=f"quokka {number}", access=Access(level=2)) for number in range(1, 4)]
    reader = builds.open(builds.write(None, [make_row(0, text="zephyr"), *closed]))
    for word in ("zephyr quokka", "zephyr QUOKKA_77"):
        hidden, unknown = reader.rank(word, Predicate(), 5), reader.rank(word.replace("uokk", "uukk"), Predicate(), 5)
        assert (hidden.hits, hidden.ceiling, hidden.codes) == (unknown.hits, unknown.ceiling, unknown.codes)
        assert list(hidden.weights.values()) == list(unknown.weights.values())
        assert reader.rank("zephyr quokka", Predicate(Principal(level=2)), 5).ceiling < hidden.ceiling


def test_codes_name_the_rows_that_hold_them(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    texts = ("ERR_1042 and YG-3391", "err-1042 again", "1042 errors", "yg 3391", "YG-3391")
    rows = [make_row(number, text=text) for number, text in enumerate(texts)]
    reader = builds.open(builds.write(None, rows))
    ids = [row.chunk_id for row in rows]
    assert reader.rank("what is ERR_1042?", ALL, 1).codes == {ids[0]: 1, ids[1]: 1}
    assert reader.rank("ERR_1042 or YG-3391", ALL, 1).codes == {ids[0]: 2, ids[1]: 1, ids[4]: 1}
    assert reader.rank("errors 1042", ALL, 1).codes == {}


def test_a_code_that_many_rows_hold_is_no_rare_one(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    rows = [make_row(number, text=f"YG-3391 {number}", access=Access(level=number % 2)) for number in range(RARE + 1)]
    reader = builds.open(builds.write(None, rows))
    assert reader.rank("YG-3391", Predicate(Principal(level=1)), 50).codes == {}
    shown = {row.chunk_id: 1 for row in rows if not row.access.level}
    assert reader.rank("YG-3391", Predicate(), 50).codes == shown, "rare among the rows that the caller may see"


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_segments_and_memory_agree(
    on_disk: Callable[..., Any], in_memory: Callable[[], Any], some_histories: Any, some_predicates: Any, data: st.DataObject
) -> None:
    history = data.draw(some_histories)
    formula = data.draw(st.sampled_from(("lucene", "okapi")))
    readers = []
    for builds in (on_disk(), in_memory()):
        path = None
        for step in history:
            path = builds.write(path, step.added, step.removed)
        readers.append(builds.open(path, formula=formula))
    predicate, query = data.draw(some_predicates), data.draw(st.sampled_from(QUERIES))
    one, other = (reader.rank(query, predicate, 5) for reader in readers)
    assert (one.codes, one.ceiling) == (other.codes, pytest.approx(other.ceiling))
    assert [hit.chunk_id for hit in one.hits] == [hit.chunk_id for hit in other.hits]
