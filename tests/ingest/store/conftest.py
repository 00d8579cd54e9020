"""Catalogs to try: in a file, and in a schema of a real server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from ingest.store.layout import Layout, Server

if TYPE_CHECKING:
    from fixtures.postgres_server import PostgresServer


@pytest.fixture
def on_server(
    tmp_path_factory: pytest.TempPathFactory, postgres: PostgresServer, new_schema: Callable[[], str]
) -> Callable[[], Layout]:
    """Make a layout whose catalog is in a schema of its own."""

    def make() -> Layout:
        return Layout(tmp_path_factory.mktemp("kb"), Server(postgres.url(), new_schema()))

    return make


@pytest.fixture(params=["file", "postgres"])
def new_layout(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Layout]:
    """Make a layout whose catalog is in a file, or on a server; each test runs with both."""
    if request.param == "file":
        return lambda: Layout(tmp_path_factory.mktemp("kb"))
    made: Callable[[], Layout] = request.getfixturevalue("on_server")
    return made
