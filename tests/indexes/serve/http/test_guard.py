"""Who has no valid token learns nothing, who has one is let in for as long as it is there, and requests are small and ours."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import httpx
import pytest

from indexes.serve.audit_log import REFUSALS
from indexes.serve.tokens import minted, remove


def without_date(answer: httpx.Response) -> tuple[int, dict[str, str], bytes]:
    return answer.status_code, {key: value for key, value in answer.headers.items() if key != "date"}, answer.content


def test_nobody_without_a_valid_token_learns_anything(server: Any) -> None:
    """The same bytes, whether a path, a base or a token's shape exists or not."""
    expired = server.token("expired", expires="2020-01-01T00:00:00Z")
    heads: list[dict[str, str]] = [
        {}, {"authorization": ""}, {"authorization": "Bearer"}, {"authorization": "Bearer x y"},
        {"authorization": f"Bearer {minted()}"}, {"authorization": f"Bearer {expired}"}, {"authorization": "Basic YTpi"},
        {"authorization": "Bearer " + "x" * 10_000},
        {"x-api-key": expired}, {"cookie": f"token={expired}"},
    ]
    asked = [
        ("POST", "/v1/knowledge_search", b'{"query": "x"}'), ("POST", "/v1/nothing", b"{}"), ("GET", "/v1/bases", b""),
        ("GET", "/", b""), ("GET", "/docs", b""), ("DELETE", "/v1/bases", b""), ("OPTIONS", "/v1/knowledge_search", b""),
        ("POST", "/v1/keyword_search", b"x" * 10_000), ("POST", "/openapi.json", b""), ("GET", "/openapi.json/..", b""),
        ("GET", "/v1/bases?token=" + expired, b""),
    ]
    with server.client() as anybody:
        answers = {
            json.dumps([answer.status_code, sorted(dict(answer.headers) | {"date": ""}), answer.text])
            for method, path, body in asked for head in heads
            for answer in [anybody.request(method, path, content=body, headers=head)]
        }
        answer = anybody.get("/v1/bases")
    assert len(answers) == 1
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert "default" not in answer.text and str(server.folder) not in answer.text
    refused = [line for line in server.audited() if line["operation"] == "http"]
    assert refused and refused[0]["caller"] == ""
    told = [datetime.fromisoformat(line["at"]) for line in refused]
    assert all(later - sooner > timedelta(seconds=REFUSALS - 1) for sooner, later in pairwise(told)), "one line for many"


def test_token_is_let_in_until_it_expires_or_is_revoked_without_a_restart(server: Any) -> None:
    soon = (datetime.now(UTC) + timedelta(seconds=3)).strftime("%Y-%m-%dT%H:%M:%SZ")
    short, long = server.token("short", expires=soon), server.token("long")

    def status(token: str) -> int:
        with server.client(token) as client:
            return client.get("/v1/bases").status_code

    assert (status(short), status(long)) == (200, 200)
    while datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") < soon:
        time.sleep(0.1)
    assert (status(short), status(long)) == (401, 200)
    remove(server.folder / ".serve" / "tokens.json", "long")
    assert status(long) == 401


def test_file_of_tokens_that_others_may_read_lets_nobody_in_and_the_server_says_why(server: Any) -> None:
    token = server.token("careless")
    file = server.folder / ".serve" / "tokens.json"
    with server.client(token) as client:
        assert client.get("/v1/bases").status_code == 200
        file.chmod(0o644)
        refused = client.get("/v1/bases")
        client.get("/v1/bases")
        file.chmod(0o600)
        assert client.get("/v1/bases").status_code == 200
        assert server.said().count("chmod 600") == 1
        file.chmod(0o660)
        client.get("/v1/bases")
        file.chmod(0o600)
    assert refused.status_code == 401 and "chmod" not in refused.text
    assert server.said().count("chmod 600") == 2
    assert token not in server.said()


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "", "localhost@evil", "0.0.0.0"]
)
def test_request_under_another_name_is_refused(server: Any, client: httpx.Client, host: str) -> None:
    answer = client.get("/v1/bases", headers={"host": host})
    assert answer.status_code in (400, 421)
    assert "results" not in answer.text


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:99", "[::1]:80"])
def test_own_names_are_taken_with_any_port(client: httpx.Client, host: str) -> None:
    assert client.get("/v1/bases", headers={"host": host}).status_code == 200


def test_large_requests_are_refused_whether_they_say_so_or_not(client: httpx.Client) -> None:
    large = json.dumps({"query": "x" * 300_000}).encode()

    def chunks() -> Any:
        for start in range(0, len(large), 10_000):
            yield large[start : start + 10_000]

    for content in (large, chunks()):
        answer = client.post("/v1/keyword_search", content=content, headers={"content-type": "application/json"})
        assert (answer.status_code, answer.json()["title"]) == (413, "TooLarge")


def test_headers_that_come_twice_are_not_believed(server: Any) -> None:
    host, port = server.url.removeprefix("http://").split(":")
    token = server.token("twice")
    with socket.create_connection((host, int(port)), timeout=30) as raw:
        head = f"GET /v1/bases HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nAuthorization: Bearer x\r\n\r\n"
        raw.sendall(head.encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 401")


def test_pages_of_other_origins_are_given_no_permission(client: httpx.Client) -> None:
    answer = client.get("/v1/bases", headers={"origin": "https://evil.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_slow_and_exhausted_and_allowed_origins(start: Callable[..., Any], library: Any, tmp_path: Any) -> None:
    """Another server over the same base, with settings of its own."""
    (tmp_path / "ingest.toml").write_text(
        f'kb = "{library.kb}"\n[serve]\nrequest_seconds = 1\ncalls = 2\nwindow_seconds = 3600\norigins = ["https://app.example"]\n'
        'hosts = ["kb.example"]\naudit_text = "hash"\nrequest_bytes = 5000\n', encoding="utf-8",
    )
    server = start(tmp_path)
    token = server.token("few")
    with server.client(token) as client:
        assert client.get("/v1/bases", headers={"host": "kb.example"}).status_code == 200
        origin = {"origin": "https://app.example"}
        allowed = client.post("/v1/keyword_search", json={"query": "工资 ERR_1042"}, headers=origin)
        assert allowed.headers["access-control-allow-origin"] == "https://app.example"
        asking = {**origin, "access-control-request-method": "POST", "access-control-request-headers": "authorization"}
        assert client.options("/v1/keyword_search", headers=asking).status_code == 200
        used_up = client.post("/v1/keyword_search", json={"query": "x"})
        assert (used_up.status_code, used_up.json()["title"]) == (429, "BudgetExhausted")
        assert "serve.calls" in used_up.json()["detail"] and int(used_up.headers["retry-after"]) > 0
    with server.client(server.token("fresh")) as other:
        assert other.get("/v1/bases").status_code == 200  # budgets are of a token
    host, port = server.url.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=30) as raw:
        head = f"POST /v1/x HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\nContent-Length: 9\r\n\r\n{{"
        raw.sendall(head.encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 408")
    for first in (b"", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"):
        with socket.create_connection((host, int(port)), timeout=30) as raw:
            if first:
                raw.sendall(first)
                answer = b""
                while not answer.endswith(b"}"):
                    answer += raw.recv(1000)
            raw.sendall(b"GET /hea")
            assert raw.recv(1000) == b""  # given up
    texts = [line["arguments"].get("query", "") for line in server.audited() if line["operation"] == "keyword_search"]
    assert texts and all(text.startswith("hmac:") for text in texts)
    assert server.stop() == 0


def test_who_sends_too_much_is_told_before_being_cut_off(client: httpx.Client) -> None:
    answer = client.post("/v1/keyword_search", content=b'{"query": "' + b"x" * 3_000_000 + b'"}')
    assert (answer.status_code, answer.json()["title"]) == (413, "TooLarge")
