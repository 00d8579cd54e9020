"""`ingest move`: the indexes of a knowledge base to a Qdrant server, or back into files."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ingest.cli import options

NAME = "move"


def command(
    to: Annotated[
        Literal["qdrant", "embedded"], typer.Option("--to", help="qdrant (the server of index.qdrant_url) or embedded (files)")
    ],
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Move the vector and the BM25 index of the newest generation to a Qdrant server, or back into files. Nothing is read, parsed
    or embedded; what the new indexes hold is compared with the old, row by row; the snapshot and the answers are the same. Older
    generations stay where they are. Killed half-way, nothing has moved: give the command again.

    Example:  ingest move --to qdrant
    """
    from flows.moving import move
    from ingest.cli.output import print_json, say, work_apart
    from ingest.cli.progress import shown

    with work_apart(), shown() as progress:
        made = move(options.read_settings(kb, config), to, progress)
    if json:
        print_json(made)
        return
    if made.moved:
        say(f"published generation {made.generation} (snapshot {made.snapshot[:12]}, as before) on: {made.backend}")
        for index, digest in made.contents.items():
            say(f"  {index + ':':<8}{made.chunks} rows, content {digest.partition(':')[2][:12]}, the same in both places")
    else:
        say(f"generation {made.generation} is there already")
    for warning in made.warnings:
        say(f"warning: {warning}")
