"""Whom a text names: the tiers of resolution against a whole registry, and the questions that are left.

    0  judgements     what a person accepted holds; what a person rejected is never proposed again
    1  identifiers    a valid one read with the text, that one entity has
    2  dictionary     the text is a name of one entity; of several: review
    3  normal form    it is, but for spelling, a name of one entity; of several: review; never of persons
    4  guards         whoever differs in a number, a place, a branch ... is left out
    5  likeness       orders who remains, for review

Only entities of the text's own type are looked at; a text of no known type is looked up among all and never accepted by its form.
Everything that is accepted or proposed says why, in words and numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from entities.block import Grams, Table
from entities.compare import conflict, is_exclusive, stated
from entities.guards import objections
from entities.judgements import Judgements
from entities.names import PERSON, Form, folded, form_of
from entities.score import describes, likeness, score_of
from entities.score_described import Rarity
from ingest.model.entity import Candidate, Entity, Identifier, Name, Proposal, Registry, followed
from ingest.settings import EntitiesPart

Tier = Literal["judgement", "identifier", "dictionary", "normal form", "likeness", ""]

_BY_GRAMS = 0.35
"""Share of the retrieval's score in the order of proposals; the rest is likeness. From 0.2 to 0.65 recall hardly changes."""


_TWINS_FROM = 0.6
"""Two entities that are described are asked about only when they are more alike than a text and an entity need be."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """`accept`: the text names `entity_id`, by `tier`. `review`: a person decides among `proposals`, best first. `none`: nobody
    in the registry comes into question."""

    outcome: Literal["accept", "review", "none"]
    entity_id: str | None
    tier: Tier
    proposals: tuple[Proposal, ...] = ()
    reasons: tuple[str, ...] = ()


class Resolver:
    """Resolves texts against one registry. The parts that only review needs are built when first asked for. Not for threads."""

    def __init__(self, registry: Registry, log: Judgements | None = None, settings: EntitiesPart | None = None) -> None:
        self._settings = settings or EntitiesPart()
        self._log = log or Judgements()
        self._redirects = registry.redirected()
        self._entities: Sequence[Entity] = [entity for entity in registry.entities if entity.names]
        self._by_id = {entity.entity_id: entity for entity in registry.entities}
        self._dictionary, self._spelled, self._owners = Table(), Table(), self._identified(registry.entities)
        self._forms: dict[str, list[tuple[int, str, Form]]] = {}
        for number, entity in enumerate(self._entities):
            forms = self._forms.setdefault(entity.type, [])
            for name in entity.names:
                form = form_of(name.text, entity.type)
                forms.append((number, name.text, form))
                self._dictionary.add(f"{entity.type}|{folded(name.text)}", number)
                self._spelled.add(f"{entity.type}|{form.key}" if form.key else "", number)
        self._types = tuple(sorted({entity.type for entity in self._entities}))
        self._near: dict[str, _Near] = {}

    def _identified(self, entities: Iterable[Entity]) -> dict[Identifier, tuple[str, ...]]:
        """Exclusive identifier -> the entities, after merging, that have it. Those of too many are left out."""
        found: dict[Identifier, set[str]] = {}
        owners: Counter[Identifier] = Counter()
        for entity in entities:
            for item in entity.identifiers:
                if is_exclusive(item.scheme):
                    found.setdefault(item, set()).add(followed(entity.entity_id, self._redirects))
                    owners[item] += 1
        most = self._settings.identifier_owners
        return {item: tuple(sorted(ids)) for item, ids in found.items() if owners[item] <= most}

    def resolve(
        self, text: str, type: str | None = None, identifiers: Collection[Identifier] = (), *, at: str | None = None
    ) -> Resolution:
        """Return whom `text` names. `identifiers`: read with it, as in `星河软件（91350100M000100Y43）`. `at`: an instant; a name
        that did not hold then decides nothing."""
        read = {*identifiers, *stated(text)}
        types = self._types if type is None else (type,)
        exact = (
            self._judged(text, types) or self._by_identifier(read, types) or self._by_dictionary(text, types, read, at)
            or (self._by_form(text, type, read, at) if type is not None else None)
        )
        if exact is not None:
            return exact
        proposals = self._proposals(text, types, read)
        return Resolution("review" if proposals else "none", None, "likeness" if proposals else "", proposals)

    def candidate(
        self, text: str, type: str, identifiers: Collection[Identifier] = (), evidence: Iterable[str] = ()
    ) -> Candidate | None:
        """Return the question that a text leaves, None where there is none: it was resolved, or nobody comes into question."""
        found = self.resolve(text, type, identifiers)
        if found.outcome != "review":
            return None
        why = "; ".join(found.reasons) or "it is like these names, and likeness decides nothing"
        return Candidate(type, text, None, found.proposals, why, tuple(sorted(set(evidence))))

    def twins(self, limit: int | None = None) -> Iterable[Candidate]:
        """Yield, for every entity, the question which later one (by id) may be the same, where one comes into question. Pairs
        that are merged, or that a person keeps apart, are not asked about."""
        asked = 0
        for entity in self._entities:
            question = self._twins_of(entity)
            if question is not None:
                yield question
                asked += 1
                if limit is not None and asked == limit:
                    return

    def _judged(self, text: str, types: Sequence[str]) -> Resolution | None:
        accepted = {
            followed(id, self._redirects): entry
            for type in types for id, entry in self._log.of_text.get((folded(text), type), {}).items()
            if entry.kind == "accept" and id in self._by_id
        }
        if len(accepted) != 1:
            return None  # nothing, or people differ: the dictionary has all their aliases and asks
        ((id, entry),) = accepted.items()
        return Resolution("accept", id, "judgement", reasons=(f"{entry.actor} accepted it ({entry.reason})",))

    def _by_identifier(self, read: Collection[Identifier], types: Sequence[str]) -> Resolution | None:
        found: dict[str, list[str]] = {}
        for item in sorted(read, key=lambda item: (item.scheme, item.value)):
            for id in self._owners.get(item, ()):
                if self._by_id[id].type in types:
                    found.setdefault(id, []).append(f"identifier in common: {item.scheme} {item.value}")
        if not found:
            return None
        against = sorted(filter(None, {conflict(read, self._by_id[id].identifiers) for id in found}))
        if len(found) == 1 and not against:
            ((id, words),) = found.items()
            return Resolution("accept", id, "identifier", reasons=tuple(words))
        asked = {id: (1.0, words) for id, words in found.items()}
        return self._asked(asked, *(against or ["identifiers of several entities were read with it"]))

    def _by_dictionary(
        self, text: str, types: Sequence[str], read: Collection[Identifier], at: str | None
    ) -> Resolution | None:
        key = folded(text)
        numbers = [number for type in types for number in self._dictionary.get(f"{type}|{key}")]
        return self._one_of(text, numbers, read, "dictionary", at)

    def _by_form(self, text: str, type: str, read: Collection[Identifier], at: str | None) -> Resolution | None:
        if type == PERSON:
            return None
        numbers = self._spelled.get(f"{type}|{form_of(text, type).key}")
        return self._one_of(text, numbers, read, "normal form", at)

    def _one_of(
        self, text: str, numbers: Iterable[int], read: Collection[Identifier], tier: Tier, at: str | None
    ) -> Resolution | None:
        """Accept the one entity that has the name, or ask which of several. Who conflicts with an identifier read is out."""
        found: dict[str, tuple[float, list[str]]] = {}
        doubts = []
        for number in numbers:
            entity = self._entities[number]
            if conflict(read, entity.identifiers) is not None or self._refused(text, entity):
                continue
            name = self._named(text, entity)
            found[followed(entity.entity_id, self._redirects)] = (1.0, [_told(name, tier)])
            if entity.type == PERSON:
                doubts.append("two persons may have this name")
            elif not _held_at(name, at):
                doubts.append(f"{name.text} was its name at another time")
        if not found:
            return None
        if len(found) > 1:
            doubts.append(f"{len(found)} entities have this name")
        if doubts:
            return self._asked(found, *sorted(set(doubts)))
        ((id, (_, words)),) = found.items()
        return Resolution("accept", id, tier, reasons=tuple(words))

    def _named(self, text: str, entity: Entity) -> Name:
        """The name of an entity that a text is, as it stands or but for spelling."""
        key = folded(text)
        return next((name for name in entity.names if folded(name.text) == key), None) or next(
            name for name in entity.names if form_of(name.text, entity.type).key == form_of(text, entity.type).key
        )

    def _refused(self, text: str, entity: Entity) -> bool:
        return self._log.refused(text, entity.type, entity.entity_id)

    def _asked(self, found: dict[str, tuple[float, list[str]]], *why: str) -> Resolution:
        proposals = [
            Proposal(id, self._by_id[id].label, self._by_id[id].label, score, tuple(words))
            for id, (score, words) in sorted(found.items())
        ]
        return Resolution("review", None, "dictionary", tuple(proposals), why)

    def _proposals(self, text: str, types: Sequence[str], read: Collection[Identifier]) -> tuple[Proposal, ...]:
        found = [proposal for type in types for proposal in self._proposed(text, type, read)]
        return _best(found, self._settings.review_proposals)

    def _proposed(
        self, text: str, type: str, read: Collection[Identifier], besides: str | None = None
    ) -> Iterable[Proposal]:
        """Entities of one type that are like a text, each once, by its most likely name."""
        near = self._near_of(type)
        form = form_of(text, type)
        refused = self._log.of_text.get((folded(text), type), {})
        ranked = []
        for number, share in near.grams.near(form, self._settings.review_looked_at):
            entity = self._entities[near.owners[number]]
            if (entity.entity_id in refused and refused[entity.entity_id].kind == "reject") or (
                read and conflict(read, entity.identifiers) is not None
            ):
                continue
            score = round(_BY_GRAMS * share + (1 - _BY_GRAMS) * score_of(form, near.forms[number], near.rarity), 4)
            if score >= self._settings.review_floor:
                ranked.append((-score, followed(entity.entity_id, self._redirects), number, share))
        found: dict[str, Proposal] = {}
        for negative, id, number, share in sorted(ranked):
            if len(found) == self._settings.review_proposals:
                break  # guards are asked only about those that would be shown
            if id != besides and id not in found and not objections(form, near.forms[number], self._settings.guards):
                alike = likeness(form, near.forms[number], near.rarity).reasons
                words = (*alike, f"{share:.0%} of its letters by weight")
                found[id] = Proposal(id, self._by_id[id].label, near.names[number], -negative, words)
        return found.values()

    def _near_of(self, type: str) -> _Near:
        if type not in self._near:
            self._near[type] = _Near(self._forms.get(type, []))
        return self._near[type]

    def _twins_of(self, entity: Entity) -> Candidate | None:
        own = followed(entity.entity_id, self._redirects)
        found: list[Proposal] = []
        for name in entity.names:
            for proposal in self._proposed(name.text, entity.type, entity.identifiers, besides=own):
                if proposal.score >= _TWINS_FROM and proposal.entity_id > own:
                    found.append(proposal)
        found = [proposal for proposal in found if self._log.of_pair(own, proposal.entity_id) is None]
        if own != entity.entity_id or not found:
            return None
        return Candidate(
            entity.type, entity.label, own, _best(found, self._settings.review_proposals),
            "their names are alike, and likeness decides nothing",
        )


class _Near:
    """The names of one type, to be found by what they are made of."""

    def __init__(self, names: Sequence[tuple[int, str, Form]]) -> None:
        self.grams = Grams()
        for _, _, form in names:
            self.grams.add(form)
        self.rarity = Rarity(form for _, _, form in names if describes(form))
        self.owners = [number for number, _, _ in names]
        self.names = [name for _, name, _ in names]
        self.forms = [form for _, _, form in names]


def _best(proposals: Iterable[Proposal], most: int) -> tuple[Proposal, ...]:
    """The best of each entity, best first; ties by id."""
    found: dict[str, Proposal] = {}
    for proposal in sorted(proposals, key=lambda proposal: (-proposal.score, proposal.entity_id, proposal.alike)):
        found.setdefault(proposal.entity_id, proposal)
    return tuple(found.values())[:most]


def _told(name: Name, tier: Tier) -> str:
    window = f", {name.valid_from or '…'} to {name.valid_until or '…'}" if name.valid_from or name.valid_until else ""
    source = f", by {name.source}" if name.source else ""
    spelled = " but for spelling" if tier == "normal form" else ""
    return f"{name.text} is a name of it{spelled} ({name.kind}{window}{source})"


def _held_at(name: Name, at: str | None) -> bool:
    begun = at is None or name.valid_from is None or name.valid_from <= at
    return begun and (at is None or name.valid_until is None or at < name.valid_until)
