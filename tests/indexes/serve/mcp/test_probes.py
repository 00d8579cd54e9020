"""The probes of a server of MCP over HTTP are those of the HTTP API, and what it answers is measured."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
INITIALIZE = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}


def call(url: str, headers: dict[str, str], tool: str, **arguments: Any) -> None:
    """Open a session and call one tool."""
    with httpx.Client(headers={**ACCEPT, **headers}, timeout=30, trust_env=False) as client:
        session = {"Mcp-Session-Id": client.post(url, json=INITIALIZE).headers["mcp-session-id"]}
        client.post(url, json={"jsonrpc": "2.0", "method": "notifications/initialized"}, headers=session)
        params = {"name": tool, "arguments": arguments}
        answer = client.post(url, json={"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params}, headers=session)
        data = next(line for line in answer.text.splitlines() if line.startswith("data: ") and '"id"' in line)
        assert not json.loads(data.removeprefix("data: "))["result"].get("isError")


def test_it_lives_is_ready_and_tells_its_metrics_to_those_who_may(
    library: Any, serving: Callable[..., Any], minted: Callable[..., str], tmp_path: Path
) -> None:
    config = tmp_path / "ingest.toml"
    text = (library.folder / "ingest.toml").read_text(encoding="utf-8")
    config.write_text(f'{text}[serve]\nmetrics = "token"\n', encoding="utf-8")
    shutil.copy(library.folder / "seed.yaml", tmp_path)
    tokens = {
        "asker": minted(library.folder, config, "asker"),
        "prometheus": minted(library.folder, config, "prometheus", "--metrics"),
    }
    with serving(library, config, tokens) as served:
        base = served.url.removesuffix("/mcp")
        call(served.url, served.headers("asker"), "keyword_search", query="ERR_1042")
        with httpx.Client(base_url=base, timeout=30, trust_env=False) as client:
            assert client.get("/health").json() == {"status": "ok"}
            assert client.get("/ready").json() == {"status": "ready"}
            (told,) = client.get("/ready", headers=served.headers("asker")).json()["bases"]
            assert (told["kb_id"], told["open"], told["generation"]) == ("default", True, 1)
            assert client.get("/metrics").status_code == 401
            assert client.get("/metrics", headers=served.headers("asker")).status_code == 403
            page = client.get("/metrics", headers=served.headers("prometheus")).text
    assert 'concord_operation_duration_seconds_count{concord_operation="keyword_search",concord_outcome="ok"} 1.0' in page
    assert 'http_route="/mcp"' in page and "ERR_1042" not in page and "asker" not in page
