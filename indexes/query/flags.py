"""What a reader of evidence must be warned of: text that speaks to him instead of informing him, and text that is not seen.

Flags are told beside the text and do nothing else: nothing is left out, altered or ranked otherwise because of one, and nothing
that a flagged text says is ever done. The patterns are data (`flags.toml` beside this file).
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ahocorasick_rs import AhoCorasick

HIDDEN_TEXT = "hidden_text"

_KNOWN = 1024
"""Texts whose flags are remembered: the sections that a server gives again and again."""

_UNSEEN = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]+")
_TAGS = re.compile("[\U000e0020-\U000e007e]+")
"""Copies of ASCII that no font draws."""
_FLAG_EMOJI = re.compile("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
"""The one use that tags have: the flags of Scotland, Wales ..."""
_FORCED = re.compile("[\u202d\u202e]")
"""Overrides of the direction: what is read is not what stands there. Languages that run to the left use others."""
_RUN = re.compile("[\u200b-\u200d\u2060-\u2064\ufeff]{4,}")
"""One or two of them join or part letters in many scripts; four in a row carry something else."""

_BROKEN = re.compile("(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")
"""Where a line of Chinese ended."""


def flags(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the flags of what is given out together, sorted: `instruction_like`, `role_marker`, `tool_call`, `hidden_text`."""
    return tuple(sorted(frozenset().union(*map(_flags, texts))))


@lru_cache(_KNOWN)
def _flags(text: str) -> frozenset[str]:
    folded = _folded(text)
    said = _said(folded)
    found = {rule.flag for rule in _rules() if rule.fits(folded, said)} if said else set()
    return frozenset({*found, HIDDEN_TEXT} if is_hiding(text) else found)


def is_hiding(text: str) -> bool:
    """Whether a text has characters that are there to be read by machines and not by people."""
    if text.isascii():
        return False
    return bool(_TAGS.search(_FLAG_EMOJI.sub("", text)) or _FORCED.search(text) or _RUN.search(text))


@dataclass(frozen=True, slots=True)
class _Rule:
    """`words`, `also`: one of each must be there before the pattern, which costs more, is looked for."""

    flag: str
    words: tuple[str, ...]
    also: tuple[str, ...]
    pattern: re.Pattern[str]

    def fits(self, folded: str, said: Set[str]) -> bool:
        """`said`: which of the `words` of all rules `folded` holds."""
        if said.isdisjoint(self.words) or (self.also and not any(word in folded for word in self.also)):
            return False
        return self.pattern.search(folded) is not None


def _folded(text: str) -> str:
    """As the patterns expect it. What is written in unseen ASCII is spelled out: it is what a machine would read."""
    if not text.isascii():
        text = _UNSEEN.sub("", _TAGS.sub(lambda tags: "".join(chr(ord(tag) - 0xE0000) for tag in tags.group()), text))
        text = unicodedata.normalize("NFKC", text)
    folded = " ".join(text.casefold().split())
    return folded if folded.isascii() else _BROKEN.sub("", folded)


@cache
def _rules() -> tuple[_Rule, ...]:
    listed = tomllib.loads(Path(__file__).with_name("flags.toml").read_text(encoding="utf-8"))
    return tuple(
        _Rule(flag, tuple(entry["any"]), tuple(entry.get("also", ())), re.compile(entry["pattern"]))
        for flag, entries in listed.items() for entry in entries
    )


@cache
def _words() -> tuple[str, ...]:
    """Those of all rules, once: most texts hold none, and no rule is tried on them."""
    return tuple(dict.fromkeys(word for rule in _rules() for word in rule.words))


def _said(folded: str) -> set[str]:
    """The words of rules that stand in a text, however they overlap."""
    words = _words()
    return {words[number] for number, _, _ in _automaton().find_matches_as_indexes(folded, overlapping=True)}


@cache
def _automaton() -> AhoCorasick:
    """Finds all words in one reading: looking for each was a twelfth of the time of an answer."""
    from ahocorasick_rs import AhoCorasick

    return AhoCorasick(_words())
