"""Which script a text is written in, and how lines of it are joined.

Chunkers, parsers and searchers must agree on both, so the two rules live here. Language is told by the share of characters,
not by a model: the product treats Chinese and English apart and everything else alike.
"""

from __future__ import annotations

import re

HAN = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Han ideographs, as the inside of a regular expression's character class."""

CJK = HAN + "\u3000-\u303f\u3040-\u30ff\u3100-\u312f\ufe30-\ufe4f\uff01-\uff60"
"""Han, kana, bopomofo, and the punctuation of full width: what is written without spaces."""

SAMPLE_CHARS = 100_000

_HAN_CHARS = re.compile(f"[{HAN}]+")
_KANA_CHARS = re.compile("[\u3041-\u3096\u30a1-\u30fa]+")
_LATIN_CHARS = re.compile("[A-Za-z]+")
_ACCENTED = re.compile("[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]")
_OTHER_LETTERS = re.compile("[\u0370-\u1fff\uac00-\ud7a3]+")

# Each run of white space is looked at once, from its beginning: text with a million spaces in a row exists.
_WITHOUT_SPACE = re.compile(f"(?<=[{CJK}])[ \t]*\\n\\s*(?=[{CJK}“‘…—])|(?<=[”’…—])[ \t]*\\n\\s*(?=[{CJK}])")
_WITH_SPACE = re.compile(r"(?<![^\S\n])[^\S\n]*\n\s*")


def language_of(text: str) -> str | None:
    """Return `zh`, `en`, or None for anything else and for text with no letters.

    A Han character counts as much as a word of five Latin letters divided by 1.5 (the chunker's unit). Chinese needs 30 % of
    the units: technical Chinese is full of English. Kana above 5 % of Han is Japanese; accents above 2 % are not English.
    """
    sample = text[:SAMPLE_CHARS]
    latin = _count(_LATIN_CHARS, sample)
    if sample.isascii():
        return "en" if latin else None
    han, kana, other = (_count(p, sample) for p in (_HAN_CHARS, _KANA_CHARS, _OTHER_LETTERS))
    accented = len(_ACCENTED.findall(sample))
    western = (latin + accented) * 1.5 / 5
    units = han + kana + other + western
    if not units or (kana and kana * 20 > han + kana):
        return None
    if han >= 0.3 * units:
        return "zh"
    return "en" if western >= 0.7 * units and accented * 50 <= latin else None


def primary(tag: str) -> str:
    """Return the language of a tag without script and region: `zh` of `zh-CN` and `zh-Hant`."""
    return tag.replace("_", "-").partition("-")[0].casefold()


def _count(pattern: re.Pattern[str], text: str) -> int:
    return sum(map(len, pattern.findall(text)))


def join_lines(text: str) -> str:
    """Return `text` on one line: breaks vanish between two characters of scripts without spaces, else become one space."""
    if "\n" not in text:
        return text
    return _WITH_SPACE.sub(" ", _WITHOUT_SPACE.sub("", text))
