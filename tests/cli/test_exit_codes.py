"""Exit codes as documented, each with a message that says what to do, and never a traceback."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_run_ends_with_0_and_4(ingest: Callable[..., Any], docs: Path) -> None:
    assert ingest("run", "docs").code == 0
    assert ingest("run").code == 0
    (docs / "empty.md").touch()
    ended = ingest("run")
    assert ended.code == 4
    assert "failed:  docs/empty.md" in ended.out and "DocumentEmpty" in ended.out and "nothing of it is served" in ended.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["run", "docs", "--no-such-option"], "--no-such-option"),
        (["run", "nowhere"], "does not exist"),
        (["run", "docs", "--executor", "dask"], "execute.executor"),
        (["run", "docs", "--config", "missing.toml"], "missing.toml"),
        (["run"], "name a folder"),
        (["serch", "x"], "serch"),
        (["search"], "QUERY"),
        (["search", "x", "--level", "secret"], "unknown level 'secret'"),
        (["search", "x", "--as-of", "tomorrow"], "--as-of"),
        (["search", "x", "--status", "final"], "--status"),
        (["search", "x", "--mode", "magic"], "--mode"),
        (["search", "x", "--top-k", "0"], "--top-k"),
        (["show", "x", "--level", "secret"], "unknown level 'secret'"),
        (["snapshots", "rollback", "one"], "one"),
    ],
)
def test_wrong_usage_ends_with_2(ingest: Callable[..., Any], docs: Path, arguments: list[str], said: str) -> None:
    ended = ingest(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err and "Traceback" not in ended.err


def test_wrong_settings_end_with_2_and_name_the_key(ingest: Callable[..., Any], docs: Path, tmp_path: Path) -> None:
    (tmp_path / "ingest.toml").write_text("[chunk]\nchild_maxx = 10\n")
    ended = ingest("run", "docs")
    assert ended.code == 2
    assert "chunk.child_maxx" in ended.err and "ingest.toml" in ended.err


@pytest.mark.parametrize("command", [["check"], ["verify"], ["search", "x"], ["show", "x"], ["snapshots", "list"],
                                     ["snapshots", "rollback", "1"], ["snapshots", "release"], ["snapshots", "prune"]])
def test_no_knowledge_base_ends_with_6(ingest: Callable[..., Any], tmp_path: Path, command: list[str]) -> None:
    ended = ingest(*command)
    assert ended.code == 6
    assert "ingest run" in ended.err and "Traceback" not in ended.err
    assert not (tmp_path / ".kb").exists()


def test_check_ends_with_0_3_and_6(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    assert ingest("check").code == 0
    (docs / "new.md").write_text("# New\n\nNew.\n")
    stale = ingest("check")
    assert stale.code == 3
    assert "added" in stale.out and "docs/new.md" in stale.out and "ingest run" in stale.out
    docs.rename(docs.with_name("away"))
    assert ingest("check").code == 6
    assert ingest("run").code == 6


def test_verify_ends_with_5_and_names_the_drift(ingest: Callable[..., Any], docs: Path, tmp_path: Path) -> None:
    ingest("run", "docs")
    assert ingest("verify").code == 0
    (segment,) = (tmp_path / ".kb/builds/bm25").rglob("*.segment")
    segment.unlink()
    ended = ingest("verify")
    assert ended.code == 5
    assert "torn file" in ended.out and segment.name in ended.out
    searched = ingest("search", "x", "--mode", "bm25")
    assert searched.code == 5 and "BuildCorrupt" in searched.err


def test_guards_end_with_1(ingest: Callable[..., Any], docs: Path) -> None:
    for number in range(30):
        (docs / f"{number}.md").write_text(f"# {number}\n\nText {number}.\n")
    ingest("run", "docs")
    for number in range(20):
        (docs / f"{number}.md").unlink()
    ended = ingest("run")
    assert ended.code == 1 and "MassDeletion" in ended.err and "--allow-mass-delete" in ended.err
    assert ingest("run", "--allow-mass-delete").code == 0


def test_hold_and_lease_end_with_7(ingest: Callable[..., Any], docs: Path, tmp_path: Path) -> None:
    from ingest.store.layout import Layout
    from ingest.store.lease import lease

    ingest("run", "docs")
    (docs / "new.md").write_text("# New\n\nNew.\n")
    with lease(Layout(tmp_path / ".kb")):
        held = ingest("run")
        assert held.code == 7 and "LeaseHeld" in held.err
        assert ingest("search", "ERR_1042").code == 0
    ingest("run")
    assert ingest("snapshots", "rollback", "1").code == 0
    held = ingest("run")
    assert held.code == 7 and "OnHold" in held.err and "snapshots release" in held.err
    assert ingest("snapshots", "release").code == 0
    assert ingest("run").code == 0


def test_what_is_not_there_or_hidden_ends_with_1(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    hidden, absent = ingest("show", "docs/private.md"), ingest("show", "docs/nothing.md")
    assert hidden.code == absent.code == 1
    assert hidden.err.replace("private", "nothing") == absent.err
    assert ingest("show", "docs/private.md", "--level", "1").code == 0
    assert ingest("search", "x", "--generation", "9").code == 1


def test_parse_ends_with_4_and_prints_the_others(ingest: Callable[..., Any], docs: Path) -> None:
    (docs / "bad.md").write_text("---\nalowed_users: [lin]\n---\ntext\n")
    ended = ingest("parse", "docs/bad.md", "docs/手册.md", "docs/missing.md")
    assert ended.code == 4
    assert "MetadataInvalid" in ended.err and "DocumentUnreadable" in ended.err
    assert "云脉网关最多承载两万个连接" in ended.out
