"""`ingest verify` says what drifted where, in words and as JSON, and with which code it ends."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def published(ingest: Callable[..., Any], docs: Path) -> Path:
    ingest("run", "docs")
    return docs.parent / ".kb"


def reword(kb: Path) -> None:
    with sqlite3.connect(kb / "catalog.db") as db:
        assert db.execute(
            "update chunks set payload = replace(cast(payload as text), 'QUOKKA', 'WOMBAT') where instr(payload, 'QUOKKA')"
        ).rowcount == 1


def test_drift_is_told_with_kind_store_and_document(ingest: Callable[..., Any], published: Path) -> None:
    reword(published)
    ended = ingest("verify")
    assert ended.code == 5
    assert "altered text: catalog/chunks: 1 fact (docs/private.md)" in ended.out
    assert "urn:kb:chunk:" in ended.out and "ingest verify --repair" in ended.out
    told = ingest("verify", "--json")
    (drift,) = told.json["drift"]
    assert (told.code, told.json["clean"], told.json["unknown"]) == (5, False, [])
    assert (drift["kind"], drift["where"], drift["sources"]) == ("altered text", "catalog/chunks", ["docs/private.md"])


def test_repair_says_what_it_mended_and_verifies_at_the_level_asked_for(ingest: Callable[..., Any], published: Path) -> None:
    reword(published)
    ended = ingest("verify", "--deep", "--repair")
    assert ended.code == 0
    assert "repaired: altered text: catalog/chunks" in ended.out
    assert "generation 2 is as published" in ended.out


def test_what_cannot_be_given_back_is_told_with_what_to_do(ingest: Callable[..., Any], published: Path, docs: Path) -> None:
    reword(published)
    (docs / "private.md").unlink()
    ended = ingest("verify", "--repair", "--json")
    assert ended.code == 5
    assert (ended.json["drift"], ended.json["repaired"], ended.json["clean"]) == ([], [], False)
    (left,) = ended.json["left"]
    assert left["what"] == "docs/private.md" and "ingest run" in left["remedy"]
    assert ingest("verify").code == 0


def test_what_could_not_be_told_ends_with_6_unless_something_drifted(ingest: Callable[..., Any], published: Path) -> None:
    (published / "cache/cache.db").unlink()
    ended = ingest("verify", "--deep", "--sample", "0")
    assert ended.code == 6
    assert "could not tell: vector: 3 vectors: no cached embedding" in ended.out
    assert ingest("verify", "--deep", "--sample", "0", "--json").json["unknown"][0]["kind"] == "could not tell"
    assert ingest("verify").code == 0
    assert ingest("verify", "--deep", "--all").code == 0
    reword(published)
    assert ingest("verify", "--deep", "--sample", "0").code == 5


def test_older_generation_is_named_and_dropped_rather_than_repaired(
    ingest: Callable[..., Any], published: Path, docs: Path
) -> None:
    (docs / "more.md").write_text("# More\n\nA birch.\n")
    ingest("run", "docs")
    (published / "generations/1/files.json").write_bytes(b"{}")
    ended = ingest("verify", "--generation", "1")
    assert ended.code == 5
    assert "ingest snapshots prune" in ended.out
    assert ingest("verify").code == 0
    assert ingest("snapshots", "prune", "--keep", "1").code == 0


@pytest.mark.parametrize(
    "arguments", [("--sample", "5"), ("--all",), ("--repair", "--generation", "1"), ("--deep", "--sample", "-1")]
)
def test_options_that_do_not_go_together_are_usage_errors(
    ingest: Callable[..., Any], published: Path, arguments: tuple[str, ...]
) -> None:
    assert ingest("verify", *arguments).code == 2
