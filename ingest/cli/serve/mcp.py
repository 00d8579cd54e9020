"""`ingest serve mcp`: the tools for agents, over stdio or HTTP."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ingest.cli import options


def command(
    kb: options.Kb = None,
    config: options.Config = None,
    kb_id: Annotated[
        list[str] | None, typer.Option("--kb-id", metavar="ID", help="on stdio: only these knowledge bases of serve.bases")
    ] = None,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    write: Annotated[bool, typer.Option("--write", help="on stdio: the tools that change something too")] = False,
    http: Annotated[bool, typer.Option("--http", help="serve streamable HTTP to clients with bearer tokens")] = False,
    host: Annotated[str | None, typer.Option("--host", help="with --http: address to listen at (default: 127.0.0.1)")] = None,
    port: Annotated[
        int | None, typer.Option("--port", min=0, max=65535, help="with --http: port (default: 8765); 0: a free one")
    ] = None,
    tokens: Annotated[
        Path | None, typer.Option("--tokens", metavar="FILE", help="with --http: file of tokens (default: in serve.folder)")
    ] = None,
) -> None:
    """Serve the tools for agents (MCP). On stdio, for the one client that starts it, as the principal of the options; with
    --http, for whoever has a token of `ingest serve token`, as its principal, at the address that is printed.

    Exit codes: 0 the client left, or it was interrupted; 2 an option, a setting or the extra `serve`; 6 nothing is published.

    Example:  ingest serve mcp --kb .kb --user alice --role sales
    """
    from ingest.cli.observing import warn
    from ingest.errors import UsageError

    settings = options.read_settings(kb, config, {"serve": {"host": host, "port": port}}, page=http)
    if http:
        if user or role or tenant or level or write or kb_id:
            raise UsageError("with --http a caller is whom the token stands for: give --user, --role ... to: ingest serve token")
        from flows.serving_mcp import over_http

        over_http(settings, tokens, _started, warn)
        return
    from flows.serving import kb_ids_of
    from flows.serving_mcp import over_stdio
    from indexes.serve.callers import Caller

    known = kb_ids_of(settings)
    wanted = tuple(map(options.text, kb_id or known))
    if unknown := [id for id in wanted if id not in known]:
        raise UsageError(f"no knowledge base {unknown[0]!r} is configured; --kb-id takes {', '.join(known)}")
    over_stdio(settings, Caller("stdio", options.principal(settings, user, role, tenant, level), wanted, write), warn)


def _started(url: str) -> None:
    import sys

    from ingest.cli.output import say

    say(url)
    sys.stdout.flush()
