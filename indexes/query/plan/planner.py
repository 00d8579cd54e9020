"""From a query to its plan: what it says is read by rules, what it means is looked up among what the caller may see.

The order matters in few places. Names, codes and quotations come first: a query that has one says of what it speaks, so that no
pronoun is asked back. Dates come before versions, which may look like them. What narrows is looked up last, by the time of which
the query speaks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from entities.folding import NAME
from entities.identifiers import Found, find
from entities.relations import vocabulary
from indexes.bm25.codes import codes
from indexes.generation.snapshot import Snapshot
from indexes.query.plan.codes import Codes, codes_of, told_apart
from indexes.query.plan.dates import Period, Time, periods, spans, time_of
from indexes.query.plan.names import Names, register_of
from indexes.query.plan.narrow import timed
from indexes.query.plan.plan import Called, Candidate, Clarification, Fired, Named, Plan, as_asked
from indexes.query.plan.pronouns import asked_back
from indexes.query.plan.reading import Match, Reading
from indexes.query.plan.rules import Compiled, Rules, rules_of
from indexes.query.plan.versions import HELD, OTHER, editions, normal, stated, when_held
from indexes.query.request import Request, instant_of, predicate_of
from ingest.model.predicate import Editions, Predicate
from ingest.settings import SearchPart

Span = tuple[int, int]

DENIED = "denied"
AMBIGUOUS = "names:ambiguous"
REWRITTEN = "names:written"
SLOW = "rules:slow"
CHECKED = ("uscc", "lei", "isbn", "orcid")
"""Schemes of numbers that people write in groups; rows are asked for the number as a whole."""
_ALIASES = 3
_ALL_OF = 0.7
"""Share of what is denied that a name or a code must be; the rest is a version, a particle."""
_RANGE = 3
"""Characters between two dates that are one range: 2024-2025 年 is no code."""
_NEAR = 4
"""Characters between a name and a word that tells its kind."""


def planned(snapshot: Snapshot, request: Request, predicate: Predicate, settings: SearchPart) -> Plan:
    """Return how a request is asked. `predicate`: what the caller may see; nothing else is read, named or suggested.

    Any text is a query. Raises SettingsInvalid where a rules file cannot be used."""
    if not request.query.strip():
        return as_asked(request.query)
    base = Path(snapshot.settings.base)
    rules = rules_of(
        (base / file for file in settings.rules), tuple(base / file for file in snapshot.settings.entities.vocabulary)
    )
    query = told_apart(request.query)
    plan = _Planner(snapshot, replace(request, query=query), predicate, settings, rules).plan()
    return plan if plan.question or query == request.query else replace(plan, question=query)


class _Planner:
    """One query being read; `fired` grows as rules apply."""

    def __init__(
        self, snapshot: Snapshot, request: Request, predicate: Predicate, settings: SearchPart, rules: Rules
    ) -> None:
        self._snapshot = snapshot
        self._request = request
        self._predicate = predicate
        self._settings = settings
        self._rules = rules
        self._reading = Reading(request.query)
        self._names = Names(register_of(snapshot), snapshot, predicate)
        self._fired: list[Fired] = []

    def plan(self) -> Plan:
        reading, rules = self._reading, self._rules
        phrases = self._phrases()
        found = [each for each in find(reading.text) if each.scheme != "version"]
        instant = instant_of(self._request)
        names = self._names.in_text(reading.text, found)
        named_so = [(each.start, each.end) for each in names]
        dates = [each for each in periods(reading, rules, instant) if not _within((each.match.start, each.match.end), named_so)]
        excluded, others, denied = self._excluded(names)
        stands = list(stated(reading, rules, [*spans(dates), *others]))
        coded = codes_of(reading, rules, self._snapshot, self._predicate, [*_no_codes(dates, stands, found), *others])
        self._fired += coded.fired
        named, asked = self._whom([each for each in names if not _inside(each, others)])
        time = self._time(time_of(reading, rules, dates, instant))
        versions, wanted, time = self._versions(stands, time, named)
        plan = Plan(
            self._request.query, self._request.query, reading.language, phrases=phrases,
            identifiers=tuple(dict.fromkeys(each.value for each in found)),
            codes=tuple(dict.fromkeys((*coded.read, *coded.meant))),
            entities=tuple(named), relations=self._relations(names), excluded=excluded,
            as_of=time.as_of, during=time.during, asked_versions=versions,
            editions=wanted if wanted and wanted.families else None, clarification=asked or self._slipped(coded),
        )
        spelled = (*coded.meant, *(sorted(filter(None, wanted.versions)) if wanted else ()))
        plan = replace(plan, clarification=self._pronoun(plan), called=self._called(plan))
        plan = self._asked(plan, spelled, found, denied)
        question = _cut(self._request.query, [(start, end, "") for start, end in (*denied, *time.said, *_letters(stands))])
        for text, codes_in_it in coded.apart:
            question = question.replace(text, codes_in_it)
        question = question if question != self._request.query else ""
        plan = replace(plan, meaning=self._meaning(plan, denied), question=question)
        plan = self._weighed(plan)
        self._fired += [Fired(SLOW, id) for id in reading.slow]
        return replace(plan, fired=tuple(dict.fromkeys(self._fired)))

    # --- what is said ---

    def _phrases(self) -> tuple[str, ...]:
        told: dict[str, tuple[int, int]] = {}
        for match, place in self._apart(self._rules.of("phrase"), "phrase"):
            told[self._reading.written(*place).strip()] = place
            self._fire(match)
        return tuple(told)

    def _excluded(self, names: Sequence[Named]) -> tuple[tuple[str, ...], list[Span], list[Span]]:
        """What the answer must not be about; where that stands; and the clauses that only deny it, which are not asked at all. A
        denial (`not Atlas but ...`) counts where what it denies is a name or a code: other sentences deny, too."""
        told: dict[str, None] = {}
        where: list[Span] = []
        clauses: list[Span] = []
        for match, place in self._apart(self._rules.of("exclude"), "excluded"):
            span = self._reading.span(*place)
            text = self._reading.text[span[0] : span[1]].strip()
            if match.rule.value == DENIED:
                named = sum(each.end - each.start for each in names if _inside(each, [span]))
                if max(named, sum(map(len, codes(text)))) < _ALL_OF * len(text):
                    continue
                clauses.append((match.start, match.end))
            told[text] = None
            where.append(span)
            self._fire(match)
        return tuple(told), where, clauses

    def _apart(self, rules: Iterable[Compiled], group: str) -> Iterator[tuple[Match, Span]]:
        """Where a group of some rules stands in folded text; of what overlaps, what was read first."""
        taken: list[Span] = []
        for match in self._reading.matches(rules):
            place = match.places[group]
            if place[0] < place[1] and all(place[1] <= start or end <= place[0] for start, end in taken):
                taken.append(place)
                yield match, place

    def _relations(self, named: Sequence[Named]) -> tuple[str, ...]:
        """The relations that are asked about, and what says the same from the other end. Words inside names ask for none."""
        known = vocabulary(Path(self._snapshot.settings.base) / file for file in self._snapshot.settings.entities.vocabulary)
        found: dict[str, None] = {}
        for match in self._reading.matches(self._rules.of("relation")):
            if any(each.start < match.end and match.start < each.end for each in named):
                continue
            self._fire(match)
            found[match.rule.value] = None
            inverse = known[match.rule.value].inverse if match.rule.value in known else None
            if inverse is not None:
                found[inverse] = None
        return tuple(found)

    def _fire(self, match: Match) -> None:
        self._fired.append(Fired(match.rule.id, match.text))

    # --- who is meant ---

    def _whom(self, named: Sequence[Named]) -> tuple[list[Named], Clarification | None]:
        """Names with those whom they may mean, and a question where a name may mean several."""
        sure = {each.entity_ids[0] for each in named if len(each.entity_ids) == 1}
        settled = [self._settled(each, sure) for each in named]
        open_ = next((each for each in settled if len(each.entity_ids) > 1), None)
        return settled, None if open_ is None else self._question(open_)

    def _settled(self, named: Named, sure: set[str]) -> Named:
        """The one whom the query tells a name of several to mean: another name of it, or what kind of thing it is."""
        if len(named.entity_ids) == 1:
            return named
        also = [id for id in named.entity_ids if id in sure]
        if len(also) == 1:
            return replace(named, entity_ids=(also[0],))
        for match in self._reading.matches(self._rules.of("type")):
            near = 0 <= match.start - named.end <= _NEAR or 0 <= named.start - match.end <= _NEAR
            of_type = [id for id in named.entity_ids if self._names.type_of(id) == match.rule.value]
            if near and len(of_type) == 1:
                self._fire(match)
                return replace(named, entity_ids=(of_type[0],))
        return named

    def _question(self, named: Named) -> Clarification:
        self._fired.append(Fired(AMBIGUOUS, named.text))
        candidates = tuple(self._candidate(id, named.text) for id in named.entity_ids)
        listed = [f"{each.name} ({each.told})" if each.told else each.name for each in candidates]
        if self._reading.language in ("zh", "mixed"):
            question = f"“{named.text}”可以指：{'；'.join(listed)}。您问的是哪一个？"
        else:
            question = f'"{named.text}" may mean: {"; ".join(listed)}. Which one do you mean?'
        return Clarification("ambiguous_name", named.text, question, candidates)

    def _candidate(self, id: str, text: str) -> Candidate:
        names = [name.text for name in self._names.of(id)]
        apart = sorted((name for name in names if _folded(name) != _folded(text)), key=len, reverse=True)
        kind = self._names.type_of(id)
        label = names[0] if names else text
        told = next((name for name in apart if name != label), "")
        return Candidate(id, label, kind, f"{kind}, {told}" if told else kind)

    def _slipped(self, coded: Codes) -> Clarification | None:
        """The question about codes that no row holds and others that rows do: another part's facts are not this one's."""
        if not coded.slips:
            return None
        near = tuple(dict.fromkeys(term for _, terms in coded.slips for term in terms))
        text = ", ".join(written for written, _ in coded.slips)
        if self._reading.language in ("zh", "mixed"):
            which = "您指的是它吗？" if len(near) == 1 else "您指的是哪一个？"
            question = f"查找的文本里没有“{text}”；找的是只差一处的 {'、'.join(near)}。{which}"
        else:
            which = "Is that the one you mean?" if len(near) == 1 else "Which one do you mean?"
            question = f'No text that was looked at has "{text}"; looked for {", ".join(near)} instead, one slip away. {which}'
        return Clarification("unknown_code", text, question, tuple(Candidate("", term, "code") for term in near))

    def _pronoun(self, plan: Plan) -> Clarification | None:
        """The question about a pronoun, where the query names nothing; else the one about a name."""
        if plan.entities or plan.identifiers or plan.codes or plan.phrases:
            return plan.clarification
        asked = asked_back(self._reading, self._rules)
        narrowed = self._request.sources is not None or self._request.families is not None
        if asked is None or (asked[0].reason == "missing_subject" and narrowed):  # a document asked about is a subject
            return plan.clarification
        self._fired.append(asked[1])
        return asked[0]

    # --- what narrows ---

    def _time(self, time: Time) -> Time:
        """The time of which the query speaks, where the request names none and rows that show have windows that tell it apart."""
        self._fired += time.fired
        if time.as_of is None and time.during is None:
            return Time()
        if self._request.as_of is not None or self._request.during is not None:
            return Time()
        return time if self._snapshot.bm25.dated(self._at(time)) else Time()

    def _at(self, time: Time) -> Predicate:
        request = timed(self._request, Plan("", "", as_of=time.as_of, during=time.during))
        return self._predicate if request is self._request else predicate_of(request, self._snapshot, instant_of(request))

    def _versions(
        self, matches: Sequence[Match], time: Time, whom: Sequence[Named]
    ) -> tuple[tuple[str, ...], Editions | None, Time]:
        """The versions that are named; the editions that are wanted where some that show have one of them; and the time. Where
        neither request nor words name one, it is when the edition held that is asked for, if it does not hold now."""
        if not matches:
            return (), None, time
        for match in matches:
            self._fire(match)
        named = tuple(dict.fromkeys(normal(match.groups["version"]) for match in matches))
        compared = self._reading.first(self._rules.of("compared"))
        if compared is not None:
            self._fire(compared)
            return named, None, time
        own = tuple(dict.fromkeys(normal(match.groups["version"]) for match in matches if match.rule.value != OTHER))
        wanted = editions(own, self._snapshot.bm25, self._at(time)) if own else None
        several = len(own) > 1 and wanted is not None  # at the time of the one the other may not have held
        if not own or several or time != Time() or self._request.as_of or self._request.during:
            return named, wanted, time
        entities = frozenset(id for each in whom for id in each.entity_ids)
        befores = None if wanted else [self._reading.text[: match.start] for match in matches]
        held = when_held(
            own, self._reading.text, entities, befores, self._snapshot, self._predicate, instant_of(self._request)
        )
        if held is None:
            return named, wanted, time
        self._fired.append(Fired(HELD, f"{', '.join(own)} -> {held}"))
        return named, editions(own, self._snapshot.bm25, self._at(Time(as_of=held))), Time(as_of=held)

    # --- what follows ---

    def _called(self, plan: Plan) -> tuple[Called, ...]:
        """For each thing that is named what it is called here, and in texts."""
        called: dict[tuple[str, ...], dict[str, None]] = {}
        for named in plan.entities:
            names = called.setdefault(named.entity_ids, {})
            names |= dict.fromkeys([named.text, *(self._aliases(named) if len(named.entity_ids) == 1 else ())])
        return tuple(Called(tuple(names), len(ids)) for ids, names in called.items())

    def _asked(self, plan: Plan, spelled: Iterable[str], found: Iterable[Found], denied: Sequence[Span]) -> Plan:
        """The plan with its keywords: the query, with codes and versions as rows write them, other names of whom it means, and
        what rules add; and with these but for the names."""
        added = dict.fromkeys(spelled)
        added |= dict.fromkeys(each.value for each in found if each.scheme in CHECKED)
        names = [name for called in plan.called for name in called.names]
        ruled: dict[str, None] = {}
        for match in self._reading.matches(self._rules.of("add")):
            self._fire(match)
            ruled |= dict.fromkeys(match.rule.rule.add)
        gone = [(start, end, "") for start, end in denied]
        asked = _cut(plan.keywords, gone)
        keywords = _joined(asked, [*added, *names, *ruled])
        if not plan.entities:
            return replace(plan, keywords=keywords)
        unnamed = _exchanged(plan.keywords, [*gone, *((named.start, named.end, " ") for named in plan.entities)])
        said = set(map(_folded, names))
        others = [word for word in (*added, *ruled) if _folded(word) not in said]
        return replace(plan, keywords=keywords, rest=_joined(unnamed, others))

    def _aliases(self, named: Named) -> list[str]:
        """Other names, that show, of the one who is named: those that texts use most. None that is a code: whoever writes
        a code means it, and nobody wrote this one."""
        said = _folded(named.text)
        others = [(name, count) for name, count in self._names.used(named.entity_ids[0])
                  if _folded(name.text) != said and not codes(name.text) and not self._names.shared(name)]
        added = list(dict.fromkeys(name.text for name, count in others if count))[:_ALIASES]
        if added:
            self._fired.append(Fired(REWRITTEN, f"{named.text} -> {', '.join(added)}"))
        return added

    def _meaning(self, plan: Plan, denied: Sequence[Span]) -> str:
        """The query without what it denies, and with names that texts hardly use exchanged for the one that they do: a vector
        knows no registry."""
        query = self._request.query
        changes = [(start, end, "") for start, end in denied]
        for named in plan.entities:
            better = self._better(named) if len(named.entity_ids) == 1 else None
            if better is not None:
                changes.append((named.start, named.end, _spaced(query, named, better)))
        return _cut(query, changes)

    def _better(self, named: Named) -> str | None:
        """The name that texts use of the one who is named, where they use it at least twice as often."""
        said = _folded(named.text)
        used = self._names.used(named.entity_ids[0])
        own = max((count for name, count in used if _folded(name.text) == said), default=0)
        best = next((name.text for name, count in used if count > 2 * own), None)
        return best if best is not None and _folded(best) != said and _folded(best) not in _folded(self._reading.text) else None

    def _weighed(self, plan: Plan) -> Plan:
        signals: dict[str, object] = {
            "phrases": plan.phrases, "identifiers": plan.identifiers, "codes": plan.codes, "versions": plan.asked_versions,
            "entities": plan.entities, "relations": plan.relations, "excluded": plan.excluded,
            "dates": plan.as_of or plan.during, plan.language or "": True,
        }
        lean = math.fsum(rule.rule.amount for rule in self._met("weight", signals))
        expand = [rule.value != "off" for rule in self._met("expand", signals)]
        weight = min(1.0, max(0.0, round(self._settings.bm25_weight + lean, 4))) if lean else None
        return replace(plan, bm25_weight=weight, expand=expand[-1] if expand else plan.expand)

    def _met(self, effect: str, signals: dict[str, object]) -> list[Compiled]:
        met = [rule for rule in self._rules.by_effect.get(effect, ()) if any(signals.get(signal) for signal in rule.rule.when)]
        self._fired += [Fired(rule.id, ", ".join(each for each in rule.rule.when if signals.get(each))) for rule in met]
        return met


def _no_codes(dates: Sequence[Period], versions: Iterable[Match], found: Iterable[Found]) -> list[tuple[int, int]]:
    """Where something stands that looks like a code, or has one in it, and is read by itself."""
    checked = ((each.start, each.end) for each in found if each.scheme in CHECKED)
    days = list(spans(dates))
    ranges = ((first, last) for (first, end), (start, last) in pairwise(days) if start - end <= _RANGE)
    return [*days, *ranges, *((match.start, match.end) for match in versions), *checked]


def _letters(versions: Iterable[Match]) -> Iterator[Span]:
    """The v of v3.2, which a row has that says 3.2, and the reverse."""
    return ((match.start, match.start + 1) for match in versions if _V.match(match.text))


def _inside(named: Named, spans: Iterable[Span]) -> bool:
    return _within((named.start, named.end), spans)


def _within(span: Span, spans: Iterable[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in spans)


def _joined(asked: str, words: Iterable[str]) -> str:
    """What is asked with those of some words that it doesn't have."""
    said = _folded(asked)
    return " ".join([asked, *(word for word in words if _folded(word) not in said)])


def _cut(query: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """The query with parts of it exchanged; as it is where nothing would be left."""
    changed = _exchanged(query, changes)
    return changed.strip() if changed != query and any(map(str.isalnum, changed)) else query


def _exchanged(query: str, changes: Iterable[tuple[int, int, str]]) -> str:
    """The query with parts of it exchanged; of those that begin at one place, the longest."""
    parts: list[str] = []
    at = 0
    for start, end, text in sorted(changes, key=lambda change: (change[0], -change[1])):
        if start >= at:
            parts += [query[at:start], text]
            at = end
    return "".join([*parts, query[at:]])


def _spaced(query: str, named: Named, name: str) -> str:
    """A name as it stands in place of another: Latin letters and digits are set off from what is around them."""
    before, after = query[named.start - 1 : named.start], query[named.end : named.end + 1]
    first, last = (" " if _touch(*pair) else "" for pair in ((before, name[0]), (name[-1], after)))
    return first + name + last


def _touch(before: str, after: str) -> bool:
    return before.isalnum() and after.isalnum() and (before.isascii() or after.isascii())


_V = re.compile(r"[vV]\d")
_SPACES = re.compile(r"\s+")


def _folded(text: str) -> str:
    return _SPACES.sub(" ", NAME(text.encode("utf-8", "replace").decode()).text).strip()
