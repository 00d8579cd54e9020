"""`ingest snapshots`: the generations that are kept, what is in them and between them, going back to one, shipping one."""

from __future__ import annotations

import typer

from ingest.cli.snapshots import diff, listing, rollback, shipping, show

app = typer.Typer(
    help="Generations: list, show, compare, go back, release, prune, export, import.", no_args_is_help=True, rich_markup_mode=None
)
app.command("list")(listing.command)
app.command("show")(show.command)
app.command("diff")(diff.command)
app.command("rollback")(rollback.command)
app.command("release")(rollback.release)
app.command("prune")(rollback.prune)
app.command("export")(shipping.export)
app.command("import")(shipping.import_)
