"""How long a text is, in units: one Han, kana or hangul character, or two thirds of a word of any other script.

A unit is roughly what one idea costs in either writing, so one budget serves mixed documents. Sizes are whole numbers of
*thirds* of a unit (a character 3, a word 2): sums are then exact.

Everything here is measured several times on its way through the chunker, so it is counted on the UTF-8 bytes: continuation
bytes are dropped, every leading byte is replaced by its class (`a` of a word, `h` a character, space anything else), and the
rest is `bytes.count`. That also keeps sizes, and with them ids, independent of the Unicode tables of the Python that runs.
"""

from __future__ import annotations

CHARACTERS = "\u3040-\ud7ff\U00010000-\U0010ffff"
"""Body of a character class: what counts one unit each (kana, Han, hangul; beyond the basic plane also emoji)."""

LETTERS = "0-9A-Za-z\u00c0-\u1fff"
"""Body of a character class: what words of the other scripts are made of."""

THIRDS = 3
CHARACTERS_A_THIRD = 8
"""A third of a unit covers at most this many characters: rulers, base64 and scripts without spaces weigh something too."""


def _class_of(byte: int) -> int:
    """The class of a leading byte of UTF-8."""
    if byte < 0x80:
        return ord("a") if chr(byte).isalnum() else ord(" ")
    if 0xC3 <= byte <= 0xE1:  # U+00C0 to U+1FFF: Latin, Greek, Cyrillic, Arabic, the scripts of India, Thai ...
        return ord("a")
    if 0xE3 <= byte <= 0xED or byte >= 0xF0:  # U+3000 to U+D7FF, and from U+10000 on
        return ord("h")
    return ord(" ")  # U+0080 to U+00BF, U+2000 to U+2FFF, private use and full-width forms: punctuation and symbols


CLASSES = bytes(_class_of(byte) for byte in range(256))
DROPPED = bytes(range(0x80, 0xC0)) + b"'"
CJK_PUNCTUATION = b"\xe3\x80"
"""U+3000 to U+303F shares its leading byte with kana."""


def measure(text: str) -> int:
    """Return the size of `text` in thirds of a unit.

    Cutting a text between words gives parts whose sizes sum to that of the whole, or a little more.
    """
    least = -(-len(text) // CHARACTERS_A_THIRD)
    if text.isascii():
        classes = text.encode("ascii").translate(CLASSES, DROPPED)
        return max(2 * (classes.count(b" a") + classes.startswith(b"a")), least)
    data = text.replace("’", "'").encode("utf-8", "surrogatepass")
    classes = data.translate(CLASSES, DROPPED)
    words = classes.count(b" a") + classes.count(b"ha") + classes.startswith(b"a")
    return max(3 * (classes.count(b"h") - data.count(CJK_PUNCTUATION)) + 2 * words, least)


def units(text: str) -> int:
    """Return the size of `text` in units, rounded up."""
    return in_units(measure(text))


def in_units(thirds: int) -> int:
    """Return a size in thirds as whole units, rounded up."""
    return -(-thirds // THIRDS)
