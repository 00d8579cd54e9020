"""Reviewed assertions that contradict one another, as far as a caller may see both: all of a generation, or those that concern an
answer.

Which relations admit one object at a time is said by the vocabulary and by seeds; what contradicts what by
`entities.assertions.standing`. An assertion shows when its evidence and both of its ends do: of two that contradict, one of
which is hidden, nothing is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from entities.assertions.standing import standings
from indexes.generation.snapshot import Snapshot
from indexes.query.passages import squeezed, stands
from indexes.query.visible import Visible
from ingest.model.entity import Assertion, followed
from ingest.model.evidence import Conflict, Evidence
from ingest.model.predicate import Predicate
from ingest.settings import Settings

_MOST = 200
"""Assertions of one entity that show and are compared; what is hidden takes no place of theirs."""


@dataclass(frozen=True, slots=True)
class Odd:
    """Assertions of one entity under one relation that cannot all be true. `message` tells them by names that show, `sources`
    are the uris of the documents that they rest on and that show, `objects` what they name, as it is meant, and `values` what
    they state."""

    entity: str
    message: str
    sources: tuple[str, ...]
    objects: frozenset[str]
    values: frozenset[str]

    def is_said_by(self, item: Evidence) -> bool:
        """Whether a piece of evidence speaks of the entity and of what is at odds: it names an object or states a value, of more
        than one character, or is of a document that one of the assertions rests on."""
        if self.entity not in item.entity_ids:
            return False
        if not self.objects.isdisjoint(item.entity_ids) or item.uri in self.sources:
            return True
        text = squeezed(item.text)
        return any(len(value) > 1 and stands((squeezed(value),), text) for value in self.values)


def contradictions(
    snapshot: Snapshot, predicate: Predicate, instant: str | None, evidence: Sequence[Evidence]
) -> Iterator[Conflict]:
    """Yield what is at odds at `instant` (None: at any time) and concerns an answer: some of its evidence says a side of it."""
    entities = {id for item in evidence for id in item.entity_ids}
    for odd in at_odds(snapshot, Visible(snapshot, predicate), instant, entities, _MOST):
        said = tuple(item.citation for item in evidence if odd.is_said_by(item))
        if said:
            yield Conflict("assertions", odd.message, odd.sources, said)


def at_odds(
    snapshot: Snapshot, visible: Visible, instant: str | None, entities: Collection[str] | None = None, most: int | None = None
) -> Iterator[Odd]:
    """Yield what is at odds at `instant` (None: at any time) about `entities`, each called by the id that it means, or about all
    there are, by entity and relation. `most`: assertions of one entity that are compared, None for all."""
    if entities is not None and not entities:
        return
    by_subject = snapshot.kept("exclusive assertions", lambda: _exclusive(snapshot))
    redirects = snapshot.manifest.redirects
    for entity in sorted(by_subject if entities is None else by_subject.keys() & set(entities)):
        said = list(islice(filter(visible.assertion, by_subject[entity]), most))
        stood = standings(said, {each.relation for each in said}, redirects) if len(said) > 1 else []
        holding = [each for each in stood if instant is None or each.holds_at(instant)]
        ids = {each.assertion.assertion_id for each in holding}
        odd = [each.assertion for each in holding if not ids.isdisjoint(each.contradicts)]
        for relation in sorted({each.relation for each in odd}):
            yield _told(snapshot, visible, entity, relation, [each for each in odd if each.relation == relation])


def _told(snapshot: Snapshot, visible: Visible, entity: str, relation: str, odd: Sequence[Assertion]) -> Odd:
    objects = {each.object for each in odd if each.object is not None}
    values = frozenset(each.value for each in odd if each.value)
    told = " and ".join(sorted({*(_label(visible, id) for id in objects), *values}))
    return Odd(
        entity, f"{_label(visible, entity)} {relation}: {told} hold at the same time",
        tuple(sorted({uri for each in odd if each.evidence for uri in visible.uris(each.evidence)})),
        frozenset(followed(id, snapshot.manifest.redirects) for id in objects), values,
    )


def _label(visible: Visible, id: str) -> str:
    """A name of an entity that shows, else its id."""
    return next((entity.label for entity in visible.members(id).values()), id)


def _exclusive(snapshot: Snapshot) -> dict[str, list[Assertion]]:
    """Every assertion under a relation that admits one object at a time, by the entity that its subject means."""
    relations = exclusive_relations(snapshot)
    found: dict[str, list[Assertion]] = defaultdict(list)
    for fact in snapshot.catalog.facts("assertions", snapshot.generation):
        if fact.stated(Assertion)["relation"] in relations:
            assertion = fact.noun(Assertion)
            found[followed(assertion.subject, snapshot.manifest.redirects)].append(assertion)
    return {subject: group for subject, group in found.items() if len(group) > 1}


def exclusive_relations(snapshot: Snapshot) -> frozenset[str]:
    """Return the relations that admit one object at a time: by the vocabulary, and as seeds say; seeds that do not speak of it
    are not read."""
    return snapshot.kept("exclusive relations", lambda: _read(snapshot.settings))


def _read(settings: Settings) -> frozenset[str]:
    from entities.registry import load_seeds
    from entities.relations import vocabulary

    base = Path(settings.base)
    listed = vocabulary(base / file for file in settings.entities.vocabulary).exclusive
    seeds = [base / file for file in (*settings.entities.seeds, settings.entities.imported)]
    telling = [seed for seed in seeds if seed.is_file() and b"exclusive" in seed.read_bytes()]
    return listed | frozenset(load_seeds(telling).exclusive) if telling else listed
