"""How long a text is, in units: one Han, kana or hangul character, or two thirds of a word of any other script.

A word is one and a half units, then, and 300 units are 300 characters or 200 words: about as much to say, and about as many
tokens of an embedder, in either writing, so one budget serves mixed documents. Sizes are whole numbers of *halves* of a unit (a
character 2, a word 3): sums are then exact.

Everything here is measured several times on its way through the chunker, so it is counted on the UTF-8 bytes: continuation
bytes are dropped, every leading byte is replaced by its class (`a` of a word, `h` a character, space anything else), and the
rest is `bytes.count`. That also keeps sizes, and with them ids, independent of the Unicode tables of the Python that runs.
"""

from __future__ import annotations

import re

CHARACTERS = "\u3040-\ud7ff\U00010000-\U0010ffff"
"""Body of a character class: what counts one unit each (kana, Han, hangul; beyond the basic plane also emoji)."""

LETTERS = "0-9A-Za-z\u00c0-\u1fff"
"""Body of a character class: what words of the other scripts are made of."""

HALVES = 2
CHARACTER, WORD = 2, 3
"""Halves of a unit."""

CHARACTERS_A_HALF = 4
"""Half a unit covers at most this many characters: rulers, base64 and scripts without spaces weigh something too. Prose has less
than three in any language that writes spaces."""


def _class_of(byte: int) -> int:
    """The class of a leading byte of UTF-8."""
    if byte < 0x80:
        return ord("a") if chr(byte).isalnum() else ord(" ")
    if 0xC3 <= byte <= 0xE1:  # U+00C0 to U+1FFF: Latin, Greek, Cyrillic, Arabic, the scripts of India, Thai ...
        return ord("a")
    if 0xE3 <= byte <= 0xED or byte >= 0xF0:  # U+3000 to U+D7FF, and from U+10000 on
        return ord("h")
    return ord(" ")  # U+0080 to U+00BF, U+2000 to U+2FFF, private use and full-width forms: punctuation and symbols


_CLASSES = bytes(_class_of(byte) for byte in range(256))
_DROPPED = bytes(range(0x80, 0xC0)) + b"'"
_CJK_PUNCTUATION = b"\xe3\x80"
"""U+3000 to U+303F shares its leading byte with kana."""

_FEW = 3
_LETTER = ord("a")
_NO_ACCENTS = bytes(byte for byte in range(256) if not 0xC3 <= byte <= 0xE1)
_ALIGNED = bytes(ord("c") if 0x80 <= byte < 0xC0 else classed for byte, classed in enumerate(_CLASSES))
"""As _CLASSES, for texts of which nothing is dropped, so that places stay what they are: what continues a character is `c`."""
_APOSTROPHE = re.compile("(?<=[0-9A-Za-z])['’](?=[0-9A-Za-z])")


def measure(text: str) -> int:
    """Return the size of `text` in halves of a unit.

    Cutting a text between words gives parts whose sizes sum to that of the whole, or a little more.
    """
    least = -(-len(text) // CHARACTERS_A_HALF)
    if text.isascii():
        classes = text.encode("ascii").translate(_CLASSES, _DROPPED)
        return max(WORD * (classes.count(b" a") + classes.startswith(b"a")), least)
    data = text.replace("’", "'").encode("utf-8", "surrogatepass")
    classes = data.translate(_CLASSES, _DROPPED)
    words = classes.count(b" a") + classes.count(b"ha") + classes.startswith(b"a")
    return max(CHARACTER * (classes.count(b"h") - data.count(_CJK_PUNCTUATION)) + WORD * words, least)


def measured(text: str, spans: list[tuple[int, int]]) -> list[int]:
    """Return the sizes of the parts of `text`, which follow one another. Classes are told once for all of them: a sentence is
    too short for that to be cheap. Where letters have accents, each part is told by itself."""
    text = _APOSTROPHE.sub("x", text) if "'" in text or "’" in text else text
    data = text.encode("utf-8", "surrogatepass")
    if len(spans) < _FEW or data.translate(None, _NO_ACCENTS):
        return [measure(text[start:end]) for start, end in spans]
    ascii_only = len(data) == len(text)
    classes = data.translate(_ALIGNED)
    made = []
    last = at = 0
    for start, end in spans:
        if ascii_only:
            size = WORD * (classes.count(b" a", start, end) + (classes[start] == _LETTER))
        else:
            begin = at + len(text[last:start].encode("utf-8", "surrogatepass"))
            stop = begin + len(text[start:end].encode("utf-8", "surrogatepass"))
            words = classes.count(b" a", begin, stop) + classes.count(b"ca", begin, stop) + (classes[begin] == _LETTER)
            size = WORD * words + CHARACTER * (classes.count(b"h", begin, stop) - data.count(_CJK_PUNCTUATION, begin, stop))
            last, at = end, stop
        made.append(max(size, -(-(end - start) // CHARACTERS_A_HALF)))
    return made


def units(text: str) -> int:
    """Return the size of `text` in units, rounded up."""
    return in_units(measure(text))


def in_units(halves: int) -> int:
    """Return a size in halves as whole units, rounded up."""
    return -(-halves // HALVES)
