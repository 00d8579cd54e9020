"""Deep: do the facts of the catalog agree with one another? Somebody who changes one and brings every checksum in order is found
by what was derived from it, or what it was derived from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import orjson

from indexes.generation.verify.aspects import sorted_out
from indexes.generation.verify.facts import Table, is_that_parent
from indexes.generation.verify.findings import ALTERED, GHOST, LOST, Drift, of_ids
from ingest.errors import Inconsistent
from ingest.model.chunk import chunk_id
from ingest.model.edge import REGISTRY
from ingest.model.entity import Assertion, Entity, Redirect, Registry
from ingest.model.generation import Manifest
from ingest.store.catalog import Catalog

_DECLARED = ("scope", "family", "version", "status", "access")
_DERIVED = ("valid_from", "valid_until")
_MOST_ALIKE = 64
"""Equal texts under one heading of a document that are told apart."""


def agreement(catalog: Catalog, manifest: Manifest, tables: dict[str, Table]) -> Iterator[Drift]:
    """Yield chunks that are not what their document declares, whose id is not that of their text, or whose parent, source or
    mentions are missing; parents that are not what their ids say; and whether the registry is the reviewed one. Facts that are
    known to be altered are no measure."""
    number = manifest.generation
    sources = (fact for fact in catalog.facts("sources", number) if fact.id not in tables["sources"].altered)
    declared = {fact.id: _said(fact.payload) for fact in sources}
    parents, renamed = set(), set()
    for fact in catalog.facts("parents", number):
        parents.add(fact.id)
        if fact.id not in tables["parents"].altered and not is_that_parent(fact):
            renamed.add(fact.id)
    mentioned = {fact.id: _entities(fact.payload) for fact in catalog.facts("mentions", number)}
    differing: dict[str, list[str]] = {}
    homeless, forged, unlike = set(), set(), set()
    orders: dict[str, list[tuple[int, int, str]]] = defaultdict(list)
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
        span = row["provenance"]["span"]
        orders[row["source_id"]].append((fact.position, -1 if span is None else span[0], fact.id))
    yield from sorted_out("catalog/chunks", differing)
    moved = {id for order in orders.values() for id in _out_of_order(order)}
    if moved:
        yield of_ids(ALTERED, "catalog/chunks", moved, "fact", "order in the document")
    if homeless and tables["sources"].fits and tables["parents"].fits:
        yield of_ids(GHOST, "catalog/chunks", homeless, "fact", "their source or parent is not there")
    if forged:
        yield of_ids(ALTERED, "catalog/chunks", forged, "fact", "their ids are not those of their texts")
    if renamed and tables["parents"].fits:  # else it has been said
        yield of_ids(ALTERED, "catalog/parents", renamed, "fact", "not what their ids say")
    yield from _reviewed(catalog, manifest, tables)
    if unlike and tables["mentions"].fits:
        yield of_ids(LOST, "catalog/mentions", unlike, "fact", "not the entities that the chunk names")


def _reviewed(catalog: Catalog, manifest: Manifest, tables: dict[str, Table]) -> Iterator[Drift]:
    """Say whether the entities and assertions of seeds give the registry's digest, where they are as their checksums say."""
    if not (tables["entities"].clean and tables["assertions"].clean):
        return
    number = manifest.generation
    try:
        entities = tuple(fact.noun(Entity) for fact in catalog.facts("entities", number) if fact.source_id == REGISTRY)
        assertions = tuple(fact.noun(Assertion) for fact in catalog.facts("assertions", number) if fact.source_id == REGISTRY)
        redirects = tuple(Redirect(id, into) for id, into in manifest.redirects.items())
        same = Registry(entities, assertions, redirects=redirects).digest() == manifest.registry
    except Inconsistent:
        same = False
    if not same:
        yield Drift(ALTERED, "catalog/entities", "with the assertions they are not the registry of the manifest")


def _out_of_order(order: list[tuple[int, int, str]]) -> set[str]:
    """The chunks of a document that do not stand where their spans are; none where some have no span."""
    if any(start < 0 for _, start, _ in order):
        return set()
    placed, spans = sorted(order), sorted(start for _, start, _ in order)
    return {id for (_, start, id), wanted in zip(placed, spans, strict=True) if start != wanted}


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
