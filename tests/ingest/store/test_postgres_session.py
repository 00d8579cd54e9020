"""Speaking to a server: passwords are in no message, and what cannot be reached is told apart from what failed."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import CatalogUnreachable, SettingsInvalid, StorageFailed
from ingest.settings import Settings, load
from ingest.store.layout import Layout, Server, layout_of
from ingest.store.opening import open_catalog
from ingest.store.postgres_session import arguments, shown


def test_password_is_in_no_message_and_in_no_representation(on_server: Callable[[], Layout], postgres: Any) -> None:
    layout = on_server()
    for url in (postgres.url(password="wr0ng"), postgres.url(port=closed_port())):
        layout = replace(layout, server=Server(url, "kb"))
        with pytest.raises(CatalogUnreachable) as raised:
            open_catalog(layout)
        assert raised.value.exit_code == 6 and raised.value.retryable
        assert "127.0.0.1" in str(raised.value)
        for text in (str(raised.value), repr(layout), repr(Settings(catalog=url)), shown(Server(url, "kb"))):
            assert "wr0ng" not in text and "Quokka" not in text


def test_address_says_what_is_asked_of_the_connection() -> None:
    url = "postgresql://clerk@db.example:6432/kb?sslmode=verify-full&sslrootcert=/etc/ca.pem&connect_timeout=3&options=-c%20x.y%3D1"
    asked = arguments(Server(url, "manuals"))
    assert (asked["host"], asked["port"], asked["user"], asked["dbname"]) == ("db.example", 6432, "clerk", "kb")
    assert (asked["sslmode"], asked["sslrootcert"], asked["connect_timeout"]) == ("verify-full", "/etc/ca.pem", "3")
    assert "search_path=manuals" in asked["options"] and asked["options"].endswith("-c x.y=1")
    assert shown(Server(url, "manuals")) == "postgresql://clerk@db.example:6432/kb (schema manuals)"


def test_statement_that_fails_is_no_server_that_is_lost(on_server: Callable[[], Layout], postgres: Any) -> None:
    layout = on_server()
    assert layout.server is not None
    with open_catalog(layout, create=True) as catalog:
        postgres.sql(f"drop table {layout.server.schema}.roots")
        with pytest.raises(StorageFailed, match="roots") as raised:
            catalog.roots()
    assert not isinstance(raised.value, CatalogUnreachable)


def test_catalog_comes_from_file_or_environment_a_password_from_the_environment_only(tmp_path: Path) -> None:
    file = tmp_path / "ingest.toml"
    file.write_text('catalog = "postgresql://clerk@db/kb"\ncatalog_schema = "manuals"\n')
    assert layout_of(load(file, environ={})).server == Server("postgresql://clerk@db/kb", "manuals")
    environ = {"INGEST_CATALOG": "postgresql://clerk:inkwell@db/kb", "INGEST_CATALOG_SCHEMA": "other"}
    assert layout_of(load(file, environ=environ)).server == Server("postgresql://clerk:inkwell@db/kb", "other")
    for url in ("postgresql://clerk:inkwell@db/kb", "postgresql://db/kb?user=clerk&password=inkwell"):
        file.write_text(f'catalog = "{url}"\n')
        with pytest.raises(SettingsInvalid, match="pgpass") as raised:
            load(file, environ={})
        assert "inkwell" not in str(raised.value)


@pytest.mark.parametrize("wrong", [
    {"catalog": "mysql://db/kb"}, {"catalog": "kb.db"}, {"catalog_schema": "Kb"}, {"catalog_schema": "a b"},
    {"catalog_schema": ""},
])
def test_catalog_that_is_none_is_a_wrong_setting(wrong: dict[str, str]) -> None:
    with pytest.raises(SettingsInvalid, match="catalog"):
        load(None, wrong, environ={})


def test_password_comes_from_the_environment_or_the_users_own_file(
    on_server: Callable[[], Layout], postgres: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    layout = on_server()
    assert layout.server is not None
    without = Server(f"postgresql://concord@127.0.0.1:{postgres.port}/kb", layout.server.schema)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    with pytest.raises(CatalogUnreachable, match="password"):
        open_catalog(replace(layout, server=without), create=True)
    (tmp_path / "pgpass").write_text(f"127.0.0.1:{postgres.port}:kb:concord:p0stgres-Quokka\n")
    (tmp_path / "pgpass").chmod(0o600)
    open_catalog(replace(layout, server=without), create=True).close()
    (tmp_path / "pgpass").unlink()
    monkeypatch.setenv("PGPASSWORD", "p0stgres-Quokka")
    open_catalog(replace(layout, server=without)).close()


def closed_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port: int = held.getsockname()[1]
        return port
