"""`ingest serve audit`: the log in numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexes.serve.audit import Seen
from indexes.serve.audit_log import AuditLog
from indexes.serve.callers import Caller
from ingest.model.access import Principal
from ingest.settings import ServePart

Ingest = Callable[..., Any]


@pytest.fixture
def log(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / ".serve" / "audit", ServePart())
    ci, dev = (Caller(name, Principal(), ("hand",)) for name in ("ci", "dev"))
    log.record(ci, "knowledge_search", {}, seen=[Seen("hand", 1, ("a", "b"))], seconds=0.004)
    log.record(ci, "knowledge_search", {}, seen=[Seen("hand", 1)], refused="insufficient_evidence", failed=["law"], seconds=0.006)
    log.record(dev, "verify_citations", {}, citations={"cited": 2, "valid": 1})
    log.record(dev, "document_open", {}, refused="BudgetExhausted")
    log.close()


def test_log_is_counted_as_json(ingest: Ingest, log: None) -> None:
    told = ingest("serve", "audit", "--json").json
    assert told["total"]["calls"] == 4
    assert told["total"]["citations_valid"] == 0.5
    assert told["callers"]["dev"]["refused"] == {"BudgetExhausted": 1}
    assert told["bases"]["law"]["failed"] == 1
    assert ingest("serve", "audit", "--json", "--caller", "ci").json["total"]["no_evidence"] == 1
    assert ingest("serve", "audit", "--json", "--since", "2999-01-01").json["total"]["calls"] == 0


def test_log_is_counted_for_people(ingest: Ingest, log: None) -> None:
    done = ingest("serve", "audit")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split() == ["calls", "rows", "no", "evidence", "refused", "failed", "citations", "valid", "p50", "p95"]
    assert next(line for line in lines if line.startswith("caller ci")).split()[2:7] == ["2", "2", "1", "0", "1"]
    assert "50.0% of 2" in done.out and "refused: BudgetExhausted 1" in done.out


def test_wrong_instant_and_missing_log_are_told(ingest: Ingest) -> None:
    assert ingest("serve", "audit", "--since", "yesterday").code == 2
    done = ingest("serve", "audit")
    assert done.code == 1 and "no audit log" in done.err
