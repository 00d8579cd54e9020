"""Which documents does a finding concern? The uris of the sources that its ids belong to, as far as the catalog knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson

from indexes.generation.verify.findings import LOST, Drift, with_sources
from indexes.generation.verify.held import Held, described
from ingest.errors import StorageFailed
from ingest.model.generation import INDEX_KINDS
from ingest.store.catalog import Catalog

_EDGES = ("lost edge", "ghost edge", "orphan edge")


def with_documents(catalog: Catalog, generation: int, found: Sequence[Drift], opened: Sequence[Held]) -> list[Drift]:
    """Return the findings with the uris of their documents; of chunks that the catalog lost the indexes tell."""
    try:
        return [with_sources(item, set(_uris(catalog, generation, item, opened))) if item.ids else item for item in found]
    except StorageFailed:
        return list(found)


def _uris(catalog: Catalog, generation: int, item: Drift, opened: Sequence[Held]) -> Iterator[str]:
    store, _, table = item.where.partition("/")
    if store not in INDEX_KINDS and store != "catalog":
        return
    tables = ("edges", "chunks") if item.kind in _EDGES else (table or "chunks",)
    of: set[str] = set()
    for name in tables:
        of.update(fact.source_id for fact in catalog.latest(name, generation, item.ids).values())
    if item.kind == LOST and item.where == "catalog/chunks":
        of.update(str(aspects.get("source_id")) for held in opened[:1] for aspects in described(held, item.ids).values())
    for fact in catalog.latest("sources", generation, sorted(of)).values():
        try:
            record = orjson.loads(fact.payload)
            yield f"{record['root']}/{record['path']}"
        except (ValueError, KeyError, TypeError):
            continue
