"""docs/serving.md and docs/formats.md say of a server what the code does."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path

import pytest

from indexes.serve.audit_log import AuditLog
from indexes.serve.callers import Caller
from indexes.serve.http import problems
from indexes.serve.http.problems import problem_of
from indexes.serve.tokens import Token
from ingest import errors
from ingest.model.access import Principal
from ingest.settings import ServePart

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "serving.md").read_text(encoding="utf-8")


def keys(heading: str) -> set[str]:
    """What the first column of a table below a heading of formats.md names."""
    section = (DOCS / "formats.md").read_text(encoding="utf-8").partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    cells = [line.split("|")[1] for line in section.splitlines() if line.startswith("| `")]
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_every_setting_that_the_page_names_exists() -> None:
    named = set(re.findall(r"`(?:--[a-z-]+`, `)?serve\.([a-z_]+)", PAGE))
    assert named and named <= set(ServePart.model_fields)


@pytest.mark.parametrize("name", ["open_bases", "at_once", "wait_seconds", "calls", "evidence_tokens", "opened"])
def test_defaults_are_as_the_page_says(name: str) -> None:
    (said,) = set(re.findall(rf"`serve\.{name}` \(([\d,]+)\)", PAGE))
    assert float(said.replace(",", "")) == ServePart.model_fields[name].default


def test_limits_of_requests_are_as_the_page_says() -> None:
    assert "`serve.request_bytes` (256 KiB;" in PAGE and ServePart().request_bytes == 256 * 1024
    assert "`serve.request_seconds` (30)" in PAGE and ServePart().request_seconds == 30
    assert "an hour" in PAGE and ServePart().window_seconds == 3600


def test_every_kind_of_problem_is_on_the_page_with_its_status() -> None:
    rows = [line.split("|")[1:3] for line in PAGE.splitlines() if re.match(r"\| \d{3}", line)]
    told = {title: int(status) for statuses, titles in rows
            for status, title in _paired(statuses.replace(" ", "").split(","), re.findall(r"`([A-Za-z]+)`", titles))}
    raised = {
        "Unauthenticated": errors.Unauthenticated(""), "NotGranted": errors.NotGranted(""), "NotFound": errors.NotFound(""),
        "UsageError": errors.UsageError(""), "BudgetExhausted": errors.BudgetExhausted("", what="calls"),
        "ServerBusy": errors.ServerBusy(""), "AuditFailed": errors.AuditFailed(""),
    }
    made = {title: problem_of(error).status for title, error in raised.items()}
    constant = [problems.TOO_LARGE, problems.TOO_SLOW, problems.NO_SUCH_HOST, problems.TIMED_OUT, problems.WRONG_METHOD]
    assert told == made | {each.name: each.status for each in constant}


def _paired(statuses: list[str], titles: list[str]) -> list[tuple[str, str]]:
    """One status for all titles of a row, or one each."""
    return list(zip(statuses * len(titles) if len(statuses) == 1 else statuses, titles, strict=False))


def test_tokens_have_the_keys_of_the_page() -> None:
    assert {field.name for field in fields(Token)} == keys("`tokens.json`")


def test_lines_have_the_keys_of_the_page(tmp_path: Path) -> None:
    log = AuditLog(tmp_path, ServePart())
    log.record(Caller("me", Principal(), ()), "x", {})
    log.close()
    assert json.loads((tmp_path / "000001.jsonl").read_text()).keys() == keys("`audit/*.jsonl`")
