"""`ingest check`: is the knowledge base still true to its sources and settings?"""

from __future__ import annotations

import os
import re
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from ingest.model.report import CheckReport

NAME = "check"

_AGE = re.compile(r"(\d{1,9})([smhdw])")
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def command(
    paths: Annotated[list[Path] | None, typer.Argument(help="narrow to these; default: every registered root")] = None,
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    format: Annotated[
        Literal["text", "json", "github"], typer.Option("--format", help="github: annotations, summary and outputs of a step")
    ] = "text",
    name: Annotated[str | None, typer.Option("--name", help="which root PATH is, of a base that came with an archive")] = None,
    rehash: Annotated[bool, typer.Option("--rehash", help="read every file, whatever its times say")] = False,
    strict: Annotated[bool, typer.Option("--strict", help="warnings make it stale")] = False,
    max_age: Annotated[
        str | None, typer.Option("--max-age", metavar="AGE", help="stale when no run confirmed it for so long: 90m, 36h, 7d")
    ] = None,
) -> None:
    """Compare the published generation with its sources, settings, code and models; nothing is parsed, embedded or written.

    Warnings are windows that opened or closed since the last confirmation, versions that overlap or leave a gap, assertions
    that contradict one another, documents that do not parse, and a hold.

    Exit codes: 0 fresh, 3 stale, 6 could not tell (a source, index or engine cannot be reached; what is stale is listed all the
    same).

    Example:  ingest check ./docs --max-age 7d
    """
    from flows.checking import check
    from flows.telling import checked
    from ingest.cli import github
    from ingest.cli.output import print_json, work_apart
    from ingest.cli.progress import shown
    from ingest.errors import ConcordError

    form = "json" if json else format
    try:
        most = age(max_age) if max_age is not None else None
        settings = options.read_settings(kb, config)
        with work_apart(), shown() as progress:
            report = check(
                settings, tuple(paths or ()), progress, name=name, rehash=rehash, strict=strict, max_age=most
            )
    except ConcordError as error:
        if form == "github":
            github.print_error(error, os.environ)
        raise
    checked(settings, report)
    if form == "json":
        print_json(report)
    elif form == "github":
        github.print_report(report, os.environ, config or Path("ingest.toml"))
    else:
        _say(report)
    raise typer.Exit(report.exit_code)


def age(text: str) -> timedelta:
    """Return the length of time that `90m`, `36h` or `1w2d` names. Raises UsageError."""
    from ingest.errors import UsageError

    found = _AGE.findall(text.strip().lower())
    if not found or "".join(number + unit for number, unit in found) != text.strip().lower():
        raise UsageError(f"--max-age {text!r} is no length of time: write a number and s, m, h, d or w, such as 90m, 36h or 7d")
    try:
        return sum((timedelta(**{_UNITS[unit]: int(number)}) for number, unit in found), timedelta())
    except OverflowError:
        raise UsageError(f"--max-age {text!r} is too long to count; leave the option out") from None


def _say(report: CheckReport) -> None:
    from ingest.cli.changes import lines, some
    from ingest.cli.output import say

    say(verdict(report))
    for line in (
        *lines(report.changes), *some(report.settings), *([f"  {report.overdue}"] if report.overdue else ()),
        *some(report.problems, "could not tell: "), *some(report.warnings, "warning: "),
    ):
        say(line)
    if report.changes or report.settings or report.overdue:
        say("bring it up to date with: ingest run")


def verdict(report: CheckReport) -> str:
    """Return the line that says it all."""
    status = "could not tell" if report.status == "unknown" else report.status
    because = " because of its warnings" if report.strict and status == "stale" and not (
        report.changes or report.settings or report.overdue
    ) else ""
    if not report.generation:
        return status
    return f"{status}{because}: generation {report.generation}, last confirmed {report.confirmed_at}"
