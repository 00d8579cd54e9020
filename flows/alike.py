"""When two passages say the same: nearly the same words in the same order, and exactly the same figures.

A text becomes its shingles, three words (or Han characters) in a row, of letters and digits alone, so that two formats of one
file give the same. MinHash (rensa) tells which texts may share most of theirs; whether they do is then counted. A figure,
version or code that differs makes another statement, however alike the rest is: such texts never meet. That goes for figures
in words too (三十日, within three days).
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from struct import Struct

FINGERPRINT = "shingles 2; rensa 0.5"
"""Changes whenever other passages could count as copies. The number behind rensa is the version that is required."""

LEAST = 0.85
"""Of all shingles of two texts, the share that both have. Two texts of 60 words that differ in one have more, in two less."""

_WORDS = 3
_LEAST_SHINGLES = 16
"""A shorter text (a heading, a row) is repeated by chance."""
_BANDS, _ROWS = 10, 6
"""Two texts that share 85 % meet in one of ten bands of six values in 99 cases of 100, those that share half in 15."""

_VALUES = Struct(f"<{_ROWS}I")

_HAN = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+")
_FIGURE = re.compile(r"\d")
_WRITTEN = re.compile(
    r"(?!一(?![〇零一二三四五六七八九十百千万亿]))[〇零一二三四五六七八九十百千万亿两兩]+"
    r"(?=[个個日天年月周週星小时時分秒元块次倍位名件台套人种類类级層层吨公克米条款项章节号份成岁度点折])"
    r"|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty|hundred|thousand|million|half|twice|double)\b"
)
"""Numbers in words. Not "one" and 一 alone, which are articles as often: any other number differs from none as well."""


class Shingles:
    """The shingles of one text, and its figures in order."""

    __slots__ = ("figures", "of")

    def __init__(self, text: str) -> None:
        plain = unicodedata.normalize("NFKC", text).casefold()
        tokens = _TOKEN.findall(plain)
        self.of = frozenset(map(" ".join, zip(*(tokens[at:] for at in range(_WORDS)), strict=False)))
        self.figures = (*(filter(_FIGURE.search, tokens) if _FIGURE.search(plain) else ()), *_WRITTEN.findall(plain))

    def share(self, other: Shingles) -> float:
        """Return how many of all shingles both have, 0 to 1; 0 where their figures differ."""
        if self.figures != other.figures or not self.of or not other.of:
            return 0.0
        both = len(self.of & other.of)
        return both / (len(self.of) + len(other.of) - both)

    def keys(self) -> list[int]:
        """Return ten numbers of 63 bits: texts that may be copies have one in common. None for a text that is too short."""
        if len(self.of) < _LEAST_SHINGLES:
            return []
        values = _sketch(self.of)
        figures = "\0".join(self.figures).encode("utf-8", "surrogatepass")
        bands = (bytes([band]) + _VALUES.pack(*values[band * _ROWS : (band + 1) * _ROWS]) for band in range(_BANDS))
        return [int.from_bytes(hashlib.blake2b(band + figures, digest_size=8).digest()) >> 1 for band in bands]


def _sketch(shingles: Iterable[str]) -> list[int]:
    """Return the least hashes of a set of shingles, one for each of the permutations, 32 bits each."""
    # Imported here: a run that sees no new text needs none of it.
    from rensa import RMinHash  # type: ignore[import-untyped]

    sketch = RMinHash(num_perm=_BANDS * _ROWS, seed=1)
    sketch.update("\n".join(shingles).encode("utf-8", "replace").decode().split("\n"))  # no shingle has a line end
    values: list[int] = sketch.digest()
    return values
