"""What options do: nothing is written by a dry run, names and executors are obeyed, output is safe for a terminal."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any


def everything(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return every file below a folder with its time and bytes; SQLite's own side files are no content."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-wal", "-shm"))
    }


def test_dry_run_writes_nothing(ingest: Callable[..., Any], docs: Path, tmp_path: Path) -> None:
    ended = ingest("run", "docs", "--dry-run")
    assert ended.code == 0 and "2 changes" in ended.out and "nothing was written" in ended.out
    assert not (tmp_path / ".kb").exists()
    ingest("run", "docs")
    before = everything(tmp_path / ".kb")
    (docs / "new.md").write_text("# New\n\nNew.\n")
    (docs / "private.md").unlink()
    planned = ingest("run", "--dry-run")
    assert "added" in planned.out and "docs/new.md" in planned.out and "gone" in planned.out
    assert everything(tmp_path / ".kb") == before
    assert ingest("run", "--json").json["sources"]["gone"] == 1


def test_dry_run_tells_of_a_mass_deletion_as_the_run_would(ingest: Callable[..., Any], docs: Path) -> None:
    for number in range(30):
        (docs / f"{number}.md").write_text(f"# {number}\n\nText {number}.\n")
    ingest("run", "docs")
    for number in range(20):
        (docs / f"{number}.md").unlink()
    assert ingest("run", "--dry-run").code == 1
    assert ingest("run", "--dry-run", "--allow-mass-delete").code == 0


def test_environment_wins_over_the_file_and_options_over_both(
    ingest: Callable[..., Any], docs: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    (tmp_path / "ingest.toml").write_text('kb = "from-file"\n')
    ingest("run", "docs")
    monkeypatch.setenv("INGEST_KB", "from-environment")
    ingest("run", "docs")
    ingest("run", "docs", "--kb", "from-option")
    assert all((tmp_path / name / "catalog.db").exists() for name in ("from-file", "from-environment", "from-option"))


def test_name_of_a_root_is_in_its_uris(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs", "--name", "handbook")
    assert ingest("search", "ERR_1042", "--json").json["evidence"][0]["uri"] == "handbook/手册.md"
    assert ingest("run", "--name", "handbook").code == 0
    assert ingest("run", "--name", "other").code == 2


def test_processes_by_option(ingest: Callable[..., Any], docs: Path) -> None:
    assert ingest("run", "docs", "--executor", "processes", "--workers", "1").code == 0


def test_older_generation_by_option(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    (docs / "手册.md").write_text("# 手册\n\n改写了。\n")
    ingest("run")
    assert ingest("search", "ERR_1042", "--mode", "bm25", "--json").json["evidence"] == []
    assert ingest("search", "ERR_1042", "--mode", "bm25", "--generation", "1", "--json").json["generation"] == 1
    assert ingest("verify", "--generation", "1").code == 0


def test_text_of_documents_cannot_drive_a_terminal(ingest: Callable[..., Any], docs: Path) -> None:
    (docs / "evil.md").write_text("# Evil\n\nThe WOMBAT \x1b]0;owned\x07 and \x1b[2J clear.\n")
    ingest("run", "docs")
    for arguments in (["search", "WOMBAT"], ["show", "docs/evil.md"], ["parse", "docs/evil.md"]):
        ended = ingest(*arguments)
        assert "WOMBAT" in ended.out
        assert "\x1b" not in ended.out and "\x07" not in ended.out


def test_text_output_names_source_version_and_window(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    ended = ingest("search", "ERR_1042", "--explain")
    assert "K1" in ended.out and "(docs/手册.md)" in ended.out and "version 2.0" in ended.out and "2025-01-01" in ended.out
    assert "generation 1" in ended.out and "scores:" in ended.out
    assert re.search(r"^plan, keywords: ERR_1042", ended.out, re.M) and re.search(r"^rule weight-codes: ", ended.out, re.M)
    assert re.search(r"^sufficiency: .*share 1\b", ended.out, re.M) and "{'" not in ended.out
    assert "no evidence" in ingest("search", "QUOKKA", "--mode", "bm25").out


def test_question_is_any_text(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    for question in ("", " ", "\"'`;--", "云" * 3000, "\ud800", "AND OR NOT (", "%_*?[", "--help me".replace("--", "- ")):
        for mode in ("bm25", "vector", "hybrid"):
            ended = ingest("search", "--mode", mode, "--json", "--", question)
            assert ended.code == 0, (question, mode, ended.err)
