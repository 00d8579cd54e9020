"""What is used of the MCP SDK: an optional package, named where it is missing."""

from __future__ import annotations

from ingest.errors import ExtraMissing

try:
    from anyio.from_thread import run as run_in_loop
    from anyio.to_thread import run_sync as run_in_thread
    from mcp.server.auth.provider import AccessToken
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError, ToolError
    from mcp.server.mcpserver.prompts import Prompt
    from mcp.server.mcpserver.tools import Tool
    from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
    from mcp.server.transport_security import TransportSecuritySettings
    from mcp.shared.exceptions import MCPError
    from mcp.types import INVALID_PARAMS, CallToolResult, TextContent, ToolAnnotations
except ModuleNotFoundError as error:
    raise ExtraMissing("serving MCP", "serve") from error

__all__ = [
    "INVALID_PARAMS", "AccessToken", "ArgModelBase", "AuthSettings", "CallNext", "CallToolResult", "Context", "FuncMetadata",
    "HandlerResult", "MCPError", "MCPServer", "Prompt", "ResourceError", "ResourceNotFoundError", "ServerRequestContext",
    "TextContent", "Tool", "ToolAnnotations", "ToolError", "TransportSecuritySettings", "run_in_loop", "run_in_thread",
]
