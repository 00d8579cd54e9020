"""A catalog in a schema of PostgreSQL: several in a database, each of one folder, ordered by bytes, read and written in bulk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import KnowledgeBaseMissing, SettingsInvalid, StorageFailed
from ingest.model.generation import Manifest
from ingest.store.catalog import Catalog, Fact
from ingest.store.layout import Layout, Server
from ingest.store.opening import drop_catalog, has_catalog, open_catalog


def publish(catalog: Catalog, ids: list[str]) -> int:
    number = catalog.head() + 1
    with catalog.staging(number) as stage:
        stage.replace("chunks", "s", [Fact(id, "s", "sum", place, f"{{{id}}}".encode()) for place, id in enumerate(ids)])
    catalog.publish(Manifest(number, "snapshot", (), catalog.digests(number), "registry"))
    return number


def begun(layout: Layout) -> Catalog:
    catalog = open_catalog(layout, create=True)
    catalog.take("mine")
    return catalog


def test_bases_of_one_database_know_nothing_of_each_other(on_server: Callable[[], Layout]) -> None:
    with begun(on_server()) as one, begun(on_server()) as other:
        publish(one, ["a"])
        publish(one, ["a", "b"])
        publish(other, ["z"])
        assert (one.head(), other.head()) == (2, 1)
        assert [fact.id for fact in other.facts("chunks", 1)] == ["z"]


def test_schema_of_another_folder_is_not_opened(on_server: Callable[[], Layout], tmp_path: Path) -> None:
    layout = on_server()
    begun(layout).close()
    elsewhere = replace(layout, folder=tmp_path)
    for create in (False, True):
        with pytest.raises(SettingsInvalid, match="is not that of the folder"):
            open_catalog(elsewhere, create=create)
    layout.mark.unlink()
    with pytest.raises(SettingsInvalid, match="INGEST_CATALOG_SCHEMA"):
        open_catalog(layout)


def test_base_that_was_never_begun_is_missing_and_one_that_came_to_nothing_is_dropped(on_server: Callable[[], Layout]) -> None:
    layout = on_server()
    assert not has_catalog(layout)
    with pytest.raises(KnowledgeBaseMissing, match="ingest run"):
        open_catalog(layout)
    begun(layout).close()
    assert has_catalog(layout)
    drop_catalog(layout)
    assert not has_catalog(layout)
    begun(layout).close()


def test_role_that_may_only_use_its_schema_is_enough(on_server: Callable[[], Layout], postgres: Any) -> None:
    layout = on_server()
    assert layout.server is not None
    schema = layout.server.schema
    postgres.sql(f"create role clerk_{schema} login password 'inkwell'; create schema {schema} authorization clerk_{schema}")
    url = layout.server.url.replace("concord:", f"clerk_{schema}:").replace("p0stgres-Quokka", "inkwell")
    with begun(replace(layout, server=Server(url, schema))) as catalog:
        assert publish(catalog, ["a"]) == 1
        assert catalog.faults() == []


def test_order_is_that_of_bytes_and_text_is_what_it_was(on_server: Callable[[], Layout]) -> None:
    ids = ["B", "a", "_", "é", "中文", "𠮷", "ab", "Ab", "quote ' \\ \t \n", ""]
    with begun(on_server()) as catalog:
        publish(catalog, ids)
        assert [fact.id for fact in catalog.facts("chunks", 1)] == sorted(ids, key=str.encode)
        assert set(catalog.get("chunks", 1, ids)) == set(ids)
        assert catalog.get("chunks", 1, ["quote ' \\ \t \n"])["quote ' \\ \t \n"].payload == b"{quote ' \\ \t \n}"


def test_text_that_no_server_takes_is_an_error_and_nothing_is_staged(on_server: Callable[[], Layout]) -> None:
    with begun(on_server()) as catalog:
        with pytest.raises(StorageFailed, match="0x00"), catalog.staging(1) as stage:
            stage.begin("chunks", [Fact("a\x00b", "s", "sum", 0, b"{}")])
            stage.flush()
        assert catalog.recover() is False
        assert publish(catalog, ["a"]) == 1


def test_many_facts_are_streamed_and_looked_up(on_server: Callable[[], Layout]) -> None:
    ids = [f"{number:05}" for number in range(12_000)]
    with begun(on_server()) as catalog:
        publish(catalog, ids)
        stream = catalog.facts("chunks", 1)
        assert next(stream).id == "00000"
        assert len(catalog.get("chunks", 1, ids[:1200])) == 1200, "threads look others up while one streams"
        assert sum(1 for _ in stream) == 11_999
        assert catalog.count("chunks", 1) == 12_000


def test_column_of_another_type_or_an_index_that_is_gone_is_a_fault(on_server: Callable[[], Layout], postgres: Any) -> None:
    layout = on_server()
    assert layout.server is not None
    schema = layout.server.schema
    with begun(layout) as catalog:
        publish(catalog, ["a"])
        assert catalog.faults() == []
        postgres.sql(f"drop index {schema}.ix_chunks_id; alter table {schema}.edges alter column position type bigint")
        assert catalog.faults() == ["its table chunks is not as it was made", "its table edges is not as it was made"]
        catalog.reindex()


def test_base_that_is_replaced_behind_its_readers_is_seen_to_have_been(on_server: Callable[[], Layout]) -> None:
    layout = on_server()
    begun(layout).close()
    with open_catalog(layout) as reader:
        assert reader.is_current()
        drop_catalog(layout)
        assert not reader.is_current()
        begun(layout).close()
        assert not reader.is_current()


def test_writer_that_lost_its_lease_commits_nothing(new_layout: Callable[[], Layout]) -> None:
    """Wherever the catalog is: who takes the lease next changes the token, and that is looked at with every commit."""
    layout = new_layout()
    with begun(layout) as mine, open_catalog(layout) as theirs:
        publish(mine, ["a"])
        theirs.take("theirs")
        before = theirs.published(1)
        with pytest.raises(StorageFailed, match="another run"), mine.staging(2) as stage:
            stage.replace("chunks", "s", [])
        for write in (mine.confirm, lambda: mine.forget([1]), lambda: mine.set_meta("hold", "x")):
            with pytest.raises(StorageFailed, match="another run"):
                write()
        assert theirs.published(1) == before
        assert theirs.recover() is False
        assert [fact.id for fact in theirs.facts("chunks", 1)] == ["a"]
