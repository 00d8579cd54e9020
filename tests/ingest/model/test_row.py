"""Rows and their checksums."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import pytest

from ingest.model.access import Access
from ingest.model.document import Provenance
from ingest.model.row import ChunkRow, is_sealed, resealed, sealed

_VALUES: dict[str, Any] = {
    "chunk_id": "urn:kb:chunk:1", "source_id": "urn:kb:source:1", "parent_id": "urn:kb:parent:1", "kind": "paragraph",
    "title": "网关手册", "heading_path": ("限制",), "prefix": "网关手册", "text": "单节点最多接受 20000 个连接。", "overlap": 0,
    "subject": "", "units": 20, "entity_ids": (), "scope": None, "family": None, "version": "3.6", "status": "active",
    "valid_from": None, "valid_until": None, "access": Access(), "language": "zh", "provenance": Provenance(lines=(3, 3)),
    "confidence": 1.0,
}
_OTHER: dict[str, Any] = {
    "overlap": 1, "units": 21, "confidence": 0.5, "access": Access(level=1), "provenance": Provenance(lines=(3, 4)),
    "heading_path": ("其他",), "entity_ids": ("urn:kb:entity:1",),
}


def test_a_row_is_sealed_as_made() -> None:
    assert is_sealed(sealed(_VALUES))


@pytest.mark.parametrize("name", [field.name for field in fields(ChunkRow)])
def test_a_row_is_sealed_no_longer_once_a_field_changes(name: str) -> None:
    changed = {name: _OTHER.get(name, "other")}
    assert not is_sealed(replace(sealed(_VALUES), **changed))
    if name in _VALUES:
        assert is_sealed(resealed(sealed(_VALUES), **changed))
