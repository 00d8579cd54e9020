"""A question in the words of the other language."""

from __future__ import annotations

from collections.abc import Collection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.query.plan.lexicon import Lexicon, lexicon
from indexes.query.plan.translate import is_chinese, translated
from ingest.protocols import Asked

LINES = """\
# CC-CEDICT
噪音 噪音 [zao4 yin1] /rumble; noise; static (in a signal)/
噪聲 噪声 [zao4 sheng1] /noise/
會議室 会议室 [hui4 yi4 shi4] /meeting room; conference room/
會議 会议 [hui4 yi4] /meeting; conference/CL:場|场[chang3]/
訂單 订单 [ding4 dan1] /(purchase) order/
重 重 [zhong4] /heavy; serious/
沉重 沉重 [chen2 zhong4] /heavy; hard; serious/
"""


@pytest.fixture(scope="module")
def small() -> Lexicon:
    return Lexicon(iter(LINES.splitlines(keepends=True)))


def every(terms: Collection[str]) -> Collection[str]:
    return terms


def ways(asked: list[Asked]) -> list[set[tuple[str, ...]]]:
    return [set(each.ways) for each in asked]


def test_chinese_is_asked_in_english_by_the_longest_words(small: Lexicon) -> None:
    asked = translated("会议室的噪音有多大", small, every)
    assert {("meet",), ("room",), ("confer",)} in ways(asked) and {("rumbl",), ("nois",), ("static",)} in ways(asked)


def test_traditional_characters_are_read_as_simplified_ones(small: Lexicon) -> None:
    assert translated("會議室", small, every) == translated("会议室", small, every) != []


def test_english_is_asked_in_chinese_as_phrases_before_words(small: Lexicon) -> None:
    asked = translated("How much noise is there in the meeting room?", small, every)
    assert {("会议", "议室")} in ways(asked)
    assert {("噪声",), ("噪音",), ("nois",)} in ways(asked), "the word as it is written, too"


def test_forms_of_a_word_are_one(small: Lexicon) -> None:
    for text in ("order", "ordered", "orders"):
        assert ("订单",) in translated(text, small, every)[0].ways


def test_earlier_senses_and_usual_words_have_more(small: Lexicon) -> None:
    shares = small.chinese("noise")
    assert sum(shares.values()) == pytest.approx(1) and shares["噪声"] > shares["噪音"]
    assert small.chinese("heavy")["沉重"] > small.chinese("heavy")["重"]


def test_what_no_row_says_counts_for_nothing(small: Lexicon) -> None:
    [noise] = translated("noise", small, {"噪声"}.intersection)
    assert dict(zip(noise.ways, noise.shares, strict=True)) == {("噪声",): pytest.approx(1.0), ("nois",): 1.0}
    [room] = translated("meeting room", small, {"会议"}.intersection)
    assert room.ways == (), "a row must hold the whole word"
    assert translated("noise", small, set[str]().intersection) == [], "there is nothing to ask for"


def test_a_word_weighs_as_many_terms_as_it_is_in_its_own_language(small: Lexicon) -> None:
    assert [each.weight for each in translated("会议室 噪音", small, every)] == [5, 3]


def test_numbers_codes_and_names_stay(small: Lexicon) -> None:
    asked = translated("ERR_1042 的噪音 2.0", small, every)
    assert {("err1042",)} in ways(asked) and {("2.0",)} in ways(asked)


def test_what_cannot_be_translated_is_asked_all_the_same(small: Lexicon) -> None:
    asked = translated("噪音囍", small, every)
    assert [len(each.ways) for each in asked] == [3, 0]


def test_nothing_is_asked_where_no_word_is_known(small: Lexicon) -> None:
    for text in ("", "2.0", "восстановление", "囍", "Nordlys", "who is it?", "什么"):
        assert translated(text, small, every) == [], text


@given(st.text(max_size=80))
def test_any_text_can_be_translated(text: str) -> None:
    words = Lexicon(iter(LINES.splitlines(keepends=True)))
    for each in translated(text, words, every):
        assert each.weight > 0 and len(each.shares) in (0, len(each.ways)) and all(0 < share <= 1 for share in each.shares)


def test_the_lexicon_that_comes_with_the_extra_knows_both_ways() -> None:
    words = lexicon()
    assert words is not None and words is lexicon()
    assert words.english("备份") == {"backup": 1.0} and "分机" in words.chinese("extension")
    assert "会议室" in words and not is_chinese("meeting room")


def test_abbreviations_stand_for_what_they_are_the_initials_of_and_remarks_for_nothing() -> None:
    words = lexicon()
    assert words is not None
    assert "首席运营官" in words.chinese("coo") and "增值税" in words.chinese("vat")
    assert "coo" in words.english("首席运营官") and not words.chinese("prc")
