"""Which sources have to be read again, for what the catalog no longer holds as published?

Altered and surplus facts say it themselves. Of lost ones something else usually tells: the indexes of a chunk or an edge, the
chunks of what they refer to. Where nothing does, every source is read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from entities.assertions.declared import KEYS as DECLARING
from flows.assemble import OF_SOURCE
from flows.base import Base
from flows.records import catalogued
from indexes.generation.kinds import open_as_is
from indexes.generation.verify import Drift
from indexes.generation.verify.facts import Table
from indexes.generation.verify.findings import CATALOG, LOST
from indexes.generation.verify.held import BROKEN
from ingest.model.edge import REGISTRY
from ingest.model.generation import INDEX_KINDS, Manifest

_REVIEWED = "entities"
_OF_REGISTRY = (_REVIEWED, "assertions", "edges")
"""Tables that seeds contribute to."""


@dataclass(frozen=True, slots=True)
class Concerned:
    """Ids of sources (and `REGISTRY`). `all`: it is every one there is. `exact`: each is known to have drifted, by itself.
    `lacking`: those of which facts are lost. `astray`: (table, source) -> its facts that are filed under another source.
    `names`: id -> uri."""

    sources: frozenset[str]
    all: bool = False
    exact: bool = True
    lacking: frozenset[str] = frozenset()
    astray: Mapping[tuple[str, str], set[str]] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

    def everything(self, base: Base) -> Concerned:
        """Return this with every source that the catalog has ever heard of and not forgotten."""
        known = {fact.source_id for table in OF_SOURCE for fact in base.catalog.facts(table, base.catalog.head())}
        return replace(self, sources=self.sources | known | {REGISTRY} | set(base.catalog.seen()), all=True, exact=False)

    def damaged(self, id: str, tables: Mapping[str, Table]) -> bool:
        """Whether facts of a source are known to be altered or lost."""
        altered = any(id in table.altered.values() for table in tables.values())
        return altered or id in self.lacking or any(source == id for _, source in self.astray)


def concerned(base: Base, previous: Manifest, tables: Mapping[str, Table], found: Sequence[Drift]) -> Concerned:
    """Return the sources whose facts drifted, as far as it can be told."""
    head = previous.generation
    sources: set[str] = set()
    astray: dict[tuple[str, str], set[str]] = defaultdict(set)
    for table in tables.values():
        facts = base.catalog.get(table.name, head, sorted(table.altered))
        for id, fact in facts.items():
            sources.add(fact.source_id)
            said = _said_source(table.name, fact.payload)
            if said is not None and said != fact.source_id:
                sources.add(said)
                astray[table.name, said].add(id)
    lacking: set[str] = set()
    exact = True
    for item in found:
        store, _, table_name = item.where.partition("/")
        if store != "catalog":
            continue
        owners, complete = _owners(base, previous, item, table_name)
        sources |= owners
        if item.kind == LOST:
            lacking |= owners
        exact &= complete
    if any(not tables[name].clean for name in _OF_REGISTRY) or any(item.where == f"catalog/{_REVIEWED}" for item in found):
        sources.add(REGISTRY)
    return Concerned(
        frozenset(sources), exact=exact, lacking=frozenset(lacking), astray=dict(astray), names=_names(base, head, sources)
    )


def _said_source(table: str, payload: bytes) -> str | None:
    if table not in ("chunks", "parents", "edges", "sources"):
        return None
    try:
        said = orjson.loads(payload)["source_id"]
        return said if isinstance(said, str) else None
    except (ValueError, KeyError, TypeError):
        return None


def _owners(base: Base, previous: Manifest, item: Drift, table: str) -> tuple[set[str], bool]:
    """The sources that the ids of a finding belong to, and whether those are all of them."""
    ids = set(item.ids)
    complete = item.kind != CATALOG
    owners = {fact.source_id for fact in base.catalog.get(table, previous.generation, sorted(ids)).values()}
    if item.kind == LOST:
        told = dict(_tellers(base, previous, table, ids))
        owners |= set(told.values())
        if table == "assertions":  # of seeds, or of whichever document says so
            owners |= set(catalogued(base.catalog, previous.generation).declaring(DECLARING))
        complete &= ids <= told.keys()
    return owners, complete


def _tellers(base: Base, previous: Manifest, table: str, ids: set[str]) -> Iterator[tuple[str, str]]:
    """(id of a lost fact, source that it belongs to), from what refers to it."""
    if table == "sources":
        yield from ((id, id) for id in ids)
    elif table in ("chunks", "edges"):
        yield from _by_indexes(base, previous, table, ids)
    elif table == "assertions":
        yield from ((id, REGISTRY) for id in ids)
    else:
        for fact in base.catalog.facts("chunks", previous.generation):
            try:
                row = orjson.loads(fact.payload)
                yield from ((id, fact.source_id) for id in ids & set(_referred(table, row)))
            except (ValueError, KeyError, TypeError):
                continue


def _referred(table: str, row: dict[str, Any]) -> Iterable[str]:
    if table == "parents":
        return [row["parent_id"]]
    return [row["chunk_id"]] if table == "mentions" else row["entity_ids"]


def _by_indexes(base: Base, previous: Manifest, table: str, ids: set[str]) -> Iterator[tuple[str, str]]:
    """What indexes say of rows and edges that the catalog lost. An index that cannot be opened says nothing."""
    for kind in INDEX_KINDS if table == "chunks" else ("graph",):
        try:
            reader = open_as_is(kind, base.layout.build(previous.build(kind)), base.settings)
        except BROKEN:
            continue
        try:
            if table == "chunks":
                held = reader.described(sorted(ids))
                yield from ((id, str(aspects["source_id"])) for id, aspects in held.items() if aspects["source_id"])
            else:
                yield from ((id, edge.source_id) for id, edge in reader.recorded() if id in ids and edge is not None)
        except BROKEN:
            continue
        finally:
            reader.close()


def _names(base: Base, head: int, sources: set[str]) -> dict[str, str]:
    names = {}
    for id, fact in base.catalog.latest("sources", head, sorted(sources)).items():
        try:
            said = orjson.loads(fact.payload)
            names[id] = f"{said['root']}/{said['path']}"
        except (ValueError, KeyError, TypeError):
            continue
    return names
