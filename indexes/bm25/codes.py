"""Which words of a query are codes: names that a machine or a register gave, and that are only right when they are whole.

`ERR_1042`, `YG-3391`, `91320594MAQH5N1C4N`, `/api/v2/users`, `2.1.3`, `userName`. Whoever writes one means the rows that hold it,
however well another row fits the rest of the question. Words of prose that look alike (`5G`, `19th`, `100kg`, `20-year-old`,
`his/her`, `2024`, `3.5`) are not codes.
"""

from __future__ import annotations

import re

from indexes.bm25.terms import whole_words

RARE = 20
"""A code that more rows hold than this does not tell rows apart: it names what the whole collection is about. About what an
answer shows twice over."""

_LETTER = r"[^\W\d_]"
_QUANTITY = re.compile(rf"\d+{_LETTER}{{0,4}}")
"""A number, or one with a unit or an ending: 100kg, 5G, 19th, 1990s."""
_MARKED = re.compile(r"_|::|->|://|@|/[^/]*/")
_DOTTED = re.compile(rf"{_LETTER}{{2}}\.{_LETTER}{{2}}")
"""config.yaml, shop.example; not U.S. or e.g. Looked for where the dot is: from where letters begin, a long run of them would be
read once for each."""
_CAMEL = re.compile(r"[a-z]+[A-Z]")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}")
_V_VERSION = re.compile(r"v\d+(?:\.\d+)+")
_LONG_NUMBER = 6
"""Digits of a number that is more likely given than counted: stock codes have six, years four."""
_JOINTS = re.compile(r"[-./:&']+")


def codes(query: str) -> frozenset[str]:
    """Return the terms that stand for the codes of a query: v2.1 is found where 2.1 is written."""
    found = (term for written, term in whole_words(query) if is_code(written))
    return frozenset(term[1:] if _V_VERSION.fullmatch(term) else term for term in found)


def is_code(word: str) -> bool:
    """Whether a word, as written, is a code."""
    if _MARKED.search(word) or _DOTTED.search(word) or _CAMEL.match(word) or _VERSION.fullmatch(word):
        return True
    digits = sum(map(str.isdigit, word))
    if not any(map(str.isalpha, word)):
        return digits >= _LONG_NUMBER and "," not in word
    if not digits:
        return False
    mixed = (part for part in _JOINTS.split(word) if not part.isdigit() and not part.isalpha())
    return word[0].isalpha() or any(not _QUANTITY.fullmatch(part) for part in mixed)
