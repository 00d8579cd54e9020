"""How two rankings become one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.query.fuse import ABROAD, SPREADS, fuse, in_turn
from ingest.protocols import Hit, Ranked


def hits(**scores: float) -> list[Hit]:
    return [Hit(chunk, score) for chunk, score in sorted(scores.items(), key=lambda item: -item[1])]


def names(found: list[Hit]) -> str:
    return "".join(hit.chunk_id for hit in found)


VECTOR = {"en": hits(a=0.9, b=0.8, c=0.7)}
NONE: dict[str, list[Hit]] = {}


def test_a_query_that_rows_hold_leans_on_bm25() -> None:
    assert names(fuse(VECTOR, Ranked(hits(c=5.0, b=1.0), ceiling=10.0), 0.5, 40)) == "cba"


def test_a_query_that_they_hardly_hold_leans_on_vectors() -> None:
    assert names(fuse(VECTOR, Ranked(hits(c=5.0, b=1.0), ceiling=500.0), 0.5, 40)) == "abc"


def test_the_score_is_what_the_formula_says() -> None:
    found = {hit.chunk_id: hit.score for hit in fuse(VECTOR, Ranked(hits(c=5.0), ceiling=10.0), 0.4, 40)}
    spread = (2 / 3 * 0.01) ** 0.5
    assert found == pytest.approx({"a": 0.6 * 0.1 / spread, "b": 0.0, "c": -0.6 * 0.1 / spread + 0.4 * SPREADS * 0.5})


def test_weights_at_the_ends_leave_one_index_alone() -> None:
    bm25 = Ranked(hits(c=5.0, b=1.0), ceiling=10.0)
    assert names(fuse(VECTOR, bm25, 0.0, 40)) == "abc"
    assert names(fuse(VECTOR, bm25, 1.0, 40)) == "cba"


def test_either_list_may_be_empty() -> None:
    assert fuse(NONE, Ranked([]), 0.5, 40) == []
    assert names(fuse(VECTOR, Ranked([]), 0.5, 40)) == "abc"
    assert names(fuse(NONE, Ranked(hits(c=5.0, b=1.0), ceiling=10.0), 0.5, 40)) == "cb"


def test_one_hit_counts_though_it_has_nothing_to_stand_out_from() -> None:
    assert names(fuse(VECTOR, Ranked(hits(c=9.0), ceiling=10.0), 0.5, 40))[0] == "c"


def test_rows_beyond_a_full_list_have_its_lowest_score_and_beyond_a_short_one_none() -> None:
    scores = {hit.chunk_id: hit.score for hit in fuse(NONE, Ranked(hits(a=4.0, b=2.0), 10.0, {"z": 0}), 1.0, 2)}
    assert scores["z"] == scores["b"]
    scores = {hit.chunk_id: hit.score for hit in fuse(NONE, Ranked(hits(a=4.0, b=2.0), 10.0, {"z": 0}), 1.0, 3)}
    assert scores["z"] == 0.0


def test_rows_with_a_code_come_first_and_those_with_two_before_them() -> None:
    bm25 = Ranked(hits(a=9.0, b=2.0, c=1.0), ceiling=10.0, codes={"c": 1, "y": 2, "b": 1})
    assert names(fuse(VECTOR, bm25, 0.5, 40)) == "ybca"


def test_ties_are_decided_by_id() -> None:
    assert names(fuse({"": hits(b=0.5, a=0.5, c=0.5)}, Ranked([]), 0.5, 40)) == "abc"


@given(
    st.dictionaries(st.sampled_from("abcdefghij"), st.floats(-1, 1, allow_subnormal=False), max_size=10),
    st.dictionaries(st.sampled_from("abcdefghij"), st.floats(1e-3, 9), max_size=10),
    st.dictionaries(st.sampled_from("abcxyz"), st.integers(1, 3), max_size=4), st.floats(0, 1),
)
def test_everything_found_is_ranked_once_and_codes_decide_first(
    vector: dict[str, float], bm25: dict[str, float], codes: dict[str, int], weight: float
) -> None:
    found = fuse({"": hits(**vector)}, Ranked(hits(**bm25), 10.0, codes), weight, 40)
    assert sorted(hit.chunk_id for hit in found) == sorted({*vector, *bm25, *codes})
    assert found == sorted(found, key=lambda hit: (-hit.score, hit.chunk_id))
    held = [codes.get(hit.chunk_id, 0) for hit in found]
    assert held == sorted(held, reverse=True)


def test_asking_for_more_does_not_change_the_first() -> None:
    vector = [Hit(f"v{number:02d}", 0.9 - number * 0.01) for number in range(80)]
    short, long = (fuse({"": vector[:size]}, Ranked([Hit("v30", 3.0)], 10.0), 0.5, 40) for size in (40, 80))
    assert long[:40] == short


def test_each_language_is_measured_against_itself() -> None:
    """English rows are all nearer; one Chinese row stands out among its own as none of them does."""
    english = [Hit(f"e{number}", 0.9 - number * 0.01) for number in range(5)]
    chinese = [Hit("z0", 0.6), *(Hit(f"z{number}", 0.4 - number * 0.01) for number in range(1, 5))]
    assert fuse({"en": english, "zh": chinese}, Ranked([]), 0.5, 5)[0].chunk_id == "z0"


def test_rows_in_another_language_gain_the_less_the_better_a_row_says_what_is_asked() -> None:
    lists = {"zh": hits(z=0.9), "en": hits(e=0.9, f=0.9), "": hits(u=0.9)}
    assert {hit.score for hit in fuse(lists, Ranked([]), 0.0, 40)} == {0.0}

    def scores(said: float, own: str | None) -> dict[str, float]:
        return {hit.chunk_id: hit.score for hit in fuse(lists, Ranked(hits(z=said), 10.0), 0.0, 40, own=own)}

    assert scores(0.0, "zh") == {"z": 0.0, "e": ABROAD, "f": ABROAD, "u": 0.0}, "what no language is known of gains nothing"
    assert scores(5.0, "en") == {"z": ABROAD / 4, "e": 0.0, "f": 0.0, "u": 0.0}
    assert {hit.score for hit in fuse({"zh": hits(z=0.9), "de": hits(d=0.9)}, Ranked([]), 0.0, 40, own="en")} == {0.0}
    assert set(scores(10.0, "en").values()) == set(scores(0.0, None).values()) == {0.0}


def test_languages_of_few_rows_are_measured_with_all() -> None:
    english = [Hit(f"e{number}", 0.9 - number * 0.01) for number in range(5)]
    found = fuse({"en": english, "fr": hits(f=0.3)}, Ranked([]), 0.0, 5)
    assert found[-1].chunk_id == "f"
    assert names(fuse({"en": hits(a=0.9), "fr": hits(f=0.3), "de": hits(d=0.5)}, Ranked([]), 0.5, 40)) == "adf"


def test_the_best_row_of_each_thing_comes_before_the_second_of_any() -> None:
    hits = [Hit("a", 9.0), Hit("a2", 8.0), Hit("x", 7.0), Hit("b", 2.0), Hit("b2", 1.0)]
    turned = in_turn(hits, [{"a", "a2"}, {"b", "b2"}])
    assert [hit.chunk_id for hit in turned] == ["a", "b", "a2", "x", "b2"]
    assert [hit.score for hit in turned] == [9.0, 8.0, 8.0, 7.0, 1.0], "best first by their scores, too"


def test_things_in_one_row_and_things_that_no_row_has_change_nothing() -> None:
    hits = [Hit("ab", 9.0), Hit("a", 8.0), Hit("b", 7.0)]
    assert in_turn(hits, [{"ab", "a"}, {"ab", "b"}]) == in_turn(hits, [{"a", "ab"}, {"y"}]) == in_turn(hits, []) == hits


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.floats(-5, 5)), unique_by=lambda pair: pair[0]), st.lists(
    st.sets(st.sampled_from("abcdef")), max_size=3))
def test_taking_turns_loses_no_row_and_moves_none_far(rows: list[tuple[str, float]], things: list[set[str]]) -> None:
    hits = sorted((Hit(*row) for row in rows), key=lambda hit: (-hit.score, hit.chunk_id))
    turned = in_turn(hits, things)
    before, after = ([hit.chunk_id for hit in some] for some in (hits, turned))
    assert sorted(before) == sorted(after)
    assert all(after.index(chunk) <= place + len(things) for place, chunk in enumerate(before))
