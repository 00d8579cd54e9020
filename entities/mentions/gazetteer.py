"""Names of the registry, found in text: exact after folding, whole words, the longest first.

Forms are compared in the `NAME` fold (`entities.folding`), so case, width, traditional characters and punctuation of brackets do
not matter and spans are exact in the text as written. One automaton (Aho-Corasick) looks for all forms at once; it is built
when the first text comes, so a run with nothing to recognise builds none. A form of several entities is found with all of them:
which one is meant is a question for review, never a guess.

Two kinds of form are held to more. Chinese has no word boundaries, so a form must be two characters at least. A Latin
abbreviation of up to four capitals (`IT`, `WHO`) is found in capitals only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from entities.folding import NAME, Fold

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

_UNSPACED = (("\u0e00", "\u0eff"), ("\u2e80", "\u9fff"), ("\uac00", "\ud7af"), ("\uf900", "\ufaff"), ("\uff66", "\uff9f"),
             ("\U00020000", "\U000323af"))
"""Thai and Lao, Han and kana, Hangul (whose particles follow without a space)."""
_SHORTEST = 2
_ABBREVIATION = 4


@dataclass(frozen=True, slots=True)
class Hit:
    """Characters `start` to `end` (exclusive) are a form of `entity_ids`, sorted."""

    start: int
    end: int
    entity_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Owners:
    """Whose name a form is; `shouted`: it is one only where it is written in capitals."""

    entity_ids: tuple[str, ...]
    shouted: bool


class Gazetteer:
    """Finds `names`: pairs of a name as written and the id of its entity, in any order. `fold`: what is taken for equal;
    `shortest`: folded characters that a form must have."""

    def __init__(self, names: Iterable[tuple[str, str]], fold: Fold = NAME, shortest: int = _SHORTEST) -> None:
        self._names = names if isinstance(names, tuple) else tuple(names)
        self._fold = fold
        self._shortest = shortest

    @cached_property
    def forms(self) -> Mapping[str, Owners]:
        """Folded form -> whose it is."""
        ids: dict[str, set[str]] = {}
        quiet: set[str] = set()
        for name, entity in self._names:
            form = " ".join(self._fold(name).text.split())
            if len(form) >= self._shortest:
                ids.setdefault(form, set()).add(entity)
                if not _is_abbreviation(name.strip()):
                    quiet.add(form)
        return {form: Owners(tuple(sorted(owners)), form not in quiet) for form, owners in ids.items()}

    def find(self, text: str) -> list[Hit]:
        """Return the forms in `text` in order; no two share a character."""
        if not self._names or not self.forms:
            return []
        folded = self._fold(text)
        hits: list[Hit] = []
        for start, end in self._longest(folded.text):
            owners = self.forms[folded.text[start:end]]
            first, last = folded.span(start, end)
            if not owners.shouted or not any(char.islower() for char in text[first:last]):
                hits.append(Hit(first, last, owners.entity_ids))
        return hits

    def holds(self, text: str) -> bool:
        """Whether some form stands in `text`, whatever stands around it: only then can forms make a difference to it."""
        return bool(self._names and self.forms and self._automaton.find_matches_as_indexes(self._fold(text).text))

    def every(self, text: str) -> list[tuple[int, int, str]]:
        """Return every form that stands in `text` as whole words, (start, end, form), also those inside or across others, and
        abbreviations in small letters: for those who may know only some of the names, and must not be told by what is missing."""
        if not self._names or not self.forms:
            return []
        folded = self._fold(text)
        return [(*folded.span(start, end), folded.text[start:end]) for start, end in self._whole(folded.text)]

    def _whole(self, text: str) -> list[tuple[int, int]]:
        found = self._automaton.find_matches_as_indexes(text, overlapping=True)
        return [(start, end) for _, start, end in found if is_whole(text, start, end)]

    def _longest(self, text: str) -> list[tuple[int, int]]:
        """Whole words only; of those that overlap the longest, of equally long ones the first."""
        whole = self._whole(text)
        taken: list[tuple[int, int]] = []
        for start, end in sorted(whole, key=lambda span: (span[0] - span[1], span[0])):
            if all(end <= first or last <= start for first, last in taken):
                taken.append((start, end))
        return sorted(taken)

    @cached_property
    def _automaton(self) -> AhoCorasick:
        from ahocorasick_rs import AhoCorasick, Implementation

        return AhoCorasick(self.forms, implementation=Implementation.ContiguousNFA)


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether no word goes on across the edges of a span. Han, kana and the like have no such edges; a number goes on across a
    decimal point, a code (`HX-200`) across a hyphen before another of its parts (`HX-200-B`)."""
    first, last = text[start], text[end - 1]
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if _spells(first) and before and (_spells(before[-1]) or before[-1] == "_"):
        return False
    if _spells(last) and after and (_spells(after[0]) or after[0] == "_"):
        return False
    if last.isdigit() and len(after) == 2 and after[0] in ".-" and after[1].isdigit():
        return False
    return not (first.isdigit() and len(before) == 2 and before[1] in ".-" and before[0].isdigit())


def _spells(char: str) -> bool:
    """Whether a character is part of a word that is set off by spaces."""
    return char.isalnum() and not _is_unspaced(char)


def _is_unspaced(char: str) -> bool:
    return any(first <= char <= last for first, last in _UNSPACED)


def _is_abbreviation(name: str) -> bool:
    return len(name) <= _ABBREVIATION and name.isascii() and name.isalpha() and name.isupper()
