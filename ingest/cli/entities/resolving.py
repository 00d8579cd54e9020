"""`ingest entities compare` and `resolve`: what names say about each other, and whom a text names, with the reasons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from entities.compare import Verdict
    from ingest.settings import Settings

_SHORT = {"org": "organization", "software": "product", "identifier": "other", "error_code": "other"}
"""Other words for types that tables of pairs use."""


def compare(
    left: Annotated[str | None, typer.Argument(metavar="[LEFT]", help="a name, or an identifier")] = None,
    right: Annotated[str | None, typer.Argument(metavar="[RIGHT]", help="another")] = None,
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    type: Annotated[
        str, typer.Option("--type", help="what they name: product; product|organization where the two differ")
    ] = "organization",
    file: Annotated[
        Path | None, typer.Option("--file", metavar="FILE", help="a CSV of pairs: columns left, right, and type where it varies")
    ] = None,
) -> None:
    """Say whether two names mean one thing: same, different, or for a person to decide, and why. The registry is not asked.

    Example:  ingest entities compare "云脉科技（深圳）有限公司" "云脉科技(深圳)有限公司" --type organization
    """
    from ingest.cli.output import print_json, say, work_apart
    from ingest.errors import UsageError

    settings = options.read_settings(kb, config)
    if file is None and (left is None or right is None):
        raise UsageError("give two names, or --file with pairs")
    pairs = [(options.text(left or ""), options.text(right or ""), type)] if file is None else _pairs(file, type)
    with work_apart():
        found = [_compared(settings, *pair) for pair in pairs]
    if json:
        print_json(found[0] if file is None else found)
        return
    for each in found:
        said = f"{each['left']}  |  {each['right']}  ({each['type']}): " if file is not None else ""
        say(f"{said}{each['verdict']}" + (f", {each['score']:.2f}" if each["verdict"] == "review" else ""))
        for reason in each["reasons"]:
            say(f"    {reason}")


def resolve(
    text: Annotated[str, typer.Argument(help="a name as it was read")],
    kb: options.Kb = None,
    config: options.Config = None,
    json: options.Json = False,
    type: Annotated[
        str | None, typer.Option("--type", help="what it names; default: anything, then only exact names count")
    ] = None,
) -> None:
    """Say whom of the registry a text names, by which tier, or who comes into question.

    Example:  ingest entities resolve "云脉科技" --type organization
    """
    from entities.judgements import read
    from entities.resolve import Resolver
    from flows.reviewed import judgements_file, registry_of
    from ingest.cli.output import print_json, say, work_apart

    _known(type)
    settings = options.read_settings(kb, config)
    with work_apart():
        resolver = Resolver(registry_of(settings), read(judgements_file(settings)), settings.entities)
        found = resolver.resolve(options.text(text), type)
    if json:
        print_json(found)
        return
    say(f"{found.outcome}: {found.entity_id} ({found.tier})" if found.entity_id else found.outcome)
    for reason in found.reasons:
        say(f"    {reason}")
    for proposal in found.proposals:
        say(f"  {proposal.score:.2f}  {proposal.label}  {proposal.entity_id}  ({'; '.join(proposal.reasons)})")


def _compared(settings: Settings, left: str, right: str, type: str) -> dict[str, Any]:
    from entities.compare import compare as compared

    one, _, other = (_SHORT.get(each.strip(), each.strip()) for each in type.partition("|"))
    _known(one)
    _known(other or None)
    verdict = compared(left, right, one, other or None, guards=settings.entities.guards)
    said = {"left": left, "right": right, "type": type}
    decided = {"verdict": verdict.outcome, "tier": _tier(verdict), "score": verdict.score, "reasons": list(verdict.reasons)}
    return {**said, **decided}


def _tier(verdict: Verdict) -> str:
    """What decided, as far as the reasons tell."""
    decided = verdict.reasons[0] if verdict.reasons else ""
    if decided.startswith(("identifier in common", "identifiers conflict")):
        return "identifier"
    if verdict.outcome == "review":
        return "likeness"
    if decided.startswith("types differ"):
        return "type"
    return "normal form" if verdict.outcome == "same" else "guard"


def _pairs(file: Path, type: str) -> list[tuple[str, str, str]]:
    import csv
    import io

    from ingest.errors import UsageError
    from ingest.model.decoding import decode

    try:
        rows = list(csv.DictReader(io.StringIO(decode(file.read_bytes()).text, newline="")))
    except (OSError, ValueError, csv.Error) as error:
        raise UsageError(f"cannot read {file}: {error}; it is a CSV with the columns left and right") from error
    if not rows or not {"left", "right"} <= rows[0].keys():
        raise UsageError(f"{file} lacks the columns left and right; name them in its first row")
    return [(row["left"] or "", row["right"] or "", row.get("type") or type) for row in rows]


def _known(type: str | None) -> None:
    from ingest.errors import UsageError
    from ingest.model.entity import ENTITY_TYPES

    if type is not None and type not in ENTITY_TYPES:
        raise UsageError(f"unknown type {type!r}; one of {', '.join(ENTITY_TYPES)}")
