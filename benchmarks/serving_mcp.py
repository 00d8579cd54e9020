"""Twenty MCP clients for a minute on one machine, without and with generations being published meanwhile.

As `benchmarks.serving`, over `ingest serve mcp --http` and with the SDK's own client: half of the clients speak the newest
protocol, half the one with sessions. They call five tools in turn. An error is any answer that is one, or that names a failed
base; mixed is an answer that shows another generation's document, two of them or none, or an older one than before.

    python -m benchmarks.serving_mcp [--documents 1000] [--clients 20] [--seconds 60]
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from typing import Any

from benchmarks.search_latency import queries
from benchmarks.serving import PROBE, Seen, compared


def main() -> None:
    compared(["mcp", "--http"], lambda said: said, asked)


def asked(url: str, tokens: list[str], seconds: float) -> Seen:
    """Ask with one client a token, in a process of their own."""
    given = json.dumps({"url": url, "seconds": seconds, "tokens": tokens})
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.serving_mcp", "clients"], input=given, stdout=subprocess.PIPE, text=True, check=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return Seen(found["milliseconds"], found["errors"], found["mixed"], set(found["generations"]), found["seconds"])


async def clients() -> None:
    """The process of the clients: what to do on stdin, what they saw on stdout."""
    given = json.load(sys.stdin)
    seen: dict[str, Any] = {"milliseconds": [], "errors": [], "mixed": [], "generations": []}
    texts = list(queries(200))
    started = time.perf_counter()
    await asyncio.gather(*(
        client(given["url"], token, "auto" if number % 2 else "legacy", texts[number:] + texts[:number], given["seconds"], seen)
        for number, token in enumerate(given["tokens"])
    ))
    seen["generations"] = sorted(set(seen["generations"]))
    json.dump({**seen, "seconds": time.perf_counter() - started}, sys.stdout)


async def client(url: str, token: str, mode: str, texts: list[str], seconds: float, seen: dict[str, Any]) -> None:
    import httpx2
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    until = time.monotonic() + seconds
    last, number = 0, 0
    http = httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60)
    async with http, Client(streamable_http_client(url, http_client=http), mode=mode, read_timeout_seconds=60) as connected:
        while time.monotonic() < until:
            name, arguments = called(number, texts)
            number += 1
            started = time.perf_counter()
            try:
                answer = await connected.call_tool(name, arguments)
            except Exception as error:
                seen["errors"].append(repr(error))
                continue
            seen["milliseconds"].append((time.perf_counter() - started) * 1000)
            content = answer.structured_content
            if answer.is_error or content is None or content["failed_kbs"]:
                seen["errors"].append(str(answer.content)[:300])
                continue
            generation, said = told(name, content)
            if generation < last or (said is not None and said != [str(generation)]):
                seen["mixed"].append(f"{name}: generation {generation} after {last} says {said}")
            last = max(last, generation)
            seen["generations"].append(generation)


def called(number: int, texts: list[str]) -> tuple[str, dict[str, Any]]:
    """What a client asks as its call `number`."""
    text = texts[number % len(texts)]
    return (
        ("knowledge_search", {"query": text}), ("keyword_search", {"query": PROBE}), ("semantic_search", {"query": text}),
        ("document_open", {"id": "docs/probe.md", "again": True}), ("knowledge_list", {}),
    )[number % 5]


def told(name: str, content: dict[str, Any]) -> tuple[int, list[str] | None]:
    """The generation that an answer is of, and which ones the document in it says, where it must be there."""
    if name == "knowledge_list":
        return content["results"][0]["generation"], None
    if name == "document_open":
        opened = content["results"][0]
        return opened["document"]["generation"], [opened["parts"][0]["text"].split()[-1]]
    said = [each["text"].split()[-1] for each in content["results"] if PROBE in each["text"]]
    return content["answered_by"][0]["generation"], said if name == "keyword_search" else None


if __name__ == "__main__":
    asyncio.run(clients()) if sys.argv[1:] == ["clients"] else main()
