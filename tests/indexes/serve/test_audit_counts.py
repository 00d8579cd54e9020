"""The numbers are those of the lines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexes.serve.audit import Seen
from indexes.serve.audit_counts import counted
from indexes.serve.audit_log import AuditLog
from indexes.serve.callers import Caller
from ingest.errors import NotFound
from ingest.model.access import Principal
from ingest.settings import ServePart

A, B = (Caller(name, Principal(), ("hand", "law")) for name in "ab")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    log = AuditLog(tmp_path / "audit", ServePart(audit_bytes=800))
    log.record(A, "knowledge_search", {}, seen=[Seen("hand", 1, ("1", "2")), Seen("law", 4, ("3",))], seconds=0.1)
    log.record(A, "knowledge_search", {}, seen=[Seen("hand", 1)], failed=["law"], refused="insufficient_evidence", seconds=0.3)
    log.record(B, "verify_citations", {}, seen=[Seen("hand", 2)], citations={"cited": 4, "valid": 3}, seconds=0.2)
    log.record(B, "document_open", {}, refused="BudgetExhausted", seconds=0.0)
    log.record(None, "", {}, refused="Unauthenticated")
    log.close()
    with (tmp_path / "audit" / "000001.jsonl").open("ab") as file:
        file.write(b'{"at":')
    yield tmp_path / "audit"


def test_calls_refusals_and_citations_are_counted(folder: Path) -> None:
    told = counted(folder).told()
    assert told["total"] == {
        "calls": 5, "rows": 3, "no_evidence": 1, "refused": {"BudgetExhausted": 1, "Unauthenticated": 1}, "failed": 1,
        "cited": 4, "citations_valid": 0.75, "seconds_p50": 0.1, "seconds_p95": 0.3,
    }
    assert (told["lines"], told["torn"]) == (5, 1)
    assert {name: each["calls"] for name, each in told["callers"].items()} == {"": 1, "a": 2, "b": 2}
    assert {name: (each["calls"], each["rows"], each["failed"]) for name, each in told["bases"].items()} == {
        "hand": (3, 2, 0), "law": (2, 1, 1)
    }
    assert told["operations"]["knowledge_search"]["no_evidence"] == 1
    assert told["callers"]["a"]["citations_valid"] is None


def test_counting_is_narrowed_by_caller_and_instant(folder: Path) -> None:
    assert counted(folder, caller="b").told()["total"]["calls"] == 2
    assert counted(folder, since="2000-01-01T00:00:00Z").lines == 5
    assert counted(folder, since="9999-01-01T00:00:00Z").lines == 0
    at = "2026-01-01T00:00:00"
    (folder / "000001.jsonl").write_text("")
    for file in folder.glob("*.jsonl"):
        file.unlink()
    (folder / "000001.jsonl").write_text(
        f'{{"at":"{at}.500Z","caller":"a","principal":null,"session":"","operation":"x","arguments":{{}},"seen":[],"failed":[],'
        '"refused":null,"citations":null,"seconds":0}\n'
    )
    assert counted(folder, since=f"{at}Z").lines == 1  # a part of a second after an instant is after it


def test_no_log_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="ingest serve"):
        counted(tmp_path / "none")
