"""The chunk row: what the catalog keeps and every index answers for.

A row joins what a chunk says with what its document declares. `row_checksum` covers every field that retrieval depends on;
the same (chunk_id, row_checksum) pairs, summed, are the digest that three indexes and the catalog must agree on.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any

from ingest.model.access import Access
from ingest.model.canonical import digest_of, sha256_hex
from ingest.model.chunk import embedded, prefixed
from ingest.model.document import Provenance


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """One child with its document's metadata. Instants as in `ingest.model.instant`; the window is [from, until)."""

    chunk_id: str
    source_id: str
    parent_id: str
    kind: str
    title: str
    heading_path: tuple[str, ...]
    prefix: str
    text: str
    overlap: int
    subject: str
    units: int
    entity_ids: tuple[str, ...]
    scope: str | None
    family: str | None
    version: str | None
    status: str
    valid_from: str | None
    valid_until: str | None
    access: Access
    language: str | None
    provenance: Provenance
    confidence: float
    text_checksum: str
    row_checksum: str

    @property
    def embed_text(self) -> str:
        """What is embedded. Version, access and validity are not in it, so they re-embed nothing."""
        return embedded(self.prefix, self.text)

    @property
    def search_text(self) -> str:
        """What BM25 indexes, and what is read to rank anew."""
        return prefixed(self.prefix, self.text)


def sealed(values: dict[str, Any]) -> ChunkRow:
    """Return a row of `values` (of all fields but the two checksums) with its checksums computed."""
    text_checksum, row_checksum = _checksums(values)
    return ChunkRow(**values, text_checksum=text_checksum, row_checksum=row_checksum)


def resealed(row: ChunkRow, **changes: Any) -> ChunkRow:
    """Return `row` with `changes` and its checksums computed anew."""
    return sealed({**_sealed_values(row), **changes})


def is_sealed(row: ChunkRow) -> bool:
    """Whether the checksums of a row are those of what it says."""
    return (row.text_checksum, row.row_checksum) == _checksums(_sealed_values(row))


def _checksums(values: dict[str, Any]) -> tuple[str, str]:
    """Of the text, and of the row."""
    text = sha256_hex(values["text"])
    return text, digest_of({**values, "text": text})


def _sealed_values(row: ChunkRow) -> dict[str, Any]:
    return dict(zip(_SEALED, _values(row), strict=True))


_SEALED = tuple(field.name for field in fields(ChunkRow) if field.name not in ("text_checksum", "row_checksum"))
_values = attrgetter(*_SEALED)
