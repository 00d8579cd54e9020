from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.chunk.sentences import sentence_ends
from ingest.chunk.units import Ruler, measure, units

MIXED = st.lists(
    st.sampled_from(["数据", "word", "don't", "don’t", "。", "v2", "🙂", "…", "café", "1,234.5", "|", "“引号”", "한국어", "\n"]),
    max_size=40,
)


@pytest.mark.parametrize(
    ("text", "halves"),
    [
        ("", 0),
        ("数据库", 6),
        ("カタカナ", 8),
        ("데이터", 6),
        ("hello world", 6),
        ("don't stop", 6),
        ("don’t stop", 6),
        ("Приветствие мира", 6),
        ("使用Python开发 v2.1", 8 + 3 + 6),
        ("『数据』、", 4),
        ("𠮷野家", 6),
        ("。", 1),
    ],
)
def test_a_character_is_one_unit_and_a_word_one_and_a_half(text: str, halves: int) -> None:
    assert measure(text) == halves


def test_three_hundred_units_are_three_hundred_characters_or_two_hundred_words() -> None:
    assert units("数" * 300) == units("word " * 200) == 300


def test_units_are_rounded_up() -> None:
    assert units("one") == 2
    assert units("one two three") == 5


def test_a_run_without_words_still_weighs_something() -> None:
    assert measure("-" * 8000) == 2000
    assert measure("A" * 8000) == 2000


@given(MIXED, st.integers(0, 40))
def test_sizes_of_parts_sum_to_the_whole_or_a_little_more(words: list[str], at: int) -> None:
    left, right = " ".join(words[:at]), " ".join(words[at:])
    whole = measure(f"{left} {right}")
    assert whole <= measure(left) + measure(right) + 1 <= whole + 4


@given(st.text())
def test_any_text_can_be_measured(text: str) -> None:
    assert 0 <= measure(text) <= 3 * len(text)


@given(MIXED.map(" ".join) | MIXED.map("".join) | st.text(max_size=60), st.data())
def test_a_part_measured_in_its_text_is_as_long_as_by_itself(text: str, data: st.DataObject) -> None:
    """But for an apostrophe at its edge, which belongs to the word there."""
    text = text.replace("'", "").replace("’", "") or "x"
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    assert Ruler(text).size(start, end) == measure(text[start:end])


@pytest.mark.parametrize("text", [
    "Lantern keeps metrics. It doesn't listen. See v2.1, e.g. 3.14 % of 'it'. Done? Yes!",
    "网关支持限流。默认端口是 8443。使用 Python 3.11。好吗？好！",
])  # fmt: skip
def test_sentences_measured_in_their_text_are_as_long_as_by_themselves(text: str) -> None:
    ends = sentence_ends(text)
    spans = list(zip([0, *ends[:-1]], ends, strict=True))
    assert len(spans) > 2
    assert [Ruler(text).size(start, end) for start, end in spans] == [measure(text[start:end]) for start, end in spans]


def test_an_apostrophe_parts_no_word() -> None:
    assert measure("rock'n'roll isn't 'dead'") == 9
    assert measure("a''b") == 6
