"""`ingest search`: evidence for a question."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from ingest.cli import options

NAME = "search"


def command(
    query: Annotated[str, typer.Argument(help="a question or words; any text is a query")],
    kb: options.Kb = None,
    config: options.Config = None,
    format: Annotated[Literal["text", "json", "markdown"], typer.Option(
        "--format", help="text for a terminal, json with everything, markdown to paste into a prompt"
    )] = "text",
    json: Annotated[bool, typer.Option("--json", help="the same as --format json")] = False,
    mode: Annotated[Literal["hybrid", "vector", "bm25", "graph"], typer.Option("--mode", help="which indexes answer")] = "hybrid",
    top_k: Annotated[int | None, typer.Option("--top-k", min=1, max=1000, help="pieces of evidence at most")] = None,
    tokens: Annotated[int | None, typer.Option("--tokens", min=1, help="tokens of text and context at most")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="an instant (2025-07-01); default: now")] = None,
    during: Annotated[str | None, typer.Option(
        "--during", metavar="FROM..UNTIL", help="what held during some of this time: 2024-07-01..2024-12-31, 2024, 2025-03.."
    )] = None,
    status: Annotated[list[str] | None, typer.Option("--status", help="draft, active (default), deprecated, archived")] = None,
    family: Annotated[list[str] | None, typer.Option("--family", help="only documents of this family; may be repeated")] = None,
    doc_version: Annotated[list[str] | None, typer.Option("--doc-version", help="only this version; may be repeated")] = None,
    scope: Annotated[list[str] | None, typer.Option("--scope", help="only this scope; may be repeated")] = None,
    language: Annotated[list[str] | None, typer.Option("--language", help="only documents in it (zh, en ...)")] = None,
    source: Annotated[list[str] | None, typer.Option(
        "--source", help="only this uri, path, folder/ or glob (docs/*.md); may be repeated"
    )] = None,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    generation: options.Generation = None,
    plan: Annotated[bool, typer.Option("--plan/--no-plan", help="read the question by rules, or take it as it stands")] = True,
    expand: Annotated[bool | None, typer.Option(
        "--expand/--no-expand", help="follow links and relations one step (default: as the question needs it)"
    )] = None,
    explain: Annotated[bool, typer.Option("--explain", help="how the ranking came about")] = False,
) -> None:
    """Print the evidence that a caller may see, valid at an instant, best first.

    What is found may not answer the question: then it is said so (insufficient_evidence), and given all the same.

    Exit codes: 0 (also when nothing was found), 5 the indexes disagree, 6 nothing is published or its engine is missing.

    Example:  ingest search "How long is an API key valid?" --user alice --as-of 2025-03-01
    """
    from flows.answering import answer
    from indexes.query.request import Request
    from ingest.cli.output import print_json, safe, work_apart
    from ingest.errors import UsageError
    from ingest.model.source import STATUSES

    settings = options.read_settings(kb, config)
    for name in status or ():
        if name not in STATUSES:
            raise UsageError(f"--status: unknown status {name!r}; one of {', '.join(STATUSES)}")
    request = Request(
        options.text(query), mode, top_k or settings.search.top_k, options.principal(settings, user, role, tenant, level),
        options.instant(as_of), tuple(status) if status else ("active",), families=_texts(family), versions=_texts(doc_version),
        scopes=_texts(scope), languages=_texts(language), during=_range(during), planned=plan, expand=expand, tokens=tokens,
    )
    with work_apart():
        pack = answer(settings, request, generation, _texts(source))
    if json or format == "json":
        print_json(pack)
    elif format == "markdown":
        from indexes.query.markdown import as_markdown

        print(safe(as_markdown(pack)), end="")
    else:
        from ingest.cli.evidence import show

        show(pack, explain)


def _texts(said: list[str] | None) -> tuple[str, ...] | None:
    return None if not said else tuple(map(options.text, said))


def _range(said: str | None) -> tuple[str, str] | None:
    """What `--during` says as [from, until); a day, month or year is meant to its end."""
    from ingest.errors import UsageError
    from ingest.model.instant import parse_range

    try:
        return None if said is None else parse_range(said)
    except ValueError as error:
        raise UsageError(f"--during: {error}") from error
