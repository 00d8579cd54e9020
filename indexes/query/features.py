"""What of a question the best rows of an answer hold, as numbers that a calibrated chance can be made of.

Names whose entities are known (`Subject`) are judged as entities: a row holds one that it mentions, or that it, its title or its
headings call by any of its names. The rest of the question is judged by words, with the weights that BM25 gives them. The best
row is the one that holds most of it; where several things are named, the best row of each, taken together, for a comparison is
answered by two passages. Looked at are title, headings, version and text: a name in the title makes all below it speak of that.

    known     whether the question names things that are known, and the rows hold them all
    first     whether the first row holds one of them
    share     of the weight of the other terms of the question what the best rows hold
    unheard   of that weight, what no row of the answer holds; where things are known, none of their rows
    numbers   of the days, numbers and versions of the question, the share that the best rows and their sections lack, in whatever
              form a day or a whole number is written
    keys      of the proper names that are no known thing, the share that they lack; 1 where a thing is known and no row at all
              has an abbreviation that is asked about; half of it where an English question is answered in Chinese
    codes     whether the question has a code that no row holds
    contrast  whether title or headings share a noun with the question and set another word before it: `磐石密钥柜` for
              `青鸟密钥柜`
    split     whether two words that stand side by side in the question are named by some rows each, and by no row both; or
              what follows a name in the question, and is known to the collection, is in no row: `密钥柜` where all are `青鸟网关`
    strange   whether a Chinese question that names no known thing begins with two characters that are no words and stand nowhere
              in a collection that has Chinese: it begins with what it is about; half where another language answers it
    run       the longest stretch of the question, known names aside, that stands in a best row, in parts of it
    match     the best BM25 score in parts of its ceiling
    cosine, margin, deviations    of the nearest row, see `indexes.query.signals`
    untold    whether the question asks for a time, a price, a number ... and no row of a thing that it names tells one, or for
              yes or no, and none says anything of what it asks
    across    whether the best rows are in another language than the question: its words tell little then
    apart     whether the question was held against rows without its names, see `indexes.query.nearness`, as are
    own, above, ahead
    sentence  the cosine of the best sentence of the first of these rows, see `indexes.query.sentences`; None where none was
              looked at. The best of all of them tells less: of many sentences one is near by chance
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

from indexes.bm25.codes import is_code
from indexes.bm25.terms import normal, query_terms, tokens
from indexes.query.days import days_of
from indexes.query.kinds import asks_whether, kind_asked, tells
from indexes.query.named import SPOKEN
from indexes.query.nearness import Nearness
from indexes.query.numbers import LONGEST, Number, numbers
from indexes.query.plan.lexicon import lexicon
from indexes.query.plan.translate import cut
from indexes.query.signals import Signals
from indexes.query.units import ASKING_HAN, HAN, HAN_RUN, ISOLATED, NUMBER, UNIT, common, is_bare, is_han, proper_names, units
from ingest.model.evidence import Evidence

LOOKED_AT = 10
"""Rows, from the first, among which the best is looked for: those of a usual answer, whatever number was asked for."""

Held = Callable[[Collection[str]], frozenset[str]]
NOTHING: Held = frozenset[str]().intersection
Near = Callable[[str, Sequence[str]], Nearness | None]

_ELSEWHERE = 0.5
"""What it counts that a name of the question is not where it is looked for, when the best rows are in another language: there it
may have another. Of XQuAD in a collection of both languages, of the questions that only the other answers, .13 of the English
ones are refused so and .04 of the Chinese; where it counts whole, .25 and .20. Unknown names are refused as often."""

_NAMING = 5
"""Rows, from the first, whose names count as what the question is about."""

_THOUSANDS = re.compile(r"(?<![\d,])\d{1,3}(?:(?:,\d{3}){2,}|,000)(?![\d,])")
_BEFORE_A_TOPIC = (
    "去在想我你您若如当让据即说列这那首位帮查先没又再也还更最谁被把对向从到给用与和请问是有为按照根据关于一二两三四五六七八九十每各该本"
)
"""What a topic does not begin with: prepositions, verbs of asking, who asks, words that point or count."""
_SHORT = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2,4}(?![A-Za-z])")


@dataclass(frozen=True, slots=True)
class Features:
    """See above; all between 0 and 1 but for `deviations` (of a normal spread) and `cosine`, `margin` and `sentence` (of cosines;
    None, 0 and None where vectors or sentences were not asked)."""

    known: float = 0.0
    first: float = 0.0
    share: float = 0.0
    unheard: float = 1.0
    numbers: float = 0.0
    keys: float = 0.0
    codes: float = 0.0
    contrast: float = 0.0
    split: float = 0.0
    strange: float = 0.0
    run: float = 0.0
    match: float = 0.0
    cosine: float | None = None
    margin: float = 0.0
    deviations: float = 0.0
    across: float = 0.0
    untold: float = 0.0
    apart: float = 0.0
    own: float = 0.0
    above: float = 0.0
    ahead: float = 0.0
    sentence: float | None = None


@dataclass(frozen=True, slots=True)
class Subject:
    """A thing that a question names: `text` as written there, its entities, and all names of these that the caller may see."""

    text: str
    entity_ids: frozenset[str]
    names: tuple[str, ...] = ()


def features(
    query: str, evidence: Sequence[Evidence], signals: Signals, subjects: Sequence[Subject] = (), held: Held = NOTHING,
    near: Near | None = None,
) -> Features:
    """Return the features of an answer; those of none where there is no evidence. `held`: which of some terms the collection
    has, as far as the caller may see it. `near`: measures how near a question without its names comes, given the chunks of
    what it names."""
    rows = [_Row(item) for item in evidence[:LOOKED_AT]]
    if not rows:
        return Features()
    asked = _Asked(query, subjects, signals, rows)
    having = [[row for row in rows if row.mentions(subject)] for subject in subjects]
    best = asked.joined([some for some in having if some], rows)
    known = bool(having) and all(having)
    holders = [row for row in rows if row.item.scores.graph or any(row in some for some in having)] if any(having) else []
    unheard = asked.unheard(holders or rows)
    abroad = asked.is_abroad(best)
    strange = float(not subjects and _is_strange(query, held)) * (_ELSEWHERE if abroad else 1)
    keys = max(asked.unnamed(best), asked.unabbreviated(rows)) * (_ELSEWHERE if abroad and not asked.is_han else 1)
    apart = near(asked.rest, [row.item.chunk_id for row in holders]) if near and holders and asked.rest else None
    return Features(
        float(known), float(any(rows[0] in some for some in having)), asked.share(best), unheard,
        asked.uncounted(best), keys, float(any(not any(code in row for row in rows) for code in asked.codes)),
        float(not known and all(_contrasts(asked.units, row) for row in best)),
        float(not known and (_splits(asked.units, rows) or _goes_astray(asked.units, rows, held))), strange, asked.run(best),
        signals.match, signals.cosine, signals.margin, signals.deviations, float(abroad),
        asked.untold(holders), *((0.0,) * 4 if apart is None else (1.0, apart.own, apart.above, apart.ahead)),
        next((row.item.scores.sentence for row in holders or rows if row.item.scores.sentence is not None), None),
    )


class _Asked:
    """A question as rows are held against it."""

    def __init__(self, query: str, subjects: Sequence[Subject], signals: Signals, rows: Sequence[_Row]) -> None:
        parts = _without(_THOUSANDS.sub(lambda found: found[0].replace(",", ""), query), [subject.text for subject in subjects])
        rest = " ".join(parts)
        self._all = float(bool(subjects))  # of a question that is a name alone all is held, of one that asks nothing nothing is
        self.rest = " ".join(rest.split()).strip(" ,，:：的")
        self.is_han = is_han(rest) if units(rest) else is_han(query)
        self.units = _apart(parts)
        terms = list(dict.fromkeys(term for part in parts if part.strip() for term in query_terms(part)))
        weights, self._gained = signals.weights, signals.gained
        usual = sum(weights.values()) / len(weights) if weights else 1.0
        self.weights = {term: weights.get(term, usual) for term in terms}
        self._whole = sum(self.weights.values())
        self.codes = [unit.casefold() for unit in UNIT.findall(rest) if is_code(unit) and not NUMBER.fullmatch(unit)]
        self._days, dateless = days_of(rest)
        said = [*units(dateless), ""]
        self._numbers = list(dict.fromkeys(pair for pair in pairwise(said) if NUMBER.fullmatch(pair[0])))
        self._names = _names(dateless, self.is_abroad(rows))
        self._short = [word.casefold() for word in _SHORT.findall(rest)] if subjects else []

    def part(self, terms: Collection[str]) -> float:
        return sum([self.weights[term] for term in terms]) / self._whole if self._whole else 0.0

    def share(self, rows: Sequence[_Row]) -> float:
        said = _said(rows)
        return self.part([term for term in self.weights if term in said]) if self.weights else self._all

    def unheard(self, rows: Sequence[_Row]) -> float:
        """Of the weight of what is asked, what no row holds."""
        said = _said(rows)
        return self.part([term for term in self.weights if term not in said])

    def run(self, rows: Sequence[_Row]) -> float:
        return max(_longest(self.units, row.joined) for row in rows) if self.units else self._all

    def uncounted(self, rows: Sequence[_Row]) -> float:
        """The share of days, numbers and versions that rows lack."""
        missing = sum(not any(row.counts(*number) for row in rows) for number in self._numbers)
        missing += sum(not any(day in row.days for row in rows) for day in self._days)
        return missing / max(1, len(self._numbers) + len(self._days))

    def unnamed(self, rows: Sequence[_Row]) -> float:
        """The share of proper names that rows lack."""
        return sum(not any(name in row for row in rows) for name in self._names) / max(1, len(self._names))

    def unabbreviated(self, rows: Sequence[_Row]) -> float:
        """Whether the question has an abbreviation that no row has, nor what it stands for in Chinese, as far as the lexicon
        tells. An English question's may be spelled out in any way there."""
        spelled = self.is_abroad(rows) and not self.is_han
        return float(not spelled and not all(any(short in row for row in rows) or _meant(short, rows) for short in self._short))

    def untold(self, rows: Sequence[_Row]) -> float:
        """Whether none of some rows tells the kind of thing that is asked for, or says anything of what a question for yes or no
        says itself. Nothing is known where there are none."""
        kind = kind_asked(self.rest)
        if not rows or not any(tells(kind, row.item.text) for row in rows):
            return float(bool(rows))
        return float(asks_whether(self.rest) and not self.is_abroad(rows) and self.unheard(rows) == 1)

    def is_abroad(self, rows: Sequence[_Row]) -> bool:
        """Whether rows are in another language than the question."""
        return all(row.is_han != self.is_han for row in rows)

    def uncoded(self, rows: Sequence[_Row]) -> float:
        """The share of codes that rows lack."""
        return sum(not any(code in row for row in rows) for code in self.codes) / max(1, len(self.codes))

    def lacking(self, row: _Row) -> float:
        return self.uncounted([row]) + self.unnamed([row]) + self.uncoded([row])

    def _best(self, rows: Sequence[_Row]) -> _Row:
        """The row that holds most, one in the language of the question unless another holds more of its keys."""
        home = [row for row in rows if row.is_han == self.is_han]
        lacking = {row: self.lacking(row) for row in rows}
        least = min((lacking[row] for row in home), default=math.inf)
        judged = [row for row in rows if lacking[row] < least] or home
        return max(judged, key=lambda row: self.share([row]) + self.run([row]) - lacking[row])

    def joined(self, having: Sequence[Sequence[_Row]], rows: Sequence[_Row]) -> list[_Row]:
        """The best of the rows that have a thing, for each thing; of all rows where none is known. Where several days are named,
        for each of them a row, too."""
        found = [self._nearest(some) for some in having] or [self._nearest(rows)]
        if len(self._days) > 1:
            pool = [row for some in having for row in some] or rows
            of_day = (next((row for row in pool if day in row.days), None) for day in sorted(self._days))
            found += [row for row in of_day if row is not None]
        return list(dict.fromkeys(found))

    def _nearest(self, rows: Sequence[_Row]) -> _Row:
        """The best of rows; or the first of those in another language that lacks least, where the first of all is in it and words
        tell nothing: rows in the language of the question share some with it whatever they say. A row that is first only by what
        other languages gain is not: where nothing answers, one always is."""
        home = (row for row in rows if row.is_han == self.is_han)
        first, best = rows[0].item.scores.fused, next(home, None)
        if best is rows[0] or (best is not None and best.item.scores.fused > first - self._gained):
            return self._best(rows)
        return min((row for row in rows if row.is_han != self.is_han), key=self.lacking)


def _apart(parts: Sequence[str]) -> list[str]:
    """The units of parts of a text, with an empty one where something was left out."""
    return [unit for at, part in enumerate(parts) for unit in ([""] if at else []) + units(part)]


def _without(query: str, names: Sequence[str]) -> list[str]:
    """What stands before, between and behind names."""
    if not names:
        return [query]
    longest = sorted({re.escape(name) for name in names if name.strip()}, key=len, reverse=True)
    return re.split("|".join(longest), query, flags=re.IGNORECASE) if longest else [query]


class _Row:
    """What a piece of evidence says, in the forms that are looked at."""

    def __init__(self, item: Evidence) -> None:
        self.item = item
        self.said = "\n".join([item.title, *item.heading_path, item.version or "", item.text])

    @cached_property
    def is_han(self) -> bool:
        return is_han(self.item.text)

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(tokens(self.said))

    @cached_property
    def units(self) -> list[str]:
        return units(self.said)

    @cached_property
    def names(self) -> list[list[str]]:
        """Title and headings."""
        return [units(text) for text in dict.fromkeys((self.item.title, *self.item.heading_path))]

    @cached_property
    def joined(self) -> str:
        return " " + " ".join(self.units) + " "

    @cached_property
    def section(self) -> str:
        return " " + " ".join(units(self.item.context)) + " "

    @cached_property
    def days(self) -> frozenset[tuple[int, int]]:
        return days_of(self.said)[0]

    @cached_property
    def _numbers(self) -> frozenset[Number]:
        return numbers(f"{self.said}\n{self.item.context}")

    def counts(self, number: str, counted: str) -> bool:
        """Whether a number of a question stands here, a whole one in words, too. `counted`: what follows it."""
        if number in self:
            return True
        whole = int(number) if number.isdecimal() and len(number) <= LONGEST else None
        return whole is not None and not self._numbers.isdisjoint({(whole, ""), (whole, counted)})

    def mentions(self, subject: Subject) -> bool:
        """Whether this piece mentions the thing, or calls it by one of its names."""
        if not subject.entity_ids.isdisjoint(self.item.entity_ids):
            return True
        return any(f" {' '.join(units(name))} " in self.joined for name in subject.names)

    def __contains__(self, key: str) -> bool:
        """Whether a word stands here, as it is or as a term, or several words stand side by side."""
        if f" {key} " in self.joined or (" " not in key and set(tokens(key)) <= self.terms):
            return True
        return f" {key} " in self.section


def _meant(short: str, rows: Sequence[_Row]) -> bool:
    """Whether some row has a Chinese word that an abbreviation stands for: 首席运营官 for coo."""
    words = lexicon() if any(row.is_han for row in rows) else None
    return words is not None and any(word in row for word in words.spelled(short) for row in rows)


def _said(rows: Sequence[_Row]) -> frozenset[str]:
    """The terms that some of the rows have."""
    return rows[0].terms if len(rows) == 1 else frozenset().union(*(row.terms for row in rows))


def _names(query: str, abroad: bool) -> list[str]:
    """Proper names in Latin letters, side by side; Chinese names in a question that is not. Names of an
    English question are not looked for where all rows are Chinese and have their own."""
    found = proper_names(query) if is_han(query) or not abroad else []
    if not is_han(query):
        found += [" ".join(run) for run in re.findall(rf"[{HAN}]{{2,}}", query)]
    return list(dict.fromkeys(found))


def _longest(asked: Sequence[str], text: str) -> float:
    """The longest stretch of `asked` that stands in a text (`_Row.joined`), in parts of `asked`."""
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
        for start, end in common(asked, named):
            before = asked[start - 1] if start else ""
            lefts = [named[at - 1] if at else "" for at in _places(asked[start:end], named)]
            differs = not any(is_bare(before) or is_bare(left) or left == before for left in lefts)
            apart[start, end] = apart.get((start, end), True) and differs
    covered = {place for start, end in apart for place in range(start, end)}
    han = [ISOLATED.fullmatch(asked[start]) is not None for start, _ in apart]
    if not any(han):  # one word of two is as often another matter (`message retention`) as another thing: all must be apart
        return bool(apart) and all(apart.values())
    return any(
        differs and is_han and start - 1 not in covered for ((start, _), differs), is_han in zip(apart.items(), han, strict=True)
    )


def _splits(asked: Sequence[str], rows: Sequence[_Row]) -> bool:
    """Whether two neighbours in the question are parts of names that never meet in a row."""
    named = {stretch: None for row in rows for text in row.names for stretch in common(asked, text)}
    pairs = [(one, other) for one in named for other in named if one[1] == other[0]]
    for one, other in pairs:
        first, second = (f" {' '.join(asked[start:end])} " for start, end in (one, other))
        scripts = {ISOLATED.fullmatch(asked[place]) is None for place in (one[1] - 1, other[0])}
        if len(scripts) == 1 and not any(first in row.joined and second in row.joined for row in rows):
            return True
    return False


def _goes_astray(asked: Sequence[str], rows: Sequence[_Row], held: Held) -> bool:
    """Whether the question goes on, behind what rows are named by, with a word that the collection has and none of them."""
    ends = {end for row in rows[:_NAMING] for text in row.names for _, end in common(asked, text)}
    pairs = {
        "".join(asked[end : end + 2]) for end in ends
        if end + 1 < len(asked) and all(ISOLATED.fullmatch(unit) and not is_bare(unit) for unit in asked[end - 1 : end + 2])
    }
    unheard = sorted(pairs - _said(rows)) if pairs else []
    return bool(unheard) and bool(held(unheard))


def _is_strange(question: str, held: Held) -> bool:
    """Whether a Chinese question begins with two characters that are no words of the lexicon and stand side by side nowhere in a
    collection that has Chinese: with a name that nobody wrote. Without the lexicon nothing is told."""
    run = HAN_RUN.search(normal(question))
    words = None if run is None or question[: run.start()].strip() else lexicon()  # which is read when it is first asked for
    if run is None or words is None:
        return False
    topic = "".join(islice(cut(run.group().lstrip(_BEFORE_A_TOPIC), words), 2))
    if len(topic) != 2 or topic in words or not ASKING_HAN.isdisjoint(topic) or topic[1] in _BEFORE_A_TOPIC:
        return False
    found = held([topic, *SPOKEN["zh"]])
    return bool(found) and topic not in found


def _places(wanted: Sequence[str], named: Sequence[str]) -> list[int]:
    return [at for at in range(len(named) - len(wanted) + 1) if list(named[at : at + len(wanted)]) == list(wanted)]
