"""`ingest snapshots rollback`, `release` and `prune`: what is served, what holds runs, what is kept."""

from __future__ import annotations

from typing import Annotated

import typer

from ingest.cli import options


def command(
    generation: Annotated[int, typer.Argument(help="the generation to go back to")],
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Publish what an older generation held as a new one, and hold runs until `release`. Nothing is read from the sources, and
    nothing is lost: the generation that was the newest is kept like any other.

    Example:  ingest snapshots rollback 3
    """
    from flows.history import go_back
    from ingest.cli.output import print_json, say
    from ingest.cli.progress import shown

    with shown() as progress:
        went = go_back(options.read_settings(kb, config), generation, progress)
    if json:
        print_json(went)
        return
    say(f"published generation {went.generation} with the content of {generation} (snapshot {went.snapshot[:12]})")
    for what, counts in (("documents", went.documents), ("chunks", went.chunks)):
        told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in counts.items() if count)
        say(f"  {what + ':':<11}{told or 'as before'}")
    for uri in went.kept_closed:
        say(f"  closed since, and stays out: {uri}")
    for uri in went.kept_narrower:
        say(f"  open to fewer since, and stays so: {uri}")
    say(f"what that changed: ingest snapshots diff {went.generation - 1} {went.generation}")
    say("runs are on hold until: ingest snapshots release")


def release(kb: options.Kb = None, config: options.Config = None, json: options.Json = False) -> None:
    """Lift the hold that a rollback set. The next run brings the knowledge base up to its sources again, so set those right
    first: `ingest run --dry-run` tells what it would do.

    Example:  ingest snapshots release
    """
    from flows.history import let_go
    from ingest.cli.output import print_json, say

    released = let_go(options.read_settings(kb, config))
    if json:
        print_json({"released": released})
    else:
        say("released; bring it up to its sources with: ingest run" if released else "there was no hold")


def prune(
    keep: Annotated[int | None, typer.Option("--keep", min=1, help="generations to keep (default: generations.keep)")] = None,
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Drop generations beyond the last K, except those that somebody is reading.

    Example:  ingest snapshots prune --keep 2
    """
    from flows.history import drop, in_use
    from ingest.cli.output import print_json, say

    settings = options.read_settings(kb, config)
    dropped, left = drop(settings, keep), in_use(settings, keep)
    if json:
        print_json({"dropped": dropped, "in_use": left})
        return
    say(f"dropped {', '.join(map(str, dropped))}" if dropped else "nothing to drop")
    if left:
        say(f"somebody reads {', '.join(map(str, left))}; they go with a later run or prune")
