"""Entities and assertions: what seeds and identifiers in documents say, on either side.

An entity is there while anybody mints it: the registry, or any document that names its identifier. So who began or ended is
only where to look.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from flows.between.nouns import AssertionChange, EntityChange, Fields
from ingest.model.batches import batches
from ingest.model.canonical import plain
from ingest.model.edge import REGISTRY
from ingest.model.entity import Assertion, Entity
from ingest.store.catalog import Catalog, Fact

_AT_ONCE = 500


def entities(catalog: Catalog, before: int, after: int) -> Iterator[EntityChange]:
    """Yield every entity that differs, by id."""
    sides = ((before, after), (after, before))
    ids = sorted({id for pair in sides for _, id, _ in catalog.sources_apart("entities", *pair)})
    for part in batches(ids, _AT_ONCE):
        was, now = (_by_id(catalog.every("entities", generation, part)) for generation in (before, after))
        for id in part:
            change = _entity(id, was.get(id), now.get(id))
            if change is not None:
                yield change


def _by_id(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    found: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        found[fact.id].append(fact)
    return dict(found)


def _entity(id: str, was: list[Fact] | None, now: list[Fact] | None) -> EntityChange | None:
    old, new = _definition(was), _definition(now)
    if old is None or new is None:
        there = old or new
        return None if there is None else EntityChange("removed" if new is None else "added", id, there.type, there.label)
    fields = _differing(old, new, ("type", "names", "identifiers", "status"))
    return EntityChange("changed", id, new.type, new.label, fields) if fields else None


def _definition(facts: list[Fact] | None) -> Entity | None:
    """What an entity is said to be: by the registry where that knows it."""
    if not facts:
        return None
    return min(facts, key=lambda fact: (fact.source_id != REGISTRY, fact.source_id)).noun(Entity)


def _differing(old: Any, new: Any, names: tuple[str, ...]) -> Fields:
    pairs = {name: (plain(getattr(old, name)), plain(getattr(new, name))) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def assertions(catalog: Catalog, before: int, after: int) -> Iterator[AssertionChange]:
    """Yield every assertion that differs, by what it says. One that says the same on other evidence, or for another time, is
    changed."""
    was = {fact.id: fact.noun(Assertion) for fact in catalog.apart("assertions", before, after)}
    now = {fact.id: fact.noun(Assertion) for fact in catalog.apart("assertions", after, before)}
    waiting: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for id in sorted(was.keys() - now.keys(), reverse=True):
        waiting[_said(was[id])].append(id)
    changes = []
    for id in sorted(now.keys() - was.keys()):
        said = _said(now[id])
        if waiting[said]:
            old = waiting[said].pop()
            fields = _differing(was[old], now[id], ("evidence", "valid_from", "valid_until", "confidence"))
            changes.append(AssertionChange("changed", id, *said, old, fields))
        else:
            changes.append(AssertionChange("added", id, *said))
    changes.extend(AssertionChange("removed", id, *said) for said, ids in waiting.items() for id in ids)
    yield from sorted(changes, key=lambda change: (change.subject, change.relation, change.object, change.what))


def _said(assertion: Assertion) -> tuple[str, str, str]:
    return assertion.subject, assertion.relation, assertion.object if assertion.object is not None else assertion.value or ""
