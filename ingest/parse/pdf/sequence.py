"""Whether numbers that begin lines count on: 1, 1.1, 1.2, 2 do; a year, a quantity or a clause that is quoted does not.

Numbers that only their look makes headings must follow one that came before: the next one, the first one below it, or the next
of one above it. A few may be missing in between, since not every heading is found.
"""

from __future__ import annotations

from collections.abc import Sequence

from ingest.parse.numbering import Numbered

MISSING = 2
"""Numbers that may be left out between two that follow each other."""

_HAN = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}

Number = tuple[int, ...]


def number_of(found: Numbered) -> Number:
    """Return the number as integers by level, e.g. 2.1 as (2, 1) and 第十二章 as (12,); empty when it is none."""
    parts = found.number.replace("．", ".").split(".")
    values = [_value(part) for part in parts]
    return tuple(values) if all(values) else ()


def counting(numbers: Sequence[Number]) -> list[bool]:
    """Return for each number whether it counts on from one before it, or begins a count that goes on."""
    open_numbers: set[Number] = set()
    out = []
    for at, number in enumerate(numbers):
        counts_on = any(_follows(before, number) for before in open_numbers) if number else False
        follows = counts_on or (bool(number) and _begins(number, numbers[at + 1 :]))
        if follows:
            open_numbers = {one for one in open_numbers if one < number} | {number}
        out.append(follows)
    return out


def _follows(before: Number, number: Number) -> bool:
    """Whether a number may come after another: 2.1 -> 2.2, 2.1.1, 3."""
    depth = len(number)
    if depth == len(before) + 1:
        return number[:-1] == before and 1 <= number[-1] <= 1 + MISSING
    return depth <= len(before) and number[:-1] == before[: depth - 1] and 0 < number[-1] - before[depth - 1] <= 1 + MISSING


def _begins(number: Number, later: Sequence[Number]) -> bool:
    return number[-1] == 1 or any(_follows(number, one) for one in later[:20])


def _value(text: str) -> int:
    if text.isdecimal():
        return int(text)
    if all(char in _ROMAN for char in text):
        return _roman(text)
    if all(char in _HAN or char in _UNITS for char in text):
        return _han(text)
    return ord(text) - ord("A") + 1 if len(text) == 1 and "A" <= text <= "Z" else 0


def _roman(text: str) -> int:
    values = [_ROMAN[char] for char in text]
    return sum(-value if any(later > value for later in values[at + 1 :]) else value for at, value in enumerate(values))


def _han(text: str) -> int:
    total, digit = 0, 0
    for char in text:
        if char in _UNITS:
            total += (digit or 1) * _UNITS[char]
            digit = 0
        else:
            digit = digit * 10 + _HAN[char]
    return total + digit
