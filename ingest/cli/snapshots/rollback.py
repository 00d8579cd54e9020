"""`ingest snapshots rollback`, `release` and `prune`: what is served, what holds runs, what is kept."""

from __future__ import annotations

from typing import Annotated

import typer

from ingest.cli import options


def command(
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
