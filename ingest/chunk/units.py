"""How long a text is, in units: one Han, kana or hangul character, or two thirds of a word of any other script.

A word is one and a half units, then, and 300 units are 300 characters or 200 words: about as much to say, and about as many
tokens of an embedder, in either writing, so one budget serves mixed documents. Sizes are whole numbers of *halves* of a unit (a
character 2, a word 3): sums are then exact.

The text of a document is measured many times on its way through the chunker: its blocks, their sentences, what they are packed
into. So each of its characters is told its class once (a byte: space, a letter of a word, its first letter, a character that
counts by itself), by `bytes.translate` on the leading bytes of its UTF-8, and the size of any part is `bytes.count`. That also
keeps sizes, and with them ids, independent of the Unicode tables of the Python that runs.
"""

from __future__ import annotations

from functools import lru_cache

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
    if byte == ord("'"):
        return ord("'")
    if byte < 0x80:
        return ord("a") if chr(byte).isalnum() else ord(" ")
    if 0xC3 <= byte <= 0xE1:  # U+00C0 to U+1FFF: Latin, Greek, Cyrillic, Arabic, the scripts of India, Thai ...
        return ord("a")
    if 0xE3 <= byte <= 0xED or byte >= 0xF0:  # U+3000 to U+D7FF, and from U+10000 on
        return ord("h")
    return ord(" ")  # U+0080 to U+00BF, U+2000 to U+2FFF, private use and full-width forms: punctuation and symbols


_CLASSES = bytes(_class_of(byte) for byte in range(256))
_CONTINUES = bytes(range(0x80, 0xC0))
_CJK_PUNCTUATION, _PUNCTUATION = b"\xe3\x80", b"\xe2\x80"
"""U+3000 to U+303F shares its leading byte with kana; U+2000 to U+203F with nothing that counts."""
_LETTER = ord("a")


class Ruler:
    """Measures parts of a text."""

    __slots__ = ("_classes", "_scripts")

    def __init__(self, text: str) -> None:
        self._classes = _classes(text)
        self._scripts = b"h" in self._classes

    def size(self, start: int, end: int) -> int:
        """Return the size of `text[start:end]`, which is not empty, in halves of a unit."""
        size = self.content(start, end)
        bound = -(-(end - start) // CHARACTERS_A_HALF)
        return size if size > bound else bound

    def content(self, start: int, end: int) -> int:
        """Return its words and characters alone, in halves of a unit: what adds up where texts are joined between words."""
        classes = self._classes
        size = WORD * (classes.count(b"w", start, end) + (classes[start] == _LETTER))
        return size + CHARACTER * classes.count(b"h", start, end) if self._scripts else size


def _classes(text: str) -> bytes:
    """One byte a character: `w` begins a word, `a` continues it, `h` counts by itself, space is anything else."""
    if text.isascii():
        classes = text.encode("ascii").translate(_CLASSES)
    else:
        data = text.replace("’", "'").encode("utf-8", "surrogatepass").replace(_CJK_PUNCTUATION, _PUNCTUATION)
        classes = data.translate(_CLASSES, _CONTINUES).replace(b"ha", b"hw")
    if b"'" in classes:
        # Twice, since a letter between two apostrophes belongs to both.
        classes = classes.replace(b"a'a", b"aaa").replace(b"a'a", b"aaa").replace(b"'", b" ")
    classes = classes.replace(b" a", b" w")
    return b"w" + classes[1:] if classes.startswith(b"a") else classes


def measure(text: str) -> int:
    """Return the size of `text` in halves of a unit.

    Cutting a text between words gives parts whose sizes sum to that of the whole, or a little more.
    """
    return max(content(text), least(len(text)))


@lru_cache(maxsize=64)  # a prefix and what is repeated are asked for several times in a row
def content(text: str) -> int:
    """Return the words and characters of `text` alone, in halves of a unit."""
    classes = _classes(text)
    return CHARACTER * classes.count(b"h") + WORD * classes.count(b"w")


def least(characters: int) -> int:
    """Return what so many characters weigh at the least, whatever they are, in halves of a unit."""
    return -(-characters // CHARACTERS_A_HALF)


def units(text: str) -> int:
    """Return the size of `text` in units, rounded up."""
    return in_units(measure(text))


def in_units(halves: int) -> int:
    """Return a size in halves as whole units, rounded up."""
    return -(-halves // HALVES)
