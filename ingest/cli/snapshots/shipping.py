"""`ingest snapshots export` and `import`: one generation as a file, and a knowledge base out of one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from ingest.cli import options


def export(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="where to write the archive (.tar.zst)")],
    generation: options.Generation = None,
    with_cache: Annotated[
        bool, typer.Option("--with-cache", help="with cached vectors, so that runs elsewhere re-embed nothing that is in it")
    ] = False,
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Write one generation (default: the newest) with its three indexes as one file. Refused unless all of it is as it was
    published. The file holds every document's text, whoever may see it, and no paths of this machine.

    Example:  ingest snapshots export kb.tar.zst
    """
    from flows.shipping import send
    from ingest.cli.output import print_json, say, work_apart
    from ingest.cli.progress import shown

    with work_apart(), shown() as progress:
        made = send(options.read_settings(kb, config), file, generation, progress, with_cache=with_cache)
    if json:
        print_json(made)
        return
    cached = f", {made.vectors} cached vectors" if with_cache else ""
    say(f"exported generation {made.generation} (snapshot {made.snapshot[:12]}) to {made.file}: {made.bytes / 1e6:.1f} MB")
    say(f"  {made.documents} documents, {made.chunks} chunks{cached}")
    say(f"  sha256 {made.sha256}")
    say(f"take it in elsewhere with: ingest snapshots import {shlex.quote(file.name)} --kb DIR")


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="an archive that `export` wrote")],
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Make a knowledge base of an archive: the same generation, the same answers. Refused, leaving nothing behind, unless every
    digest in it holds. The folder must not hold a published generation.

    Example:  ingest snapshots import kb.tar.zst --kb .kb
    """
    from flows.shipping import receive
    from ingest.cli.output import print_json, say, work_apart
    from ingest.cli.progress import shown

    with work_apart(), shown() as progress:
        made = receive(options.read_settings(kb, config), file, progress)
    if json:
        print_json(made)
        return
    say(f"imported generation {made.generation} (snapshot {made.snapshot[:12]}) into {made.kb}")
    say(f"  {made.documents} documents, {made.chunks} chunks" + (f", {made.vectors} cached vectors" if made.vectors else ""))
    for warning in made.warnings:
        say(f"  warning: {warning}")
    at = f"--kb {shlex.quote(made.kb)}"
    say(f"ask it with: ingest search QUESTION {at}")
    for root in made.roots:
        say(f"its root {root!r} has no folder here yet; where there is one: ingest check PATH --name {shlex.quote(root)} {at}")
