"""What of a question the best row of an answer holds, as numbers that a calibrated chance can be made of.

The best row is the one that holds most of what the question asks, by the weights that BM25 gives its terms. Looked at are its
title, headings, version and text, for a name in the title makes all below it speak of that name.

    share     of the weight of the question's terms that the row holds
    unheard   of that weight, what no row of the answer holds
    keys      of the numbers, versions, codes and proper names of the question, the share that the row lacks
    contrast  whether title or headings share a noun with the question and set another word before it: `磐石密钥柜` for
              `青鸟密钥柜`
    split     whether two words that stand side by side in the question are named by some rows each, and by no row both; or
              what follows a name in the question, and is known to the collection, is in no row: `密钥柜` where all are `青鸟网关`
    run       the longest stretch of the question that stands in the row, in parts of the question
    match     the best BM25 score in parts of its ceiling
    cosine, margin, deviations    of the nearest row, see `indexes.query.signals`
    across    whether the row is in another language than the question: its words tell little then, its numbers and names do
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from indexes.bm25.codes import is_code
from indexes.bm25.terms import query_terms, tokens
from indexes.query.plan.plan import Named
from indexes.query.signals import Signals
from ingest.chunk.words import words
from ingest.model.evidence import Evidence

LOOKED_AT = 10
"""Rows, from the first, among which the best is looked for: those of a usual answer, whatever number was asked for."""

Held = Callable[[Collection[str]], Collection[str]]
NOTHING: Held = frozenset[str]().intersection

_NAMING = 5
"""Rows, from the first, whose names count as what the question is about."""

_HAN = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_UNIT = re.compile(rf"[{_HAN}]|[^\W_{_HAN}]+(?:[.\-_/'’&+][^\W_{_HAN}]+)*")
_ISOLATED = re.compile(rf"[{_HAN}]")
_NUMBER = re.compile(r"[vV]?\d+(?:[.\-:/]\d+)*")
_CAPITAL = re.compile(r"[A-Z][\w'’&+-]*")
_SENTENCE = re.compile(r"(?:^|[.?!:;]\s+|[\"“(]\s*)$")
_ASKING_HAN = frozenset("的了在是给和与把被买用有对为从到向于能可要会怎请问哪几多少什么谁何吗呢吧多久长大高")
_PLAIN_WORDS = words("""
    a an the of to in on at for from with by and or is are was were be been do does did can could will would should must may what
    which who whom whose when where why how many much long often far i you we they he she it its this that these those please
    tell me give show list find explain describe get use using set there any some my your our
""")


@dataclass(frozen=True, slots=True)
class Features:
    """See above; all between 0 and 1 but for `deviations` (of a normal spread) and `cosine` and `margin` (of cosines; None and 0
    where vectors were not asked)."""

    share: float = 0.0
    unheard: float = 1.0
    keys: float = 0.0
    contrast: float = 0.0
    split: float = 0.0
    run: float = 0.0
    match: float = 0.0
    cosine: float | None = None
    margin: float = 0.0
    deviations: float = 0.0
    across: float = 0.0


def features(
    query: str, evidence: Sequence[Evidence], signals: Signals, named: Sequence[Named] = (), held: Held = NOTHING
) -> Features:
    """Return the features of an answer; those of none where there is no evidence. `named`: names in the question whose entities
    are known; a row that mentions the entity holds the name, in whatever words. `held`: which of some terms the collection has,
    as far as the caller may see it."""
    rows = [_Row(item) for item in evidence[:LOOKED_AT]]
    if not rows:
        return Features()
    weights = signals.weights or dict.fromkeys(query_terms(query), 1.0)
    whole = sum(weights.values()) or 1.0
    shares = [sum(weight for term, weight in weights.items() if term in row.terms) / whole for row in rows]
    heard = sum(weight for term, weight in weights.items() if any(term in row.terms for row in rows)) / whole
    asked = _units(query)
    known = [row.known(named) for row in rows]
    keys = _keys(query, all(row.is_han != _is_han(query) for row in rows))
    lacking = [_lacking(keys, row, names) for row, names in zip(rows, known, strict=True)]
    runs = [_longest(asked, row.units) for row in rows]
    best = max(_judged(query, rows, lacking), key=lambda at: (shares[at] + runs[at] - lacking[at], -at))
    return Features(
        shares[best], 1 - heard, lacking[best], float(not known[best] and _contrasts(asked, rows[best])),
        float(not any(known) and (_splits(asked, rows) or _goes_astray(asked, rows, held))), runs[best], signals.match,
        signals.cosine, signals.margin, signals.deviations, float(_is_han(query) != rows[best].is_han),
    )


def _judged(query: str, rows: Sequence[_Row], lacking: Sequence[float]) -> list[int]:
    """The rows among which the best is looked for: those in the language of the question, unless others hold more of its keys."""
    home = [at for at, row in enumerate(rows) if row.is_han == _is_han(query)]
    least = min((lacking[at] for at in home), default=2.0)
    return [at for at in range(len(rows)) if lacking[at] < least] or home


def _lacking(keys: Sequence[str], row: _Row, known: Sequence[str]) -> float:
    """The share of the keys of a question that a row holds neither as they are nor by the entities that they name."""
    return 1 - sum(key in row or any(key in name for name in known) for key in keys) / len(keys) if keys else 0.0


class _Row:
    """What a piece of evidence says, in the forms that are looked at."""

    def __init__(self, item: Evidence) -> None:
        self.item = item
        self.said = "\n".join([item.title, *item.heading_path, item.version or "", item.text])

    @cached_property
    def is_han(self) -> bool:
        return _is_han(self.item.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(tokens(self.said))

    @cached_property
    def units(self) -> list[str]:
        return _units(self.said)

    @cached_property
    def names(self) -> list[list[str]]:
        """Title and headings."""
        return [_units(text) for text in dict.fromkeys((self.item.title, *self.item.heading_path))]

    @cached_property
    def joined(self) -> str:
        return " " + " ".join(self.units) + " "

    def known(self, named: Sequence[Named]) -> list[str]:
        """Which of these names mean entities that this piece mentions."""
        return [name.text.casefold() for name in named if not set(name.entity_ids).isdisjoint(self.item.entity_ids)]

    def __contains__(self, key: str) -> bool:
        """Whether a word stands here, as it is or as a term, or several words stand side by side."""
        return f" {key} " in self.joined or (" " not in key and set(tokens(key)) <= self.terms)


def _units(text: str) -> list[str]:
    """Han characters one by one, and words, in lower case."""
    return [unit.casefold() for unit in _UNIT.findall(text)]


def _is_han(text: str) -> bool:
    """Whether a text is Chinese: it has as many Han characters as other words. A name in another script changes nothing."""
    units = _UNIT.findall(text)
    return 2 * sum(1 for unit in units if _ISOLATED.fullmatch(unit)) >= len(units) > 0


def _keys(query: str, abroad: bool) -> list[str]:
    """What an answer must hold as it is: numbers, versions, codes; proper names in Latin letters, side by side; Chinese names in
    a question that is not. Names of an English question are not looked for where all rows are Chinese and have their own."""
    found = [unit.casefold() for unit in _UNIT.findall(query) if _NUMBER.fullmatch(unit) or is_code(unit)]
    if _is_han(query) or not abroad:
        found += _proper(query)
    if not _is_han(query):
        found += [" ".join(run) for run in re.findall(rf"[{_HAN}]{{2,}}", query)]
    return list(dict.fromkeys(found))


def _proper(query: str) -> list[str]:
    """Capitalised words inside sentences, and at their beginning where another follows; two side by side are one name."""
    written = [(match.group(), match.start()) for match in re.finditer(rf"[^\W_{_HAN}]+(?:['’&+.\-][^\W_{_HAN}]+)*", query)]
    capital = [
        bool(_CAPITAL.fullmatch(word)) and word.casefold() not in _PLAIN_WORDS and not any(map(str.isdigit, word))
        for word, _ in written
    ]
    found = []
    for at, (word, start) in enumerate(written):
        if not capital[at]:
            continue
        follows = at + 1 < len(written) and capital[at + 1] and written[at + 1][1] == start + len(word) + 1
        if follows:
            found.append(f"{word} {written[at + 1][0]}".casefold())
        elif not _SENTENCE.search(query[:start]) and not (at and capital[at - 1]):
            found.append(word.casefold())
    return found


def _longest(asked: Sequence[str], said: Sequence[str]) -> float:
    """The longest stretch of `asked` that stands in `said`, in parts of `asked`."""
    text = " " + " ".join(said) + " "
    best = 0
    for start in range(len(asked)):
        while start + best < len(asked) and f" {' '.join(asked[start : start + best + 1])} " in text:
            best += 1
    return best / max(1, len(asked))


def _contrasts(asked: Sequence[str], row: _Row) -> bool:
    """Whether title and headings name something like what is asked about with another word before it, and never that itself.

    What stands before in the question may be named there as well: `青鸟网关一体机` is nothing else than `青鸟网关`."""
    apart: dict[tuple[int, int], bool] = {}
    for named in row.names:
        for start, end in _common(asked, named):
            before = asked[start - 1] if start else ""
            lefts = [named[at - 1] if at else "" for at in _places(asked[start:end], named)]
            differs = not any(_is_bare(before) or _is_bare(left) or left == before for left in lefts)
            apart[start, end] = apart.get((start, end), True) and differs
    covered = {place for start, end in apart for place in range(start, end)}
    han = [_ISOLATED.fullmatch(asked[start]) is not None for start, _ in apart]
    if not any(han):  # one word of two is as often another matter (`message retention`) as another thing: all must be apart
        return bool(apart) and all(apart.values())
    return any(
        differs and is_han and start - 1 not in covered for ((start, _), differs), is_han in zip(apart.items(), han, strict=True)
    )


def _splits(asked: Sequence[str], rows: Sequence[_Row]) -> bool:
    """Whether two neighbours in the question are parts of names that never meet in a row."""
    named = {stretch: None for row in rows for text in row.names for stretch in _common(asked, text)}
    pairs = [(one, other) for one in named for other in named if one[1] == other[0]]
    for one, other in pairs:
        first, second = (f" {' '.join(asked[start:end])} " for start, end in (one, other))
        scripts = {_ISOLATED.fullmatch(asked[place]) is None for place in (one[1] - 1, other[0])}
        if len(scripts) == 1 and not any(first in row.joined and second in row.joined for row in rows):
            return True
    return False


def _goes_astray(asked: Sequence[str], rows: Sequence[_Row], held: Held) -> bool:
    """Whether the question goes on, behind what rows are named by, with a word that the collection has and none of them."""
    ends = {end for row in rows[:_NAMING] for text in row.names for _, end in _common(asked, text)}
    pairs = {
        "".join(asked[end : end + 2]) for end in ends
        if end + 1 < len(asked) and all(_ISOLATED.fullmatch(unit) and not _is_bare(unit) for unit in asked[end - 1 : end + 2])
    }
    unheard = [pair for pair in sorted(pairs) if not any(pair in row.terms for row in rows)]
    return bool(unheard) and bool(held(unheard))


def _common(asked: Sequence[str], named: Sequence[str]) -> list[tuple[int, int]]:
    """The stretches of `asked` that stand in `named` and cannot be longer: two Han characters, or one other word, at least."""
    text = " " + " ".join(named) + " "
    found: list[tuple[int, int]] = []
    for start in range(len(asked)):
        end = start
        while end < len(asked) and f" {' '.join(asked[start : end + 1])} " in text:
            end += 1
        if (not found or end > found[-1][1]) and _says_something(asked[start:end]):
            found.append((start, end))
    return found


def _says_something(units: Sequence[str]) -> bool:
    han = [unit for unit in units if _ISOLATED.fullmatch(unit) and unit not in _ASKING_HAN]
    return len(han) >= 2 or any(not _is_bare(unit) and not _ISOLATED.fullmatch(unit) for unit in units)


def _is_bare(unit: str) -> bool:
    """Whether a unit sets nothing apart: none, a number, a word that only joins."""
    return not unit or unit in _PLAIN_WORDS or unit in _ASKING_HAN or bool(_NUMBER.fullmatch(unit))


def _places(wanted: Sequence[str], named: Sequence[str]) -> list[int]:
    return [at for at in range(len(named) - len(wanted) + 1) if list(named[at : at + len(wanted)]) == list(wanted)]
