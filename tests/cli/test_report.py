"""Where `ingest run` says that its report is, and what `--report` writes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any


def test_run_ends_with_where_its_report_is(ingest: Callable[..., Any], docs: Path) -> None:
    for _ in range(2):  # published, then nothing to do
        ended = ingest("run", "docs")
        assert ended.out.splitlines()[-1] == "  report:  .kb/report.html"
        assert Path(".kb/report.html").is_file()
    (docs / "empty.md").touch()
    ended = ingest("run", "--json", "--kb", ".kb")
    assert (ended.code, ended.json["report"]) == (4, ".kb/report.html")


def test_report_goes_where_it_is_wanted_too(ingest: Callable[..., Any], docs: Path) -> None:
    assert ingest("run", "docs", "--report", "copy.html").code == 0
    assert Path("copy.html").read_bytes() == Path(".kb/report.html").read_bytes()


def test_dry_run_writes_its_plan_and_nothing_else(ingest: Callable[..., Any], docs: Path) -> None:
    ended = ingest("run", "docs", "--dry-run", "--report", "plan.json", "--json")
    assert ended.code == 0 and not Path(".kb").exists()
    assert json.loads(Path("plan.json").read_bytes())["plan"] == ended.json["changes"]
    ended = ingest("run", "docs", "--dry-run", "--report", "none/plan.html")
    assert (ended.code, "--report" in ended.err, "Traceback" in ended.err) == (1, True, False)


def test_run_that_fails_keeps_its_copy_and_its_exit_code(ingest: Callable[..., Any], docs: Path) -> None:
    ingest("run", "docs")
    docs.rename("away")
    ended = ingest("run", "--report", "failed.html")
    assert ended.code == 6 and "RootUnavailable" in ended.err
    assert "<h1>The run failed</h1>" in Path("failed.html").read_text(encoding="utf-8")


def test_run_whose_report_cannot_be_written_says_so_and_publishes(ingest: Callable[..., Any], docs: Path) -> None:
    Path(".kb/report.json").mkdir(parents=True)
    ended = ingest("run", "docs")
    assert ended.code == 0 and "published generation 1" in ended.out
    assert "report" not in ended.out and "the report was not written" in ended.err
