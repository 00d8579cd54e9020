"""`ingest entities export` and `validate`: the registry of a generation as JSON-LD, Turtle or N-Quads, and whether it holds."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Literal

import typer

from ingest.cli import options


def command(
    entity: Annotated[str | None, typer.Argument(metavar="[ID]", help="one entity, as a document of its own")] = None,
    kb: options.Kb = None,
    config: options.Config = None,
    format: Annotated[Literal["jsonld", "turtle", "nquads"], typer.Option("--format", help="what to write")] = "jsonld",
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="where to write (default: stdout)")] = None,
    as_of: Annotated[str | None, typer.Option("--as-of", help="only what held at an instant (2025-07-01)")] = None,
    whole: Annotated[
        bool, typer.Option("--whole", help="everything, whoever may see it: for those who run the knowledge base")
    ] = False,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    generation: options.Generation = None,
) -> None:
    """Write the entities of a generation with their names, identifiers, assertions and merged ids, as far as the caller may see
    the evidence. The same generation always gives the same bytes.

    Example:  ingest entities export --as-of 2025-07-01 --out registry.jsonld
    """
    from flows.exporting import Wanted, export, keep
    from ingest.cli.output import work_apart
    from ingest.errors import UsageError

    settings = options.read_settings(kb, config)
    if whole and (user or role or tenant or level):
        raise UsageError("--whole is for everything; leave out --user, --role, --tenant and --level")
    who = None if whole else options.principal(settings, user, role, tenant, level)
    wanted = Wanted(format, who, options.instant(as_of), None if entity is None else options.text(entity))
    pieces = export(settings, wanted, generation)
    if out is not None:
        with work_apart():
            keep(out, pieces)
        return
    with os.fdopen(os.dup(1), "wb") as results, work_apart():
        results.writelines(pieces)


def validate(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="an export: .jsonld, .ttl or .nq")], json: options.Json = False
) -> None:
    """Hold an export to the SHACL shapes that come with the product. Exit code 1 when it breaks one.

    Example:  ingest entities validate registry.jsonld
    """
    from entities.jsonld.shapes import violations
    from ingest.cli.output import print_json, say, work_apart

    with work_apart():
        found = violations(file)
    if json:
        print_json({"file": str(file), "valid": not found, "violations": found})
    else:
        for each in found:
            say(f"{each.node}  {each.path}  {each.message}" + (f": {each.value}" if each.value else ""))
        say(f"{file} holds to the shapes" if not found else f"{file} breaks {len(found)} promises")
    if found:
        raise typer.Exit(1)
