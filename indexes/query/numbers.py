"""Whole numbers that a text has, however they are written.

    20,000    2 万    二十七    百分之五    twenty-seven    one hundred and twenty
    20000     20000   27        5           27              120

For a question that says `3 failed attempts` and a row that says `three failed attempts`: who asks writes digits, and rows write
what they please. Small numbers in words are parts of words and idioms as often (一般, one of them), so they are told with what
follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

Number = tuple[int, str]
"""A number, and the word or Han character behind it where it is a small one in words, else an empty text."""

LONGEST = 15
"""Digits of a number that is one: longer ones are keys."""
_SMALL = 10
_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ENGLISH = {word: number for number, word in enumerate(_ONES)} | {word: 10 * number for number, word in enumerate(_TENS, 2)}
_TIMES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_WORD = "|".join(sorted({*_ENGLISH, *_TIMES}, key=len, reverse=True))
_WORDS = re.compile(rf"\b(?:{_WORD})(?:(?:[\s-]|\s+and\s+)(?:{_WORD}))*\b", re.IGNORECASE)
_DIGITS = re.compile(rf"(?<![\d.,])(\d{{1,3}}(?:,\d{{3}})+|\d{{1,{LONGEST}}})(?!\.?\d|,\d{{3}})\s?([万亿]?)")
_HAN = re.compile(r"[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*")
_NEXT = re.compile(r"\s?([\u3400-\u9fff]|[^\W\d_\u3400-\u9fff]+)")
_FIGURES = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_TIMES = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"亿": 100_000_000, "万": 10_000}


def numbers(text: str) -> frozenset[Number]:
    """Return the whole numbers that a text has, in digits or words."""
    return frozenset((*_in_digits(text), *_in_words(text)))


def _in_digits(text: str) -> Iterator[Number]:
    for digits, times in _DIGITS.findall(text):
        if len(digits) <= LONGEST + LONGEST // 3:
            yield int(digits.replace(",", "")) * _LARGE.get(times, 1), ""


def _in_words(text: str) -> Iterator[Number]:
    for pattern, read in ((_WORDS, of_english), (_HAN, of_han)):
        for match in pattern.finditer(text):
            number = read(match.group()) if len(match.group()) <= 100 else None
            if number is not None:
                behind = _NEXT.match(text, match.end()) if number <= _SMALL else None
                if number > _SMALL or behind is not None:
                    yield number, behind[1].casefold() if behind else ""


def of_english(words: str) -> int:
    """`one hundred and twenty` -> 120."""
    whole = part = 0
    for word in re.findall(r"[a-z]+", words.lower()):
        if word in _ENGLISH:
            part += _ENGLISH[word]
        elif word == "hundred":
            part = max(1, part) * _TIMES[word]
        elif word in _TIMES:
            whole, part = whole + max(1, part) * _TIMES[word], 0
    return whole + part


def of_han(run: str) -> int | None:
    """`一百二十` -> 120, `一亿两千万` -> 120000000. Figures alone are read one by one (`二〇二四` -> 2024), but for two, which
    say about how many: 两三天 is no number."""
    if len(run) > 1 and all(char in _FIGURES for char in run):
        return int("".join(str(_FIGURES[char]) for char in run)) if len(run) > 2 else None
    for mark, times in _LARGE.items():
        head, found, tail = run.rpartition(mark)
        if found:
            return ((of_han(head) or 0) if head else 1) * times + ((of_han(tail) or 0) if tail else 0)
    whole = digit = 0
    for char in run:
        if char in _FIGURES:
            digit = _FIGURES[char]
        else:
            whole, digit = whole + (digit or 1) * _HAN_TIMES[char], 0
    return whole + digit
