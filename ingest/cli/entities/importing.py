"""`ingest entities import`: reviewed material joins the registry, or a report says why not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from flows.importing import Taken


def command(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON-LD, CSV or YAML")],
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    check: Annotated[bool, typer.Option("--check", help="only look whether it can be taken")] = False,
    actor: options.Actor = None,
) -> None:
    """Validate files of entities and assertions, and take in all of them or nothing. What is wrong is told with its line, row
    or node and what to do about it. It shows with the next `ingest run`.

    Exit codes: 0, 1 something is wrong (nothing was taken), 2 a file cannot be opened.

    Example:  ingest entities import partners.csv products.jsonld
    """
    from flows.importing import take_in
    from ingest.cli.output import print_json, work_apart

    settings = options.read_settings(kb, config)
    with work_apart():
        taken = take_in(settings, files, actor=options.actor(actor), check=check)
    print_json(taken) if json else _say(taken, check)
    if taken.refused:
        raise typer.Exit(1)


def _say(taken: Taken, check: bool) -> None:
    from ingest.cli.output import say

    for problem in taken.problems:
        say(f"{problem.place}: {'' if problem.fatal else 'note: '}{problem.message}")
        say(f"    {problem.remedy}")
    counted = ", ".join(f"{count} {name}" for name, count in taken.entities.items() if count) or "none"
    say(f"entities: {counted}; assertions: {taken.assertions} new" + (f"; merges: {taken.merges}" if taken.merges else ""))
    if taken.refused:
        say("nothing was taken in: correct what is wrong and import again")
    elif check:
        say("all of it can be taken in")
    else:
        say("taken in; it shows with the next: ingest run" if taken.written else "the registry has all of it already")
