"""Deep: do the facts of the catalog agree with one another? Somebody who changes one and brings every checksum in order is found
by what was derived from it, or what it was derived from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from indexes.generation.verify.aspects import sorted_out
from indexes.generation.verify.facts import Table
from indexes.generation.verify.findings import ALTERED, GHOST, LOST, Drift, of_ids
from ingest.model.chunk import chunk_id
from ingest.model.generation import Manifest
from ingest.store.catalog import Catalog

_DECLARED = ("scope", "family", "version", "status", "access")
_DERIVED = ("valid_from", "valid_until")
_MOST_ALIKE = 64
"""Equal texts under one heading of a document that are told apart."""


def agreement(catalog: Catalog, manifest: Manifest, tables: dict[str, Table]) -> Iterator[Drift]:
    """Yield chunks that are not what their document declares, whose id is not that of their text, or whose parent, source or
    mentions are missing. Facts that are known to be altered are no measure."""
    number = manifest.generation
    sources = (fact for fact in catalog.facts("sources", number) if fact.id not in tables["sources"].altered)
    declared = {fact.id: _said(fact.payload) for fact in sources}
    parents = {id for id, _ in catalog.pairs("parents", number)}
    mentioned = {fact.id: _entities(fact.payload) for fact in catalog.facts("mentions", number)}
    differing: dict[str, list[str]] = {}
    homeless, forged, unlike = set(), set(), set()
    for fact in catalog.facts("chunks", number):
        if fact.id in tables["chunks"].altered:
            continue
        row = orjson.loads(fact.payload)
        said = declared.get(row["source_id"])
        if said is not None:
            names = [name for name in said if row[name] != said[name]]
            if names:
                differing[fact.id] = [_aspect(name, row, said) for name in names]
        elif row["source_id"] not in tables["sources"].altered:
            homeless.add(fact.id)
        if row["parent_id"] not in parents:
            homeless.add(fact.id)
        if sorted(row["entity_ids"]) != mentioned.get(fact.id, []) and fact.id not in tables["mentions"].altered:
            unlike.add(fact.id)
        if not _is_its_text(row):
            forged.add(fact.id)
    yield from sorted_out("catalog/chunks", differing)
    if homeless and tables["sources"].fits and tables["parents"].fits:
        yield of_ids(GHOST, "catalog/chunks", homeless, "fact", "their source or parent is not there")
    if forged:
        yield of_ids(ALTERED, "catalog/chunks", forged, "fact", "their ids are not those of their texts")
    if unlike and tables["mentions"].fits:
        yield of_ids(LOST, "catalog/mentions", unlike, "fact", "not the entities that the chunk names")


def _said(payload: bytes) -> dict[str, Any]:
    record = orjson.loads(payload)
    return {**{name: record["declared"][name] for name in _DECLARED}, **{name: record[name] for name in _DERIVED}}


def _aspect(name: str, row: dict[str, Any], said: dict[str, Any]) -> str:
    """The column that differs, as `aspects` sorts it."""
    if name != "access":
        return name
    return "level" if row["access"]["level"] != said["access"]["level"] else "acl"


def _entities(payload: bytes) -> list[str]:
    try:
        return sorted({one["entity_id"] for one in orjson.loads(payload)["mentions"]})
    except (ValueError, KeyError, TypeError):
        return []


def _is_its_text(row: dict[str, Any]) -> bool:
    parts = row["source_id"], tuple(row["heading_path"]), row["text"]
    return any(chunk_id(*parts, number) == row["chunk_id"] for number in range(_MOST_ALIKE))
