"""Whether reviewed material can be taken: every entry looked at, everything that is wrong told with its place and a remedy.

In: entries of files, and the registry that they join. Out: entities and assertions that fit it, and the problems. Nothing is
guessed: an entity has an id, or an identifier that proves itself and makes one; what an assertion speaks of is an id, or such an
identifier, never a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from entities.identifiers import NORMALISERS
from entities.registry import assertion_of, entity_of
from entities.relations import Relation, Vocabulary
from entities.seeds.entry import ASSERTION, ENTITY, EXCLUSIVE, MENTIONED, REDIRECTED, SeedEntry, SeedProblem
from ingest.model.entity import ENTITY_TYPES, Assertion, Entity, Identifier, Registry, minted_id
from ingest.model.instant import parse_instant

_IDENTIFIER = re.compile(r"([A-Za-z][\w-]*):(?!//)(.+)")


@dataclass(frozen=True, slots=True)
class Imported:
    """What of some files can be taken. `entities` and `assertions`: those that the registry has not, or has otherwise.
    `redirects`: id -> id, as exports tell them of merged entities. `problems` in the order of the files."""

    entities: tuple[Entity, ...]
    assertions: tuple[Assertion, ...]
    exclusive: tuple[str, ...]
    redirects: dict[str, str]
    problems: tuple[SeedProblem, ...]
    new: int = 0
    changed: int = 0
    same: int = 0

    @property
    def fatal(self) -> bool:
        return any(problem.fatal for problem in self.problems)


def validated(
    entries: Iterable[SeedEntry | SeedProblem], known: Registry, vocabulary: Vocabulary, replaceable: frozenset[str] = frozenset()
) -> Imported:
    """Return what of `entries` fits `known`. `replaceable`: ids whose description in `known` came by an import and may change."""
    return Validation(known, vocabulary, replaceable).of(entries)


class _Wrong(Exception):
    """What is wrong with an entry, and the remedy."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.remedy = remedy


class Validation:
    """The steps of `validated`, against one registry. `assertions` may be asked again and again."""

    def __init__(self, known: Registry, vocabulary: Vocabulary, replaceable: frozenset[str] = frozenset()) -> None:
        self._vocabulary = vocabulary
        self._replaceable = replaceable
        self._known = {entity.entity_id: entity for entity in known.entities}
        self._asserted = {assertion.assertion_id for assertion in known.assertions}
        self._owners = {item: entity.entity_id for entity in known.entities for item in entity.identifiers}
        self._fresh: dict[str, Entity] = {}
        self._places: dict[str, str] = {}
        self._problems: list[SeedProblem] = []
        self._counts = {"new": 0, "changed": 0, "same": 0}

    def assertions(self, entries: Iterable[SeedEntry | SeedProblem]) -> tuple[list[Assertion], list[SeedProblem]]:
        """Return the assertions among `entries` that fit the registry, each once, and what is wrong with the others."""
        self._problems = []
        made: dict[str, Assertion] = {}
        for entry in entries:
            if isinstance(entry, SeedProblem):
                self._problems.append(entry)
            elif (assertion := self._checked(entry, self._assertion)) is not None:
                made[assertion.assertion_id] = assertion
        return list(made.values()), self._problems

    def of(self, entries: Iterable[SeedEntry | SeedProblem]) -> Imported:
        waiting: dict[str, list[SeedEntry]] = {MENTIONED: [], ASSERTION: [], EXCLUSIVE: [], REDIRECTED: []}
        for entry in entries:
            if isinstance(entry, SeedProblem):
                self._problems.append(entry)
            elif entry.kind == ENTITY:
                self._checked(entry, self._entity)
            else:
                waiting[entry.kind].append(entry)
        for entry in waiting[MENTIONED]:  # now that everybody who is described fully is known
            self._checked(entry, self._mentioned)
        asserted = [made for entry in waiting[ASSERTION] if (made := self._checked(entry, self._assertion)) is not None]
        exclusive = {made for entry in waiting[EXCLUSIVE] if (made := self._checked(entry, self._exclusive)) is not None}
        redirects = dict(made for entry in waiting[REDIRECTED] if (made := self._checked(entry, self._redirect)) is not None)
        assertions = {assertion.assertion_id: assertion for assertion in asserted}
        return Imported(
            tuple(self._fresh[id] for id in sorted(self._fresh)), tuple(assertions[id] for id in sorted(assertions)),
            tuple(sorted(exclusive)), redirects, tuple(self._problems), **self._counts,
        )

    def _checked(self, entry: SeedEntry, check: Any) -> Any:
        try:
            return check(entry)
        except _Wrong as wrong:
            self._problems.append(SeedProblem(entry.place, str(wrong), wrong.remedy))
        except (KeyError, TypeError, ValueError) as error:
            missing = isinstance(error, KeyError)
            message = f"the key {error} is missing" if missing else str(error)
            self._problems.append(SeedProblem(entry.place, message, "add it" if missing else "correct it in the file"))
        return None

    # Entities

    def _entity(self, entry: SeedEntry) -> None:
        entity = self._read(entry.data)
        before = self._known.get(entity.entity_id)
        if (elsewhere := self._places.get(entity.entity_id)) is not None and self._described(entity.entity_id) != entity:
            raise _Wrong(f"{entity.entity_id} is described twice, differently (also at {elsewhere})", "keep one description")
        self._unclaimed(entity)
        if entity.entity_id in self._places:
            return
        self._places[entity.entity_id] = entry.place
        if before == entity:
            self._counts["same"] += 1
            return
        if before is not None and entity.entity_id not in self._replaceable:
            raise _Wrong(
                f"{entity.entity_id} is described otherwise by a seed file ({_differing(before, entity)})",
                "change it in that seed file (entities.seeds names it): imports do not overrule one",
            )
        if before is not None and before.type != entity.type:
            raise _Wrong(
                f"{entity.entity_id} is a {before.type}, here it is a {entity.type}", "types never change; give it another id"
            )
        self._counts["new" if before is None else "changed"] += 1
        self._take(entity)

    def _mentioned(self, entry: SeedEntry) -> None:
        data = dict(entry.data)
        if self._id_of(data) not in (self._known.keys() | self._fresh.keys()):
            entity = self._read(data)
            self._unclaimed(entity)
            self._counts["new"] += 1
            self._take(entity)

    def _take(self, entity: Entity) -> None:
        self._fresh[entity.entity_id] = entity
        self._owners.update((item, entity.entity_id) for item in entity.identifiers)

    def _described(self, id: str) -> Entity | None:
        return self._fresh.get(id) or self._known.get(id)

    def _read(self, data: dict[str, Any]) -> Entity:
        data = dict(data)
        kind = data.get("type")
        if kind not in ENTITY_TYPES:
            raise _Wrong(f"unknown type {kind!r}", f"use one of {', '.join(ENTITY_TYPES)}")
        if not data.get("names"):
            raise _Wrong("an entity needs a name", "give it a name, or delete the entry")
        for identifier in data.get("identifiers") or ():
            if not (isinstance(identifier, dict) and identifier.get("scheme") and identifier.get("value")):
                raise _Wrong(f"{identifier!r} is no identifier", "write a scheme and a value, as in uscc:91440300MAYM7K2A69")
            scheme = str(identifier["scheme"]).strip().lower()
            if scheme in NORMALISERS and self._normal(scheme, identifier["value"]) is None:
                raise _Wrong(f"{identifier['value']!r} is not a valid {scheme}: a check digit does not hold",
                             "compare it with where it was copied from, or leave it out")
        if not data.get("id"):
            data["id"] = self._id_of(data)
            if data["id"] is None:
                raise _Wrong("it has no id and no identifier that proves itself",
                             f"add an id (urn:kb:entity:...), or one of the identifiers {', '.join(sorted(NORMALISERS))}")
        if any(character.isspace() for character in str(data["id"])):
            raise _Wrong(f"the id {data['id']!r} has spaces", "write an id as an address without spaces (urn:kb:entity:...)")
        return entity_of(data)

    def _id_of(self, data: dict[str, Any]) -> str | None:
        """The id of an entry: its own, that of whoever has one of its identifiers, or what the first valid one mints."""
        if data.get("id"):
            return str(data["id"])
        minted = None
        for item in data.get("identifiers") or ():
            normal = self._normal(item.get("scheme"), item.get("value"))
            if normal is not None and normal in self._owners:
                return self._owners[normal]
            if normal is not None and minted is None:
                minted = minted_id(data.get("type", ""), normal.scheme, normal.value)
        return minted

    def _normal(self, scheme: Any, value: Any) -> Identifier | None:
        """An identifier that proves itself, in its normal form."""
        name = str(scheme).strip().lower()
        normal = NORMALISERS[name](str(value)) if name in NORMALISERS else None
        return None if normal is None else Identifier(name, normal)

    def _unclaimed(self, entity: Entity) -> None:
        for item in entity.identifiers:
            owner = self._owners.get(item)
            if item.scheme in NORMALISERS and owner is not None and owner != entity.entity_id:
                raise _Wrong(
                    f"{item.scheme} {item.value} belongs to {owner}, and names one entity only",
                    f"leave it with one of the two, or if they are the same: ingest entities merge {owner} {entity.entity_id}",
                )

    # Assertions

    def _assertion(self, entry: SeedEntry) -> Assertion | None:
        data = {key: value for key, value in entry.data.items() if value is not None}
        relation = self._relation(data.get("relation"))
        data["relation"] = relation.name
        for end, described in (("subject", entry.subject), ("object", entry.object)):
            if end == "subject" or "object" in data or described is not None:
                data[end] = self._end(end, data.get(end), described)
        if relation.literal and "object" in data:
            raise _Wrong(f"{relation.name} leads to a value, not to an entity", "write it under value")
        if relation.range and not relation.literal and "object" not in data:
            raise _Wrong(f"{relation.name} leads to an entity, not to a value", "write the id of that entity under object")
        self._fits(relation, "subject", data["subject"], relation.domain)
        if "object" in data:
            self._fits(relation, "object", data["object"], relation.range)
        elif relation.literal and "value" in data:
            data["value"] = _value(relation, data["value"])
        assertion = assertion_of(data)
        if assertion.valid_from and assertion.valid_until and assertion.valid_from >= assertion.valid_until:
            raise _Wrong(f"it ends ({assertion.valid_until}) before it begins ({assertion.valid_from})", "correct the window")
        return None if assertion.assertion_id in self._asserted else assertion

    def _relation(self, word: Any) -> Relation:
        found = self._vocabulary.find(str(word)) if word else None
        if found is None:
            near = self._vocabulary.nearest(str(word)) if word else None
            hint = f"perhaps {near}; or " if near else ""
            raise _Wrong(f"{word!r} is no relation of the vocabulary", f"{hint}add it to a vocabulary file (entities.vocabulary)")
        return found

    def _end(self, end: str, said: Any, described: dict[str, Any] | None) -> str:
        if said is None and described is not None:
            said = self._id_of(described)
        id = str(said).strip() if said is not None else ""
        if self._described(id) is not None:
            return id
        match = _IDENTIFIER.fullmatch(id)
        normal = self._normal(match[1], match[2]) if match else None
        if normal is not None and normal in self._owners:
            return self._owners[normal]
        if not id:
            raise _Wrong(f"it has no {end}", "write the id of an entity")
        described_ = (*self._known.values(), *self._fresh.values())
        named = sorted(entity.entity_id for entity in described_ if any(name.text == id for name in entity.names))
        remedy = f"entities of this name: {', '.join(named)}; write the id of the one that is meant" if named else (
            "write the id of an entity that the registry has, or describe it in the file")
        raise _Wrong(f"the {end} {id} is no entity of the registry", remedy)

    def _fits(self, relation: Relation, end: str, id: str, types: tuple[str, ...]) -> None:
        entity = self._described(id)
        if entity is not None and types and entity.type not in types:
            raise _Wrong(f"the {end} of {relation.name} is {' or '.join(types)}, and {id} is a {entity.type}",
                         "use another relation, or the entity that is meant")

    def _exclusive(self, entry: SeedEntry) -> str:
        return self._relation(entry.data.get("relation")).name

    def _redirect(self, entry: SeedEntry) -> tuple[str, str]:
        return self._end("id", entry.data.get("id"), None), self._end("into", entry.data.get("into"), None)


def _value(relation: Relation, value: Any) -> Any:
    """A value in the form that its relation asks for: days as YYYY-MM-DD, numbers as numbers."""
    text = str(value).strip()
    if "date" in relation.range:
        try:
            return parse_instant(value if not isinstance(value, str) else text)[:10]
        except ValueError as error:
            raise _Wrong(str(error), "write a day as 2025-07-01") from error
    if "number" in relation.range:
        try:
            float(text.replace(",", ""))
        except ValueError:
            raise _Wrong(f"{text!r} is no number", "write digits") from None
        return text.replace(",", "")
    if "url" in relation.range and "://" not in text:
        raise _Wrong(f"{text!r} is no web address", "begin it with https://")
    return text if isinstance(value, str) else value


def _differing(before: Entity, after: Entity) -> str:
    fields = [name for name in ("type", "names", "identifiers", "status") if getattr(before, name) != getattr(after, name)]
    return ", ".join(fields)


def joined(known: Registry, imported: Imported) -> Registry:
    """Return a registry with what was imported in it."""
    entities = {entity.entity_id: entity for entity in (*known.entities, *imported.entities)}
    assertions = {assertion.assertion_id: assertion for assertion in (*known.assertions, *imported.assertions)}
    return replace(
        known, entities=tuple(entities[id] for id in sorted(entities)),
        assertions=tuple(assertions[id] for id in sorted(assertions)),
        exclusive=tuple(sorted({*known.exclusive, *imported.exclusive})),
    )


def seeded(problems: Iterable[SeedProblem]) -> Iterator[str]:
    """The problems as lines for people."""
    for problem in problems:
        yield f"{problem.place}: {'' if problem.fatal else 'note: '}{problem.message}; {problem.remedy}"
