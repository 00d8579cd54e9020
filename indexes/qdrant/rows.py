"""Points as rows: what is the same of a row in both indexes, read back from its payload."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from indexes.qdrant.conditions import among, held_at
from indexes.qdrant.format import Header, columns_of, received, since, until
from indexes.qdrant.points import PAGE, Points
from ingest.errors import BuildCorrupt
from ingest.model.batches import batches
from ingest.model.gate import gate_aspects
from ingest.protocols import Aspects

_CHECKSUMS_AT_ONCE = 4096


def row_payload(record: Any) -> tuple[str, dict[str, Any]]:
    """Return chunk id and payload of a point, without the epochs that it is held in."""
    members = (since("vector"), until("vector"), since("bm25"), until("bm25"))
    payload = {field: value for field, value in record.payload.items() if field not in members}
    return received(payload["chunk_id"]), payload


def chunk_of(record: Any) -> str:
    return received(str((record.payload or {}).get("chunk_id", "")))


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of one build, as the server holds them now."""

    points: Points
    header: Header

    @property
    def where(self) -> list[Any]:
        return held_at(self.points.kind, self.header.epoch)

    def pairs(self) -> Iterator[tuple[str, str]]:
        fields = ["chunk_id", "row_checksum"]
        for record in self.points.scroll(self.where, fields, page=_CHECKSUMS_AT_ONCE):
            yield chunk_of(record), str((record.payload or {}).get("row_checksum", ""))

    def of(self, chunk_ids: Sequence[str], *, vectors: bool = True) -> Iterator[tuple[str, Any]]:
        """Yield chunk id and point of those chunks that are held."""
        for part in batches(chunk_ids, PAGE):
            for record in self.points.scroll([*self.where, among("chunk_id", part)], True, vectors=vectors):
                yield chunk_of(record), record

    def check(self) -> None:
        """Raise BuildCorrupt unless every row that was written is there."""
        held = self.points.count(self.where)
        if held != self.header.points:
            raise BuildCorrupt(
                f"the collection {self.header.collection} at {self.points.server.place} holds {held} rows of the "
                f"{self.points.kind} index instead of {self.header.points}; run: ingest verify --repair"
            )


def aspects_of(record: Any) -> Aspects:
    """Return what a point says of its row, by aspect; what cannot be read is left out."""
    payload = record.payload or {}
    found: Aspects = {"row_checksum": payload.get("row_checksum", "")}
    try:
        columns = columns_of(payload)
    except (KeyError, TypeError, ValueError):
        return found
    return {**found, "source_id": columns.source_id, **gate_aspects(columns)}
