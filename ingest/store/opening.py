"""The one place where catalogs are opened: a file of the knowledge base's folder, or a schema of a server, as its layout says."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ingest.errors import KnowledgeBaseMissing
from ingest.store.catalog import Catalog
from ingest.store.database import Database
from ingest.store.layout import Layout
from ingest.store.sqlite import Sqlite


def database_of(layout: Layout) -> Database:
    """Return what holds the catalog of a knowledge base. Raises ExtraMissing where its driver is not installed."""
    if layout.server is None:
        return Sqlite(layout.catalog)
    from ingest.store.postgres import Postgres

    return Postgres(layout)


def open_catalog(layout: Layout, *, create: bool = False, upgrade: bool = False) -> Catalog:
    """Open a catalog, as `Catalog` says. Raises KnowledgeBaseMissing, SettingsInvalid (a server's catalog is that of another
    folder), CatalogUnreachable, StorageFailed."""
    return Catalog(database_of(layout), create=create, upgrade=upgrade)


def has_catalog(layout: Layout) -> bool:
    """Whether there is one, as `Database.is_there` says. Raises as it, and ExtraMissing."""
    return database_of(layout).is_there()


@contextmanager
def catalog_if_any(layout: Layout) -> Iterator[Catalog | None]:
    """Open a catalog, or yield None where there is none, or one of which no more was made than a beginning. Raises else as
    `open_catalog`."""
    try:
        catalog = open_catalog(layout)
    except KnowledgeBaseMissing:
        yield None
        return
    with catalog:
        yield catalog


def drop_catalog(layout: Layout) -> None:
    """Remove a catalog that came to nothing, as `Database.drop` says."""
    database_of(layout).drop()
