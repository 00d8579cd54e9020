"""`ingest snapshots list`: the generations that are kept."""

from __future__ import annotations

from ingest.cli import options


def command(kb: options.Kb = None, config: options.Config = None, json: options.Json = False) -> None:
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
