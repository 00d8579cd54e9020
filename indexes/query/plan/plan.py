"""How one query is asked: what it was understood to say, and what follows from that for weights, filters and expansion.

A plan is made from the query, the rules that a user may edit and what the caller may see, and is shown as it is (`--explain`).
It can narrow what a request admits, never widen it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ingest.model.predicate import Editions


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that an ambiguous name may mean, that the caller may see. `told`: what sets it apart from the others. A code has
    the type `code` and no id."""

    entity_id: str
    name: str
    type: str
    told: str = ""


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question to the caller instead of a guess. `reason`: pronoun (the query does not say of what it speaks), missing_subject
    (nor has it a pronoun: nothing but words that ask), ambiguous_name, unknown_code (no row that is asked about has it; the
    candidates are one slip away and were looked for instead). `text` is what of the query it is about."""

    reason: str
    text: str
    question: str
    candidates: tuple[Candidate, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """A name in the query, [start, end) in characters, and the entities that it may mean (ids that merged ones mean now)."""

    start: int
    end: int
    text: str
    entity_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """The names of one thing that is named, that in the query first; `meanings`: how many entities it may be."""

    names: tuple[str, ...]
    meanings: int = 1


@dataclass(frozen=True, slots=True)
class Fired:
    """A rule that applied: its id in the rules file, and what it read."""

    rule: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """`keywords` is what BM25 is asked, `meaning` what is embedded; both are the query itself unless a rule rewrote it.
    `bm25_weight` is the weight of BM25 in fusion, None: that of the settings. `versions`, `families`, `as_of` and `during` (a
    range of normalised instants [from, until)) narrow on top of the request; None narrows nothing. `excluded`: words that what
    is asked for must not be about. `asked_versions`: those that the query names, in normal form (2.0); `editions`: of
    documents that have them, no other editions: this narrows, too. `called`: what each thing that is named is called in the query
    and in texts; `rest`: the keywords without these names, None where nothing is named. `question`: the query without clauses
    that only deny something (`not Merlin but ...`), the time that narrows it and the v of versions; empty: it is the query
    itself."""

    keywords: str
    meaning: str
    language: str | None = None
    bm25_weight: float | None = None
    phrases: tuple[str, ...] = ()
    identifiers: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    entities: tuple[Named, ...] = ()
    called: tuple[Called, ...] = ()
    rest: str | None = None
    relations: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    question: str = ""
    versions: tuple[str, ...] | None = None
    families: tuple[str, ...] | None = None
    as_of: str | None = None
    during: tuple[str, str] | None = None
    asked_versions: tuple[str, ...] = ()
    editions: Editions | None = None
    expand: bool = True
    clarification: Clarification | None = None
    fired: tuple[Fired, ...] = ()


def as_asked(query: str) -> Plan:
    """Return the plan that changes nothing."""
    return Plan(query, query)
