"""Lines never mix, a crash leaves none that breaks reading, the log is bounded, holds no token, and tells when it fails."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from indexes.serve.audit import Seen
from indexes.serve.audit_counts import lines
from indexes.serve.audit_log import AuditLog
from indexes.serve.callers import Caller
from indexes.serve.tokens import minted
from ingest.errors import AuditFailed
from ingest.model.access import Principal
from ingest.settings import ServePart

ME = Caller("ci", Principal("王芳", ("sales",), "acme", 2), ("hand",))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "serve" / "audit"


@pytest.fixture
def opened(folder: Path) -> Iterator[Callable[..., AuditLog]]:
    made: list[AuditLog] = []

    def open_(required: bool = True, warn: Callable[[str], None] = lambda text: None, **settings: Any) -> AuditLog:
        made.append(AuditLog(folder, ServePart(**settings), required=required, warn=warn))
        return made[-1]

    yield open_
    for log in made:
        log.close()


def read(folder: Path) -> list[dict[str, Any]]:
    """The lines, none of them torn."""
    found = list(lines(folder))
    assert None not in found
    return [line for line in found if line is not None]


def test_line_says_who_asked_what_as_whom_and_what_was_seen(folder: Path, opened: Callable[..., AuditLog]) -> None:
    opened().record(
        ME, "knowledge_search", {"query": "上架\n\"quoted\" \u2028", "kb_ids": ["hand"], "top_k": 5},
        seen=[Seen("hand", 7, ("urn:kb:chunk:1", "urn:kb:chunk:2"))], failed=["law"], refused=None, seconds=0.01234567,
        session="s1", citations={"cited": 3, "valid": 2},
    )
    (line,) = read(folder)
    assert line.pop("at").endswith("Z")
    assert line == {
        "caller": "ci", "principal": {"user": "王芳", "roles": ["sales"], "tenant": "acme", "level": 2}, "session": "s1",
        "operation": "knowledge_search", "arguments": {"query": "上架\n\"quoted\" \u2028", "kb_ids": ["hand"], "top_k": 5},
        "seen": [{"kb": "hand", "generation": 7, "rows": ["urn:kb:chunk:1", "urn:kb:chunk:2"]}], "failed": ["law"],
        "refused": None, "citations": {"cited": 3, "valid": 2}, "seconds": 0.0123,
    }


def test_files_are_their_owners_alone(folder: Path, opened: Callable[..., AuditLog]) -> None:
    opened(audit_text="hash").record(ME, "x", {"query": "y"})
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == {
        "000001.jsonl": 0o600, "lock": 0o600, "key": 0o600
    }
    assert folder.stat().st_mode & 0o777 == 0o700


def test_tokens_are_never_kept_wherever_somebody_puts_them(folder: Path, opened: Callable[..., AuditLog]) -> None:
    secret = minted()
    log = opened()
    log.record(ME, "x", {"query": f"is {secret} valid?", "nested": {"list": [secret, {secret: secret}]}})
    log.record(ME, secret[:0] + "x", {"kb_ids": [secret], "as_of": secret, "odd": {1, 2}, "huge": "字" * 10**5})
    content = (folder / "000001.jsonl").read_text()
    assert secret not in content and "concord_***" in content
    assert len(content) < 100_000


def test_hashed_texts_can_be_told_apart_but_not_read(folder: Path, opened: Callable[..., AuditLog], tmp_path: Path) -> None:
    log = opened(audit_text="hash")
    for query in ("工资是多少", "工资是多少", "salary"):
        log.record(ME, "knowledge_search", {
            "query": query, "mode": "bm25", "kb_ids": ["hand"], "id": "urn:kb:chunk:00ff", "as_of": "2025-01-01T00:00:00Z",
            "top_k": 3,
        })
    arguments = [line["arguments"] for line in read(folder)]
    queries = [each.pop("query") for each in arguments]
    assert queries[0] == queries[1] != queries[2]
    assert all(query.startswith("hmac:") and len(query) == 37 for query in queries)
    assert arguments[0] == {
        "mode": "bm25", "kb_ids": ["hand"], "id": "urn:kb:chunk:00ff", "as_of": "2025-01-01T00:00:00Z", "top_k": 3
    }
    other = AuditLog(tmp_path / "other", ServePart(audit_text="hash"))
    other.record(ME, "knowledge_search", {"query": "salary"})
    other.close()
    assert read(tmp_path / "other")[0]["arguments"]["query"] != queries[2]


def test_lines_of_threads_and_of_two_logs_never_mix(folder: Path, opened: Callable[..., AuditLog]) -> None:
    logs = [opened(audit_bytes=20_000, audit_files=0), opened(audit_bytes=20_000, audit_files=0)]

    def write(number: int) -> None:
        for count in range(50):
            logs[number % 2].record(ME, f"{number}/{count}", {"query": "长" * (number * 37)})

    threads = [threading.Thread(target=write, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = [line["operation"] for line in read(folder)]
    assert sorted(found) == sorted(f"{number}/{count}" for number in range(8) for count in range(50))
    assert len(list(folder.glob("*.jsonl"))) > 3
    assert all(path.stat().st_size <= 20_000 for path in folder.glob("*.jsonl"))


_WRITER = """
import sys
from pathlib import Path
from indexes.serve.audit_log import AuditLog
from indexes.serve.callers import Caller
from ingest.model.access import Principal
from ingest.settings import ServePart
log = AuditLog(Path(sys.argv[1]), ServePart(audit_bytes=300_000))
number = 0
while True:
    log.record(Caller(sys.argv[2], Principal(), ()), str(number), {"query": "x" * 3000})
    number += 1
    print(number, flush=True)
"""


def test_killed_processes_leave_no_line_that_breaks_reading_and_lose_none(folder: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(folder), name], stdout=subprocess.PIPE, text=True) for name in "ab"
    ]
    said = {}
    for name, writer in zip("ab", writers, strict=True):
        assert writer.stdout is not None
        for _ in range(60):
            writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        said[name] = 60 + len(writer.stdout.read().split("\n")) - 1
        writer.wait()
        writer.stdout.close()
    found = [line for line in lines(folder) if line is not None]
    assert sum(line is None for line in lines(folder)) <= 2  # cut in the middle of a write, so its answer had not left
    for name in "ab":
        mine = [int(line["operation"]) for line in found if line.get("caller") == name]
        assert mine == list(range(len(mine)))
        assert said[name] <= len(mine) <= said[name] + 1


def test_line_that_a_crash_cut_is_passed_over_and_hurts_no_other(folder: Path, opened: Callable[..., AuditLog]) -> None:
    opened().record(ME, "first", {})
    with (folder / "000001.jsonl").open("ab") as file:
        file.write(b'{"at":"2026-01-01T00:00:00.000Z","caller":"c')
    opened().record(ME, "second", {})
    found = list(lines(folder))
    assert [line and line["operation"] for line in found] == ["first", None, "second"]


def test_line_that_the_disk_took_in_part_is_cut_off_again(
    folder: Path, opened: Callable[..., AuditLog], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = opened()
    log.record(ME, "first", {})
    size = (folder / "000001.jsonl").stat().st_size
    write, calls = os.write, []

    def full(file: int, content: bytes) -> int:
        calls.append(content)
        if len(calls) == 1:
            return write(file, content[:20])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("indexes.serve.audit_log.os.write", full)
    with pytest.raises(AuditFailed):
        log.record(ME, "second", {})
    monkeypatch.undo()
    assert (folder / "000001.jsonl").stat().st_size == size
    log.record(ME, "third", {})
    assert [line["operation"] for line in read(folder)] == ["first", "third"]


def test_oldest_files_go_and_that_is_a_line(folder: Path, opened: Callable[..., AuditLog]) -> None:
    log = opened(audit_bytes=1500, audit_files=3)
    for number in range(40):
        log.record(ME, str(number), {})
    files = sorted(path.name for path in folder.glob("*.jsonl"))
    assert len(files) == 3
    found = read(folder)
    assert [line["removed"] for line in found if "removed" in line][-1] == f"{int(files[0][:6]) - 1:06d}.jsonl"
    kept = [int(line["operation"]) for line in found if "operation" in line]
    assert kept == list(range(kept[0], 40))


def test_line_longer_than_a_file_may_be_is_kept_whole(folder: Path, opened: Callable[..., AuditLog]) -> None:
    log = opened(audit_bytes=100)
    log.record(ME, "long", {"query": "x" * 1000})
    log.record(ME, "next", {})
    assert [line["operation"] for line in read(folder)] == ["long", "next"]


def test_log_that_was_moved_away_begins_anew(folder: Path, opened: Callable[..., AuditLog]) -> None:
    log = opened()
    log.record(ME, "first", {})
    folder.rename(folder.with_name("archived"))
    log.record(ME, "second", {})
    (folder / "000001.jsonl").rename(folder / "elsewhere")
    log.record(ME, "third", {})
    assert [line["operation"] for line in read(folder)] == ["third"]
    assert [line["operation"] for line in read(folder.with_name("archived"))] == ["first"]


def test_required_log_that_cannot_be_written_stops_the_answer_and_names_no_place(
    folder: Path, opened: Callable[..., AuditLog]
) -> None:
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be")
    told: list[str] = []
    log = opened(warn=told.append)
    for attempt in (log.check, lambda: log.record(ME, "x", {})):
        with pytest.raises(AuditFailed) as raised:
            attempt()
        assert str(folder) not in str(raised.value)
        assert raised.value.retryable
    assert len(told) == 1 and str(folder) in told[0]  # the operator is told where, once a minute
    folder.unlink()
    log.record(ME, "y", {})
    assert [line["operation"] for line in read(folder)] == ["y"]


def test_best_effort_answers_and_tells(folder: Path, opened: Callable[..., AuditLog]) -> None:
    folder.parent.mkdir()
    folder.write_text("")
    told: list[str] = []
    log = opened(required=False, warn=told.append)
    log.check()
    log.record(ME, "x", {})
    assert len(told) == 1


def test_somebody_without_a_token_is_recorded_without_a_name(folder: Path, opened: Callable[..., AuditLog]) -> None:
    opened().record(None, "knowledge_search", {}, refused="Unauthenticated")
    (line,) = read(folder)
    assert (line["caller"], line["principal"], line["refused"]) == ("", None, "Unauthenticated")


def test_every_line_is_ascii_json(folder: Path, opened: Callable[..., AuditLog]) -> None:
    opened().record(ME, "x", {"query": "\ud800 \x00 \x85 字", "n": [None, True, 1.5]})
    content = (folder / "000001.jsonl").read_bytes()
    assert content.isascii() and content.count(b"\n") == 1
    assert json.loads(content)["arguments"]["n"] == [None, True, 1.5]
