"""What should not happen is told to those who run the server and to nobody else; what takes too long is given up."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from indexes.serve.arguments import KnowledgeList
from indexes.serve.http.app import make_app
from indexes.serve.http.guard import Guard
from indexes.serve.operations import READ
from indexes.serve.session import Sessions
from indexes.serve.tokens import Token, Tokens, add, hashed, minted
from ingest.errors import (
    AuditFailed,
    BuildCorrupt,
    ConcordError,
    ExtraMissing,
    LeaseHeld,
    NotFound,
    ServerBusy,
    SettingsInvalid,
    UsageError,
)
from ingest.model.access import Principal
from ingest.model.instant import now
from ingest.settings import ServePart

SECRET = minted()


class Stubborn:
    """Operations that do what a test says."""

    every = READ

    def __init__(self) -> None:
        self.does: Callable[[], Any] = dict

    def run(self, *asked: Any) -> Any:
        return self.does()


class Asked:
    """An application behind its guard, asked without a network. `told`: what those who run it were told."""

    def __init__(self, folder: Path, audit: Any, threads: ThreadPoolExecutor) -> None:
        self.operations = Stubborn()
        self.told: list[str] = []
        file = folder / "tokens.json"
        add(file, Token("ci", hashed(SECRET), Principal(), ("default",), False, now(), None))
        operations: Any = self.operations
        app = make_app(operations, Sessions(ServePart()), threads, seconds=0.3, version="0", warn=self.told.append)
        self.app = Guard(app, Tokens(file), audit, {"localhost"}, bytes=1000, seconds=0.3, warn=self.told.append)

    def __call__(self, does: Callable[[], Any], *, body: bytes = b"{}", stalls: bool = False) -> tuple[int, dict[str, str], Any]:
        """Return status, headers and body. `stalls`: the client sends nothing more."""
        self.operations.does = does
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if stalls:
                await asyncio.sleep(60)
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(dict(message))

        headers = [
            (b"host", b"localhost"), (b"authorization", f"Bearer {SECRET}".encode()), (b"content-type", b"application/json")
        ]
        scope = {
            "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "POST", "path": "/v1/knowledge_list",
            "raw_path": b"/v1/knowledge_list", "query_string": b"", "root_path": "", "scheme": "http", "headers": headers,
            "client": ("127.0.0.1", 1), "server": ("localhost", 80), "state": {},
        }
        asyncio.run(self.app(scope, receive, send))
        told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], told, json.loads(b"".join(each.get("body", b"") for each in sent[1:]))


@pytest.fixture
def asked(tmp_path: Path, audit: Any) -> Iterator[Asked]:
    with ThreadPoolExecutor(2) as threads:
        yield Asked(tmp_path, audit, threads)


def raising(error: Exception) -> Callable[[], Any]:
    def does() -> Any:
        raise error

    return does


def test_answers_are_given_as_they_are(asked: Asked) -> None:
    assert KnowledgeList in [operation.arguments for operation in READ]
    assert asked(lambda: {"字": [1.5, None]})[::2] == (200, {"字": [1.5, None]})


@pytest.mark.parametrize(
    "error", [RuntimeError("/srv/kb/secret.db is broken"), KeyError(f"token {SECRET}"), MemoryError(), ValueError("\ud800 /srv")]
)
def test_what_should_not_happen_is_told_to_the_operator_alone(asked: Asked, error: Exception) -> None:
    status, _, problem = asked(raising(error))
    assert (status, problem["title"]) == (500, "Failed")
    assert "/srv" not in json.dumps(problem) and SECRET not in json.dumps(problem)
    (told,) = asked.told
    assert type(error).__name__ in told and SECRET not in told


@pytest.mark.parametrize(
    "error", [BuildCorrupt("/srv/kb/builds is damaged"), LeaseHeld("another run is writing /srv/kb"), ConcordError("/srv"),
              SettingsInvalid("/srv/ingest.toml"), ExtraMissing("embedding on /srv", "e5")],
)
def test_what_is_wrong_with_the_server_is_told_without_its_insides(asked: Asked, error: ConcordError) -> None:
    status, _, problem = asked(raising(error))
    assert status == 500 and "/srv" not in json.dumps(problem)


@pytest.mark.parametrize(
    ("error", "expected"),
    [(NotFound("no such id"), 404), (UsageError("not so"), 422), (ServerBusy("later"), 503), (AuditFailed("later"), 503)],
)
def test_what_a_caller_can_do_something_about_is_said(asked: Asked, error: ConcordError, expected: int) -> None:
    status, headers, problem = asked(raising(error))
    assert (status, problem["status"]) == (expected, expected)
    assert (problem["title"], problem["detail"]) == (type(error).__name__, str(error))
    assert ("retry-after" in headers) == (expected == 503)


def test_answer_that_takes_too_long_is_given_up(asked: Asked) -> None:
    go = threading.Event()
    status, headers, problem = asked(lambda: go.wait(20))
    go.set()
    assert (status, problem["title"]) == (504, "TimedOut") and headers["retry-after"]


def test_request_that_does_not_arrive_is_given_up(asked: Asked) -> None:
    status, _, problem = asked(dict, stalls=True)
    assert (status, problem["title"]) == (408, "TooSlow")


def test_answer_that_cannot_be_written_is_a_problem(asked: Asked) -> None:
    assert asked(object)[0] == 500
    assert asked(lambda: {"text": "\ud800"})[0] == 500
