"""`ingest serve`: answers for agents and programs, who may have them, and what was asked."""

from __future__ import annotations

import typer

from ingest.cli.serve import audit, http, mcp, token

app = typer.Typer(
    help="Serve knowledge bases: mcp, http; tokens of those who may ask: token; what was asked: audit.",
    no_args_is_help=True, rich_markup_mode=None,
)
app.command("mcp")(mcp.command)
app.command("http")(http.command)
app.command("token")(token.command)
app.command("audit")(audit.command)
