"""The gazetteer: the longest whole names, in whatever way they are spelled, whatever the order in which they came."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from entities.mentions.gazetteer import Gazetteer, is_whole

PIECES = ["云", "脉", "网关", "YunGate", "2", "Admin", " ", "中国", "人民", "银行", "-", "3.5"]
NAMES = st.lists(
    st.tuples(st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join), st.sampled_from("abc")), max_size=8
)


def spans(gazetteer: Gazetteer, text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(text[hit.start : hit.end], hit.entity_ids) for hit in gazetteer.find(text)]


def test_of_names_that_overlap_the_longest_is_found_then_the_first() -> None:
    gazetteer = Gazetteer([("中国人", "a"), ("人民银行", "b"), ("中国", "c"), ("民银", "d")])
    assert spans(gazetteer, "中国人民银行与中国人") == [("中国", ("c",)), ("人民银行", ("b",)), ("中国人", ("a",))]


def test_form_of_several_entities_has_them_all() -> None:
    gazetteer = Gazetteer([("云脉", "b"), ("雲脈", "a"), ("云脉", "b")])
    assert spans(gazetteer, "雲脈") == [("雲脈", ("a", "b"))]


def test_blanks_of_a_name_are_one_blank_and_any_blank_in_text_is_one() -> None:
    gazetteer = Gazetteer([("Larkfield  Lens", "a")])
    assert spans(gazetteer, "a Larkfield\nLens, Larkfield\u3000Lens") == [
        ("Larkfield\nLens", ("a",)),
        ("Larkfield\u3000Lens", ("a",)),
    ]


def test_nothing_is_found_of_nothing() -> None:
    assert Gazetteer([]).find("云脉") == [] and not Gazetteer([]).holds("云脉")
    assert Gazetteer([("云", "a"), ("  ", "b")]).find("云  ") == []


def test_word_edges_are_those_of_the_script() -> None:
    for text, whole in (
        ("用ab接", True),
        ("ab2", False),
        ("xab", False),
        ("éab", False),
        ("ab_c", False),
        ("ab-c", True),
        ("한ab는", True),
    ):
        at = text.index("ab")
        assert is_whole(text, at, at + 2) is whole, text
    for text, whole in (("v 2.0", False), ("v 2.", True), ("v 2-3", False)):
        assert is_whole(text, 0, 3) is whole, text


@given(NAMES, st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_what_is_found_does_not_depend_on_the_order_of_names(names: list[tuple[str, str]], text: str) -> None:
    assert Gazetteer(names).find(text) == Gazetteer(list(reversed(names))).find(text)


@given(NAMES, st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_hits_are_forms_apart_and_held(names: list[tuple[str, str]], text: str) -> None:
    gazetteer = Gazetteer(names)
    hits = gazetteer.find(text)
    assert all(first.end <= second.start for first, second in itertools.pairwise(hits))
    assert all(hit.entity_ids for hit in hits)
    assert gazetteer.holds(text) or not hits
