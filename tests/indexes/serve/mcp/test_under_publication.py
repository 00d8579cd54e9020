"""Twenty clients ask while generations are published: no error, and no answer that is of two of them. The minute of it is
`benchmarks.serving_mcp`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

CLIENTS, ROUNDS, DOCUMENTS = 20, 3, 4


def publish(base: Any, number: int) -> None:
    """Generation `number`, all documents of which say so."""
    for document in range(DOCUMENTS):
        base.write(f"{document}.md", f"# Report {document}\n\nThe edition of report {document} is EDITION-{number}.\n")
    base.run()


def test_no_error_and_no_mixed_answer_while_generations_are_published(
    new_base: Callable[..., Any], serving: Callable[..., Any], minted: Callable[..., str]
) -> None:
    base = new_base("reports")
    config = base.folder / "ingest.toml"
    config.write_text('[embed]\nengine = "hash"\n[execute]\nexecutor = "inline"\n')
    publish(base, 1)
    token = minted(base.folder, config, "client")
    wrong: list[str] = []
    generations: set[int] = set()

    async def client(url: str, mode: str) -> None:
        last = 0
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as connection:
            transport = streamable_http_client(url, http_client=connection)
            async with Client(transport, mode=mode, read_timeout_seconds=60) as connected:
                for _ in range(ROUNDS):
                    answer = await connected.call_tool("knowledge_search", {"query": "edition of the report", "top_k": DOCUMENTS})
                    content = answer.structured_content
                    if answer.is_error or content is None or content["failed_kbs"] or len(content["results"]) != DOCUMENTS:
                        wrong.append(str(answer.content))
                        continue
                    generation = content["answered_by"][0]["generation"]
                    said = {each["text"].rpartition("EDITION-")[2].rstrip(".") for each in content["results"]}
                    if said != {str(generation)} or generation < last:
                        wrong.append(f"generation {generation} after {last} says {said}")
                    last = generation
                    generations.add(generation)

    async def everybody(url: str) -> None:
        publishing = asyncio.create_task(asyncio.to_thread(publish, base, 2))
        await asyncio.gather(*(client(url, "auto" if number % 2 else "legacy") for number in range(CLIENTS)))
        await publishing
        await asyncio.to_thread(publish, base, 3)
        await asyncio.gather(*(client(url, "auto") for _ in range(2)))

    with serving(base, config, {"client": token}) as served:
        asyncio.run(everybody(served.url))
    assert wrong == []
    assert 3 in generations and len(generations) >= 2
