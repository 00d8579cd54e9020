"""`ingest serve audit`: what was asked, in numbers."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ingest.cli import options


def command(
    config: options.Config = None,
    json: options.Json = False,
    since: Annotated[str | None, typer.Option("--since", metavar="INSTANT", help="only from then on (2025-07-01)")] = None,
    caller: Annotated[str | None, typer.Option("--caller", metavar="NAME", help="only what this caller asked")] = None,
) -> None:
    """Count what the audit log says: calls, answers without evidence, refusals, failures, whether citations held, and times; in
    all, by caller, by knowledge base, by operation.

    Example:  ingest serve audit --since 2025-07-01
    """
    from flows.serving import log_of
    from indexes.serve.audit_counts import counted
    from ingest.cli.output import print_json, say, table
    from ingest.errors import UsageError
    from ingest.model.instant import parse_instant

    settings = options.read_settings(None, config)
    try:
        instant = None if since is None else parse_instant(since)
    except ValueError as error:
        raise UsageError(f"--since: {error}") from error
    told = counted(log_of(settings), since=instant, caller=None if caller is None else options.text(caller)).told()
    if json:
        print_json(told)
        return
    rows = [("all", told["total"])]
    for name, what in (("callers", "caller"), ("bases", "base"), ("operations", "operation")):
        rows += [(f"{what} {key or '(no valid token)'}", counts) for key, counts in told[name].items()]
    table(
        ("", "calls", "rows", "no evidence", "refused", "failed", "citations valid", "p50", "p95"),
        [_cells(name, counts) for name, counts in rows],
    )
    for kind, count in told["total"]["refused"].items():
        say(f"refused: {kind} {count}")
    if told["torn"]:
        say(f"{told['torn']} lines were cut by a crash and say nothing")


def _cells(name: str, counts: dict[str, Any]) -> tuple[object, ...]:
    valid = "" if counts["citations_valid"] is None else f"{counts['citations_valid']:.1%} of {counts['cited']}"
    times = ["" if counts[key] is None else f"{counts[key] * 1000:.0f} ms" for key in ("seconds_p50", "seconds_p95")]
    refused = sum(counts["refused"].values())
    return (name, counts["calls"], counts["rows"], counts["no_evidence"], refused, counts["failed"], valid, *times)
