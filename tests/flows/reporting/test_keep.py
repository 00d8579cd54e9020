"""A report that cannot be written fails nothing, and none is left that would pass for it."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.history import go_back
from flows.pipeline import run
from flows.reporting.keep import json_of
from flows.reporting.record import Report
from flows.reporting.stop import Stop
from ingest.progress import Silent

PROJECT = Path(__file__).parents[3]


class Notes(Silent):
    def __init__(self) -> None:
        self.said: list[str] = []

    def note(self, message: str) -> None:
        self.said.append(message)


def full(*_: Any, **__: Any) -> int:
    raise OSError(errno.ENOSPC, "No space left on device")


def wrong(*_: Any, **__: Any) -> str:
    raise RuntimeError("drawn wrongly")


@pytest.mark.parametrize(("place", "fails", "words"), [
    ("pathlib.Path.write_bytes", full, "No space left"), ("flows.reporting.page.page", wrong, "drawn wrongly"),
    ("flows.reporting.keep.json_of", wrong, "drawn wrongly"),
])
def test_run_publishes_although_its_report_cannot_be_written(
    base: Any, monkeypatch: pytest.MonkeyPatch, place: str, fails: Callable[..., Any], words: str
) -> None:
    base.write("手册.md")
    base.run()
    base.write("other.md", "# Other\n\nThe QUOKKA.\n")
    notes = Notes()
    with monkeypatch.context() as patched:
        if place.startswith("pathlib"):  # a manifest is written in the same way
            original = Path.write_bytes
            patched.setattr(place, lambda file, data: full() if "report" in file.name else original(file, data))
        else:
            patched.setattr(place, fails)
        ran = run(base.settings, base.options(), notes)
    assert (ran.published, ran.generation, ran.report) == (True, 2, "")
    assert base.found("QUOKKA") == ["other.md"] and base.verify() == []
    (said,) = notes.said
    assert words in said and "report" in said
    assert not list(base.kb.glob("report*")), "the one before would pass for this one"
    assert not list(base.kb.glob("**/*.part"))
    again = base.run()
    assert again.report and json.loads((base.kb / "report.json").read_bytes())["outcome"] == "unchanged"


def test_place_that_is_taken_by_a_folder_fails_no_run(base: Any) -> None:
    base.write("手册.md")
    (base.kb / "report.html").mkdir(parents=True)
    notes = Notes()
    ran = run(base.settings, base.options(), notes)
    assert (ran.published, ran.report, len(notes.said)) == (True, "", 1)
    assert not list(base.kb.glob("**/*.part"))


def test_error_of_a_run_is_the_one_that_is_raised_though_no_report_can_be_written(
    base: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    base.write("手册.md")
    monkeypatch.setattr("flows.reporting.page.page", wrong)
    monkeypatch.setattr("flows.commit.embed_missing", full)
    with pytest.raises(OSError, match="No space left"):
        base.run()


def test_rollback_publishes_although_its_report_cannot_be_written(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    base.write("手册.md")
    base.run()
    base.write("other.md", "# Other\n\nThe QUOKKA.\n")
    base.run()
    monkeypatch.setattr("flows.reporting.page.page", wrong)
    assert go_back(base.settings, 1).generation == 3
    assert base.found("QUOKKA") == []


@pytest.mark.parametrize("name", ["copy.html", "copy.json"])
def test_copy_is_written_where_it_is_wanted(base: Any, name: str) -> None:
    base.write("手册.md")
    base.run(report=base.folder / name)
    assert (base.folder / name).read_bytes() == (base.kb / f"report.{name[5:]}").read_bytes()


def test_copy_of_an_error_is_written_too_and_one_that_cannot_be_is_told(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    base.write("手册.md")
    notes = Notes()
    ran = run(base.settings, base.options(report=base.folder / "none" / "copy.html"), notes)
    assert ran.published and ran.report and len(notes.said) == 1 and "copy.html" in notes.said[0]
    monkeypatch.setattr("flows.pipeline.state_after", full)
    with pytest.raises(OSError, match="No space left"):
        base.run(report=base.folder / "copy.json")
    assert json.loads((base.folder / "copy.json").read_bytes())["error"]["error"] == "OSError"


def test_nobody_ever_sees_half_a_report(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is opened under the name of a report is whole, at any moment of a write."""
    base.write("手册.md")
    base.run()
    original = Path.write_bytes
    seen: list[str] = []

    def watched(file: Path, data: bytes) -> int:
        written = original(file, data[: len(data) // 2])
        if file.name.startswith("report"):
            seen.append(file.name)
            json.loads((base.kb / "report.json").read_bytes())
            assert (base.kb / "report.html").read_text(encoding="utf-8").endswith("</html>\n")
        return written if original(file, data) else 0

    monkeypatch.setattr("pathlib.Path.write_bytes", watched)
    base.write("other.md", "# Other\n\nOther.\n")
    base.run()
    assert seen == ["report.json.part", "report.html.part"] * 2


def test_reports_have_the_mode_of_the_other_files(base: Any) -> None:
    before = os.umask(0o027)
    try:
        base.write("手册.md")
        base.run()
    finally:
        os.umask(before)
    wanted = (base.kb / "generations" / "1" / "manifest.json").stat().st_mode
    assert {file.stat().st_mode for file in base.kb.glob("**/report.*")} == {wanted}


def test_message_that_is_no_unicode_is_written_all_the_same() -> None:
    report = Report("run", "failed", "now", 0, "", 0, error=Stop("OSError", "no \udcff\ud800 here", 1, False))
    assert json.loads(json_of(report))["error"]["message"] == "no \\udcff\\ud800 here"


def test_verify_and_recovery_do_not_mind_reports(base: Any) -> None:
    base.write("手册.md")
    base.run()
    for file in base.kb.glob("**/report.*"):
        file.write_bytes(b"altered")
    assert base.verify() == [] and base.run().published is False
    for file in base.kb.glob("generations/*/report.*"):
        file.unlink()
    assert base.verify() == [] and base.search("连接").generation == 1


@pytest.mark.parametrize(("step", "published"), [("head about to move", 1), ("head moved", 2), ("signatures remembered", 2)])
def test_run_that_is_killed_leaves_no_report_of_its_own_and_the_next_one_none_the_worse(
    base: Any, step: str, published: int
) -> None:
    base.write("手册.md")
    base.run()
    first = (base.kb / "report.json").read_bytes()
    base.write("other.md", "# Other\n\nThe QUOKKA.\n")
    program = "import sys; from ingest.cli.main import main; sys.argv = ['ingest', 'run', *sys.argv[1:]]; main()"
    killed = subprocess.run(
        [sys.executable, "-c", program, str(base.docs), "--kb", str(base.kb)], check=False, capture_output=True, cwd=PROJECT,
        env={**os.environ, "INGEST_EMBED__ENGINE": "hash", "INGEST_EXECUTE__EXECUTOR": "inline", "INGEST_DEBUG__STOP_AT": step},
    )
    assert killed.returncode == -9, killed.stderr
    assert base.head() == published
    assert (base.kb / "report.json").read_bytes() == first
    assert not list((base.kb / "generations").glob("2/report.*"))
    ran = base.run()
    assert (ran.generation, ran.published, bool(ran.report)) == (2, published == 1, True)
    report = json.loads((base.kb / "report.json").read_bytes())
    assert [point["generation"] for point in report["history"]] == [1, 2]
    assert (base.kb / "generations" / "2" / "report.json").exists() == (published == 1)
