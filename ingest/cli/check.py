"""`ingest check`: is the knowledge base still true to its sources and settings?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ingest.cli import options

NAME = "check"


def command(
    paths: Annotated[list[Path] | None, typer.Argument(help="narrow to these; default: every registered root")] = None,
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    rehash: Annotated[bool, typer.Option("--rehash", help="read every file, whatever its times say")] = False,
) -> None:
    """Compare the published generation with its sources and settings; nothing is parsed, embedded or written.

    Exit codes: 0 fresh, 3 stale, 6 could not tell (a source, index or engine cannot be reached).

    Example:  ingest check ./docs
    """
    from flows.checking import check
    from ingest.cli.output import print_json, say, work_apart
    from ingest.cli.progress import shown

    settings = options.read_settings(kb, config)
    with work_apart(), shown() as progress:
        report = check(settings, tuple(paths or ()), progress, rehash=rehash)
    if json:
        print_json(report)
    else:
        say(f"{report.status}: generation {report.generation}, last confirmed {report.confirmed_at}")
        for change in report.changes:
            say(f"  {change.what:<8} {change.uri}" + (f"  ({change.reason})" if change.reason else ""))
        for line in (*report.settings, *report.problems):
            say(f"  {line}")
        for warning in report.warnings:
            say(f"  warning: {warning}")
        if report.status == "stale":
            say("bring it up to date with: ingest run")
    raise typer.Exit(report.exit_code)
