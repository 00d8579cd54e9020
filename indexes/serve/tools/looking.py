"""One knowledge base through the eyes of one caller, while a call reads it.

Whether something shows is decided before anything of it is read, by the same look-ups for what is hidden and what does not
exist, so that neither the answer nor the time it takes tells the two apart. Dates and statuses hide nothing here: history can be
opened, though it is not found.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from indexes.generation.snapshot import Snapshot
from indexes.query.request import Request, predicate_of
from indexes.query.visible import Visible
from indexes.serve.answers import Document
from indexes.serve.bases import Opened
from ingest.model.access import Principal
from ingest.model.chunk import Parent
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord, source_id


@dataclass(frozen=True, slots=True)
class Whole:
    """A document that shows, with its rows in reading order."""

    record: SourceRecord
    rows: tuple[ChunkRow, ...]


class Looking:
    """One base, pinned, and who looks."""

    def __init__(self, opened: Opened, who: Principal) -> None:
        self.opened = opened
        self.who = who

    @property
    def kb_id(self) -> str:
        return self.opened.kb_id

    @property
    def snapshot(self) -> Snapshot:
        return self.opened.snapshot

    @cached_property
    def predicate(self) -> Predicate:
        """Access alone."""
        return predicate_of(Request("", principal=self.who, statuses=None), self.snapshot, instant=None)

    @cached_property
    def visible(self) -> Visible:
        return Visible(self.snapshot, self.predicate)

    def row(self, chunk: str) -> ChunkRow | None:
        """A chunk that shows."""
        return self.rows([chunk]).get(chunk)

    def rows(self, chunks: Sequence[str]) -> dict[str, ChunkRow]:
        """The chunks among these that show."""
        facts = self.snapshot.catalog.get("chunks", self.snapshot.generation, list(dict.fromkeys(chunks)))
        rows = {id: fact.noun(ChunkRow) for id, fact in facts.items()}
        return {id: row for id, row in rows.items() if self.predicate.admits(filter_columns(row))}

    def parent(self, id: str) -> Parent | None:
        """A section that shows: its document does."""
        found = self._get("parents", id, Parent)
        return found if found is not None and self.record(found.source_id) is not None else None

    def record(self, named: str) -> SourceRecord | None:
        """The record of a document that shows, by source id or uri."""
        record: SourceRecord | None = self._get("sources", urn_of(named), SourceRecord)
        if record is None or record.served is None or not record.declared.access.admits(self.who):
            return None
        return record

    def records(self, sources: Sequence[str]) -> dict[str, SourceRecord]:
        """The records of those of these sources that show."""
        facts = self.snapshot.catalog.get("sources", self.snapshot.generation, list(dict.fromkeys(sources)))
        records = {id: fact.noun(SourceRecord) for id, fact in facts.items()}
        return {id: each for id, each in records.items() if each.served is not None and each.declared.access.admits(self.who)}

    def whole(self, named: str) -> Whole | None:
        """A document that shows, with its rows: it shows through them."""
        record = self.record(named)
        if record is None:
            return None
        facts = self.snapshot.catalog.facts("chunks", self.snapshot.generation, source_id=record.source_id)
        rows = tuple(row for row in (fact.noun(ChunkRow) for fact in facts) if self.predicate.admits(filter_columns(row)))
        return Whole(record, rows) if rows else None

    def parents(self, source: str) -> list[Parent]:
        """The sections of a document, in reading order."""
        facts = self.snapshot.catalog.facts("parents", self.snapshot.generation, source_id=source)
        return [fact.noun(Parent) for fact in facts]

    def told(self, record: SourceRecord) -> Document:
        """A document as it is told."""
        declared = record.declared
        return Document(
            self.kb_id, self.snapshot.generation, record.source_id, record.uri, record.title, declared.family, declared.version,
            declared.status, record.valid_from, record.valid_until, record.media_type, declared.scope,
        )

    def _get(self, table: str, id: str, kind: Any) -> Any:
        fact = self.snapshot.catalog.get(table, self.snapshot.generation, [id]).get(id)
        return None if fact is None else fact.noun(kind)


def urn_of(named: str) -> str:
    """Return the source id that a source id or uri (root/path) names."""
    if named.startswith("urn:"):
        return named
    root, _, path = named.partition("/")
    return source_id(root, path)
