"""What an id stands for, as far as a caller may see it.

A chunk shows when its row is admitted; a parent or a document only through rows that are; an entity, each of its names and
identifiers, and an assertion only through evidence that is. Something hidden and something that does not exist give the same
answer.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from indexes.generation.snapshot import Snapshot
from ingest.errors import NotFound
from ingest.model.canonical import plain
from ingest.model.chunk import Parent
from ingest.model.edge import MENTIONS, REGISTRY
from ingest.model.entity import Assertion, Entity, followed
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord, source_id

_MENTIONS_SHOWN = 20
_MENTIONS_READ = 500
"""Chunks that are searched for the names of one entity; a name that occurs in none of them stays hidden."""


class Visible:
    """One generation through the eyes of one caller."""

    def __init__(self, snapshot: Snapshot, predicate: Predicate) -> None:
        self._snapshot = snapshot
        self._predicate = predicate
        self._shows: dict[str, bool] = {}

    def show(self, id: str) -> dict[str, Any]:
        """Return the thing as JSON types with its `kind`. Raises NotFound."""
        for look in (self._chunk, self._parent, self._document, self._entity, self._assertion):
            found = look(id)
            if found is not None:
                return found
        raise NotFound(f"nothing that this caller may see is called {id} in generation {self._snapshot.generation}")

    def _chunk(self, id: str) -> dict[str, Any] | None:
        row = self._get("chunks", id, ChunkRow)
        if row is None or not self._admits(row):
            return None
        mentions = self._snapshot.catalog.get("mentions", self._snapshot.generation, [id])
        record = self._get("sources", row.source_id, SourceRecord)
        redirects = self._snapshot.manifest.redirects
        said = mentions[id].noun(dict)["mentions"] if id in mentions else []
        named = [{**each, "entity_id": followed(each["entity_id"], redirects)} for each in said]
        shown = {**plain(row), "kind": "chunk", "block": row.kind}  # a row's own kind tells what blocks it is made of
        return {"uri": record.uri if record else None, **shown, "mentions": named}

    def _parent(self, id: str) -> dict[str, Any] | None:
        parent = self._get("parents", id, Parent)
        if parent is None:
            return None
        children = [row.chunk_id for row in self._rows(parent.source_id) if row.parent_id == id]
        if not children:
            return None
        record = self._get("sources", parent.source_id, SourceRecord)
        return {"kind": "parent", "uri": record.uri if record else None, **plain(parent), "children": children}

    def _document(self, id: str) -> dict[str, Any] | None:
        urn = id if id.startswith("urn:") else _source_at(id)
        record = self._get("sources", urn, SourceRecord)
        rows = list(self._rows(urn)) if record is not None else []
        if record is None or not rows:
            return None
        facts = self._snapshot.catalog.facts("parents", self._snapshot.generation, source_id=urn)
        seen = {row.parent_id for row in rows}
        parents = [parent for parent in (fact.noun(Parent) for fact in facts) if parent.parent_id in seen]
        return {
            "kind": "document", "uri": record.uri, "title": rows[0].title, "state": record.state, "media_type": record.media_type,
            "revision": record.revision.content, "served": record.served, "declared": plain(record.declared),
            "valid_from": record.valid_from, "valid_until": record.valid_until, "source_id": urn,
            "parents": [
                {"parent_id": parent.parent_id, "heading_path": parent.heading_path, "text": parent.text} for parent in parents
            ],
            "children": [row.chunk_id for row in rows],
        }

    def _entity(self, id: str) -> dict[str, Any] | None:
        """An entity by any of the ids that mean it; ids, names and chunks of the others are only those that show."""
        meant = followed(id, self._snapshot.manifest.redirects)
        members = self.members(id)
        if not members:
            return None
        shown = plain(replace(
            next(iter(members.values())), entity_id=meant,
            names=tuple(dict.fromkeys(name for each in members.values() for name in each.names)),
            identifiers=tuple(dict.fromkeys(item for each in members.values() for item in each.identifiers)),
        ))
        chunks = dict.fromkeys(chunk for each in members for chunk in self.mentioning(each, _MENTIONS_SHOWN))
        merged = [each for each in members if each != meant]
        seen = list(chunks)[:_MENTIONS_SHOWN]
        return {"kind": "entity", **shown, **({"merged": merged} if merged else {}), "mentioned_in": seen}

    def _says_nothing(self, id: str) -> bool:
        """Whether an entity has no name and no identifier that the one it was merged into has not."""
        entity = self._entity_of(id)
        return entity is not None and not entity.names and not entity.identifiers

    def members(self, id: str) -> dict[str, Entity]:
        """Return what shows of an entity and of those that mean the same, by the id that each was written with. Who sees nothing
        of the id that was asked for, unless it is the one that answers give, is not told what it means: nothing is returned."""
        meant = followed(id, self._snapshot.manifest.redirects)
        ids = (meant, *sorted(old for old, new in self._snapshot.manifest.redirects.items() if new == meant))
        found = ((each, self._entity_of(each)) for each in ids)
        shown = {each: self.entity(entity) for each, entity in found if entity is not None}
        members = {each: entity for each, entity in shown.items() if entity is not None}
        return members if id == meant or id in members or self._says_nothing(id) else {}

    def _entity_of(self, id: str) -> Entity | None:
        """An entity as the registry says it, where that knows it: documents that mint it say less."""
        facts = list(self._snapshot.catalog.every("entities", self._snapshot.generation, [id]))
        said = min(facts, key=lambda fact: fact.source_id != REGISTRY, default=None)
        return None if said is None else said.noun(Entity)

    def entity(self, entity: Entity) -> Entity | None:
        """Return an entity of this generation with the names and identifiers that show, None where nothing of it does."""
        chunks = self.mentioning(entity.entity_id, _MENTIONS_READ)
        shown = self._as_read(entity, chunks) if chunks else None
        return shown if shown is not None and (shown.names or shown.identifiers) else None

    def _as_read(self, entity: Entity, chunks: list[str]) -> Entity:
        """The entity without the names and identifiers that only hidden documents give it. What shows is written in a chunk
        that shows and mentions the entity, or is said, by the registry, of a source that shows."""
        sought = {folded(name.text) for name in entity.names} | {folded(item.value) for item in entity.identifiers}
        read: set[str] = set()
        for text in self._said_in(chunks, entity.entity_id):
            read |= {word for word in sought - read if word in text}
            if len(read) == len(sought):
                break
        names = [name for name in entity.names if folded(name.text) in read or (name.source and self.source_shows(name.source))]
        identifiers = [item for item in entity.identifiers if folded(item.value) in read]
        return replace(entity, names=tuple(names), identifiers=tuple(identifiers))

    def _said_in(self, chunks: list[str], entity: str) -> Iterator[str]:
        """What each chunk that shows says, folded, and the normal form of identifiers by which it mentions the entity."""
        catalog, generation = self._snapshot.catalog, self._snapshot.generation
        mentions = catalog.get("mentions", generation, chunks)
        for id, fact in catalog.get("chunks", generation, chunks).items():
            row = fact.noun(ChunkRow)
            if self._admits(row):
                named = mentions[id].noun(dict)["mentions"] if id in mentions else []
                yield folded("\n".join([row.search_text, *(each["method"] for each in named if each["entity_id"] == entity)]))

    def _assertion(self, id: str) -> dict[str, Any] | None:
        assertion = self._get("assertions", id, Assertion)
        if assertion is None or not self.assertion(assertion):
            return None
        return {"kind": "assertion", "assertion_id": id, **plain(assertion)}

    def assertion(self, assertion: Assertion) -> bool:
        """Whether an assertion of this generation shows: what it rests on, and both of its ends."""
        if assertion.evidence and not self.source_shows(assertion.evidence):
            return False
        return all(self.mentioning(end, 1) for end in (assertion.subject, assertion.object) if end is not None)

    def source_shows(self, named: str) -> bool:
        """Whether a source that a seed names, by uri or by path below any root, or that names itself by its id, has a row that
        shows."""
        if named not in self._shows:
            self._shows[named] = any(self._shown(named))
        return self._shows[named]

    def uris(self, named: str) -> tuple[str, ...]:
        """Return the uris of the sources that show of those that are named so, as `source_shows` takes names."""
        records = self._snapshot.catalog.get("sources", self._snapshot.generation, list(self._shown(named)))
        return tuple(sorted(fact.noun(SourceRecord).uri for fact in records.values()))

    def _shown(self, named: str) -> Iterator[str]:
        roots = self._snapshot.catalog.roots()
        candidates = {named, _source_at(named), *(source_id(root, named) for root in roots)}
        return (urn for urn in sorted(candidates) if next(self._rows(urn), None) is not None)

    def mentioning(self, entity: str, most: int) -> list[str]:
        """Return the chunks that show and mention an entity, at most `most`."""
        edges = self._snapshot.graph.neighbors([entity], [MENTIONS], self._predicate, most, reverse=True)
        return [edge.subject for edge in edges if edge.source_id != REGISTRY]

    def _rows(self, source: str) -> Iterator[ChunkRow]:
        """The rows of a source that show, in order."""
        for fact in self._snapshot.catalog.facts("chunks", self._snapshot.generation, source_id=source):
            row = fact.noun(ChunkRow)
            if self._admits(row):
                yield row

    def _admits(self, row: ChunkRow) -> bool:
        return self._predicate.admits(filter_columns(row))

    def _get(self, table: str, id: str, kind: Any) -> Any:
        fact = self._snapshot.catalog.get(table, self._snapshot.generation, [id]).get(id)
        return None if fact is None else fact.noun(kind)


def _source_at(uri: str) -> str:
    root, _, path = uri.partition("/")
    return source_id(root, path)


def folded(text: str) -> str:
    """Return a text as names are looked for in it."""
    return unicodedata.normalize("NFKC", text).casefold()
