"""`ingest show`: one chunk, parent, document or entity with where it comes from."""

from __future__ import annotations

from typing import Annotated

import typer

from ingest.cli import options

NAME = "show"


def command(
    id: Annotated[str, typer.Argument(help="id of a chunk, parent, source, entity or assertion, or a uri (root/path)")],
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    generation: options.Generation = None,
) -> None:
    """Show what an id stands for, if the caller may see it. Exit code 1 when there is no such thing (or it is hidden).

    Example:  ingest show docs/manual.md
    """
    import orjson

    from flows.answering import show
    from ingest.cli.output import print_json, say, work_apart

    settings = options.read_settings(kb, config)
    with work_apart():
        shown = show(settings, options.text(id), options.principal(settings, user, role, tenant, level), generation)
    if json:
        print_json(shown)
        return
    for key, value in shown.items():
        if isinstance(value, str):
            say(f"{key}: {value}")
        else:
            say(f"{key}: {orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()}")
