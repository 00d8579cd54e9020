"""`ingest check` for people and for pipelines: few changes line by line, many in groups, all of them in the JSON."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.cli.changes import lines
from ingest.cli.check import age
from ingest.errors import UsageError
from ingest.model.report import Change

REPORT = {
    "generation", "status", "changes", "settings", "warnings", "confirmed_at", "problems", "overdue", "strict", "same",
    "checked_at", "roots", "remarks",
}


@pytest.fixture
def published(ingest: Callable[..., Any], docs: Path) -> Callable[..., Any]:
    assert ingest("run", "docs").code == 0
    return ingest


def test_fresh_says_so_in_a_line(published: Callable[..., Any]) -> None:
    ended = published("check")
    assert ended.code == 0
    (line,) = ended.out.splitlines()
    assert line.startswith("fresh: generation 1, last confirmed ")


def test_json_is_complete_and_of_one_shape(published: Callable[..., Any], docs: Path) -> None:
    (docs / "new.md").write_text("# New\n\nNew.\n")
    ended = published("check", "--json")
    assert ended.code == 3 and set(ended.json) == REPORT
    assert ended.json["changes"] == [{"uri": "docs/new.md", "what": "added", "reason": ""}]
    assert (ended.json["same"], ended.json["roots"]) == (2, {"docs": str(docs)})
    assert ended.json["remarks"] == {"warnings": [], "problems": []}
    again = published("check", "--format", "json").json
    assert {**again, "checked_at": ""} == {**ended.json, "checked_at": ""}


def test_changed_setting_is_told_in_words(published: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INGEST_CHUNK__CHILD_MAX", "120")
    ended = published("check")
    assert ended.code == 3
    assert "  stale    docs/手册.md  (chunk.child_max changed from 300 to 120)" in ended.out.splitlines()
    assert "  chunk.child_max changed from 300 to 120" in ended.out.splitlines()
    assert ended.out.endswith("bring it up to date with: ingest run\n")


def test_many_changes_are_told_in_groups_and_all_are_in_the_json(published: Callable[..., Any], docs: Path) -> None:
    for number in range(40):
        (docs / f"{number:02}.md").write_text(f"# {number}\n\nText {number}.\n")
    (docs / "手册.md").write_text("# 手册\n\n改过了。\n")
    said = published("check").out.splitlines()
    assert said[1:3] == ["  changed  docs/手册.md", "  added    40 documents"]
    assert said[3] == "           docs/00.md" and said[8] == "           … and 35 more (--json lists all)"
    assert len(published("check", "--json").json["changes"]) == 41


def test_ten_thousand_changes_are_a_page() -> None:
    reasons = ("its parser changed from pdf 1 to pdf 2", "the embedder changed")
    changes = [Change(f"docs/{number}.pdf", "stale", reasons[number % 2]) for number in range(10_000)]
    changes += [Change(f"docs/{number}.md", "renamed", f"was docs/old/{number}.md") for number in range(300)]
    said = list(lines(changes))
    assert len(said) < 30
    assert f"  stale    5,000 documents  ({reasons[0]})" in said and "  renamed  300 documents" in said
    assert "           docs/0.md  (was docs/old/0.md)" in said


@given(st.lists(st.builds(
    Change, st.text(max_size=5), st.sampled_from(["added", "changed", "gone", "stale", "other"]), st.sampled_from(["", "a", "b"])
), max_size=80))
def test_every_change_is_told_or_counted(changes: list[Change]) -> None:
    import re

    told = 0
    for line in lines(changes):
        if re.match(r"^  \S+ +[\d,]+ documents", line) is None:
            told += int(found[1].replace(",", "")) if (found := re.search(r"… and ([\d,]+) more \(--json", line)) else 1
    assert told == len(changes)


def confirmed(folder: Path, instant: str) -> None:
    with sqlite3.connect(folder / ".kb" / "catalog.db") as db:
        db.execute("update generations set confirmed_at = ?", [instant])
    db.close()


def test_age_is_asked_for_and_told(published: Callable[..., Any], tmp_path: Path) -> None:
    assert published("check", "--max-age", "1h").code == 0
    confirmed(tmp_path, "2001-02-03T04:05:06Z")
    ended = published("check", "--max-age", "7d")
    assert ended.code == 3 and "2001-02-03T04:05:06Z; it may be 7 d old" in ended.out
    assert published("check").code == 0


@pytest.mark.parametrize(("text", "length"), [
    ("90m", timedelta(minutes=90)), ("36h", timedelta(hours=36)), ("7d", timedelta(days=7)), ("2w", timedelta(weeks=2)),
    ("45s", timedelta(seconds=45)), ("1d12h", timedelta(days=1, hours=12)), (" 7D ", timedelta(days=7)), ("0s", timedelta()),
])
def test_lengths_of_time_are_read(text: str, length: timedelta) -> None:
    assert age(text) == length


@pytest.mark.parametrize("text", ["", "7", "d", "-7d", "7 days", "1.5h", "7d!", "999999999w", "1h 5", "７d7"])
def test_what_is_no_length_of_time_is_a_usage_error(published: Callable[..., Any], text: str) -> None:
    with pytest.raises(UsageError):
        age(text)
    ended = published("check", f"--max-age={text}")
    assert (ended.code, ended.out) == (2, "") and "--max-age" in ended.err


def test_warnings_leave_the_code_and_strict_does_not(published: Callable[..., Any], docs: Path) -> None:
    (docs / "empty.md").touch()
    published("run")
    ended, strict = published("check"), published("check", "--strict")
    assert (ended.code, strict.code) == (0, 3)
    assert ended.out.startswith("fresh: ") and "  warning: docs/empty.md is not served" in ended.out
    assert strict.out.startswith("stale because of its warnings: ")
    assert published("check", "--strict", "--json").json["status"] == "stale"
    assert "bring it up to date" not in strict.out


def test_what_is_stale_is_listed_although_something_cannot_be_told(
    published: Callable[..., Any], docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "wiki"
    other.mkdir()
    (other / "page.md").write_text("# Page\n\nText.\n")
    published("run", "wiki")
    other.rename(tmp_path / "away")
    (docs / "new.md").write_text("# New\n\nNew.\n")
    ended = published("check")
    assert ended.code == 6 and ended.out.startswith("could not tell: generation ")
    assert "  added    docs/new.md" in ended.out and "  could not tell: the folder of root 'wiki' is not there" in ended.out


def test_unreadable_catalog_ends_with_6_and_a_report(published: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / ".kb" / "catalog.db").write_bytes(b"nonsense " * 1000)
    ended = published("check", "--json")
    assert (ended.code, ended.json["status"], ended.json["generation"]) == (6, "unknown", 0)
    assert "Traceback" not in ended.err
    assert published("check").out.startswith("could not tell\n")


def test_path_that_is_none_is_a_usage_error(published: Callable[..., Any]) -> None:
    ended = published("check", "nowhere")
    assert (ended.code, ended.out) == (2, "")


def test_base_from_an_archive_is_checked_against_any_folder_that_is_named(
    published: Callable[..., Any], docs: Path, tmp_path: Path
) -> None:
    published("snapshots", "export", "kb.tar.zst")
    published("snapshots", "import", "kb.tar.zst", "--kb", "there")
    untold = published("check", "--kb", "there")
    assert untold.code == 6 and "came with an archive" in untold.out
    assert published("check", "docs", "--kb", "there").code == 0
    docs.rename(tmp_path / "handbook")
    assert published("check", "handbook", "--kb", "there").code == 2
    assert published("check", "handbook", "--name", "docs", "--kb", "there").code == 0
    (tmp_path / "handbook" / "new.md").write_text("# New\n\nNew.\n")
    ended = published("check", "handbook", "--name", "docs", "--kb", "there")
    assert ended.code == 3 and "docs/new.md" in ended.out


def test_dry_run_tells_settings_and_groups_too(
    published: Callable[..., Any], docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(30):
        (docs / f"{number}.md").write_text(f"# {number}\n\nText {number}.\n")
    monkeypatch.setenv("INGEST_CHUNK__CHILD_MAX", "120")
    ended = published("run", "--dry-run")
    assert ended.code == 0
    assert "  added    30 documents" in ended.out and "  chunk.child_max changed from 300 to 120" in ended.out
    assert ended.out.endswith("32 changes, 0 sources the same; nothing was written\n")
