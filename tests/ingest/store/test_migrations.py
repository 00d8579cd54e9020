"""Catalogs of older formats: read as they are, brought up to date by whoever writes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from ingest.errors import StorageFailed
from ingest.model.generation import Manifest
from ingest.store.catalog import FACTS, Catalog, Fact
from ingest.store.layout import Layout
from ingest.store.migrations import FORMAT, STEPS
from ingest.store.opening import database_of, open_catalog

INTERVALS = """
CREATE TABLE {name} (
    serial {serial}, id TEXT NOT NULL, source_id TEXT NOT NULL, checksum TEXT NOT NULL, gen_from INTEGER NOT NULL,
    gen_to INTEGER, position INTEGER NOT NULL, payload {bytes} NOT NULL{key}
);
CREATE INDEX ix_{name}_id ON {name} (id);
CREATE INDEX ix_{name}_source_id ON {name} (source_id);
CREATE INDEX ix_{name}_gen_from ON {name} (gen_from);
CREATE INDEX ix_{name}_gen_to ON {name} (gen_to);
"""
OTHERS = """
CREATE TABLE meta (key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (key));
CREATE TABLE roots (name TEXT NOT NULL, location TEXT NOT NULL, PRIMARY KEY (name));
CREATE TABLE generations (generation INTEGER NOT NULL, state TEXT NOT NULL, manifest TEXT NOT NULL, published_at TEXT,
    confirmed_at TEXT, origin TEXT NOT NULL, PRIMARY KEY (generation));
CREATE TABLE seen (source_id TEXT NOT NULL, signature TEXT NOT NULL, revision TEXT NOT NULL, PRIMARY KEY (source_id));
INSERT INTO meta (key, value) VALUES ('format', '1');
"""
"""What catalogs were made with before an index held what counting a generation needs."""


def older(layout: Layout) -> None:
    """Make a catalog with the tables of format 1."""
    on_file = layout.server is None
    kinds = (
        {"serial": "INTEGER NOT NULL", "bytes": "BLOB", "key": ", PRIMARY KEY (serial)"} if on_file
        else {"serial": "BIGSERIAL PRIMARY KEY", "bytes": "BYTEA", "key": ""}
    )
    script = "".join(INTERVALS.format(name=name, **kinds) for name in FACTS) + OTHERS
    engine = database_of(layout).engine()
    with engine.begin() as connection:
        if layout.server is not None:
            connection.execute(sa.schema.CreateSchema(layout.server.schema))
            script += "INSERT INTO meta (key, value) VALUES ('base', 'older');"
            layout.mark.write_text("older\n")
        for statement in script.split(";")[:-1]:
            connection.exec_driver_sql(statement)
    engine.dispose()


def publish(catalog: Catalog) -> int:
    number = catalog.head() + 1
    with catalog.staging(number) as stage:
        stage.replace("chunks", "s", [Fact("a", "s", str(number), 0, b"{}")])
    catalog.publish(Manifest(number, "snapshot", (), catalog.digests(number), "registry"))
    return number


def test_older_catalog_is_read_as_it_is_and_brought_up_to_date_by_a_writer(new_layout: Callable[[], Layout]) -> None:
    layout = new_layout()
    older(layout)
    with open_catalog(layout) as reader:
        assert reader.format == 1
        reader.take("mine")
        assert publish(reader) == 1
        assert reader.faults() == [], "an older shape is no damage"
        held = list(reader.facts("chunks", 1))
    with open_catalog(layout, upgrade=True) as writer:
        assert (writer.format, writer.meta("format")) == (FORMAT, str(FORMAT))
        assert writer.faults() == []
        assert list(writer.facts("chunks", 1)) == held
        writer.take("mine")
        assert publish(writer) == 2
    with open_catalog(layout, upgrade=True) as again:
        assert again.format == FORMAT


def test_upgrade_that_fails_leaves_the_catalog_as_it_was(
    new_layout: Callable[[], Layout], monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = new_layout()
    older(layout)

    def half(connection: sa.Connection) -> None:
        STEPS[0].apply(connection)
        connection.exec_driver_sql("create table half (id integer)")
        raise RuntimeError("killed in the middle")

    with monkeypatch.context() as patched:
        patched.setattr("ingest.store.catalog.missing", lambda found: [type(STEPS[0])(2, "half", half)])
        with pytest.raises(RuntimeError):
            open_catalog(layout, upgrade=True)
    with open_catalog(layout) as catalog:
        assert catalog.format == 1
    with open_catalog(layout, upgrade=True) as catalog:
        assert catalog.faults() == []


@pytest.mark.parametrize("found", ["99", "two", ""])
def test_catalog_of_a_later_version_is_refused_with_what_to_do(new_layout: Callable[[], Layout], found: str) -> None:
    layout = new_layout()
    with open_catalog(layout, create=True) as catalog:
        catalog.set_meta("format", found)
    with pytest.raises(StorageFailed, match="use the version that wrote it"):
        open_catalog(layout, upgrade=True)


def test_steps_are_numbered_without_a_gap() -> None:
    numbers: list[Any] = [step.to for step in STEPS]
    assert numbers == list(range(2, FORMAT + 1))
