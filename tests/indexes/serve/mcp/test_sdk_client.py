"""The SDK's own client drives every tool, over stdio and HTTP, in both generations of the protocol."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import httpx2
import pytest
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

CALLS: dict[str, dict[str, Any]] = {
    "knowledge_list": {},
    "knowledge_search": {"query": "ERR_1042 是什么意思？"},
    "keyword_search": {"query": "ERR_1042", "top_k": 3},
    "semantic_search": {"query": "how long are logs kept", "top_k": 3},
    "document_find": {"glob": "docs/en/*"},
    "document_open": {"id": "docs/en/limits.md"},
    "entity_resolve": {"name": "Apollo"},
    "entity_get": {"entity_id": "urn:kb:entity:gate"},
    "evidence_get": {"citation": "K1", "pack": "P1"},
    "verify_citations": {"answer": "The code is ERR_1042 [K1].", "pack": "P1"},
    "graph_neighbors": {"ids": ["urn:kb:entity:gate"]},
    "conflicts_list": {},
}
Talk = Callable[[Client], Awaitable[Any]]


def over_stdio(parameters: dict[str, Any], talk: Talk, mode: str = "auto") -> Any:
    async def run() -> Any:
        async with Client(StdioServerParameters(**parameters), mode=mode, read_timeout_seconds=60) as client:
            return await talk(client)

    return asyncio.run(run())


def over_http(served: Any, name: str | None, talk: Talk, mode: str = "auto") -> Any:
    async def run() -> Any:
        async with httpx2.AsyncClient(headers=served.headers(name) if name else {}, timeout=60) as http:
            transport = streamable_http_client(served.url, http_client=http)
            async with Client(transport, mode=mode, read_timeout_seconds=60) as client:
                return await talk(client)

    return asyncio.run(run())


async def every_tool(client: Client) -> None:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == set(CALLS)
    for name, tool in tools.items():
        assert tool.title and tool.title.replace(".", "_") in (name, "citations_verify") and tool.description
        assert tool.annotations is not None and tool.annotations.read_only_hint and not tool.annotations.destructive_hint
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema is not None and {"results", "failed_kbs"} <= set(tool.output_schema["properties"])
    for name, arguments in CALLS.items():
        answer = await client.call_tool(name, arguments)
        assert not answer.is_error, (name, answer.content)
        assert answer.structured_content is not None
        assert answer.structured_content["failed_kbs"] == []
        assert json.loads(answer.content[0].text) == answer.structured_content
        assert answer.structured_content["results"], name


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_answers_over_stdio(stdio: Callable[..., dict[str, Any]], mode: str) -> None:
    over_stdio(stdio(), every_tool, mode)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_every_tool_answers_over_http(http: Any, mode: str) -> None:
    over_http(http, "public" if mode == "legacy" else "sre", every_tool, mode)


def test_stdio_is_whoever_the_server_was_started_as(stdio: Callable[..., dict[str, Any]]) -> None:
    async def talk(client: Client) -> bool:
        answer = await client.call_tool("keyword_search", {"query": "QUOKKA"})
        return bool(answer.structured_content["results"])

    assert over_stdio(stdio(), talk) is False
    assert over_stdio(stdio("--role", "sre"), talk) is True


def test_http_is_whoever_the_token_stands_for(http: Any) -> None:
    async def talk(client: Client) -> bool:
        answer = await client.call_tool("keyword_search", {"query": "QUOKKA"})
        return bool(answer.structured_content["results"])

    assert over_http(http, "public", talk) is False
    assert over_http(http, "sre", talk) is True


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_errors_tell_what_to_do_and_hidden_is_as_missing(http: Any, mode: str) -> None:
    async def talk(client: Client) -> list[str]:
        told = []
        for name, arguments in (
            ("document_open", {"id": "docs/restricted/vault.md"}), ("document_open", {"id": "docs/restricted/other.md"}),
            ("document_open", {"id": "/etc/passwd"}), ("knowledge_search", {"query": "x", "kb_ids": ["other"]}),
            ("knowledge_search", {"query": "x", "top_k": 1000}), ("knowledge_search", {"q": "x"}), ("no_such_tool", {}),
        ):
            answer = await client.call_tool(name, arguments)
            assert answer.is_error and answer.structured_content is None
            told.append(answer.content[0].text)
        return told

    hidden, missing, outside, base, many, unknown, tool = over_http(http, "public", talk, mode)
    assert hidden.replace("vault", "other") == missing
    assert "you have nothing that is called '/etc/passwd'" in outside
    assert "you have no knowledge base 'other'" in base and "top_k" in many and "q: there is no such argument" in unknown
    assert tool == "Unknown tool: no_such_tool"


def test_a_conversation_is_marked_what_it_was_given_and_others_are_not(http: Any) -> None:
    async def talk(client: Client) -> list[bool]:
        answers = [await client.call_tool("document_open", {"id": "docs/en/limits.md"}) for _ in range(2)]
        return [answer.structured_content["results"][0]["parts"][0]["given_before"] for answer in answers]

    for _ in range(2):
        assert over_http(http, "public", talk, "legacy") == [False, True]
    assert over_http(http, "public", talk) == [False, False]


def test_resources_and_prompts_are_there_for_the_bases_of_the_caller(http: Any) -> None:
    async def talk(client: Client) -> dict[str, Any]:
        told: dict[str, Any] = {"listed": [str(each.uri) for each in (await client.list_resources()).resources]}
        for uri in told["listed"]:
            told[uri] = (await client.read_resource(uri)).contents[0].text
        prompts = (await client.list_prompts()).prompts
        for each in prompts:
            answer = await client.get_prompt(each.name, {"question": "怎么安装 {x}？"})
            told[each.name] = answer.messages[0].content.text
        for uri in ("kb://other/manifest", "kb://default/other", "kb://default/..%2Fmanifest", "file:///etc/passwd"):
            with pytest.raises(Exception, match=r"(?i)no such resource|unknown resource|not found|security"):
                await client.read_resource(uri)
        return told

    told = over_http(http, "public", talk)
    kinds = ("boundary", "manifest", "schema", "registry")
    assert told["listed"] == ["kb://boundary", *(f"kb://default/{kind}" for kind in kinds)]
    assert json.loads(told["kb://default/manifest"])["generation"] == 1
    assert "rows" not in told["kb://default/manifest"]
    assert "makes" in json.loads(told["kb://default/schema"])["relations"]
    assert {each["entity_id"] for each in json.loads(told["kb://default/registry"])["entities"]} == {
        f"urn:kb:entity:{name}" for name in ("gate", "maker", "apollo-a", "apollo-b")
    }
    assert "insufficient_evidence" in told["answer_from_evidence"] and "只根据知识库" in told["answer_from_evidence_zh"]
    assert "怎么安装 {x}？" in told["answer_from_evidence_zh"]
    assert "urn:kb:entity:vault" in over_http(http, "sre", talk)["kb://default/registry"]


def test_wrong_arguments_tools_and_prompts_are_told_in_words_and_recorded(
    stdio: Callable[..., dict[str, Any]], library: Any
) -> None:
    async def talk(client: Client) -> list[str]:
        said = []
        for name, arguments in (
            ("knowledge_search", {}), ("knowledge_search", {"query": "x", "user": "alice"}),
            ("document_open", {"id": "", "page": 0}), ("no_such_tool", {}),
        ):
            answer = await client.call_tool(name, arguments)
            assert answer.is_error
            said.append(answer.content[0].text)
        for prompt in (client.get_prompt("nothing", {}), client.get_prompt("answer_from_evidence", {})):
            with pytest.raises(MCPError, match="no such prompt, or not its arguments; prompts/list shows both"):
                await prompt
        return said

    log = library.folder / ".serve" / "audit"
    before = {file: file.read_bytes() for file in log.glob("*.jsonl")}
    assert over_stdio(stdio(), talk) == [
        "Error executing tool knowledge_search: query: must be given",
        "Error executing tool knowledge_search: user: there is no such argument",
        "Error executing tool document_open: id: String should have at least 1 character; "
        "page: Input should be greater than or equal to 1",
        "Unknown tool: no_such_tool",
    ]
    new = b"".join(file.read_bytes()[len(before.get(file, b"")) :] for file in sorted(log.glob("*.jsonl")))
    lines = [json.loads(line) for line in new.splitlines()]
    told = [(line["operation"], line["arguments"], line["refused"]) for line in lines if line["caller"] == "stdio"]
    assert told == [
        ("knowledge_search", {}, "UsageError"), ("knowledge_search", {}, "UsageError"), ("document_open", {}, "UsageError"),
        ("unknown", {}, "NotGranted"),
    ]
