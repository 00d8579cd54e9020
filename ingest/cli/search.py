"""`ingest search`: evidence for a question."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from ingest.model.evidence import EvidencePack

NAME = "search"


def command(
    query: Annotated[str, typer.Argument(help="a question or words; any text is a query")],
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    mode: Annotated[Literal["hybrid", "vector", "bm25"], typer.Option("--mode", help="which indexes answer")] = "hybrid",
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=1000, help="pieces of evidence at most")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="an instant (2025-07-01); default: now")] = None,
    status: Annotated[list[str] | None, typer.Option("--status", help="draft, active (default), deprecated, archived")] = None,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    generation: options.Generation = None,
    explain: Annotated[bool, typer.Option("--explain", help="how the ranking came about")] = False,
) -> None:
    """Print the evidence that a caller may see, valid at an instant, best first.

    Exit codes: 0 (also when nothing was found), 5 the indexes disagree, 6 nothing is published or its engine is missing.

    Example:  ingest search "How long is an API key valid?" --user alice --as-of 2025-03-01
    """
    from flows.answering import answer
    from indexes.query.request import Request
    from ingest.cli.output import print_json, work_apart
    from ingest.errors import UsageError
    from ingest.model.instant import parse_instant
    from ingest.model.source import STATUSES

    settings = options.read_settings(kb, config)
    try:
        instant = parse_instant(as_of) if as_of is not None else None
    except ValueError as error:
        raise UsageError(f"--as-of: {error}") from error
    for name in status or ():
        if name not in STATUSES:
            raise UsageError(f"--status: unknown status {name!r}; one of {', '.join(STATUSES)}")
    who = options.principal(settings, user, role, tenant, level)
    statuses = tuple(status) if status else ("active",)
    request = Request(options.text(query), mode, top_k or settings.search.top_k, who, instant, statuses)
    with work_apart():
        pack = answer(settings, request, generation)
    if json:
        print_json(pack)
    else:
        _say(pack, explain)


def _say(pack: EvidencePack, explain: bool) -> None:
    from ingest.cli.output import say

    if pack.status != "ok":
        say(f"no evidence in generation {pack.generation} as of {pack.as_of} that this caller may see")
    for item in pack.evidence:
        window = f"  [{item.valid_from or '…'} to {item.valid_until or '…'}]" if item.valid_from or item.valid_until else ""
        version = f"  version {item.version}" if item.version else ""
        say(f"{item.citation}  {item.title}  ({item.uri}){version}{window}")
        if item.heading_path:
            say(f"    {' > '.join(item.heading_path)}")
        for line in item.text.splitlines():
            say(f"    {line}")
        if item.also_in:
            say(f"    also in {', '.join(copy.uri for copy in item.also_in)}")
        if explain:
            scores = ", ".join(
                f"{name} {value:.4f}" for name in ("vector", "bm25", "fused")
                if (value := getattr(item.scores, name)) is not None
            )
            say(f"    scores: {scores}")
        say()
    for conflict in pack.conflicts:
        say(f"conflict: {conflict.message}: {', '.join(conflict.sources)}")
    if explain:
        say(f"generation {pack.generation}, snapshot {pack.snapshot}, as of {pack.as_of}, trace {pack.trace}")
