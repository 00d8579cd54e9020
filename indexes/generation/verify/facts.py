"""The catalog's facts against their own checksums and the manifest's digests.

Every payload is hashed anew. A fact whose payload no longer gives its checksum is altered; where a table's digest is not the
manifest's although all its facts are as written, some were lost, added or changed together with their checksums, and what else
refers to them tells which.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from indexes.generation.checksums import checksum_of
from indexes.generation.verify.findings import ALTERED, CATALOG, GHOST, LOST, Drift, of_ids
from ingest.model.canonical import SetDigest
from ingest.model.chunk import parent_id
from ingest.model.edge import REGISTRY
from ingest.model.generation import Manifest
from ingest.model.source import source_id
from ingest.progress import Progress
from ingest.store.catalog import FACTS, Catalog, Fact

_AT_ONCE = 2000


@dataclass(slots=True)
class Table:
    """What one table holds. `fits`: its digest is the manifest's; `altered`: facts that are not what their checksums say, each id
    with the source that the catalog files it under."""

    name: str
    fits: bool
    altered: dict[str, str] = field(default_factory=dict)

    @property
    def where(self) -> str:
        return f"catalog/{self.name}"

    @property
    def clean(self) -> bool:
        return self.fits and not self.altered


def examined(catalog: Catalog, manifest: Manifest, progress: Progress) -> dict[str, Table]:
    """Read every fact of a generation."""
    tables = {}
    progress.start("facts", sum(int(digest.partition(":")[0]) for digest in manifest.catalog.values()), "facts")
    for name in FACTS:
        held, count = SetDigest(), 0
        table = tables[name] = Table(name, True)
        for fact in catalog.facts(name, manifest.generation):
            held.add(fact.id, fact.checksum)
            if not is_as_written(name, fact):
                table.altered[fact.id] = fact.source_id
            count += 1
            if count % _AT_ONCE == 0:
                progress.advance("facts", _AT_ONCE)
        progress.advance("facts", count % _AT_ONCE)
        table.fits = str(held) == manifest.catalog[name]
    progress.finish("facts")
    return tables


def is_as_written(table: str, fact: Fact) -> bool:
    """Whether a fact's checksum and id, derived anew from its payload, are those that it is stored under."""
    try:
        payload = orjson.loads(fact.payload)
        if not _is_its_own(table, fact, payload):
            return False
        return _quick(table, payload) == fact.checksum or checksum_of(table, payload) == fact.checksum
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return False


def _is_its_own(table: str, fact: Fact, payload: dict[str, Any]) -> bool:
    """Whether the ids in the payload are those beside it."""
    mine: bool
    if table == "sources":
        mine = payload["source_id"] == fact.id == fact.source_id == source_id(payload["root"], payload["path"])
    elif table in ("chunks", "parents"):
        mine = (payload[f"{table[:-1]}_id"], payload["source_id"]) == (fact.id, fact.source_id)
    elif table == "mentions":
        mine = payload.keys() == {"mentions"} and all(one["chunk_id"] == fact.id for one in payload["mentions"])
    elif table == "edges":
        mine = fact.id == fact.checksum and payload["source_id"] == fact.source_id
    elif table == "entities":
        mine = payload["entity_id"] == fact.id
    else:
        root, _, path = payload["evidence"].partition("/")
        mine = fact.id == f"urn:kb:assertion:{fact.checksum}" and fact.source_id in (REGISTRY, source_id(root, path))
    return mine


def _quick(table: str, payload: dict[str, Any]) -> str | None:
    """The checksum as far as orjson writes what `canonical` does, which is for nearly all facts; a tenth of the time. If it
    equals the stored one it is right, as both are hashes of the same bytes; else it says nothing."""
    said: Any = payload
    if table == "mentions":
        said = payload["mentions"]
    elif table == "sources":
        if payload["failure"] is not None:
            return None
    elif table == "chunks":
        said = dict(payload)
        text = said["text"] = hashlib.sha256(payload["text"].encode()).hexdigest()
        if said.pop("text_checksum") != text:
            return None
        row = said.pop("row_checksum")
    digest = hashlib.blake2b(orjson.dumps(said, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()
    return digest if table != "chunks" or digest == row else None


def explained(catalog: Catalog, manifest: Manifest, tables: dict[str, Table]) -> Iterator[Drift]:
    """Say of every table but the chunks and edges, which indexes know better, what is wrong with it."""
    rows = None
    for name, table in tables.items():
        if name in ("chunks", "edges") or table.clean:
            continue
        if table.altered:
            yield of_ids(ALTERED, table.where, table.altered, "fact", "not what their checksums say")
        if table.fits:
            continue
        rows = rows or _Rows(catalog, manifest.generation)
        lost, ghosts, forged = rows.differences(name, catalog, manifest.generation)
        if lost:
            yield of_ids(LOST, table.where, lost, "fact")
        if ghosts:
            yield of_ids(GHOST, table.where, ghosts, "fact")
        if forged:
            yield of_ids(ALTERED, table.where, forged, "fact", "not what their ids say")
        if not (lost or ghosts or forged or table.altered):
            yield unexplained(table)


def unexplained(table: Table) -> Drift:
    return Drift(CATALOG, table.where, "its digest is not the manifest's; which facts differ only their sources can tell")


class _Rows:
    """What the chunks refer to: that must be there, and little else may be."""

    def __init__(self, catalog: Catalog, generation: int) -> None:
        self.of: dict[str, set[str]] = {"sources": set(), "parents": set(), "mentions": set(), "entities": set()}
        for fact in catalog.facts("chunks", generation):
            try:
                row = orjson.loads(fact.payload)
                self.of["sources"].add(row["source_id"])
                self.of["parents"].add(row["parent_id"])
                if row["entity_ids"]:
                    self.of["mentions"].add(row["chunk_id"])
                    self.of["entities"].update(row["entity_ids"])
            except (ValueError, KeyError, TypeError):
                continue

    def differences(self, table: str, catalog: Catalog, generation: int) -> tuple[set[str], set[str], set[str]]:
        """Return what is referred to and not there, what is there and nothing refers to, and what is not what its id says."""
        wanted = self.of.get(table)
        if wanted is None:
            return set(), set(), set()
        held: set[str] = set()
        ghosts: set[str] = set()
        forged: set[str] = set()
        for fact in catalog.facts(table, generation):
            held.add(fact.id)
            if fact.id not in wanted and not _may_stand_alone(table, fact):
                ghosts.add(fact.id)
            elif table == "parents" and not is_that_parent(fact):
                forged.add(fact.id)
        return wanted - held, ghosts, forged


def _may_stand_alone(table: str, fact: Fact) -> bool:
    """Whether a fact may be there without a chunk that refers to it: entities of seeds, and sources that serve nothing."""
    if table == "entities":
        return fact.source_id == REGISTRY
    try:
        return table == "sources" and orjson.loads(fact.payload)["served"] is None
    except (ValueError, KeyError, TypeError):
        return True


_MOST_ALIKE = 16


def is_that_parent(fact: Fact) -> bool:
    """Whether a parent's id is that of its text, up to so many equal ones before it in its document."""
    try:
        said = orjson.loads(fact.payload)
        parts = said["source_id"], tuple(said["heading_path"]), said["text"]
        return any(parent_id(*parts, number) == fact.id for number in range(_MOST_ALIKE))
    except (ValueError, KeyError, TypeError):
        return False
