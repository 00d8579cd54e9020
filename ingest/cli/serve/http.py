"""`ingest serve http`: the operations over HTTP, for callers with tokens."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ingest.cli import options


def command(
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    host: Annotated[str | None, typer.Option("--host", help="address to listen at (default: 127.0.0.1)")] = None,
    port: Annotated[int | None, typer.Option("--port", min=0, max=65535, help="port (default: 8765); 0: a free one")] = None,
    mcp: Annotated[bool, typer.Option("--mcp", help="MCP too, at /mcp, for the same tokens")] = False,
) -> None:
    """Answer over HTTP until told to end (Ctrl-C, SIGTERM): POST /v1/<operation> with a bearer token; /openapi.json describes
    it. The address is printed when the server listens. Which bases, budgets and the audit log: settings of [serve].

    Exit codes: 0, 1 the audit log cannot be written, 2 the address is taken or a setting is wrong.

    Example:  ingest serve http --port 8765
    """
    import sys

    from flows.serving_http import serve_http
    from ingest.cli.observing import warn
    from ingest.cli.output import print_json, say

    serve: dict[str, Any] = {"host": host, "port": port}
    settings = options.read_settings(kb, config, {"serve": serve}, page=True)

    def started(url: str) -> None:
        print_json({"url": url}) if json else say(url)
        sys.stdout.flush()

    serve_http(settings, started, warn, mcp=mcp)
