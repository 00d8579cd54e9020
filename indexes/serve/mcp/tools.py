"""Operations as MCP tools: the same arguments, the same answers, with what a client is told of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import orjson
from pydantic import Field, ValidationError, create_model

from indexes.serve.arguments import wrong
from indexes.serve.mcp.sdk import (
    ArgModelBase,
    CallToolResult,
    FuncMetadata,
    TextContent,
    Tool,
    ToolAnnotations,
    ToolError,
    run_in_loop,
    run_in_thread,
)
from indexes.serve.mcp.who import Who
from indexes.serve.operations import Operation, Operations, told_to_caller
from ingest.errors import ConcordError
from ingest.model.canonical import plain

_log = logging.getLogger(__name__)


def tools(operations: Operations, who: Who) -> list[Tool]:
    """Return a tool for every operation."""
    return [_tool(operation, operations, who) for operation in operations.every]


class Called(Tool):
    """A tool whose refusals of arguments are in our words, and in the audit log."""

    misused: Callable[[Any], None] = Field(exclude=True)

    async def run(self, arguments: dict[str, Any], context: Any, convert_result: bool = False) -> Any:
        try:
            return await super().run(arguments, context, convert_result)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            said, _ = wrong(error.__cause__.errors())
            try:
                await run_in_thread(self.misused, context.request_context)
            except ConcordError as refused:
                said = told_to_caller(refused)
            raise ToolError(f"Error executing tool {self.name}: {said}") from error


def _progress(context: Any) -> Callable[[int, int], None]:
    """What tells a client that asked for it how many bases have answered; from the thread of a tool."""
    def told(done: int, of: int) -> None:
        run_in_loop(context.report_progress, done, of, f"{done} of {of} knowledge bases")

    return told


def _tool(operation: Operation, operations: Operations, who: Who) -> Tool:
    model: Any = create_model(f"{operation.arguments.__name__}Arguments", __base__=(operation.arguments, ArgModelBase))
    metadata = FuncMetadata(arg_model=model, output_model=operation.answer)

    def run(context: Any, **given: Any) -> CallToolResult:
        """Called in a thread of its own."""
        try:
            caller, session = who(context.request_context)
            answer = operations.run(operation.name, caller, session, operation.arguments(**given), _progress(context))
        except ConcordError as error:
            _log.info("%s: %s", operation.name, type(error).__name__)
            raise ToolError(told_to_caller(error)) from error
        content = plain(answer)
        return CallToolResult(
            content=[TextContent(type="text", text=orjson.dumps(content).decode())], structured_content=content
        )

    def misused(request: Any) -> None:
        operations.misused(operation.name, *who(request))

    return Called(
        misused=misused, fn=run, name=operation.name, title=operation.title, description=operation.description,
        parameters=model.model_json_schema(by_alias=True), fn_metadata=metadata, is_async=False, context_kwarg="context",
        annotations=ToolAnnotations(
            title=operation.title, read_only_hint=not operation.changes, destructive_hint=False, idempotent_hint=True,
            open_world_hint=False,
        ),
    )


