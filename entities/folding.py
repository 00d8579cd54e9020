"""Text as it is compared, with the way back to the characters that were written.

Two folds. `WIDTH` makes full-width letters, digits and signs half-width and leaves everything else: what identifiers and
patterns are looked for in. Chinese punctuation (， ； ：) stays, because it ends an identifier that its ASCII form could
continue. `NAME` also folds case, compatibility forms, traditional characters and punctuation: what names are compared by. Both
go one character at a time (a letter with its combining marks counts as one), so that what stands beside a name never changes
how it folds, and every folded character knows which written ones it came from.
"""

from __future__ import annotations

import bisect
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

_STAYS = frozenset("，；：！？（）～｛｝［］＜＞＂＇｀＾｜")
"""Full-width punctuation of Chinese sentences: in `WIDTH` it is not the ASCII character that it looks like."""
_IGNORED = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Soft hyphens, zero-width spaces and joiners: what page layout leaves inside words."""


class Folded:
    """A folded text. `text` is searched; `span` gives the written characters of a part of it."""

    __slots__ = ("_letters", "text")

    def __init__(self, text: str, letters: Sequence[tuple[int, int]] | None) -> None:
        self.text = text
        self._letters = letters

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return (start, end) in the text as written of the folded characters `start` to `end` (exclusive, not empty).

        A written character that folded to several is taken whole."""
        return (start, end) if self._letters is None else (self._letters[start][0], self._letters[end - 1][1])

    def place(self, end: int) -> int:
        """Return how many folded characters come of the first `end` written ones."""
        return end if self._letters is None else bisect.bisect_right(self._letters, end, key=lambda letter: letter[1])


class Fold:
    """One way of folding. Calling it costs a table look-up a character; only texts with characters that fold to none or to
    several, or with combining marks, need offsets of their own."""

    def __init__(self, of: Callable[[str], str]) -> None:
        self._table = _Table(of)

    def __call__(self, text: str) -> Folded:
        folded = text.translate(self._table)
        if self._table.uneven.isdisjoint(text) and unicodedata.is_normalized("NFC", text):
            return Folded(folded, None)
        return self._by_letters(text)

    def _by_letters(self, text: str) -> Folded:
        parts: list[str] = []
        letters: list[tuple[int, int]] = []
        at = 0
        while at < len(text):
            end = at + 1
            while end < len(text) and unicodedata.combining(text[end]):
                end += 1
            part = unicodedata.normalize("NFC", text[at:end]).translate(self._table)
            parts.append(part)
            letters.extend([(at, end)] * len(part))
            at = end
        return Folded("".join(parts), letters)


class _Table(dict[int, str]):
    """Character -> what it folds to, filled as characters are met. `uneven`: those that do not fold to exactly one."""

    def __init__(self, of: Callable[[str], str]) -> None:
        super().__init__()
        self._of = of
        self.uneven: set[str] = set()

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = self[code] = self._of(char)
        if len(folded) != 1:
            self.uneven.add(char)
        return folded


def _width(char: str) -> str:
    if char.isspace():
        return char if char in "\n\r\t" else " "
    if char in _IGNORED:
        return ""
    if "\uff00" <= char <= "\uffef" and char not in _STAYS:
        return unicodedata.normalize("NFKC", char)
    return char


def _name(char: str) -> str:
    if char in _IGNORED:
        return ""
    if char.isspace():
        return " "
    if char in "‐‑‒–—―−":
        return "-"
    if char in "‘’ʼ":
        return "'"
    folded = unicodedata.normalize("NFKC", char).lower()
    return "".join(_simplified(each) if each >= "\u2e80" else each for each in folded)


@cache
def _simplified(char: str) -> str:
    return str(_converter().convert(char))


@cache
def _converter() -> Any:
    import opencc

    return opencc.OpenCC("t2s")


WIDTH = Fold(_width)
NAME = Fold(_name)
