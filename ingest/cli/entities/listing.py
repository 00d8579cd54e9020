"""`ingest entities list` and `show`: who is in the registry of a generation, as far as the caller may see."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import typer

from ingest.cli import options


def command(
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    type: Annotated[str | None, typer.Option("--type", help="only of this type: organization, product ...")] = None,
    name: Annotated[str | None, typer.Option("--name", help="only with a name that contains this")] = None,
    by: Annotated[
        Literal["name", "mentions", "centrality"],
        typer.Option("--by", help="order; centrality: how much of what is known runs through an entity"),
    ] = "name",
    limit: Annotated[int, typer.Option("--limit", min=1, help="entities at most")] = 50,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    generation: options.Generation = None,
) -> None:
    """List entities. Merged ids are listed under the one that they mean now.

    Example:  ingest entities list --type organization --by centrality
    """
    from flows.listing import listed
    from ingest.cli.output import print_json, table, work_apart
    from ingest.errors import UsageError
    from ingest.model.entity import ENTITY_TYPES

    if type is not None and type not in ENTITY_TYPES:
        raise UsageError(f"--type: unknown type {type!r}; one of {', '.join(ENTITY_TYPES)}")
    settings = options.read_settings(kb, config)
    who = options.principal(settings, user, role, tenant, level)
    with work_apart():
        found = listed(
            settings, who, type=type, name=None if name is None else options.text(name), by=by, limit=limit, generation=generation
        )
    if json:
        print_json(found)
        return
    table(("entity", "type", "name", "mentions", "merged", *([by] if by == "centrality" else [])), [
        (row.entity_id, row.type, row.label, row.mentions, len(row.merged) or "", *([row.score] if by == "centrality" else []))
        for row in found
    ])


def show(
    id: Annotated[str, typer.Argument(help="id of an entity; one that was merged shows what it means now")],
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    generation: options.Generation = None,
) -> None:
    """Show an entity: names, identifiers, merged ids, where it is mentioned, what is asserted of it and what took whose place.

    Example:  ingest entities show urn:kb:entity:yungate
    """
    from flows.listing import told
    from ingest.cli.output import print_json, work_apart

    settings = options.read_settings(kb, config)
    who = options.principal(settings, user, role, tenant, level)
    with work_apart():
        found = told(settings, options.text(id), who, generation)
    print_json(found) if json else _say(found)


def _say(said: dict[str, Any]) -> None:
    from ingest.cli.output import say

    status = f", {said['status']}" if said["status"] != "active" else ""
    say(f"{said['label']}  ({said['type']}, {said['entity_id']}{status})")
    for name in said["names"]:
        more = ", ".join(str(name[key]) for key in ("kind", "language", "source") if name[key])
        say(f"  name        {name['text']}  ({more}){_window(name)}")
    for item in said["identifiers"]:
        say(f"  identifier  {item['scheme']} {item['value']}")
    for other in said["merged"]:
        say(f"  merged      {other}")
    for key in ("assertions", "referred_to_by"):
        for each in said[key]:
            ends = f"{each['relation']} {each['object'] or each['value']}"
            line = f"  says        {ends}" if key == "assertions" else f"  said        {each['subject']} {ends}"
            say(line + _window(each) + _standing(each))
    for chunk in said["mentioned_in"]:
        say(f"  mentioned   {chunk}")


def _window(each: dict[str, Any]) -> str:
    if not each["valid_from"] and not each["valid_until"]:
        return ""
    return f"  [{each['valid_from'] or '…'} to {each['valid_until'] or '…'}]"


def _standing(each: dict[str, Any]) -> str:
    superseded = f"  superseded by {each['superseded_by']}" if each.get("superseded_by") else ""
    return superseded + (f"  contradicted by {', '.join(map(str, against))}" if (against := each.get("contradicts")) else "")
