"""What is known of an entity, as far as it shows: its names, where it is mentioned, what is said of it and by what."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from entities.assertions.standing import Standing, standings
from indexes.query.asserted import exclusive_relations
from indexes.serve.answers import Entities, EntityTold, Identified, NameOf, Said
from indexes.serve.arguments import EntityGet
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking
from ingest.model.entity import Assertion, Entity, followed

_MENTIONS = 20
_SAID = 200
"""Assertions told on either side."""


def entity_get(asking: Asking, asked: EntityGet) -> Told:
    """What is known of an entity: names, identifiers, passages that mention it, and assertions with their time and evidence,
    including those that contradict one another."""
    found, failed = asking.found(asked.kb_ids, asked.entity_id, lambda looking: _told(looking, asked.entity_id))
    seen = tuple(one.seen((one.result.entity_id, *one.result.mentioned_in)) for one in found)
    return Told(Entities(tuple(one.result for one in found), failed), seen)


def _told(looking: Looking, id: str) -> EntityTold | None:
    members = looking.visible.members(id)
    if not members:
        return None
    meant = followed(id, looking.snapshot.manifest.redirects)
    head = members.get(meant) or next(iter(members.values()))
    said = [assertion for assertion in _assertions(looking, members) if looking.visible.assertion(assertion)]
    about = [assertion for assertion in said if assertion.subject in members]
    exclusive, redirects = exclusive_relations(looking.snapshot), looking.snapshot.manifest.redirects
    others = standings([assertion for assertion in said if assertion.subject not in members], (), redirects)
    chunks = dict.fromkeys(chunk for each in members for chunk in looking.visible.mentioning(each, _MENTIONS))
    return EntityTold(
        looking.kb_id, looking.snapshot.generation, meant, head.type, head.label, head.status,
        tuple(dict.fromkeys(_name(each) for entity in members.values() for each in entity.names)),
        identifiers_of(members.values()), tuple(sorted(members.keys() - {meant})), tuple(chunks)[:_MENTIONS],
        tuple(_said(looking, each) for each in standings(about, exclusive, redirects)[:_SAID]),
        tuple(_said(looking, each) for each in others[:_SAID]),
    )


def _assertions(looking: Looking, ids: Collection[str]) -> Iterator[Assertion]:
    """Every assertion of a generation with one of `ids` at an end, whether it shows or not."""
    for fact in looking.snapshot.catalog.facts("assertions", looking.snapshot.generation):
        stated = fact.stated(Assertion)
        if stated["subject"] in ids or stated["object"] in ids:
            yield fact.noun(Assertion)


def identifiers_of(entities: Collection[Entity]) -> tuple[Identified, ...]:
    """Return the identifiers of several entities that mean the same."""
    return tuple(dict.fromkeys(Identified(item.scheme, item.value) for entity in entities for item in entity.identifiers))


def _name(name: object) -> NameOf:
    return NameOf(*(getattr(name, field) for field in ("text", "kind", "language", "valid_from", "valid_until")))


def _said(looking: Looking, standing: Standing) -> Said:
    each = standing.assertion
    label = None
    if each.object is not None:
        label = next((entity.label for entity in looking.visible.members(each.object).values()), None)
    evidence = next(iter(looking.visible.uris(each.evidence)), "") if each.evidence else ""
    return Said(
        each.assertion_id, each.subject, each.relation, each.object, label, each.value, evidence, each.valid_from,
        standing.valid_until, each.confidence, standing.superseded_by, standing.contradicts,
    )
