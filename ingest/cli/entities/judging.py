"""`ingest entities merge`, `split`, `pin`, `accept`, `reject`, `revoke` and `log`: decisions, each reversible, none forgotten."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from flows.judging import Decided

_One = Annotated[str, typer.Argument(metavar="ID", help="an entity")]
_Other = Annotated[str, typer.Argument(metavar="OTHER", help="another entity")]
_Evidence = Annotated[list[str] | None, typer.Option("--evidence", help="a chunk or source that was looked at; may be repeated")]
_Text = Annotated[str, typer.Argument(metavar="TEXT", help="a name as it was read, or the id of a proposed assertion")]
_Named = Annotated[str | None, typer.Argument(metavar="[ID]", help="the entity that it names")]
_Type = Annotated[str | None, typer.Option("--type", help="what it would be: organization, product ...; default: of the entity")]


def merge(
    one: _One, other: _Other, reason: options.Reason, kb: options.Kb = None, config: options.Config = None,
    json: options.Json = False, evidence: _Evidence = None, actor: options.Actor = None,
) -> None:
    """Say that two entities are one. The next run publishes a redirect; rows stay as they are, so that `split` or `revoke`
    takes it back whole.

    Example:  ingest entities merge urn:kb:entity:a urn:kb:entity:b --reason "same credit code on the contract"
    """
    _decide("merge", kb, config, json, actor, reason, evidence, one, other)


def split(
    one: _One, other: _Other, reason: options.Reason, kb: options.Kb = None, config: options.Config = None,
    json: options.Json = False, evidence: _Evidence = None, actor: options.Actor = None,
) -> None:
    """Say that two entities are two, also where they were merged: every link is as it was before.

    Example:  ingest entities split urn:kb:entity:a urn:kb:entity:b --reason "the parent, not the branch"
    """
    _decide("split", kb, config, json, actor, reason, evidence, one, other)


def pin(
    one: _One, other: _Other, reason: options.Reason, kb: options.Kb = None, config: options.Config = None,
    json: options.Json = False, evidence: _Evidence = None, actor: options.Actor = None,
) -> None:
    """Say that two entities are never to be merged, whatever identifiers say. Only `revoke` lifts it.

    Example:  ingest entities pin urn:kb:entity:a urn:kb:entity:b --reason "competitors with one name"
    """
    _decide("pin", kb, config, json, actor, reason, evidence, one, other)


def accept(
    text: _Text, reason: options.Reason, entity: _Named = None, kb: options.Kb = None, config: options.Config = None,
    json: options.Json = False, type: _Type = None, evidence: _Evidence = None, actor: options.Actor = None,
) -> None:
    """Say that a text names an entity, which has it as an alias from then on; without an entity, that it names a new one of
    --type. With the id of a proposed assertion (`ingest entities review` lists them), that it is true.

    Example:  ingest entities accept "云脉网" urn:kb:entity:yunmai --reason "used in the 2025 contracts"
    """
    _about_a_text("accept", kb, config, json, actor, reason, evidence, text, entity, type)


def reject(
    text: _Text, reason: options.Reason, entity: _Named = None, kb: options.Kb = None, config: options.Config = None,
    json: options.Json = False, type: _Type = None, evidence: _Evidence = None, actor: options.Actor = None,
) -> None:
    """Say that a text does not name an entity, or that a proposed assertion is not true. With the ids of two entities, that they
    are not the same: the pair is not proposed again.

    Example:  ingest entities reject "麦田" urn:kb:entity:maitian --reason "the band, not the system"
    """
    if text.startswith("urn:") and entity is not None:
        _decide("reject", kb, config, json, actor, reason, evidence, text, entity)
        return
    _about_a_text("reject", kb, config, json, actor, reason, evidence, text, entity, type)


def revoke(
    judgement: Annotated[str, typer.Argument(metavar="JUDGEMENT", help="an entry of `ingest entities log`")],
    reason: options.Reason, kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
    actor: options.Actor = None,
) -> None:
    """Undo a judgement, which may itself be a revocation. Nothing is taken out of the log.

    Example:  ingest entities revoke urn:kb:judgement:... --reason "the contract was forged"
    """
    from flows.judging import revoke as undo

    settings = options.read_settings(kb, config)
    _say(undo(settings, judgement, actor=options.actor(actor), reason=options.text(reason)), json)


def log(
    entity: Annotated[str | None, typer.Argument(metavar="[ID]", help="only what is about this entity")] = None,
    kb: options.Kb = None, config: options.Config = None, json: options.Json = False,
) -> None:
    """Show who decided what, when and why, oldest first, and what of it counts.

    Example:  ingest entities log
    """
    from entities.judgements import told
    from flows.judging import logged
    from ingest.cli.output import print_json, say

    found = logged(options.read_settings(kb, config), None if entity is None else options.text(entity))
    if json:
        print_json([{**_plain(each.judgement), "judgement_id": each.judgement_id, "counts": each.counts} for each in found])
        return
    for each in found:
        say(f"{each.judgement.at}  {told(each.judgement)}" + ("" if each.counts else "  (counts no more)"))
        say(f"    {each.judgement_id}")


def _decide(
    kind: Any, kb: str | None, config: Any, json: bool, actor: str | None, reason: str, evidence: list[str] | None, *ids: str
) -> None:
    from flows.judging import decide

    _say(decide(
        options.read_settings(kb, config), kind, actor=options.actor(actor), reason=options.text(reason),
        entities=map(options.text, ids), evidence=map(options.text, evidence or ()),
    ), json)


def _about_a_text(
    kind: Any, kb: str | None, config: Any, json: bool, actor: str | None, reason: str, evidence: list[str] | None, text: str,
    entity: str | None, type: str | None,
) -> None:
    from entities.assertions.proposals import PROPOSED
    from flows.judging import decide
    from flows.reviewing import answer_proposed

    settings, who, why = options.read_settings(kb, config), options.actor(actor), options.text(reason)
    text = options.text(text)
    if text.startswith(PROPOSED):
        _say(answer_proposed(settings, text, accepted=kind == "accept", actor=who, reason=why), json)
        return
    ids = () if entity is None else (options.text(entity),)
    _say(decide(
        settings, kind, actor=who, reason=why, entities=ids, text=text, type=type, evidence=map(options.text, evidence or ())
    ), json)


def _say(decided: Decided, json: bool) -> None:
    from entities.judgements import told
    from ingest.cli.output import print_json, say

    if json:
        print_json({"judgement_id": decided.judgement_id, **_plain(decided.judgement), "redirects": decided.redirects})
        return
    say(told(decided.judgement))
    say(f"  {decided.judgement_id}")
    say("it shows with the next: ingest run; to take it back: ingest entities revoke " + decided.judgement_id)


def _plain(judgement: Any) -> dict[str, Any]:
    from ingest.model.canonical import plain

    made: dict[str, Any] = plain(judgement)
    return made
