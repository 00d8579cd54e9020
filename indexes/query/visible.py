"""What an id stands for, as far as a caller may see it.

A chunk shows when its row is admitted; a parent, a document, an entity or an assertion only through chunks that are. Something
hidden and something that does not exist give the same answer.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from indexes.generation.snapshot import Snapshot
from ingest.errors import NotFound
from ingest.model.canonical import plain
from ingest.model.chunk import Parent
from ingest.model.edge import REGISTRY
from ingest.model.entity import Assertion, Entity
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord, source_id

_MENTIONS_AT_MOST = 20


class Visible:
    """One generation through the eyes of one caller."""

    def __init__(self, snapshot: Snapshot, predicate: Predicate) -> None:
        self._snapshot = snapshot
        self._predicate = predicate

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
        named = mentions[id].noun(dict)["mentions"] if id in mentions else []
        shown = {**plain(row), "kind": "chunk", "block": row.kind}  # a row's own kind tells what blocks it is made of
        return {"uri": record.uri if record else None, **shown, "mentions": named}

    def _parent(self, id: str) -> dict[str, Any] | None:
        parent = self._get("parents", id, Parent)
        if parent is None:
            return None
        rows = [row for row in self._rows(parent.source_id) if row.parent_id == id]
        if not rows:
            return None
        record = self._get("sources", parent.source_id, SourceRecord)
        children = [row.chunk_id for row in rows]
        return {"kind": "parent", "uri": record.uri if record else None, **plain(parent), "children": children}

    def _document(self, id: str) -> dict[str, Any] | None:
        root, _, path = id.partition("/")
        urn = id if id.startswith("urn:") else source_id(root, path)
        record = self._get("sources", urn, SourceRecord)
        rows = self._rows(urn) if record is not None else []
        if record is None or not rows:
            return None
        facts = self._snapshot.catalog.facts("parents", self._snapshot.generation, source_id=urn)
        parents = [fact.noun(Parent) for fact in facts]
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
        entity = self._get("entities", id, Entity)
        chunks = self._mentioning(id) if entity is not None else []
        if entity is None or not chunks:
            return None
        names = tuple(name for name in entity.names if name.source is None or self._shows_source(name.source))
        if not names:
            return None
        return {"kind": "entity", **plain(replace(entity, names=names)), "mentioned_in": chunks}

    def _assertion(self, id: str) -> dict[str, Any] | None:
        assertion = self._get("assertions", id, Assertion)
        if assertion is None:
            return None
        ends = [end for end in (assertion.subject, assertion.object) if end is not None]
        if not all(self._mentioning(end) for end in ends):
            return None
        if assertion.evidence and not self._shows_source(assertion.evidence):
            return None
        return {"kind": "assertion", "assertion_id": id, **plain(assertion)}

    def _mentioning(self, entity: str) -> list[str]:
        edges = self._snapshot.graph.neighbors([entity], ["mentions"], self._predicate, _MENTIONS_AT_MOST, reverse=True)
        return [edge.subject for edge in edges if edge.source_id != REGISTRY]

    def _shows_source(self, evidence: str) -> bool:
        """Whether some chunk of what a seed names as evidence, a uri or a path below any root, is seen."""
        roots = self._snapshot.catalog.roots()
        root, _, path = evidence.partition("/")
        ids = {source_id(root, path), *(source_id(name, evidence) for name in roots)}
        return any(self._rows(id) for id in sorted(ids))

    def _rows(self, source: str) -> list[ChunkRow]:
        facts = self._snapshot.catalog.facts("chunks", self._snapshot.generation, source_id=source)
        return [row for row in (fact.noun(ChunkRow) for fact in facts) if self._admits(row)]

    def _admits(self, row: ChunkRow) -> bool:
        return self._predicate.admits(filter_columns(row))

    def _get(self, table: str, id: str, kind: Any) -> Any:
        fact = self._snapshot.catalog.get(table, self._snapshot.generation, [id]).get(id)
        return None if fact is None else fact.noun(kind)
