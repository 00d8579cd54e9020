"""A client that asks for it is told how many of its knowledge bases have answered."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp import Client

from flows.serving import bases_of
from indexes.serve.audit import NoAudit
from indexes.serve.callers import Caller
from indexes.serve.mcp.server import stdio_server
from indexes.serve.operations import Operations
from indexes.serve.session import alone
from ingest.model.access import Principal
from ingest.settings import Settings


def test_progress_is_told_by_base(new_base: Callable[..., Any], tmp_path: Any) -> None:
    named = {}
    for kb_id in ("one", "two"):
        base = new_base(kb_id)
        base.write("a.md", f"# {kb_id}\n\nThe word of {kb_id} is heron.\n")
        base.run()
        named[kb_id] = {"kb": str(base.kb)}
    settings = Settings.model_validate({"base": str(tmp_path), "embed": {"engine": "hash"}, "serve": {"bases": named}})
    bases = bases_of(settings)
    server = stdio_server(Operations(bases, NoAudit()), Caller("me", Principal(), ("one", "two")), alone(settings.serve))
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(done: float, of: float | None, message: str | None) -> None:
        told.append((done, of, message))

    async def run() -> Any:
        async with Client(server) as client:
            return await client.call_tool("knowledge_search", {"query": "heron"}, progress_callback=heard)

    answer = asyncio.run(run())
    bases.close()
    assert {each["kb_id"] for each in answer.structured_content["results"]} == {"one", "two"}
    assert told == [(0, 2, "0 of 2 knowledge bases"), (1, 2, "1 of 2 knowledge bases")]
