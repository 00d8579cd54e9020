"""What is sent where, with what key; what is tried again; and what is said when nothing helps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from indexes.qdrant.connect import Server
from ingest.errors import BuildCorrupt, EngineUnavailable, ServerUnavailable, SettingsInvalid
from ingest.settings import IndexPart

URL = "http://127.0.0.1:6333"


def _counting(server: Server) -> int:
    return int(server.call("count", lambda client: client.count("c", exact=True)).count)


def _server(answer: Callable[[httpx.Request], httpx.Response], url: str = URL, **settings: Any) -> Server:
    return Server(IndexPart(qdrant_url=url, **settings), transport=httpx.MockTransport(answer))


def _counted(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, json={"result": {"count": 7}, "status": "ok", "time": 0.0})


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long it would have waited, in turn."""
    waited: list[float] = []
    monkeypatch.setattr("indexes.qdrant.connect.time.sleep", waited.append)
    return waited


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(pauses: list[float], status: int) -> None:
    tries: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        tries.append(request)
        return httpx.Response(status, text="busy") if len(tries) < 4 else _counted(request)

    assert _counting(_server(answer)) == 7
    assert len(tries) == 4 and pauses == [0.1, 0.2, 0.4]


def test_a_server_says_how_long_to_wait(pauses: list[float]) -> None:
    answers = iter([httpx.Response(429, headers={"Retry-After": "3"}, json={"status": {"error": "slowly"}})])
    assert _counting(_server(lambda request: next(answers, _counted(request)))) == 7
    assert pauses == [3.0]


@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ReadTimeout, httpx.RemoteProtocolError, httpx.ReadError])
def test_a_line_that_is_down_is_told_after_the_last_try(pauses: list[float], error: type[httpx.TransportError]) -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        raise error("down", request=request)

    with pytest.raises(ServerUnavailable, match=rf"127\.0\.0\.1:6333 does not answer \({error.__name__}: down\)") as caught:
        _counting(_server(answer, retries=2))
    assert caught.value.retryable and caught.value.exit_code == 6 and len(pauses) == 2


def test_what_is_refused_is_not_tried_again(pauses: list[float]) -> None:
    for status, kind, said in ((401, EngineUnavailable, "INGEST_QDRANT_KEY"), (403, EngineUnavailable, "INGEST_QDRANT_KEY"),
                               (404, BuildCorrupt, "verify --repair"), (400, EngineUnavailable, "docs/qdrant.md")):
        with pytest.raises(kind, match=said) as caught:
            _counting(_server(lambda request, status=status: httpx.Response(status, text="no")))  # type: ignore[misc]
        assert not caught.value.retryable
    assert pauses == []


def test_the_key_goes_to_the_server_and_nowhere_else(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    seen: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers["api-key"])
        raise httpx.ConnectError("down", request=request)

    monkeypatch.setenv("MY_KEY", "hush-hush")
    server = _server(answer, "http://user:also-hush@127.0.0.1:6333", qdrant_key_env="MY_KEY", retries=0)
    with caplog.at_level("DEBUG"), pytest.raises(ServerUnavailable) as caught:
        _counting(server)
    told = f"{caught.value}{caplog.text}{server.settings!r}"
    assert seen == ["hush-hush"] and "hush-hush" not in told and "also-hush" not in str(caught.value)


def test_the_key_is_not_sent_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("INGEST_QDRANT_KEY", "hush-hush")
    with pytest.raises(SettingsInvalid, match="use https") as caught:
        _counting(_server(_counted, "http://qdrant.example:6333"))
    assert "hush" not in str(caught.value)
    assert _counting(_server(_counted, "https://qdrant.example:6333")) == 7
    assert _counting(_server(_counted, "http://qdrant.example:6333", qdrant_plain=True)) == 7


@pytest.mark.parametrize("url", ["", "qdrant:6333", "ftp://x", "http://", "http://host:port"])
def test_a_url_that_is_none_is_a_wrong_setting(url: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"index\.qdrant_url"):
        Server(IndexPart(qdrant_url=url))


def test_certificates_that_are_none_are_a_wrong_setting() -> None:
    with pytest.raises(SettingsInvalid, match=r"index\.qdrant_ca: /nowhere"):
        _counting(_server(_counted, "https://qdrant.example", qdrant_ca="/nowhere"))


def test_a_key_that_is_wrong_is_said_so(server_in_process: Callable[..., Any]) -> None:
    with server_in_process("sesame") as (server, _), pytest.raises(EngineUnavailable, match="refuses to count"):
        _counting(server)
