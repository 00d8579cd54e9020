"""What IndexWriter and Bm25Reader promise, held on segments and in memory alike; and the two against each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import BuildCorrupt
from ingest.model.access import Access, Principal
from ingest.model.predicate import Predicate, filter_columns
from ingest.protocols import Asked, Bm25Reader, Hit

ALL = Predicate(None, statuses=None)
QUERIES = (
    "gateway", "错误码 ERR_1042", "備份 保留", "GET /api/v2/users", "the second generation of the storage gateway",
    "восстановление", "復旧", "Manual", "什么是网关？", "absent", "", "Helix 2.1 429",
)
ODD = (
    "\"gateway\"", "gateway AND (NOT users)", "+gateway -users", "field:gateway^2", "gateway~2 users*", "'; drop gateway--",
    "网关\0gateway", "\ud800gateway\udfff", "\u202egateway", "gateway " * 1250, "网关" * 5000, "🚀gateway🚀", "gateway\\",
    "[[[gateway", "%s %d {} gateway", "\r\n\t gateway",
)
VOID = ("", " ", "\0", "\ud800", "🚀", "\\", "[[[", "\"", "AND" * 3000, "()", "的", "^~*?")


def held(reader: Bm25Reader) -> dict[str, str]:
    return dict(reader.pairs())


def test_an_empty_build_holds_and_finds_nothing(new_builds: Callable[[], Any]) -> None:
    builds = new_builds()
    reader = builds.open(builds.write(None, []))
    assert held(reader) == {} and reader.contents(["urn:kb:chunk:0"]) == {}
    assert reader.search("gateway", ALL, 10) == []


def test_the_row_that_says_it_comes_first(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    rows = [make_row(number) for number in range(12)]
    reader = builds.open(builds.write(None, rows))
    asked = {"错误码 ERR_1042 是什么": 3, "ERR-1042 licence": 2, "數據備份": 6, "数据备份": 6, "users of a tenant": 8}
    for query, number in asked.items():
        assert reader.search(query, ALL, 3)[0].chunk_id == rows[number].chunk_id, query


def test_hits_are_ordered_by_score_then_id_and_limited(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    rows = [make_row(number, text="网关 gateway" if number % 2 else "gateway gateway 网关 网关") for number in range(24)]
    reader = builds.open(builds.write(None, rows))
    every = reader.search("网关 gateway", ALL, 100)
    assert every == sorted(every, key=lambda hit: (-hit.score, hit.chunk_id))
    assert all(hit.score > 0 for hit in every)
    for limit in (0, 1, 5, 11, 12, 13, len(every)):
        assert reader.search("网关 gateway", ALL, limit) == every[:limit]


def test_removed_rows_are_gone_and_unknown_ones_no_matter(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    rows = [make_row(number) for number in range(8)]
    base = builds.write(None, rows)
    reader = builds.open(builds.write(base, [], [rows[0].chunk_id, "urn:kb:chunk:unknown"]))
    assert held(reader) == {row.chunk_id: row.row_checksum for row in rows[1:]}
    assert rows[0].chunk_id not in {hit.chunk_id for hit in reader.search("gateway 429", ALL, 100)}
    assert rows[0].chunk_id not in reader.contents([row.chunk_id for row in rows])


@pytest.mark.parametrize("listed", [True, False])
def test_a_row_that_comes_again_replaces(new_builds: Callable[[], Any], make_row: Callable[..., Any], listed: bool) -> None:
    builds = new_builds()
    old = make_row(1)
    new = make_row(1, access=Access(roles=("ops",)), status="deprecated")
    base = builds.write(None, [old, make_row(2)])
    reader = builds.open(builds.write(base, [new], [old.chunk_id] if listed else []))
    assert held(reader) == {new.chunk_id: new.row_checksum, make_row(2).chunk_id: make_row(2).row_checksum}
    assert reader.search("429", Predicate(), 10) == []
    ops = Predicate(Principal(roles=("ops",)), statuses=None)
    assert [hit.chunk_id for hit in reader.search("429", ops, 10)] == [new.chunk_id]


def test_contents_tell_a_changed_filter_from_a_changed_text(
    new_builds: Callable[[], Any], make_row: Callable[..., Any]
) -> None:
    builds = new_builds()
    seen = set()
    row = make_row(1)
    hidden, draft = make_row(1, access=Access(level=1)), make_row(1, status="draft")
    for variant in (row, hidden, draft, make_row(1, text="网关 429", chunk_id=row.chunk_id)):
        builds.write(None, [variant])
        seen.add(builds.contents[row.chunk_id])
    assert len(seen) == 4


@pytest.mark.parametrize("query", ODD)
def test_any_text_is_a_query(new_builds: Callable[[], Any], make_row: Callable[..., Any], query: str) -> None:
    builds = new_builds()
    reader = builds.open(builds.write(None, [make_row(number) for number in range(12)]))
    assert reader.search(query, ALL, 5)


@pytest.mark.parametrize("query", VOID)
def test_a_query_of_nothing_finds_nothing(new_builds: Callable[[], Any], make_row: Callable[..., Any], query: str) -> None:
    builds = new_builds()
    assert builds.open(builds.write(None, [make_row(0), make_row(2)])).search(query, ALL, 5) == []


def test_a_build_that_is_not_there_is_corrupt(new_builds: Callable[[], Any]) -> None:
    with pytest.raises(BuildCorrupt, match="absent"):
        new_builds().open(Path("/nowhere/absent"))


def test_predicates_mean_what_admits_says(
    new_builds: Callable[[], Any], few: Any, some_rows: Any, some_predicates: Any
) -> None:
    @few(new_builds, 40)
    @given(rows=some_rows, predicate=some_predicates)
    def check(rows: Any, predicate: Predicate) -> None:
        builds = new_builds()
        reader = builds.open(builds.write(None, rows))
        every = reader.search("Manual gateway 网关 备份", predicate.caller(), 100)
        admitted = {row.chunk_id for row in rows if predicate.admits(filter_columns(row))}
        wanted = [hit for hit in every if hit.chunk_id in admitted]
        assert reader.search("Manual gateway 网关 备份", predicate, 100) == wanted

    check()


@pytest.mark.parametrize("formula", ["lucene", "okapi"])
def test_what_a_caller_may_not_see_changes_no_bit(
    new_builds: Callable[[], Any], few: Any, some_histories: Any, rows_in_effect: Any, some_predicates: Any, formula: str
) -> None:
    """Hits, scores, ceilings, weights and codes are those of a build without the rows that are hidden, whatever is asked."""
    name = Asked((("gateway", "helix"), ("网关",)), once=True)
    things = [Asked((("backup",), ("备份",)), (0.7, 0.3)), Asked((("429",), ("err1042",))), Asked((("gateway",),), weight=2.0)]

    @few(new_builds, 60)
    @given(steps=some_histories, predicate=some_predicates)
    def check(steps: Any, predicate: Predicate) -> None:
        builds = new_builds()
        path: Path | None = None
        for step in steps:
            path = builds.write(path, step.added, step.removed)
        whole = builds.open(path, formula=formula)
        shown = [row for row in rows_in_effect(steps).values() if predicate.caller().admits(filter_columns(row))]
        alone = builds.open(builds.write(None, shown), formula=formula)
        for query in QUERIES:
            for limit in (3, 100):
                assert whole.rank(query, predicate, limit) == alone.rank(query, predicate, limit)
        assert whole.meets(things, [name], 0.2, predicate, 100) == alone.meets(things, [name], 0.2, predicate, 100)

    check()


def test_narrowing_changes_no_weight(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    """In one document every row has its name: counted over that document alone, the name would weigh nothing."""
    builds = new_builds()
    rows = [make_row(number, status="draft" if number % 3 else "active", language="zh" if number % 2 else "en")
            for number in range(12)]
    reader = builds.open(builds.write(None, rows))
    for query in QUERIES:
        every = reader.rank(query, ALL, 100)
        for narrow in (Predicate(None), replace(ALL, languages=("zh",)), replace(ALL, sources=(rows[3].source_id,)),
                       replace(ALL, as_of=1_700_000_000), replace(ALL, sources=())):
            admitted = {row.chunk_id for row in rows if narrow.admits(filter_columns(row))}
            found = reader.rank(query, narrow, 100)
            assert found.hits == [hit for hit in every.hits if hit.chunk_id in admitted]
            assert (found.weights, found.ceiling) == (every.weights, every.ceiling)


def test_only_the_rows_in_effect_matter(
    new_builds: Callable[[], Any], few: Any, some_histories: Any, rows_in_effect: Any
) -> None:
    """Any history gives what its last state gives from scratch: rows, contents, hits and every bit of their scores."""

    @few(new_builds, 40)
    @given(steps=some_histories, data=st.data())
    def check(steps: Any, data: st.DataObject) -> None:
        builds = new_builds()
        path: Path | None = None
        for step in steps:
            path = builds.write(path, step.added, step.removed)
            reader = builds.open(path)
            assert reader.contents([row.chunk_id for row in step.added]) == builds.contents
        rows = rows_in_effect(steps)
        scratch = builds.write(None, data.draw(st.permutations(list(rows.values()))))
        fresh = builds.open(scratch)
        assert held(reader) == held(fresh) == {row.chunk_id: row.row_checksum for row in rows.values()}
        assert reader.contents(list(rows)) == fresh.contents(list(rows)) == builds.contents
        for formula in ("lucene", "okapi"):
            one, other = builds.open(path, formula=formula), builds.open(scratch, formula=formula)
            for query in QUERIES:
                assert one.search(query, ALL, 100) == other.search(query, ALL, 100)

    check()


def test_scores_are_those_of_memory_to_the_last_bit(
    held_apart: Callable[..., Any], few: Any, in_memory: Callable[[], Any], some_histories: Any, rows_in_effect: Any,
) -> None:
    """For `okapi`, memory is rank_bm25."""
    formulas, k1s, bs = st.sampled_from(["lucene", "okapi"]), st.floats(0.1, 3), st.floats(0, 1)

    @few(held_apart, 40)
    @given(steps=some_histories, formula=formulas, k1=k1s, b=bs, limit=st.sampled_from([1, 3, 100]))
    def check(steps: Any, formula: str, k1: float, b: float, limit: int) -> None:
        builds, memory = held_apart(), in_memory()
        path: Path | None = None
        for step in steps:
            path = builds.write(path, step.added, step.removed)
        oracle = memory.open(memory.write(None, rows_in_effect(steps).values()), formula=formula, k1=k1, b=b)
        reader = builds.open(path, formula=formula, k1=k1, b=b)
        assert builds.contents.items() <= memory.contents.items()
        for query in QUERIES:
            hits: list[Hit] = reader.search(query, ALL, limit)
            assert hits == oracle.search(query, ALL, limit)

    check()


def test_what_rows_hold_is_told_of_those_that_show(
    held_apart: Callable[..., Any], few: Any, in_memory: Callable[[], Any], some_histories: Any, some_predicates: Any
) -> None:
    """Terms, codes, versions, families and windows: what the rows in memory say, of those that are admitted."""

    @few(held_apart, 60)
    @given(history=some_histories, predicate=some_predicates)
    def check(history: Any, predicate: Predicate) -> None:
        opened = []
        for builds in (held_apart(), in_memory()):
            path = None
            for step in history:
                path = builds.write(path, step.added, step.removed)
            opened.append(builds.open(path))
        asked = ["err1042", "1042", "gatewai", "gateway", "网关", "absent", "", "\ud800"]
        told = [
            (reader.held(asked, predicate),
             [reader.codes_like(code, predicate, 3) for code in ("err1024", "err142", "api/v2/user")],
             reader.versions(predicate), reader.families(["1.0", "2.1"], predicate), reader.families([""], predicate),
             reader.dated(predicate))
            for reader in opened
        ]
        assert told[0] == told[1]

    check()


def test_a_code_of_hidden_rows_is_not_suggested(new_builds: Callable[[], Any], make_row: Callable[..., Any]) -> None:
    builds = new_builds()
    reader = builds.open(builds.write(None, [
        make_row(0, text="ERR_1042 is shown."), make_row(1, text="ERR_1402 is hidden.", access=Access(level=2)),
    ]))
    assert reader.codes_like("ERR_1024".replace("_", "").lower(), Predicate(), 5) == ["err1042"]
    assert reader.codes_like("err142", Predicate(), 5) == ["err1042"]
    assert reader.codes_like("err142", Predicate(Principal(level=2)), 5) == ["err1042", "err1402"]
    assert reader.codes_like("err142", Predicate(Principal(level=2)), 1) == ["err1042"]
    assert reader.held(["err1042", "err1402", "shown"], Predicate()) == {"err1042", "shown"}
