"""Another implementation of the protocol than the SDK's (chuk-mcp) drives every tool, over stdio and HTTP."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import anyio
import pytest
from chuk_mcp.protocol.messages.initialize.send_messages import send_initialize
from chuk_mcp.protocol.messages.prompts.send_messages import send_prompts_get, send_prompts_list
from chuk_mcp.protocol.messages.resources.send_messages import send_resources_list, send_resources_read
from chuk_mcp.protocol.messages.tools.send_messages import send_tools_call, send_tools_list
from chuk_mcp.transports.http.http_client import http_client
from chuk_mcp.transports.http.parameters import StreamableHTTPParameters
from chuk_mcp.transports.stdio.parameters import StdioParameters
from chuk_mcp.transports.stdio.stdio_client import stdio_client

CALLS: dict[str, dict[str, Any]] = {
    "knowledge_list": {},
    "knowledge_search": {"query": "ERR_1042 是什么意思？"},
    "keyword_search": {"query": "ERR_1042"},
    "semantic_search": {"query": "how long are logs kept"},
    "document_find": {"title": "手册"},
    "document_open": {"id": "docs/zh/手册.md"},
    "entity_resolve": {"name": "云脈網關"},
    "entity_get": {"entity_id": "urn:kb:entity:gate"},
    "evidence_get": {"citation": "K1"},
    "verify_citations": {"answer": "ERR_1042 [K1]。"},
    "graph_neighbors": {"ids": ["urn:kb:entity:gate"]},
    "conflicts_list": {},
}


def plain(value: Any) -> Any:
    """What this client gives, as JSON types: some of its answers are models."""
    return value.model_dump(by_alias=True) if hasattr(value, "model_dump") else value


async def talk(read: Any, write: Any) -> None:
    begun = plain(await send_initialize(read, write, timeout=60))
    assert begun["serverInfo"]["name"] == "concord"
    tools = plain(await send_tools_list(read, write, timeout=60))["tools"]
    assert {tool["name"] for tool in tools} == set(CALLS)
    for name, arguments in CALLS.items():
        answer = plain(await send_tools_call(read, write, name, arguments, timeout=60))
        assert not answer.get("isError"), (name, answer)
        told = json.loads(answer["content"][0]["text"])
        assert told["failed_kbs"] == [] and told["results"], name
    refused = plain(await send_tools_call(read, write, "document_open", {"id": "/etc/passwd"}, timeout=60))
    assert refused["isError"] and "you have nothing that is called '/etc/passwd'" in refused["content"][0]["text"]
    uris = [each["uri"] for each in plain(await send_resources_list(read, write, timeout=60))["resources"]]
    assert "kb://default/schema" in uris
    manifest = plain(await send_resources_read(read, write, "kb://default/manifest", timeout=60))
    assert json.loads(manifest["contents"][0]["text"])["kb_id"] == "default"
    prompts = [each["name"] for each in plain(await send_prompts_list(read, write, timeout=60))["prompts"]]
    assert prompts == ["answer_from_evidence", "answer_from_evidence_zh"]
    prompt = plain(await send_prompts_get(read, write, prompts[1], {"question": "怎么装？"}, timeout=60))
    assert "怎么装？" in json.dumps(prompt, ensure_ascii=False)


def test_every_tool_answers_another_client_over_stdio(stdio: Callable[..., dict[str, Any]]) -> None:
    started = stdio()

    async def run() -> None:
        parameters = StdioParameters(command=started["command"], args=started["args"], env=started["env"])
        async with stdio_client(parameters) as (read, write):
            await talk(read, write)

    anyio.run(run)


def test_every_tool_answers_another_client_over_http(http: Any) -> None:
    async def run() -> None:
        parameters = StreamableHTTPParameters(url=http.url, headers=http.headers("public"), timeout=60)
        async with http_client(parameters) as (read, write):
            await talk(read, write)

    anyio.run(run)


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer concord_" + "x" * 43}])
def test_another_client_without_a_valid_token_is_told_nothing(http: Any, headers: dict[str, str]) -> None:
    async def run() -> None:
        async with http_client(StreamableHTTPParameters(url=http.url, headers=headers, timeout=20)) as (read, write):
            begun.append(await send_initialize(read, write, timeout=5))

    begun: list[Any] = []
    told = ""
    try:
        anyio.run(run)
    except Exception as error:  # whatever this client makes of a 401
        told = str(error)
    assert begun in ([], [None]) and "knowledge" not in told, (begun, told)
