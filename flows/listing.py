"""The entities of a generation as a caller may see them: listed by name, by how often they are mentioned, or by centrality."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from entities.assertions.standing import standings
from flows.opening import reading
from flows.reviewed import exclusive_of, vocabulary_of
from indexes.generation.snapshot import Snapshot
from indexes.query.request import Request, predicate_of
from indexes.query.visible import Visible, folded
from ingest.errors import NotFound
from ingest.model.access import Principal
from ingest.model.canonical import plain
from ingest.model.edge import REGISTRY
from ingest.model.entity import Assertion, Entity, followed
from ingest.model.predicate import Predicate
from ingest.settings import Settings

By = Literal["name", "mentions", "centrality"]

_MENTIONS = 1000
"""Chunks that are counted for one entity."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An entity in a list. `mentions`: chunks that show and name it, or an id that was merged into it (1000 at most an id).
    `merged`: those ids. `score`: of what it was ordered by, None for names."""

    entity_id: str
    type: str
    label: str
    mentions: int
    merged: tuple[str, ...]
    score: float | None = None


def listed(
    settings: Settings, who: Principal, *, type: str | None = None, name: str | None = None, by: By = "name", limit: int = 50,
    generation: int | None = None,
) -> list[Listed]:
    """Return entities: those of a `type`, those with a name that contains `name`. Merged ids are listed under what they mean."""
    with _looking(settings, who, generation) as (snapshot, visible, predicate):
        redirects = snapshot.manifest.redirects
        found: dict[str, list[Entity]] = {}
        for entity in entities_seen(snapshot, visible):
            found.setdefault(followed(entity.entity_id, redirects), []).append(entity)
        scores = _centrality(settings, snapshot, predicate, found) if by == "centrality" else {}
        rows = []
        for id, group in found.items():
            head = next((entity for entity in group if entity.entity_id == id), group[0])
            if (type is None or head.type == type) and (name is None or _named(group, name)):
                mentions = sum(len(visible.mentioning(entity.entity_id, _MENTIONS)) for entity in group)
                merged = tuple(sorted(entity.entity_id for entity in group if entity.entity_id != id))
                score = scores.get(id, 0.0) if by == "centrality" else float(mentions) if by == "mentions" else None
                rows.append(Listed(id, head.type, head.label, mentions, merged, score))
        return sorted(rows, key=lambda row: (-(row.score or 0.0), row.label, row.entity_id))[:limit]


def told(settings: Settings, id: str, who: Principal, generation: int | None = None) -> dict[str, Any]:
    """Return what is known of an entity as JSON types. An id that was merged gives the one that it means. Raises NotFound."""
    with _looking(settings, who, generation) as (snapshot, visible, _):
        redirects = snapshot.manifest.redirects
        meant = followed(id, redirects)
        group = visible.members(id)
        if not group:
            raise NotFound(f"no entity that this caller may see is called {id}; `ingest entities list` shows those that are")
        head = group.get(meant) or next(iter(group.values()))
        exclusive = exclusive_of(settings)
        said = [assertion for assertion in _assertions(snapshot, set(group)) if visible.assertion(assertion)]
        about = [assertion for assertion in said if assertion.subject in group]
        stood = standings(about, exclusive, redirects)
        return {
            "entity_id": head.entity_id, "type": head.type, "label": head.label, "status": head.status,
            "names": [plain(name) for entity in group.values() for name in entity.names],
            "identifiers": [plain(item) for entity in group.values() for item in entity.identifiers],
            "merged": sorted(group.keys() - {head.entity_id}),
            "mentioned_in": [chunk for entity in group for chunk in visible.mentioning(entity, 20)][:20],
            "assertions": [
                {"assertion_id": each.assertion.assertion_id, **plain(each.assertion), "superseded_by": each.superseded_by,
                 "contradicts": list(each.contradicts)} for each in stood
            ],
            "referred_to_by": [
                {"assertion_id": each.assertion_id, **plain(each)} for each in said if each.subject not in group
            ],
        }


def entities_seen(snapshot: Snapshot, visible: Visible) -> Iterator[Entity]:
    """Yield every entity of a generation that shows, with what of it shows: as the registry says where that knows it."""
    last: Entity | None = None
    by_registry = False
    for fact in snapshot.catalog.facts("entities", snapshot.generation):
        entity = fact.noun(Entity)
        if last is not None and entity.entity_id != last.entity_id:
            if (seen := visible.entity(last)) is not None:
                yield seen
            last, by_registry = None, False
        if last is None or (fact.source_id == REGISTRY and not by_registry):
            last, by_registry = entity, fact.source_id == REGISTRY
    if last is not None and (seen := visible.entity(last)) is not None:
        yield seen


@contextmanager
def _looking(settings: Settings, who: Principal, generation: int | None) -> Iterator[tuple[Snapshot, Visible, Predicate]]:
    with reading(settings, generation) as snapshot:
        predicate = predicate_of(Request("", principal=who, statuses=None), snapshot, instant=None)
        yield snapshot, Visible(snapshot, predicate), predicate


def _assertions(snapshot: Snapshot, ids: set[str]) -> Iterator[Assertion]:
    written = [orjson.dumps(id) for id in ids]  # as the payload has them: most facts need not be decoded to be passed over
    for fact in snapshot.catalog.facts("assertions", snapshot.generation):
        if not any(id in fact.payload for id in written):
            continue
        assertion = fact.noun(Assertion)
        if assertion.subject in ids or assertion.object in ids:
            yield assertion


def _centrality(
    settings: Settings, snapshot: Snapshot, predicate: Predicate, found: dict[str, list[Entity]]
) -> dict[str, float]:
    from indexes.graph.centrality import centrality

    ids = [entity.entity_id for group in found.values() for entity in group]
    return centrality(snapshot.graph, ids, sorted(vocabulary_of(settings)), predicate, snapshot.manifest.redirects)


def _named(group: list[Entity], name: str) -> bool:
    wanted = folded(name)
    return any(wanted in folded(each.text) for entity in group for each in entity.names)
