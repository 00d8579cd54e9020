"""`ingest serve`: answers for agents and programs, who may have them, and what was asked."""

from __future__ import annotations

import typer

from ingest.cli.serve import audit, token

app = typer.Typer(
    help="Serve knowledge bases: http; tokens of those who may ask: token; what was asked: audit.",
    no_args_is_help=True, rich_markup_mode=None,
)
app.command("token")(token.command)
app.command("audit")(audit.command)
