from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.chunk.units import measure, units


@pytest.mark.parametrize(
    ("text", "thirds"),
    [
        ("", 0),
        ("数据库", 9),
        ("カタカナ", 12),
        ("데이터", 9),
        ("hello world", 4),
        ("don't stop", 4),
        ("don’t stop", 4),
        ("Приветствие мира", 4),
        ("使用Python开发 v2.1", 12 + 2 + 4),
        ("『数据』、", 6),
        ("𠮷野家", 9),
        ("。", 1),
    ],
)
def test_a_character_is_one_unit_and_a_word_two_thirds(text: str, thirds: int) -> None:
    assert measure(text) == thirds


def test_units_are_rounded_up() -> None:
    assert units("one") == 1
    assert units("one two three") == 2


def test_a_run_without_words_still_weighs_something() -> None:
    assert measure("-" * 8000) == 1000
    assert measure("A" * 8000) == 1000


@given(st.lists(st.sampled_from(["数据", "word", "don't", "。", "v2", "🙂", "…"]), max_size=30), st.integers(0, 30))
def test_sizes_of_parts_sum_to_the_whole_or_a_little_more(words: list[str], at: int) -> None:
    left, right = " ".join(words[:at]), " ".join(words[at:])
    whole = measure(f"{left} {right}")
    assert whole <= measure(left) + measure(right) + 1 <= whole + 3


@given(st.text())
def test_any_text_can_be_measured(text: str) -> None:
    assert 0 <= measure(text) <= 3 * len(text)
