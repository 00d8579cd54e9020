"""Whole numbers that a text has, however they are written.

    20,000    2 万    二十七    百分之五    twenty-seven    one hundred and twenty
    20000     20000   27        5           27              120

For a question that says `3` and a row that says `three`: who asks writes digits, and rows write what they please.
"""

from __future__ import annotations

import re

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ENGLISH = {word: number for number, word in enumerate(_SMALL)} | {word: 10 * number for number, word in enumerate(_TENS, 2)}
_TIMES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
_WORD = "|".join(sorted({*_ENGLISH, *_TIMES}, key=len, reverse=True))
_WORDS = re.compile(rf"\b(?:{_WORD})(?:(?:[\s-]|\s+and\s+)(?:{_WORD}))*\b", re.IGNORECASE)
_DIGITS = re.compile(r"(?<![\d.,])(\d{1,3}(?:,\d{3})+|\d+)(?!\.?\d|,\d{3})\s?([万亿]?)")
_HAN = re.compile(r"[零〇一二两三四五六七八九十][零〇一二两三四五六七八九十百千万亿]*")
_UNITS = {char: number for number, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_TIMES = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"": 1, "万": 10_000, "亿": 100_000_000}


def numbers(text: str) -> frozenset[int]:
    """Return the whole numbers that a text has, in digits or words."""
    found = {int(digits.replace(",", "")) * _LARGE[times] for digits, times in _DIGITS.findall(text)}
    found |= {of_english(words) for words in _WORDS.findall(text)}
    return frozenset(found | {of_han(run) for run in _HAN.findall(text)})


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


def of_han(run: str) -> int:
    """`一百二十` -> 120, `两万` -> 20000; a run of plain figures is read figure by figure: `二〇二四` -> 2024."""
    if len(run) > 1 and all(char in _UNITS for char in run):
        return int("".join(str(_UNITS[char]) for char in run))
    whole = part = digit = 0
    for char in run:
        if char in _UNITS:
            digit = _UNITS[char]
        elif char in _LARGE:
            whole, part, digit = (whole + part + digit or 1) * _LARGE[char], 0, 0
        else:
            part, digit = part + (digit or 1) * _HAN_TIMES[char], 0
    return whole + part + digit
