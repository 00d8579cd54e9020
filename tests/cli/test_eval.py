"""`ingest eval`: formats, thresholds and exit codes, comparisons, the report."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LINES = [
    {"id": "limit", "category": "fact", "language": "zh", "query": "云脉网关 连接", "as_of": "2026-01-01",
     "expected": {"sources": ["docs/手册.md"], "spans": ["两万个连接"], "version": "2.0"}},
    {"id": "odd", "category": "no answer", "language": "en", "query": "zzyzx", "as_of": "2026-01-01", "mode": "bm25",
     "expected": {"refusal": True}},
    {"id": "code", "category": "fact", "language": "en", "query": "ERR_1042", "as_of": "2026-01-01", "mode": "bm25",
     "expected": {"sources": ["docs/手册.md"], "spans": ["Beyond that"]}},
]


@pytest.fixture
def evaluated(ingest: Callable[..., Any], docs: Path, tmp_path: Path) -> Callable[..., Any]:
    file = tmp_path / "questions.jsonl"
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in LINES), encoding="utf-8")
    ingest("run", "docs")
    return lambda *arguments: ingest("eval", "questions.jsonl", *arguments)


def test_text_has_a_row_for_every_category(evaluated: Callable[..., Any]) -> None:
    ended = evaluated()
    assert ended.code == 0, ended.err
    assert ended.out.startswith("generation 1, 3 questions")
    rows = {line.split("  ")[0] for line in ended.out.splitlines()}
    assert {"all", "fact", "no answer", "zh", "en", "fact, zh"} <= rows


def test_json_is_pure_and_complete(evaluated: Callable[..., Any]) -> None:
    made = evaluated("--json").json
    timed = ("at", "groups", "outcomes")
    assert made == {**evaluated("--format", "json").json, **{key: made[key] for key in timed}}
    assert [one["id"] for one in made["outcomes"]] == ["limit", "odd", "code"]
    assert made["groups"][0]["figures"]["right version"] == {"value": 1.0, "low": 1.0, "high": 1.0, "questions": 1}


def test_markdown_is_a_table(evaluated: Callable[..., Any]) -> None:
    out = evaluated("--format", "markdown").out.splitlines()
    head = next(line for line in out if line.startswith("| group"))
    assert out[out.index(head) + 1] == "|" + " --- |" * (head.count("|") - 1)


def test_missed_threshold_is_exit_code_one(evaluated: Callable[..., Any], tmp_path: Path) -> None:
    assert evaluated("--threshold", "fact:Recall@20>=1", "--threshold", "leaks<=0").code == 0
    ended = evaluated("--threshold", "p50 ms<=0")
    assert ended.code == 1 and "FAIL p50 ms<=0 in all" in ended.out
    (tmp_path / "ingest.toml").write_text('[eval]\nthresholds = ["p95 ms<=0"]\n', encoding="utf-8")
    assert evaluated().code == 1


def test_leak_is_exit_code_one_without_any_threshold(evaluated: Callable[..., Any], tmp_path: Path) -> None:
    line = {"query": "云脉网关", "as_of": "2026-01-01", "expected": {"never": ["docs/手册.md"]}}
    (tmp_path / "questions.jsonl").write_text(json.dumps(line), encoding="utf-8")
    ended = evaluated()
    assert ended.code == 1 and "leak: docs/手册.md" in ended.out


def test_wrong_line_wrong_threshold_and_two_comparisons_are_usage_errors(evaluated: Callable[..., Any], tmp_path: Path) -> None:
    assert evaluated("--threshold", "wit>=1").code == 2
    assert evaluated("--compare", "1", "--against", "other.toml").code == 2
    (tmp_path / "questions.jsonl").write_text('{"query": "a", "wanted": 1}\n', encoding="utf-8")
    ended = evaluated()
    assert ended.code == 2 and "line 1: 'wanted' is no key" in ended.err


def test_comparison_with_other_settings_is_shown(evaluated: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text("[search]\ncandidates = 1\n", encoding="utf-8")
    ended = evaluated("--against", "other.toml")
    assert ended.code == 0 and "compared with other settings" in ended.out
    assert evaluated("--compare", "1", "--json").json["against"] == "generation 1"


def test_report_is_one_page_and_the_whole_as_json(evaluated: Callable[..., Any], tmp_path: Path) -> None:
    assert evaluated("--report", "out", "--threshold", "nDCG@10>=0.5").code == 0
    page = (tmp_path / "out" / "eval.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and "Thresholds met" in page and "<script" not in page
    assert len(json.loads((tmp_path / "out" / "eval.json").read_bytes())["outcomes"]) == 3
    (tmp_path / "file").touch()
    assert evaluated("--report", "file").code == 1


def test_nothing_published_is_could_not_tell(evaluated: Callable[..., Any]) -> None:
    assert evaluated("--kb", "nowhere").code == 6


def test_doctor_shows_the_last_figures(evaluated: Callable[..., Any], ingest: Callable[..., Any]) -> None:
    assert "none yet" in ingest("doctor").out
    evaluated()
    assert "generation 1, 3 questions" in ingest("doctor").out
