"""Wherever a catalog is opened, the same is published: one digest, one answer, one archive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.history import go_back, let_go
from flows.shipping import receive, send
from ingest.progress import Silent


@pytest.fixture
def both(
    tmp_path: Path, unflushed: None, make_base: Callable[..., Any], postgres: Any, new_schema: Callable[[], str]
) -> list[Any]:
    """A base whose catalog is a file, and one whose catalog is on a server."""
    on_server = {"catalog": postgres.url(), "catalog_schema": new_schema()}
    return [make_base(tmp_path / "file"), make_base(tmp_path / "server", **on_server)]


def snapshots(base: Any) -> list[str]:
    with base.catalog() as catalog:
        return [published.manifest.snapshot for published in catalog.generations()]


def live(base: Any) -> None:
    """Documents come, change, go and come back; a generation is gone back to."""
    base.write("手册.md")
    base.write("Ärger/ümlaut é.md", "# Ärger\n\nThe QUOKKA writes to the 云脉网关.\n")
    base.write("plain.txt", "Nothing of note, but for the WOMBAT.\n")
    base.run()
    base.write("plain.txt", "Something of note.\n")
    base.delete("手册.md")
    base.run()
    go_back(base.settings, 1)
    let_go(base.settings)
    base.run()


def test_a_file_and_a_server_publish_the_same_digests(both: list[Any]) -> None:
    for base in both:
        live(base)
        assert base.verify(deep=True) == []
        assert base.check().status == "fresh"
        assert base.found("QUOKKA") == ["Ärger/ümlaut é.md"]
        assert base.found("WOMBAT", generation=3) == ["plain.txt"]
    first, second = map(snapshots, both)
    assert first == second and len(first) == 3


def test_an_archive_of_one_becomes_a_base_of_the_other(
    both: list[Any], tmp_path: Path, make_base: Callable[..., Any], postgres: Any, new_schema: Callable[[], str]
) -> None:
    there = {"file": {"catalog": postgres.url(), "catalog_schema": new_schema()}, "server": {}}
    for base in both:
        base.write("手册.md")
        base.run()
        archive = tmp_path / f"{base.folder.name}.tar"
        send(base.settings, archive, None, Silent())
        other = make_base(tmp_path / f"from {base.folder.name}", **there[base.folder.name])
        receive(other.settings, archive, Silent())
        assert snapshots(other) == snapshots(base)
        assert other.verify() == []
        assert other.found("机柜") == ["手册.md"]
