"""Arguments are any bytes: whatever is typed gives an answer or a usage error, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ingest.cli.options import principal, text
from ingest.errors import UsageError
from ingest.settings import Settings


def test_arguments_that_differ_stay_different() -> None:
    odd = [os.fsdecode(data) for data in (b"lin", b"lin\xff", b"lin\xfe", "林".encode(), b"\xe6\x9e")]
    assert len({text(one) for one in odd}) == len(odd)
    assert all(text(one).encode() for one in odd)


def test_names_are_composed_as_documents_keep_them() -> None:
    assert principal(Settings(), "Jose\u0301", ["e\u0301quipe"], "Zu\u0308rich", None) == principal(
        Settings(), "José", ["équipe"], "Zürich", None
    )


@pytest.mark.parametrize("level", ["secret", "-1", "1.5", "9" * 9, "9" * 5000, "²"])
def test_level_that_is_none_is_a_usage_error(level: str) -> None:
    with pytest.raises(UsageError, match="level"):
        principal(Settings(), None, None, None, level)


def ingest(base: Any, *arguments: str | bytes) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "INGEST_EMBED__ENGINE": "hash", "PYTHONPATH": str(Path(__file__).parents[2])}
    program = "from ingest.cli.main import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments, "--kb", str(base.kb)], capture_output=True, env=environment, check=False,
        cwd=base.folder, timeout=120,
    )


def test_bytes_that_are_no_text_are_a_question_like_any_other(base: Any) -> None:
    base.write("手册.md")
    base.run()
    asked = ingest(base, "search", b"\xff\xfe \xe6\x9e", "--user", b"\xff", "--role", b"\xfe", "--json", "--mode", "bm25")
    assert (asked.returncode, asked.stderr) == (0, b"")
    assert json.loads(asked.stdout)["principal"]["user"] == "\\udcff"
    shown = ingest(base, "show", b"docs/\xff.md")
    assert (shown.returncode, shown.stdout) == (1, b"")
    assert b"Traceback" not in shown.stderr and b"NotFound" in shown.stderr


@pytest.mark.parametrize(
    ("arguments", "code"), [
        (("search", "x", "--as-of", "0001-01-01T00:00:00+08:00"), 2), (("search", "x", "--level", "9" * 30), 2),
        (("search", "x", "--generation", "9" * 30), 1), (("verify", "--generation", "9" * 30), 1),
    ],
)
def test_numbers_and_instants_beyond_all_bounds_are_refused(base: Any, arguments: tuple[str, ...], code: int) -> None:
    base.write("手册.md")
    base.run()
    refused = ingest(base, *arguments)
    assert (refused.returncode, refused.stdout) == (code, b"")
    assert b"Traceback" not in refused.stderr


@pytest.mark.parametrize("command", [("run", "."), ("search", "x"), ("verify",), ("check",), ("doctor",), ("snapshots", "list")])
def test_path_that_the_system_refuses_is_told_without_a_traceback(base: Any, command: tuple[str, ...]) -> None:
    base.kb = base.folder / ("a" * 300)
    refused = ingest(base, *command)
    assert refused.returncode == 1
    assert b"Traceback" not in refused.stderr and b"File name too long" in refused.stderr
