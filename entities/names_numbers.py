"""The numbers in a name: years, editions, versions, series, ordinals; in digits, Roman or Chinese numerals, or as letters.

Numbers decide identity far more often than words do ("Fund V", "Fund VI"), so they are read apart and compared as numbers: `4` is
not `4.1`, `II` is `2`, `v2.0` is `2`, and a reference that gives fewer of them (ISO 9001, ISO 9001:2015) contradicts nothing.
"""

from __future__ import annotations

import re

_DIGITS = re.compile(r"\d+(?:[a-z]+\d*)*(?:\.\d+[a-z]*)*")
_UNIT = re.compile(
    r"(?<=\d)(?:[kmgt]i?b|mm|cm|km|kg|mg|ml|in|inch|ft|k?hz|mhz|ghz|mah|wh?|kw|mbps|gbps|p|ppm|fps|ports?|pcs?|bit)$"
)
_ROMAN = re.compile(r"(?=[ivx])(x{0,3})(ix|iv|v?i{0,3})")
_REVISION = re.compile(
    r"\b(?:rev|revision|issue|version|ver|part|class|type|grade|model|series|edition|annex|appendix|schedule|plan|phase|stage|"
    r"level|volume|vol|amendment|tranche|section|group|unit|block|lot|option|variant|mark|mk)\.?\s+([a-z])\b"
)
_HAN_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100}
_HAN = re.compile(
    r"(第?)([零〇一二两三四五六七八九十百]+)"
    r"(号|期|代|版|届|部|厂|院|局|队|中学|小学|中|小|附中|季|章|条|级|公司|医院|分公司|航务|建筑|建设|机床|冶金|煤矿|矿|化建|冶|建|汽)?"
)
_MASKED = re.compile(r"[零〇一二两三四五六七八九十百]+")


def numbers_in(text: str, tokens: tuple[str, ...]) -> frozenset[str]:
    """Return the numbers of a folded name; `tokens` are its words without legal forms. Equal numbers are equal texts."""
    found = set()
    if any(char.isdigit() for char in text):
        found |= {_plain(match.group()) for match in _DIGITS.finditer(text)}
    found |= {f"rev:{letter}" for letter in _REVISION.findall(text)}
    for place, token in enumerate(tokens[1:], 1):
        value = _roman(token, last=place == len(tokens) - 1)
        if value:
            found.add(str(value))
    for first, numeral, unit in _HAN.findall(text):
        if first or unit:
            found.add(str(_chinese(numeral)))
    return frozenset(found)


def _plain(number: str) -> str:
    """Without a unit, leading zeros and final `.0`: `V2.0` and `2` are one number."""
    bare = _UNIT.sub("", number)
    while bare.endswith(".0"):
        bare = bare[:-2]
    return bare.lstrip("0") or "0" if bare.isdigit() else bare


def _roman(token: str, *, last: bool) -> int:
    """The value of a Roman numeral, 0 where the word is none. A single letter counts only where it ends the name."""
    if len(token) > 6 or (len(token) == 1 and not last):
        return 0
    match = _ROMAN.fullmatch(token)
    if match is None:
        return 0
    ones = {"": 0, "i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9}
    return 10 * len(match.group(1)) + ones[match.group(2)]


def _chinese(numeral: str) -> int:
    """The value of a Chinese numeral below a thousand; digits without a unit are read one after the other."""
    if not any(char in _HAN_UNITS for char in numeral):
        return int("".join(str(_HAN_DIGITS[char]) for char in numeral))
    total, digit = 0, 0
    for char in numeral:
        if char in _HAN_UNITS:
            total += (digit or 1) * _HAN_UNITS[char]
            digit = 0
        else:
            digit = _HAN_DIGITS[char]
    return total + digit


def differ_in_numerals_only(one: str, other: str) -> bool:
    """Whether two names are the same but for Chinese numerals, wherever they stand: 星河一号, 星河二号."""
    return one != other and _MASKED.sub("#", one) == _MASKED.sub("#", other)
