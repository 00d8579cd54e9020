"""What is asked for apart: names as one thing each, whichever is written, on segments and in memory, and the two compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.model.access import Access, Principal
from ingest.model.predicate import Predicate
from ingest.protocols import Asked

ALL = Predicate(None, statuses=None)
NAME = (("gateway", "helix"), ("海力", "力网", "网关"))
"""The ways of a thing that two languages name, as terms: with the terms of other texts beside them."""
WAYS = st.lists(
    st.lists(st.sampled_from(["gateway", "helix", "网关", "备份", "absent"]), min_size=1, max_size=3, unique=True).map(tuple),
    min_size=1, max_size=3, unique=True,
).map(tuple)

THINGS = st.one_of(
    st.builds(Asked, WAYS, once=st.booleans()),
    WAYS.map(lambda ways: Asked(ways, tuple(1 / (2 + place) for place in range(len(ways))), 2.0)),
)


def ids(ranked: Any) -> list[str]:
    return [hit.chunk_id for hit in ranked.hits]


def test_a_name_counts_once_and_whole_by_whichever_way(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    texts = ("Helix Gateway", "Helix Gateway, or the Helix Gateway", "海力网关", "gateway", "backup " * 40 + "Helix Gateway")
    rows = [make_row(number, text=text, prefix="") for number, text in enumerate(texts)]
    reader = builds.open(builds.write(None, rows))
    found = reader.meets([], [Asked(NAME, once=True)], 0.2, ALL, 10)
    assert set(ids(found)) == {rows[number].chunk_id for number in (0, 1, 2, 4)}
    assert {round(hit.score, 9) for hit in found.hits} == {found.ceiling} == {1.0}


def test_what_is_asked_of_it_decides_among_the_rows_that_have_it(
    new_builds: Callable[[], Any], make_row: Callable[..., Any]
) -> None:
    builds = new_builds()
    rows = [make_row(number, text=text, prefix="") for number, text in enumerate((
        "Helix Gateway Helix Gateway", "The Helix Gateway keeps backups for a year", "The Otter Gateway keeps backups for a year",
    ))]
    reader = builds.open(builds.write(None, rows))
    found = reader.meets([Asked((("backup",),)), Asked((("keep",),))], [Asked(NAME, once=True)], 0.2, ALL, 10)
    assert ids(found)[0] == rows[1].chunk_id
    assert all(0 < hit.score <= found.ceiling for hit in found.hits)


def test_a_rare_translation_does_not_make_a_common_word_rare(
    new_builds: Callable[[], Any], make_row: Callable[..., Any]
) -> None:
    builds = new_builds()
    rows = [make_row(number, text=f"{'din' if not number else 'noise'} {number}", prefix="") for number in range(8)]
    reader = builds.open(builds.write(None, rows))
    word = Asked((("nois",), ("din",)), (0.9, 0.1))
    assert ids(reader.meets([word], [], 0.2, ALL, 9))[-1] == rows[0].chunk_id


def test_a_way_that_only_hidden_rows_have_counts_as_none(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    closed = [make_row(number, text=f"quokka {number}", access=Access(level=2)) for number in range(1, 4)]
    rows = [make_row(0, text="zephyr"), *closed]
    reader = builds.open(builds.write(None, rows))
    hidden = reader.meets([Asked((("zephyr",), ("quokka",))), Asked((("quokka",),))], [], 0.2, Predicate(), 9)
    unknown = reader.meets([Asked((("zephyr",), ("absent",))), Asked((("absent",),))], [], 0.2, Predicate(), 9)
    assert (hidden.hits, hidden.ceiling) == (unknown.hits, unknown.ceiling)
    assert len(reader.meets([Asked((("quokka",),))], [], 0.2, Predicate(Principal(level=2)), 9).hits) == 3


def test_rows_having_a_way_are_told_of_those_asked_about(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    texts = ("Helix Gateway", "海力网关", "gateway", "A Helix Gateway")
    rows = [make_row(number, text=text, prefix="") for number, text in enumerate(texts)]
    reader = builds.open(builds.write(None, rows))
    asked = [row.chunk_id for row in rows[:3]]
    assert reader.having(NAME, [*asked, "urn:kb:chunk:unknown"]) == {rows[0].chunk_id, rows[1].chunk_id}
    assert reader.having([], asked) == reader.having(NAME, []) == frozenset()


@pytest.mark.parametrize("formula", ["lucene", "okapi"])
def test_the_others_answer_as_memory_does(
    held_apart: Callable[..., Any], few: Any, in_memory: Callable[[], Any], make_row: Callable[..., Any], formula: str
) -> None:
    rows = [make_row(number) for number in range(24)]
    readers = [builds.open(builds.write(None, rows), formula=formula) for builds in (held_apart(), in_memory())]

    @few(held_apart, 60)
    @given(
        asked=st.lists(THINGS, max_size=4), named=st.lists(THINGS, max_size=2), share=st.floats(0.05, 0.95),
        limit=st.sampled_from([2, 5, 30]),
    )
    def check(asked: list[Asked], named: list[Asked], share: float, limit: int) -> None:
        one, other = (reader.meets(asked, named, share, Predicate(), limit) for reader in readers)
        assert [hit.score for hit in one.hits] == pytest.approx([hit.score for hit in other.hits])
        every = {hit.chunk_id: hit.score for hit in readers[1].meets(asked, named, share, Predicate(), 30).hits}
        assert all(every[hit.chunk_id] == pytest.approx(hit.score) for hit in one.hits)
        assert one.ceiling == pytest.approx(other.ceiling)

    check()
