"""How alike two names are, from 0 to 1, for ordering the review queue. Nothing is ever decided by it.

Four ways in which people write one name differently are looked at, and the best counts: spelling (edit distance of characters and
of words), shortening (a Chinese short name takes characters of the full one in order; an acronym its initials), and sound (pinyin
against Latin letters). Every way that says something is told in words and numbers.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import NamedTuple

from rapidfuzz import fuzz
from rapidfuzz.distance import LCSseq

from entities import names_lexicon as lexicon
from entities.names import INTERFACE, ORGANIZATION, PERSON, Form
from entities.score_described import Rarity, described

_SMALL_WORDS = frozenset(("of", "and", "for", "the", "de", "du", "des", "la", "le", "der", "und", "von", "y", "e", "et", "in"))


class Likeness(NamedTuple):
    """`reasons`: the ways in which the names are alike, best first."""

    score: float
    reasons: tuple[str, ...]


def likeness(left: Form, right: Form, rarity: Rarity | None = None) -> Likeness:
    """Return how alike two names of one type are; the same whichever is called left. `rarity`: of words among names of the type,
    for long descriptions."""
    ways = sorted(_ways(left, right, rarity), key=lambda way: (-way[0], way[1]))
    told = (f"{words.format(*parts)} ({score:.2f})" for score, words, parts in ways)
    return Likeness(round(ways[0][0], 4) if ways else 0.0, tuple(told))


def score_of(left: Form, right: Form, rarity: Rarity | None = None) -> float:
    """Return the score of `likeness`, without saying why: a look-up asks for it dozens of times."""
    return round(max((way[0] for way in _ways(left, right, rarity)), default=0.0), 4)


_Way = tuple[float, str, tuple[object, ...]]
"""A score, and what to tell people with what in its braces."""


def _ways(left: Form, right: Form, rarity: Rarity | None) -> list[_Way]:
    if describes(left) or describes(right):
        score = described(left, right, rarity or Rarity((left, right)))
        return [(score, "descriptions share words", ())] if score else []
    found = [_spelt(left, right)]
    if left.han and right.han:
        found.append(_shortened(left, right))
    elif left.han != right.han:
        found.append(_sounds(left, right))
    if (len(left.tokens) == 1) != (len(right.tokens) == 1):
        found.append(_initials(left, right))
    return [way for way in found if way is not None]


def describes(form: Form) -> bool:
    """Whether a name is rather a description: of a thing, in three words or more."""
    return form.type not in (ORGANIZATION, PERSON, INTERFACE) and len(form.tokens) >= 3


def _spelt(left: Form, right: Form) -> _Way | None:
    if not left.core or not right.core:
        return None
    characters = fuzz.ratio(left.core, right.core) / 100
    words = 0.0
    if len(left.tokens) > 1 or len(right.tokens) > 1:
        ours, theirs = " ".join(left.tokens), " ".join(right.tokens)
        words = 0.5 * fuzz.token_sort_ratio(ours, theirs) / 100 + 0.5 * fuzz.token_set_ratio(ours, theirs) / 100
    score = max(characters, words)
    return (0.98 * score, "spelt alike", ()) if score >= 0.3 else None


def _shortened(left: Form, right: Form) -> _Way | None:
    """A Chinese short name: its characters, in order, out of the full one. How many, how close together, and how early."""
    short, full = sorted((left.core, right.core), key=lambda core: (len(core), core))
    if len(short) < 2 or len(short) == len(full):
        return None
    share, short = max((LCSseq.similarity(way, full) / len(way), way) for way in written_out(short))
    if share < 0.5:
        return None
    together = _longest_run(short, full) / len(short)
    score = 0.75 * share**2 + 0.2 * together + 0.05 * (short[0] == full[0])
    return 0.95 * score, "{} takes {:.0%} of its characters in order from {}", (short, share, full)


def written_out(short: str) -> tuple[str, ...]:
    """A Chinese short name, and that with its first character read as the place that it may stand for: 粤电力, 广东电力."""
    place = lexicon.place_abbreviations().get(short[:1])
    return (short,) if place is None or len(short) < 3 else (short, place + short[1:])


def _longest_run(short: str, full: str) -> int:
    """The length of the longest part of `short` that `full` has as it is."""
    for size in range(len(short), 0, -1):
        if any(short[start : start + size] in full for start in range(len(short) - size + 1)):
            return size
    return 0


def _initials(left: Form, right: Form) -> _Way | None:
    """An acronym of the other name's words."""
    short, full = sorted((left, right), key=lambda form: (len(form.tokens), form.text))
    if len(short.tokens) != 1 or len(full.tokens) < 2 or not 2 <= len(short.core) <= 8:
        return None
    if short.core not in acronyms(full):
        return None
    return 0.9, "{} are the initials of {}", (short.core.upper(), " ".join(full.tokens))


def acronyms(form: Form) -> frozenset[str]:
    """Initials of a name's words, with and without small words and the legal form."""
    words = [word for word in form.tokens if word.isascii()]
    if len(words) < 2:
        return frozenset()
    content = [word for word in words if word not in _SMALL_WORDS]
    found = {"".join(word[0] for word in words), "".join(word[0] for word in content)}
    return frozenset(found | {initials + form_word[0] for initials in found for form_word in form.legal if form_word.isascii()})


def _sounds(left: Form, right: Form) -> _Way | None:
    """Chinese against Latin letters: how the Chinese is read aloud."""
    chinese, latin = (left, right) if left.han else (right, left)
    sound = pinyin(chinese.core)
    if not sound or not latin.core:
        return None
    score = fuzz.ratio(sound, latin.core) / 100
    return (0.9 * score, "{} is read {}", (chinese.core, sound)) if score >= 0.6 else None


@lru_cache(maxsize=65536)
def pinyin(text: str) -> str:
    """How Chinese characters are read, without tones and spaces; Latin letters and digits stay. Each character has its most
    frequent reading: this finds candidates and decides nothing. Empty where pypinyin is not installed."""
    readings = _readings()
    return "".join(readings.get(ord(char), char if char.isascii() else "") for char in text) if readings else ""


@cache
def _readings() -> dict[int, str]:
    try:
        from pypinyin import Style, lazy_pinyin
        from pypinyin.constants import PINYIN_DICT
    except ImportError:
        return {}
    return _Readings(PINYIN_DICT, lambda char: "".join(lazy_pinyin(char, style=Style.NORMAL, v_to_u=False)))


class _Readings(dict[int, str]):
    """Code point -> reading, filled as characters are met."""

    def __init__(self, known: dict[int, str], read: object) -> None:
        super().__init__()
        self._known, self._read = known, read

    def get(self, code: int, default: str) -> str:  # type: ignore[override]
        if code not in self:
            self[code] = self._read(chr(code)) if code in self._known else default  # type: ignore[operator]
        return self[code]

    def __bool__(self) -> bool:
        return True
