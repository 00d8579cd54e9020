"""Codes that somebody may have meant who wrote another one: one slip of the fingers or of memory away.

    two neighbours changed places   ERR_1024 for ERR_1042
    a character is missing          ERR_142
    one is too many                 ERR_10042
    a letter and a digit look alike ERR_1O42, however short
    one is another                  only from eight characters: HX-300 beside HX-200 is another device, not a slip

All of them are written out, one or two hundred, and looked up: that needs no list of what a million rows hold. A short code has
too many neighbours to be told by, so a slip is looked for in codes of five characters with three digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

SHORTEST, LONGEST, DIGITS = 5, 40, 3
_ANOTHER = 8
_DIGITS, _LETTERS = "0123456789", "abcdefghijklmnopqrstuvwxyz"
_ALIKE = {"0": "o", "o": "0", "1": "il", "i": "1", "l": "1", "2": "z", "z": "2", "5": "s", "s": "5", "8": "b", "b": "8"}

_CODE = re.compile(r"(?=.*\d)(?=.*[^\W\d_])[\w./:-]+|\d{6,}|\d+(?:\.\d+){2,}")
"""A term that may stand for a code: letters and digits, a long number, a number of three parts."""


def is_slippery(term: str) -> bool:
    """Whether a term is a code that is long enough to be told by what is nearly it."""
    return SHORTEST <= len(term) <= LONGEST and sum(map(str.isdigit, term)) >= DIGITS and _CODE.fullmatch(term) is not None


def slips(code: str) -> list[str]:
    """The codes one slip away from one (as terms, so in small letters), likelier slips first, then in order."""
    kinds = (_alike, _places, _missing, _many, _another) if is_slippery(code) else (_alike,)  # hx2o0 has too few digits itself
    found: dict[str, None] = {}
    for kind in kinds if len(code) <= LONGEST else ():
        found |= dict.fromkeys(sorted(term for term in set(kind(code)) - {code} if is_slippery(term)))
    return list(found)


def _alike(code: str) -> Iterator[str]:
    return (code[:at] + char + code[at + 1 :] for at in range(len(code)) for char in _ALIKE.get(code[at], ""))


def _places(code: str) -> Iterator[str]:
    return (code[:at] + code[at + 1] + code[at] + code[at + 2 :] for at in range(len(code) - 1))


def _missing(code: str) -> Iterator[str]:
    return (code[:at] + char + code[at:] for at in range(len(code) + 1) for char in _like(code[max(0, at - 1) : at + 1]))


def _many(code: str) -> Iterator[str]:
    return (code[:at] + code[at + 1 :] for at in range(len(code)))


def _another(code: str) -> Iterator[str]:
    if len(code) < _ANOTHER:
        return iter(())
    return (code[:at] + char + code[at + 1 :] for at in range(len(code)) for char in _like(code[at]))


def _like(beside: str) -> str:
    """What stands among digits is a digit, among letters a letter."""
    return (_DIGITS if any(map(str.isdigit, beside)) else "") + (_LETTERS if any(map(str.isalpha, beside)) else "")
