"""`ingest entities`: who and what the documents speak of, and the questions about them that wait for a person."""

from __future__ import annotations

import typer

from ingest.cli.entities import export, importing, judging, listing, resolving, review

app = typer.Typer(
    help="The entity registry: import, export, list, show, resolve, compare, review, merge, split, pin, accept, reject.",
    no_args_is_help=True, rich_markup_mode=None,
)
app.command("import")(importing.command)
app.command("export")(export.command)
app.command("validate")(export.validate)
app.command("list")(listing.command)
app.command("show")(listing.show)
app.command("compare")(resolving.compare)
app.command("resolve")(resolving.resolve)
app.command("review")(review.command)
for name in ("merge", "split", "pin", "accept", "reject", "revoke", "log"):
    app.command(name)(getattr(judging, name))

registry = typer.Typer(help="The registry as a whole.", no_args_is_help=True, rich_markup_mode=None)
registry.command("export", help=(export.command.__doc__ or "").replace("ingest entities export", "ingest registry export"))(
    export.command
)
