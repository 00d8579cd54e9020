"""Structured logs: one object a line, only fields that are documented, no secret, no text of an exception."""

from __future__ import annotations

import io
import json
import logging
import warnings
from typing import Any

import pytest

from ingest.settings import LogPart
from ingest.telemetry.records import FIELDS, bound, log, structured, without_secrets, written

TOKEN = "concord_" + "A9_-" * 10 + "abc"


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_text_is_the_default_and_changes_nothing() -> None:
    before = logging.getLogger().handlers[:]
    with written(LogPart()):
        assert logging.getLogger().handlers == before and not structured()


def test_a_line_has_time_level_logger_message_and_what_is_bound() -> None:
    stream = io.StringIO()
    with written(LogPart(format="json"), stream), bound(run="r1"):
        log("run", logging.WARNING, "document failed", uri="docs/手册.md", error="DocumentCorrupt")
    (line,) = lines(stream)
    assert line.pop("time").endswith("Z")
    assert line == {
        "level": "warning", "logger": "concord.run", "message": "document failed", "run": "r1", "uri": "docs/手册.md",
        "error": "DocumentCorrupt",
    }


def test_libraries_and_warnings_are_lines_too_and_less_of_them_is_written() -> None:
    stream = io.StringIO()
    with written(LogPart(format="json", level="info"), stream):
        logging.getLogger("some.library").info("not written")
        logging.getLogger("some.library").warning("two\nlines \x1b[31m")
        warnings.warn("old", DeprecationWarning, stacklevel=1)
    found = lines(stream)
    assert [line["logger"] for line in found] == ["some.library", "py.warnings"]
    assert found[0]["message"] == "two\nlines \x1b[31m"


@pytest.mark.parametrize(("text", "secret"), [
    (f"token {TOKEN} was refused", TOKEN), ("Authorization: Bearer abcdef123456", "abcdef123456"),
    ("GET https://alice:hunter2@host/x", "hunter2"), ("api_key=sk-12345 and more", "sk-12345"),
    ("password: geheim, next", "geheim"),
])
def test_what_looks_like_a_secret_is_taken_out(text: str, secret: str) -> None:
    assert secret not in without_secrets(text) and "***" in without_secrets(text)


def test_an_exception_is_told_by_its_places_and_never_by_its_text() -> None:
    stream = io.StringIO()
    with written(LogPart(format="json"), stream):
        try:
            raise ValueError("云脉网关 is secret")
        except ValueError:
            logging.getLogger("some.library").exception("it failed")
    (line,) = lines(stream)
    assert line["error"] == "ValueError" and line["at"][0].startswith("telemetry/test_records.py:")
    assert "secret" not in stream.getvalue()


def test_odd_text_is_still_one_line_of_utf8() -> None:
    stream = io.StringIO()
    with written(LogPart(format="json"), stream):
        log("run", logging.ERROR, "run failed", uri="docs/\udcff\u2028.md")
    (line,) = lines(stream)
    assert line["uri"] == "docs/\udcff\u2028.md"


def test_handlers_are_as_before_at_the_end() -> None:
    before = logging.getLogger().handlers[:], logging.getLogger().level, logging.getLogger("concord").level
    with written(LogPart(format="json", level="debug"), io.StringIO()):
        assert structured()
    assert (logging.getLogger().handlers, logging.getLogger().level, logging.getLogger("concord").level) == before


def test_the_first_fields_are_in_each_line() -> None:
    stream = io.StringIO()
    with written(LogPart(format="json"), stream):
        log("run", logging.INFO, "run begun")
    assert list(lines(stream)[0]) == list(FIELDS)[:4]
