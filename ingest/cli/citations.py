"""`ingest citations`: does an answer say what its evidence says?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from indexes.query.citations import CitationReport

NAME = "citations"


def command(
    answer: Annotated[Path, typer.Argument(metavar="ANSWER", help="a file, or - for standard input", allow_dash=True)],
    pack: Annotated[Path, typer.Option("--pack", metavar="FILE", help="what it was written from: ingest search --format json")],
    kept: Annotated[bool, typer.Option("--kept", help="compare with the generation in the knowledge base, too")] = False,
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
) -> None:
    """Hold an answer to its evidence pack: every citation ([K1], K1, 【K1】) was in the pack, its text is unaltered, and what the
    answer quotes stands in the piece that it cites. Sentences without a citation are counted.

    Exit codes: 0 all of it holds, 1 something does not, 2 the pack is none, 6 the generation is not kept (with --kept).

    Example:  ingest citations answer.md --pack pack.json --kept
    """
    from flows.answering import hold_to_pack
    from indexes.query.citations import read_pack
    from ingest.cli.output import print_json, work_apart
    from ingest.errors import NotFound, UsageError

    try:
        text = (sys.stdin.buffer.read() if str(answer) == "-" else answer.read_bytes()).decode("utf-8", "replace")
        found = read_pack(pack.read_bytes())
    except OSError as error:
        raise UsageError(f"cannot read {error.filename}: {error.strerror}") from error
    settings = options.read_settings(kb, config) if kept else None
    who = None if settings is None else options.principal(settings, user, role, tenant, level)
    try:
        with work_apart():
            report = hold_to_pack(text, found, settings, who)
    except NotFound as error:
        print(f"ingest: {type(error).__name__}: {error}", file=sys.stderr)
        raise typer.Exit(6) from error
    if json:
        print_json(report)
    else:
        _say(report)
    if not report.valid:
        raise typer.Exit(1)


_SAID = {
    "unknown": "the pack has no such piece", "altered": "the pack's text is not the one of its checksum",
    "gone": "the generation has no such passage that this caller may see", "changed": "the generation has another text there",
    "nowhere": "no piece of the pack says so", "elsewhere": "it stands in another piece",
}


def _say(report: CitationReport) -> None:
    from ingest.cli.output import say

    for each in report.cited:
        problems = "; ".join(_SAID[problem] for problem in each.problems)
        say(f"{each.citation}  {problems or 'holds'}{f'  ({each.uri})' if each.uri else ''}")
    for quoted in report.quoted:
        cited = ", ".join(quoted.citations) or "without a citation"
        found = f" ({', '.join(quoted.found_in)})" if quoted.found_in else ""
        say(f"quoted, {cited}: {_SAID[quoted.problem] if quoted.problem else 'holds'}{found}: {' '.join(quoted.text.split())}")
    for sentence in report.uncited:
        say(f"without a citation: {' '.join(sentence.split())}")
    if report.kept is False:
        say("the pack is not from the generation that is kept here")
    say(f"{len(report.uncited)} of {report.sentences} sentences without a citation; {'valid' if report.valid else 'not valid'}")
