"""The registry as it is published: what seeds say, with what people accepted and rejected since, and with what is one.

In: the registry of the seeds and a log of judgements. Out: the same entities with accepted aliases and without rejected ones,
those that an accepted review minted, and redirects. Nothing of the seeds is rewritten, so that every judgement can be taken back:
without it, exactly the registry of before comes out. Questions that follow (clusters with a contradiction, identifiers that lost
their power) are collected beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from entities.clusters import Clusters, Edge, Undecided, clusters, edge
from entities.compare import SINGLE, is_exclusive
from entities.folding import NAME
from entities.judgements import Judgements
from entities.names import PERSON, folded, form_of
from ingest.model.entity import Candidate, Entity, Identifier, Name, Proposal, Redirect, Registry, minted_id

ASSERTED = "urn:kb:assertion:"
"""How a text begins that is no name but the id of a proposed assertion, which people accept and reject in the same way."""

_DECISIVE_KINDS = ("preferred", "legal")
"""Names that are equal of one entity and of another make them one; an alias or abbreviation may be that of several."""


@dataclass(frozen=True, slots=True)
class Judged:
    """`registry`: what is published. `powerless`: identifiers that too many entities have to name one. `undecided`: edges that
    wait for a person, also those that such identifiers once decided."""

    registry: Registry
    powerless: frozenset[Identifier]
    undecided: tuple[Undecided, ...]

    def candidates(self) -> tuple[Candidate, ...]:
        """What is undecided, as questions of the review queue, by entity."""
        entities = {entity.entity_id: entity for entity in self.registry.entities}
        asked: dict[str, list[Undecided]] = defaultdict(list)
        for each in self.undecided:
            if all(id in entities for id in each.edge.pair):
                asked[each.edge.pair[0]].append(each)
        return tuple(_question(entities, id, found) for id, found in sorted(asked.items()))


def judged_registry(seeds: Registry, log: Judgements, *, owners_most: int = 3) -> Judged:
    """Return what follows from seeds and judgements. `owners_most`: an identifier that more entities have loses its power."""
    entities = tuple(sorted(_judged_entities(seeds.entities, log), key=lambda entity: entity.entity_id))
    owners = owners_of(entities)
    powerless = frozenset(item for item, ids in owners.items() if len(ids) > owners_most)
    conflicts = _Conflicts(entities, powerless)
    proven = {*_by_identifier(owners, powerless, entities), *_by_name(entities)}
    found = clusters({*proven, *_by_judgement(log, entities)}, log.apart, conflicts)
    asked_again = _asked_again(owners, powerless, found, log)
    said_once = _said_once(entities, clusters(proven, log.apart, conflicts).redirects)
    registry = replace(seeds, entities=said_once, redirects=found.redirects)
    return Judged(registry, powerless, tuple(sorted({*found.undecided, *asked_again})))


def _judged_entities(entities: Iterable[Entity], log: Judgements) -> Iterable[Entity]:
    """The entities with the names that judgements gave and without those that they took, and the entities that they minted."""
    given: dict[str, list[Name]] = defaultdict(list)
    taken: dict[str, set[str]] = defaultdict(set)
    types = {entity.entity_id: entity.type for entity in entities}
    for (text, type), about in sorted(log.of_text.items()):
        for id, entry in sorted(about.items()) if not text.startswith(ASSERTED) else ():
            if entry.kind == "accept" and not entry.entities:
                yield minted_by(entry.judgement_id, type, entry.text or text)
            elif types.get(id) != type:
                continue  # an entity that is not here, or another type now: types never mix
            elif entry.kind == "accept":
                given[id].append(Name(entry.text or text, "alternate", source=entry.judgement_id))
            else:
                taken[id].add(text)
    for entity in entities:
        yield _renamed(entity, given[entity.entity_id], taken[entity.entity_id]) if entity.entity_id in given or (
            entity.entity_id in taken
        ) else entity


def minted_by(judgement_id: str, type: str, text: str) -> Entity:
    """The entity that an accepted review made, of something that the registry did not know."""
    return Entity(minted_id(type, "judgement", judgement_id), type, (Name(text, "preferred", source=judgement_id),))


def _renamed(entity: Entity, given: Sequence[Name], taken: set[str]) -> Entity:
    """Its last name stays whatever was rejected: an entity is called something."""
    kept = tuple(name for name in entity.names if folded(name.text) not in taken) or entity.names[:1]
    held = {folded(name.text) for name in kept}
    return replace(entity, names=(*kept, *(name for name in given if folded(name.text) not in held)))


def owners_of(entities: Iterable[Entity]) -> dict[Identifier, tuple[str, ...]]:
    """Exclusive identifiers that several entities of one type have -> these, sorted."""
    found: dict[tuple[Identifier, str], list[str]] = defaultdict(list)
    for entity in entities:
        for item in entity.identifiers:
            if is_exclusive(item.scheme):
                found[item, entity.type].append(entity.entity_id)
    shared: dict[Identifier, tuple[str, ...]] = {}
    for (item, _), ids in found.items():
        if len(set(ids)) > 1:
            shared[item] = tuple(sorted({*shared.get(item, ()), *ids}))
    return shared


def _by_identifier(
    owners: Mapping[Identifier, Sequence[str]], powerless: frozenset[Identifier], entities: Sequence[Entity]
) -> Iterable[Edge]:
    types = {entity.entity_id: entity.type for entity in entities}
    for item, ids in owners.items():
        if item not in powerless:
            yield from (edge(one, other, "identifier", f"identifier in common: {item.scheme} {item.value}")
                        for one, other in _chained(ids) if types[one] == types[other])


def _by_name(entities: Iterable[Entity]) -> Iterable[Edge]:
    """Edges between entities whose preferred or legal names have one normal form; not of persons."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for entity in entities:
        if entity.type != PERSON:
            for name in entity.names:
                if name.kind in _DECISIVE_KINDS and (key := form_of(name.text, entity.type).key):
                    found[entity.type, key].add(entity.entity_id)
    for (_, key), ids in found.items():
        yield from (edge(one, other, "name", f"equal normal form: {key}") for one, other in _chained(sorted(ids)))


def _chained(ids: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Each with the first: all that is needed to join them."""
    return ((ids[0], other) for other in ids[1:])


def _said_once(entities: Sequence[Entity], proven: Sequence[Redirect]) -> tuple[Entity, ...]:
    """The entities, where those that are one by identifier or name have each name and identifier only once, at the smallest id.

    Else what several are called would name neither of them in any text. Merges by judgement are left alone: they, and taking them
    back, change no mention."""
    into = {redirect.entity_id: redirect.into for redirect in proven}
    names: dict[str, set[str]] = defaultdict(set)
    identifiers: dict[str, set[Identifier]] = defaultdict(set)
    said: list[Entity] = []
    concerned = {*into, *into.values()}
    for entity in entities:  # by id, so the one that survives comes first
        if entity.entity_id not in concerned:
            said.append(entity)
            continue
        meant = into.get(entity.entity_id, entity.entity_id)
        own = tuple(name for name in entity.names if NAME(name.text).text not in names[meant])
        proofs = tuple(item for item in entity.identifiers if item not in identifiers[meant])
        names[meant].update(NAME(name.text).text for name in own)
        identifiers[meant].update(proofs)
        said.append(replace(entity, names=own, identifiers=proofs))
    return tuple(said)


def _by_judgement(log: Judgements, entities: Iterable[Entity]) -> Iterable[Edge]:
    types = {entity.entity_id: entity.type for entity in entities}
    for (one, other), entry in log.merged.items():
        if types.get(one, "") == types.get(other):
            yield edge(one, other, "judgement", f"{entry.actor}: {entry.reason}")


class _Conflicts:
    """Says of entities whether their identifiers forbid that they are one."""

    def __init__(self, entities: Iterable[Entity], powerless: frozenset[Identifier]) -> None:
        self._held = {
            entity.entity_id: [item for item in entity.identifiers if item.scheme in SINGLE and item not in powerless]
            for entity in entities
        }

    def __call__(self, members: Sequence[str]) -> str | None:
        values: dict[str, str] = {}
        for id in members:
            for item in self._held.get(id, ()):
                if values.setdefault(item.scheme, item.value) != item.value:
                    return f"identifiers conflict: {item.scheme} {values[item.scheme]} and {item.value}"
        return None


def _asked_again(
    owners: Mapping[Identifier, Sequence[str]], powerless: frozenset[Identifier], found: Clusters, log: Judgements
) -> Iterable[Undecided]:
    """What identifiers without power would have decided, and did while fewer had them."""
    ends = {redirect.entity_id: redirect.into for redirect in found.redirects}
    for item in powerless:
        ids = owners[item]
        words = f"identifier in common: {item.scheme} {item.value}"
        for one, other in _chained(ids):
            if ends.get(one, one) != ends.get(other, other) and log.of_pair(one, other) is None:
                why = f"{len(ids)} entities have {item.scheme} {item.value}, so it names none of them"
                yield Undecided(edge(one, other, "identifier", words), why)


def _question(entities: Mapping[str, Entity], id: str, found: Sequence[Undecided]) -> Candidate:
    proposals: dict[str, list[str]] = defaultdict(list)
    for each in found:
        proposals[each.edge.pair[1]].append(each.edge.words)
    return Candidate(
        entities[id].type, entities[id].label, id,
        tuple(
            Proposal(other, entities[other].label, entities[other].label, 1.0, tuple(sorted(set(words))))
            for other, words in sorted(proposals.items())
        ),
        "; ".join(sorted({each.why for each in found})),
    )
