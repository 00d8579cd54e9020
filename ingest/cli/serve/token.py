"""`ingest serve token`: who may ask a server, and as whom."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ingest.cli import options

if TYPE_CHECKING:
    from ingest.model.access import Principal
    from ingest.settings import Settings


def command(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="what the audit log calls whoever uses it")] = None,
    config: options.Config = None,
    json: options.Json = False,
    user: options.User = None,
    role: options.Role = None,
    tenant: options.Tenant = None,
    level: options.Level = None,
    kb_id: Annotated[
        list[str] | None, typer.Option("--kb-id", metavar="ID", help="a knowledge base of serve.bases; may be repeated")
    ] = None,
    write: Annotated[bool, typer.Option("--write", help="the tools that change something too")] = False,
    metrics: Annotated[
        bool, typer.Option("--metrics", help="the server's metrics (serve.metrics = token), and no base but those of --kb-id")
    ] = False,
    days: Annotated[int, typer.Option("--days", min=0, max=36500, help="days until it expires; 0: never")] = 90,
    revoke: Annotated[bool, typer.Option("--revoke", help="let this token in no longer; servers notice at once")] = False,
) -> None:
    """Mint a token that sees what a principal sees, and print it, this once: only its hash is kept. Without a name, list them.

    Exit codes: 0, 1 no such token, 2 the name is taken, a knowledge base is unknown, or others may read the file of tokens.

    Example:  ingest serve token ci-agent --user alice --role sales --days 30
    """
    from flows.serving import tokens_of
    from indexes.serve.tokens import remove
    from ingest.cli.output import print_json, say
    from ingest.errors import UsageError

    settings = options.read_settings(None, config)
    file = tokens_of(settings)
    if name is None:
        if revoke:
            raise UsageError("name the token to revoke; `ingest serve token` lists them")
        _list(settings, json)
        return
    name = options.text(name)
    if revoke:
        remove(file, name)
        print_json({"revoked": name}) if json else say(f"{name} is let in no longer")
        return
    principal = options.principal(settings, user, role, tenant, level)
    _mint(settings, name, principal, [options.text(id) for id in kb_id or ()], write, metrics, days, json)


def _mint(
    settings: Settings, name: str, principal: Principal, kb_ids: list[str], write: bool, metrics: bool, days: int, json: bool
) -> None:
    from flows.serving import kb_ids_of, tokens_of
    from indexes.serve.tokens import Token, add, expiry, hashed, minted, named
    from ingest.cli.output import print_json, say
    from ingest.errors import UsageError
    from ingest.model.canonical import plain
    from ingest.model.instant import now

    known = kb_ids_of(settings)
    for id in kb_ids:
        if id not in known:
            raise UsageError(f"no knowledge base {id!r} is configured; --kb-id takes {', '.join(known)}")
    if not kb_ids and len(known) > 1 and not metrics:
        raise UsageError(f"say which knowledge bases it may ask: --kb-id, one or more of {', '.join(known)}")
    try:
        named(name)
    except ValueError as error:
        raise UsageError(str(error)) from error
    secret, created = minted(), now()
    expires = expiry(created, days)
    given = tuple(kb_ids) or (() if metrics else known)
    token = Token(name, hashed(secret), principal, given, write, created, expires, metrics)
    add(tokens_of(settings), token)
    if json:
        told = plain(token)
        del told["sha256"]
        print_json({"token": secret, **told})
    else:
        say(secret)
        what = (*token.kb_ids, "metrics") if metrics else token.kb_ids
        _remark(
            f"{name}: until {expires or 'revoked'}, for {', '.join(what)}. It is shown this once; keep it in a file of "
            "mode 600 or a store of secrets, never on a command line."
        )


def _list(settings: Settings, json: bool) -> None:
    from flows.serving import tokens_of
    from indexes.serve.tokens import read
    from ingest.cli.output import print_json, table
    from ingest.model.canonical import plain
    from ingest.model.instant import now

    entries = read(tokens_of(settings))
    if json:
        print_json([{key: value for key, value in plain(entry).items() if key != "sha256"} for entry in entries])
        return
    table(
        ("name", "user", "roles", "tenant", "level", "bases", "write", "metrics", "expires"),
        [
            (
                entry.name, entry.principal.user or "", " ".join(entry.principal.roles), entry.principal.tenant or "",
                entry.principal.level, " ".join(entry.kb_ids), "yes" if entry.write else "", "yes" if entry.metrics else "",
                (entry.expires or "never") + ("  expired" if entry.expires and entry.expires <= now() else ""),
            )
            for entry in entries
        ],
    )


def _remark(text: str) -> None:
    import sys

    print(text, file=sys.stderr)
