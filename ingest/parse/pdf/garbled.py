"""Whether the text of a page is one that a person could read: fonts without a key to their characters give nonsense.

Such a page looks well and prints well; what stands in the file are glyph numbers, private characters or another script's.
"""

from __future__ import annotations

import re
import unicodedata

LEAST = 40
"""Characters from which a text can be judged."""

_LEADERS = re.compile(r"[\s.·•…_\-–—|=*]+")
_GLYPH = re.compile(r"\(cid:\d+\)|/g\d+|\\u[0-9a-f]{4}", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z]{3,}")
_VOWEL = re.compile(r"[aeiouy]", re.IGNORECASE)

_BROKEN_SHARE = 0.2
"""Of characters that stand for nothing: replacement, private, control, unassigned."""
_WESTERN_SHARE = 0.35
"""Of characters of Latin-1's upper half: French has .05, Vietnamese .2, Chinese read as Latin-1 nearly 1."""
_LEAST_LETTERS = 0.4
_LEAST_VOWELS = 0.2
"""Of Latin letters: European languages have .36 to .48."""


def is_garbled(text: str) -> bool:
    """Whether most of a text is nonsense. A formula, a table of figures, code, or too little to tell by, is not."""
    text = _LEADERS.sub("", text)
    if len(text) < LEAST:
        return False
    glyphs = sum(len(match) for match in _GLYPH.findall(text))
    broken = sum(unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs") or char == "\ufffd" for char in text)
    if glyphs + broken > _BROKEN_SHARE * len(text):
        return True
    western = sum("\x80" <= char <= "\xff" for char in text)
    if western > _WESTERN_SHARE * len(text):
        return True
    if sum(char.isalnum() for char in text) < _LEAST_LETTERS * len(text):
        return True
    latin = "".join(_WORD.findall(text))
    return len(latin) > 0.6 * len(text) and len(latin) >= 200 and len(_VOWEL.findall(latin)) < _LEAST_VOWELS * len(latin)
