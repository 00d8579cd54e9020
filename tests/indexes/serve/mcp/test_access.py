"""Who is let in over HTTP, and what everybody else learns: nothing."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list", "params": {}}
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
WRONG = "concord_" + "A" * 43


def post(http: Any, message: dict[str, Any], headers: dict[str, str]) -> httpx.Response:
    return httpx.post(http.url, json=message, headers={**ACCEPT, **headers}, timeout=30)


def opened(http: Any, name: str) -> dict[str, str]:
    """The headers of a session of the caller."""
    answer = post(http, INITIALIZE, http.headers(name))
    assert answer.status_code == 200
    headers = {**http.headers(name), "Mcp-Session-Id": answer.headers["mcp-session-id"], "MCP-Protocol-Version": "2025-06-18"}
    post(http, {"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
    return headers


def told(answer: httpx.Response) -> dict[str, Any]:
    data = next(line for line in answer.text.splitlines() if line.startswith("data: ") and '"id"' in line)
    message: dict[str, Any] = json.loads(data.removeprefix("data: "))
    return message


@pytest.mark.parametrize("authorization", [
    None, "", "Bearer", f"Bearer {WRONG}", "Bearer concord_", "Basic YTpi", "Bearer x\u00e9".encode("latin-1"), "gone",
])
@pytest.mark.parametrize("message", [INITIALIZE, LIST, {"jsonrpc": "2.0", "id": 3, "method": "tools/call",
                                                      "params": {"name": "knowledge_list", "arguments": {}}}])
def test_without_a_valid_token_every_request_gets_the_same_401(http: Any, authorization: Any, message: dict[str, Any]) -> None:
    if authorization == "gone":
        authorization = f"Bearer {http.tokens['gone']}"
    refused = post(http, message, {} if authorization is None else {"Authorization": authorization})
    plainly = httpx.get(http.url.replace("/mcp", "/nothing-here"), timeout=30)
    assert refused.status_code == plainly.status_code == 401
    assert refused.content == plainly.content
    for word in ("knowledge", "default", "library", "tool", "2025", "docs"):
        assert word not in refused.text
    for method in ("GET", "DELETE", "PUT", "OPTIONS"):
        assert httpx.request(method, http.url, timeout=30).status_code == 401


def test_a_session_belongs_to_its_token(http: Any) -> None:
    headers = opened(http, "sre")
    assert "tools" in told(post(http, LIST, headers))["result"]
    stolen = post(http, LIST, {**headers, **http.headers("public")})
    assert stolen.status_code == 404 and "tools" not in stolen.text
    assert post(http, LIST, {**headers, "Authorization": f"Bearer {WRONG}"}).status_code == 401


def test_another_host_or_origin_is_refused(http: Any) -> None:
    for host in ("evil.example", "evil.example:80", "127.0.0.1.evil.example"):
        assert post(http, INITIALIZE, {**http.headers("public"), "Host": host}).status_code == 421
    for origin in ("http://evil.example", "https://127.0.0.1.evil.example", "null"):
        assert post(http, INITIALIZE, {**http.headers("public"), "Origin": origin}).status_code == 403
    assert post(http, INITIALIZE, {**http.headers("public"), "Origin": "http://localhost:3000"}).status_code == 200


def test_what_is_too_long_or_no_message_is_refused_and_the_server_goes_on(http: Any) -> None:
    headers = opened(http, "public")
    assert post(http, {**LIST, "params": {"x": "y" * 300_000}}, headers).status_code == 413
    for body in (b"", b"{", b"[]", b"\xff\xfe", b'{"jsonrpc": "2.0"}', b"[" * 5000):
        assert httpx.post(http.url, content=body, headers={**ACCEPT, **headers}, timeout=30).status_code in (400, 413)
    assert "tools" in told(post(http, LIST, headers))["result"]


def test_tools_that_change_something_are_for_those_who_may(http: Any) -> None:
    """Everybody else is told what is told of a tool that does not exist."""
    def names(name: str) -> set[str]:
        return {tool["name"] for tool in told(post(http, LIST, opened(http, name)))["result"]["tools"]}

    def call(name: str, tool: str) -> dict[str, Any]:
        message = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": tool, "arguments": {}}}
        return dict(told(post(http, message, opened(http, name)))["result"])

    writing = names("editor") - names("public")
    assert writing == {"review_list", "review_answer"}
    for tool in writing:
        refused, missing = call("public", tool), call("public", "no_such_tool")
        assert json.dumps(refused).replace(tool, "no_such_tool") == json.dumps(missing)
