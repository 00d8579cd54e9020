"""`ingest snapshots`: the generations that are kept, and going back to one."""

from __future__ import annotations

from typing import Annotated

import typer

from ingest.cli import options

app = typer.Typer(help="Generations: list, go back, release, prune.", no_args_is_help=True, rich_markup_mode=None)


@app.command("list")
def list_(kb: options.Kb = None, config: options.Config = None, json: options.Json = False) -> None:
    """List the published generations that are kept, newest first.

    Example:  ingest snapshots list
    """
    from flows.history import listed
    from ingest.cli.output import print_json, say, table

    generations, hold = listed(options.read_settings(kb, config))
    if json:
        print_json({"generations": generations, "hold": hold})
        return
    table(
        ("generation", "snapshot", "published", "confirmed", "chunks", "origin"),
        [
            (item.generation, item.snapshot[:12], item.published_at, item.confirmed_at, item.chunks, item.origin)
            for item in generations
        ],
    )
    if hold is not None:
        say(f"on hold since the rollback to generation {hold['target']}; lift it with: ingest snapshots release")


@app.command()
def rollback(
    generation: Annotated[int, typer.Argument(help="the generation to go back to")],
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Publish what an older generation held as a new one, and hold runs until `release`.

    Example:  ingest snapshots rollback 3
    """
    from flows.history import go_back
    from ingest.cli.output import print_json, say
    from ingest.cli.progress import shown

    with shown() as progress:
        manifest = go_back(options.read_settings(kb, config), generation, progress)
    if json:
        print_json({"generation": manifest.generation, "snapshot": manifest.snapshot, "target": generation})
    else:
        say(f"published generation {manifest.generation} with the content of {generation}")
        say("runs are on hold until: ingest snapshots release")


@app.command()
def release(kb: options.Kb = None, config: options.Config = None, json: options.Json = False) -> None:
    """Lift the hold that a rollback set: the next run brings the knowledge base up to its sources again.

    Example:  ingest snapshots release
    """
    from flows.history import let_go
    from ingest.cli.output import print_json, say

    released = let_go(options.read_settings(kb, config))
    if json:
        print_json({"released": released})
    else:
        say("released" if released else "there was no hold")


@app.command()
def prune(
    keep: Annotated[int | None, typer.Option("--keep", min=1, help="generations to keep (default: generations.keep)")] = None,
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Drop generations beyond the last K, except those that somebody is reading.

    Example:  ingest snapshots prune --keep 2
    """
    from flows.history import drop
    from ingest.cli.output import print_json, say

    dropped = drop(options.read_settings(kb, config), keep)
    if json:
        print_json({"dropped": dropped})
    else:
        say(f"dropped {', '.join(map(str, dropped))}" if dropped else "nothing to drop")
