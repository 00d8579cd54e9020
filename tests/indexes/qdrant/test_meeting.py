"""Rows that have most of several things asked for, on a server: how often it is asked."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from indexes.qdrant.bm25_reader import open_reader
from indexes.qdrant.bm25_writer import ServerBm25Writer
from indexes.qdrant.connect import Server
from indexes.qdrant.place import place_of
from ingest.model.predicate import Predicate
from ingest.progress import Silent
from ingest.protocols import Asked, Bm25Delta
from ingest.store.layout import Layout

NAMES = ("gateway", "garnet", "ledger", "scanner", "harbour", "violin", "cement", "orchid")


def test_many_names_ask_little_more_than_there_are_rows_that_have_some(
    server_in_process: Callable[..., Any], make_row: Callable[..., Any], tmp_path: Path, monkeypatch: Any
) -> None:
    """Each row may have any of the names or not: 256 groups, of which eight have a row."""
    rows = [make_row(number, text=f"The {name} was tested.", prefix="") for number, name in enumerate(NAMES)]
    layout = Layout(tmp_path / "kb")
    layout.folder.mkdir()
    build = layout.builds / "bm25" / "0"
    build.parent.mkdir(parents=True)
    with server_in_process() as (server, _):
        ServerBm25Writer(place_of(layout, server), 4).write(None, Bm25Delta(rows, len(rows), frozenset()), build, Silent())
        reader = open_reader(build, server)
        asked: list[str] = []
        called = Server.call
        monkeypatch.setattr(Server, "call", lambda self, what, request: asked.append(what) or called(self, what, request))
        found = reader.meets([], [Asked(((name,),), once=True) for name in NAMES], 1.0, Predicate(), 20)
    assert {hit.chunk_id for hit in found.hits} == {row.chunk_id for row in rows}
    assert len(asked) < 100, len(asked)
