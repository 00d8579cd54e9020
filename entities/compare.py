"""Whether two names mean one thing: the tiers of resolution for a pair, and the reasons in words.

    1  identifiers      a valid one in common: same; two values of one that is exclusive: different
    3  normal form      equal: same; never for persons, and never across types
    4  guards           any objection: different
    5  likeness         everything else waits for a person, ordered by how alike the names are

The dictionary (tier 2) knows entities, not names, and lies in `entities.resolve`. Likeness never makes `same`, and a lack of it
never makes `different`: firms are renamed, and two names without a letter in common may mean one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from entities.guards import GUARDS, objections
from entities.identifiers import SCHEMES
from entities.names import PERSON, form_of
from entities.score import likeness
from ingest.model.entity import Identifier

_LABEL = re.compile(
    r"^(?:isbn(?:-1[03])?|doi|orcid(?: id)?|lei|uscc|(?:统一社会|社会)?信用代码|purl|cpe)\s*[:：]?\s*(?=\S)(?!//?[0-9.])",
    re.IGNORECASE,
)
"""What people write before an identifier to say which it is; `cpe:/` and `cpe:2.3` are part of one."""

Outcome = Literal["same", "different", "review"]

SINGLE = frozenset(scheme.name for scheme in SCHEMES.values() if scheme.exclusive and scheme.mints)
"""Schemes under which one thing has one value, so that two values are two things."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`score`: likeness from 0 to 1, for ordering only. `reasons`: what decided first."""

    outcome: Outcome
    score: float
    reasons: tuple[str, ...]


def compare(
    left: str, right: str, type: str, other_type: str | None = None, *, guards: Iterable[str] = GUARDS,
    identifiers: Collection[Identifier] = (), other_identifiers: Collection[Identifier] = (),
) -> Verdict:
    """Return what two names say about each other. `other_type`: of the right one, where it is another.

    A name that is itself an identifier (an ISBN, a purl, a credit code) counts as one."""
    if other_type is not None and other_type != type:
        return Verdict("different", 0.0, (f"types differ: {type} and {other_type}",))
    ours, theirs = {*identifiers, *stated(left)}, {*other_identifiers, *stated(right)}
    decided = by_identifiers(ours, theirs)
    if decided is not None:
        return decided
    one, two = form_of(left, type), form_of(right, type)
    if one.key and one.key == two.key:
        return Verdict("same", 1.0, (f"equal normal form: {one.key}",))
    against = objections(one, two, guards)
    score, alike = likeness(one, two)
    if against:
        return Verdict("different", score, (*against, *alike))
    if type == PERSON:
        alike = ("names of persons never decide", *alike)
    return Verdict("review", score, alike or ("the names have nothing in common that can be compared",))


def by_identifiers(ours: Collection[Identifier], theirs: Collection[Identifier]) -> Verdict | None:
    """What identifiers say, if anything. A conflict of exclusive ones outweighs what is common."""
    against = conflict(ours, theirs)
    if against is not None:
        return Verdict("different", 0.0, (against,))
    common = sorted((item.scheme, item.value) for item in set(ours) & set(theirs) if is_exclusive(item.scheme))
    if common:
        return Verdict("same", 1.0, tuple(f"identifier in common: {scheme} {value}" for scheme, value in common))
    return None


def conflict(ours: Iterable[Identifier], theirs: Iterable[Identifier]) -> str | None:
    """Return why two sets of identifiers cannot be of one thing, if they cannot."""
    values: dict[str, set[str]] = {}
    for item in theirs:
        values.setdefault(item.scheme, set()).add(item.value)
    for item in sorted(ours, key=lambda item: (item.scheme, item.value)):
        others = values.get(item.scheme)
        if item.scheme in SINGLE and others is not None and item.value not in others:
            return f"identifiers conflict: {item.scheme} {item.value} and {min(others)}"
    return None


def is_exclusive(scheme: str) -> bool:
    """Whether a value of this scheme names one thing."""
    known = SCHEMES.get(scheme)
    return known is not None and known.exclusive


def stated(text: str) -> set[Identifier]:
    """The identifiers that a text is, as a whole."""
    compact = _LABEL.sub("", unicodedata.normalize("NFKC", text).strip())
    if not any(char.isdigit() or char == ":" for char in compact):
        return set()
    found = ((name, scheme.normalise(compact)) for name, scheme in SCHEMES.items() if scheme.exclusive)
    return {Identifier(name, value) for name, value in found if value}
