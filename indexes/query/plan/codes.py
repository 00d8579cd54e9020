"""Codes and part numbers as people remember them: written apart, called an error, or one slip away.

BM25 finds a code that is written like the one in the text (`indexes.bm25.codes`). What is added here are codes of rows
that the caller may see, and no others: a code that only hidden rows hold is as unknown as one that nobody ever gave.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from indexes.bm25.codes import codes, is_code
from indexes.bm25.terms import whole_words
from indexes.generation.snapshot import Snapshot
from indexes.query.plan.plan import Fired
from indexes.query.plan.reading import Reading
from indexes.query.plan.rules import Rules
from ingest.model.predicate import Predicate
from ingest.model.row import ChunkRow
from ingest.protocols import Asked

JOINED, SLIP = "codes:joined", "codes:slip"
"""Ids under which a plan tells what is no rule of the file: parts put together, and a slip put right."""
_SUGGESTED = 3
_MOST = 24
_SHORTEST = 4
_APART = re.compile(r"[ _-]")
_RUN = re.compile(
    r"(?<![0-9A-Za-z_.-])[a-z]{1,6}(?:[ _-]{0,2}[a-z]{1,6}){0,2}(?:[ _-]{0,2}\d{1,8}){1,3}(?:[ _-]?[a-z]{1,2})?"
    r"(?![0-9A-Za-z_/]|\.\d)"
)
_PART = re.compile(r"[a-z]+|\d+", re.ASCII)
_SEVERAL = re.compile(r"(?<![A-Za-z0-9_/.:@-])[A-Za-z0-9_-]+(?:/[A-Za-z0-9_-]+)+(?![A-Za-z0-9_/.:@-])")
_SHARED = re.compile(
    r"(?<![A-Za-z0-9_/.:@-])(?P<stem>[A-Z][A-Z_-]{0,11}|(?:[A-Za-z]{1,5}[_-]){1,2})(?P<numbers>\d{2,8}(?:/\d{2,8})+)"
    r"(?![A-Za-z0-9_/:@-]|\.\w)"
)
_YEAR = re.compile(r"(?:19|20)\d\d")


def told_apart(query: str) -> str:
    """Return a query with a space for the slash between codes: HX-200/HX-300 are two, api/v2/users is one. No place moves."""
    return _SEVERAL.sub(lambda found: found[0].replace("/", " ") if all(map(is_code, found[0].split("/"))) else found[0], query)


def _sharing(query: str) -> Iterator[tuple[str, list[str]]]:
    """What may be several codes of which only the first has the stem, with these: HX-200/300, HX-200 and HX-300. Numbers of
    documents (INV-2024/0042) and years of account (FY24/25) are one thing."""
    for found in _SHARED.finditer(query):
        numbers = found["numbers"].split("/")
        shortened = any(len(number) < len(numbers[0]) for number in numbers)
        if not shortened and not any(map(_YEAR.fullmatch, numbers)) and found["stem"].strip("-_").upper() != "FY":
            yield found[0], [found["stem"] + number for number in numbers[:_MOST]]


@dataclass(frozen=True, slots=True)
class Codes:
    """`read`: terms of the codes that are written out. `meant`: other terms that rows hold and that they may stand for. `slips`:
    what no row holds, as written, with those of `meant` that are one slip away from it, as a row that shows writes them. `apart`:
    what stands for several codes that share a stem, as written, with these written out."""

    read: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()
    fired: tuple[Fired, ...] = ()
    slips: tuple[tuple[str, tuple[str, ...]], ...] = ()
    apart: tuple[tuple[str, str], ...] = ()


def codes_of(
    reading: Reading, rules: Rules, snapshot: Snapshot, predicate: Predicate, taken: Collection[tuple[int, int]] = ()
) -> Codes:
    """The codes of a query, with what those that no visible row holds may stand for. `taken`: where something else stands, as
    written, that looks like a code (a date, a version, a number with a check digit)."""
    others = frozenset(code for start, end in taken for code in codes(reading.text[start:end]))
    read = sorted(codes(reading.text) - others)[:_MOST]
    spelled = dict(_spelled(reading, rules, taken))
    joined = dict(_joined(reading, taken))
    stems = [
        (whole, text, {term: code for code in shared for _, term in whole_words(code)})
        for text, shared in _sharing(reading.text) for _, whole in whole_words(text) if whole in read
    ]
    if not read and not spelled and not joined:
        return Codes()
    bm25 = snapshot.bm25
    sought = frozenset((*read, *spelled, *joined, *(each.number for each in spelled.values())))
    held = bm25.held(sought.union(*(parts for *_, parts in stems)), predicate)
    apart = [each for each in stems if each[0] not in held and not held.isdisjoint(each[2])]  # what rows write as one is one
    read = [term for term in read if term not in {whole for whole, *_ in apart}]
    for _, text, parts in apart:
        joined |= {term: f"{text} -> {code}" for term, code in parts.items()}
    known = [term for term in read if term in held]
    meant = {
        term: Fired(each.rule, each.text) for term, each in spelled.items()
        if term in held and term not in read and not _stands_for(each.number, known)
    }
    meant |= {term: Fired(JOINED, text) for term, text in joined.items() if term in held and term not in (*meant, *read)}
    written = {term: word for word, term in whole_words(reading.text)}
    unknown = {term: written.get(term, term) for term in read if term not in held and not _stands_for(term, (*meant, *known))}
    if not meant and not known:  # an error of which nobody knows the number
        unknown |= {term: each.text for term, each in spelled.items() if each.number not in held}
    slips: dict[str, list[str]] = {}
    understood = {*meant, *known}  # who writes both knows them apart
    for term, text in unknown.items():
        for near in bm25.codes_like(term, predicate, _SUGGESTED):
            if near not in understood:
                shown = _as_written(near, snapshot, predicate)
                meant.setdefault(near, Fired(SLIP, f"{text} -> {shown}"))
                slips.setdefault(text, []).append(shown)
    told = tuple((text, tuple(near)) for text, near in slips.items())
    written_out = tuple((text, " ".join(parts.values())) for _, text, parts in apart)
    return Codes(tuple(read), tuple(meant), tuple(dict.fromkeys(meant.values())), told, written_out)


def _as_written(term: str, snapshot: Snapshot, predicate: Predicate) -> str:
    """A code as it stands in the best of the rows that the caller may see: YG-3391, not yg3391. Where it is only a part of a
    longer word there, it is the term."""
    hits = snapshot.bm25.meets([Asked(((term,),))], [], 0.0, predicate, 1).hits
    facts = snapshot.catalog.get("chunks", snapshot.generation, [hit.chunk_id for hit in hits])
    words = (pair for fact in facts.values() for pair in whole_words(fact.noun(ChunkRow).search_text))
    return next((word for word, whole in words if whole == term), term)


@dataclass(frozen=True, slots=True)
class _Spelled:
    rule: str
    text: str
    number: str


def _spelled(reading: Reading, rules: Rules, taken: Collection[tuple[int, int]]) -> Iterator[tuple[str, _Spelled]]:
    """Terms that rules make of what they read."""
    for match in reading.matches(rules.of("spell")):
        if any(start < match.end and match.start < end for start, end in taken):
            continue
        for form in match.rule.rule.add:
            term = re.sub(r"\{(\w+)\}", lambda found, groups=match.groups: groups.get(found[1], ""), form)  # type: ignore[misc]
            yield term, _Spelled(match.rule.id, match.text, match.groups.get("number", ""))


def _joined(reading: Reading, taken: Collection[tuple[int, int]]) -> Iterator[tuple[str, str]]:
    """Letters and digits that stand apart, put together: `YG ENT 20` may be YG-ENT-20."""
    for run in _RUN.finditer(reading.folded):
        first, last = reading.span(*run.span())
        if any(start < last and first < end for start, end in taken) or not _APART.search(run[0]):
            continue
        parts = _PART.findall(run[0])
        for start in range(len(parts) - 1):
            for end in range(start + 2, min(len(parts), start + 5) + 1):
                term = "".join(parts[start:end])
                if parts[start].isalpha() and any(map(str.isdigit, term)) and len(term) >= _SHORTEST:
                    yield term, reading.text[first:last]


def _stands_for(term: str, meant: Iterable[str]) -> bool:
    """Whether a code that no row holds has been understood already: `e1042` as err1042."""
    digits = re.sub(r"\D", "", term)
    return bool(digits) and any(re.sub(r"\D", "", each) == digits for each in meant)
