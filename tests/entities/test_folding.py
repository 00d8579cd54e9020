"""Folding: what is compared is folded, and every folded character knows the written ones that it came from."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.folding import NAME, WIDTH, Fold

FOLDS = (NAME, WIDTH)


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("ＹｕｎＧａｔｅ　２．０", "yungate 2.0"),
        ("雲脈網關", "云脉网关"),
        ("ﬁle", "file"),
        ("㈱ヤマ", "(株)ヤマ"),
        ("Cafe\u0301", "café"),
        ("Yun\u200bGate", "yungate"),
        ("（深圳）", "(深圳)"),
        ("A—B", "a-b"),
        ("O’Dowd", "o'dowd"),
    ],
)
def test_name_fold_makes_spellings_equal(written: str, folded: str) -> None:
    assert NAME(written).text == folded


def test_width_fold_leaves_chinese_punctuation_case_and_script() -> None:
    assert WIDTH("编号：ＧＢ／Ｔ　２２２３９－２０１９，見（附件）Ａ").text == "编号：GB/T 22239-2019，見（附件）A"


@pytest.mark.parametrize(
    ("text", "part", "written"),
    [
        ("见ﬁle一", "file", "ﬁle"),
        ("见ﬁle一", "i", "ﬁ"),
        ("Yun\u200bGate\u200b.", "yungate", "Yun\u200bGate"),
        ("Cafe\u0301 Nord", "café nord", "Cafe\u0301 Nord"),
        ("㈱ヤマ", "株", "㈱"),
    ],
)
def test_span_of_a_folded_part_is_what_was_written(text: str, part: str, written: str) -> None:
    folded = NAME(text)
    at = folded.text.index(part)
    start, end = folded.span(at, at + len(part))
    assert text[start:end] == written


@given(st.sampled_from(FOLDS), st.text(max_size=40))
def test_every_folded_character_leads_back_to_characters_that_fold_to_it(fold: Fold, text: str) -> None:
    folded = fold(text)
    for at, char in enumerate(folded.text):
        start, end = folded.span(at, at + 1)
        assert 0 <= start < end <= len(text) and char in fold(text[start:end]).text


@given(st.sampled_from(FOLDS), st.text(max_size=30), st.text(max_size=30))
def test_how_a_text_folds_does_not_depend_on_what_stands_before_it(fold: Fold, before: str, text: str) -> None:
    starts_anew = not text or not unicodedata.combining(text[0])
    assert not starts_anew or fold(before + text).text == fold(before).text + fold(text).text


@given(st.sampled_from(FOLDS), st.text(max_size=30))
def test_place_undoes_span(fold: Fold, text: str) -> None:
    folded = fold(text)
    assert folded.place(len(text)) == len(folded.text) and folded.place(0) == 0
