"""Whole numbers in whatever form they are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.query.numbers import numbers, of_english, of_han

_FIGURES = "零一二三四五六七八九"
_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def in_chinese(number: int) -> str:
    """As numbers up to 9999 are said: 1010 is 一千零一十."""
    said, gap = "", False
    for place, times in enumerate(("千", "百", "十", "")):
        digit = number // 10 ** (3 - place) % 10
        if digit:
            said += ("零" if gap and said else "") + _FIGURES[digit] + times
        gap = digit == 0
    return said or "零"


def in_english(number: int) -> str:
    if number >= 1000:
        rest = number % 1000
        return f"{in_english(number // 1000)} thousand" + (f" {in_english(rest)}" if rest else "")
    if number >= 100:
        rest = number % 100
        return f"{_SMALL[number // 100]} hundred" + (f" and {in_english(rest)}" if rest else "")
    if number >= 20:
        return _TENS[number // 10 - 2] + (f"-{_SMALL[number % 10]}" if number % 10 else "")
    return _SMALL[number]


@given(st.integers(0, 9999))
def test_what_is_written_out_is_read_as_the_number_that_it_is(number: int) -> None:
    assert of_han(in_chinese(number)) == number
    assert of_english(in_english(number)) == number
    for text in (f"{number} 个", f"{number:,} 个", f"共{in_chinese(number)}个", f"with {in_english(number)} 个"):
        assert {(number, ""), (number, "个")} & numbers(text), text


@pytest.mark.parametrize(("text", "found"), [
    ("2 万", {20_000}), ("20万元", {200_000}), ("两万五千", {25_000}), ("百分之五。", set()), ("百分之五的", {5}),
    ("二〇二四年", {2024}),
    ("一亿两千万", {120_000_000}), ("十五天", {15}), ("Twenty-Seven days", {27}), ("1,234,567", {1_234_567}),
    ("3.6.1 and 1.5", set()), ("", set()), ("someone often weighs", set()), ("两三天", set()), ("5" * 5200, set()),
    ("一" * 5200, set()),
])
def test_numbers_stand_in_many_forms_and_not_in_versions_and_words(text: str, found: set[int]) -> None:
    assert {number for number, _ in numbers(text)} == found


def test_small_numbers_in_words_are_told_with_what_they_count() -> None:
    assert numbers("three failed attempts, 十秒, one.") == {(3, "failed"), (10, "秒")}


@given(st.text())
def test_any_text_is_read(text: str) -> None:
    assert all(number >= 0 for number, _ in numbers(text))
