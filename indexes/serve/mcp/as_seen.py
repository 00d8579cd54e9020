"""Lists as each caller sees them: tools that change something only for those who may, resources of the bases they were given."""

from __future__ import annotations

from typing import Any

from indexes.serve.mcp.resources import KINDS, uri_of
from indexes.serve.mcp.sdk import (
    INVALID_PARAMS,
    CallNext,
    CallToolResult,
    HandlerResult,
    MCPError,
    TextContent,
    run_in_thread,
)
from indexes.serve.mcp.who import Request, Who
from indexes.serve.operations import Operations, told_to_caller
from ingest.errors import ConcordError, NotGranted


class AsSeen:
    """Middleware of the MCP server. A tool that a caller does not have is answered as one that does not exist."""

    def __init__(self, operations: Operations, who: Who) -> None:
        self._operations = operations
        self._who = who

    async def __call__(self, ctx: Request, call_next: CallNext) -> HandlerResult:
        if ctx.method == "tools/call":
            name = str((ctx.params or {}).get("name"))
            if name not in self._names(ctx):
                said = f"Unknown tool: {name}"
                try:
                    await run_in_thread(self._operations.misused, name, *self._who(ctx))
                except NotGranted:
                    pass
                except ConcordError as error:
                    said = told_to_caller(error)
                return CallToolResult(content=[TextContent(type="text", text=said)], is_error=True)
        if ctx.method == "prompts/get":
            try:
                return await call_next(ctx)
            except ValueError as error:
                raise MCPError(INVALID_PARAMS, "no such prompt, or not its arguments; prompts/list shows both") from error
        result = await call_next(ctx)
        if isinstance(result, dict) and ctx.method == "tools/list":
            names = self._names(ctx)
            return {**result, "tools": [tool for tool in result["tools"] if tool["name"] in names]}
        if isinstance(result, dict) and ctx.method == "resources/list":
            return {**result, "resources": [*result["resources"], *self._resources(ctx)]}
        return result

    def _names(self, ctx: Request) -> set[str]:
        caller, _ = self._who(ctx)
        return {operation.name for operation in self._operations.of(caller)}

    def _resources(self, ctx: Request) -> list[dict[str, Any]]:
        """The resources of the caller's bases, as they go over the wire."""
        caller, _ = self._who(ctx)
        return [
            {"uri": uri_of(kb_id, kind), "name": f"{kb_id}-{kind}", "title": f"{kb_id}: {title}", "mimeType": "application/json"}
            for kb_id in self._operations.bases.granted(caller) for kind, title in KINDS.items()
        ]
