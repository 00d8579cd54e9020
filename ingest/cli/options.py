"""Options that every command has, and how settings are read from them."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from ingest.settings import Settings

Kb = Annotated[str | None, typer.Option("--kb", metavar="DIR", help="folder of the knowledge base (default: .kb)")]
Config = Annotated[Path | None, typer.Option("--config", metavar="FILE", help="settings (default: ./ingest.toml if there)")]
Json = Annotated[bool, typer.Option("--json", help="print pure JSON on stdout")]

User = Annotated[str | None, typer.Option("--user", help="who asks; without any of these four, only unrestricted rows")]
Role = Annotated[list[str] | None, typer.Option("--role", help="a role of the caller; may be repeated")]
Tenant = Annotated[str | None, typer.Option("--tenant", help="the caller's tenant")]
Level = Annotated[str | None, typer.Option("--level", help="the caller's clearance: a number or a name of sources.levels")]
Generation = Annotated[int | None, typer.Option("--generation", metavar="N", help="an older generation that is kept")]

Actor = Annotated[str | None, typer.Option("--actor", help="who decides (default: the user of this machine)")]
Reason = Annotated[str, typer.Option("--reason", help="why, for whoever looks at it later")]


def actor(said: str | None) -> str:
    """Return who decides."""
    import getpass

    from ingest.errors import UsageError

    try:
        return text(said) if said else getpass.getuser()
    except (OSError, KeyError):
        raise UsageError("this machine does not say who you are; give --actor") from None


def read_settings(
    kb: str | None, config: Path | None, overrides: dict[str, Any] | None = None, *, page: bool = False
) -> Settings:
    """Return the settings of a command: file, environment, then options; begin to tell what they ask to be told
    (`page` as of `observing.begin`)."""
    from ingest.cli.observing import begin, chosen_format
    from ingest.settings import load

    environ = dict(os.environ)
    settings = load(config, {"kb": kb, "log": {"format": chosen_format()}, **(overrides or {})}, environ)
    begin(settings, environ, page=page)
    return settings


def principal(settings: Settings, user: str | None, roles: list[str] | None, tenant: str | None, level: str | None) -> Any:
    """Return the caller that the options describe."""
    from ingest.errors import UsageError
    from ingest.model.access import Principal

    clearance = 0
    if level is not None:
        from ingest.sources.values import MOST_LEVEL

        names = settings.sources.levels
        if level.isdecimal() and len(level) <= len(str(MOST_LEVEL)):
            clearance = int(level)
        elif level in names:
            clearance = names.index(level)
        else:
            raise UsageError(f"unknown level {level!r}: use a number, or one of {', '.join(names)}")
    return Principal(
        user if user is None else text(user), tuple(sorted(map(text, roles or ()))), tenant if tenant is None else text(tenant),
        clearance,
    )


def instant(said: str | None) -> str | None:
    """Return what `--as-of` says, normalised."""
    from ingest.errors import UsageError
    from ingest.model.instant import parse_instant

    try:
        return None if said is None else parse_instant(said)
    except ValueError as error:
        raise UsageError(f"--as-of: {error}") from error


def text(argument: str) -> str:
    """Return an argument as composed Unicode, which is how names in documents are kept. Bytes that are not UTF-8 are spelled
    out (`\\udcff`), so that no two arguments become one."""
    return unicodedata.normalize("NFC", argument.encode("utf-8", "backslashreplace").decode("utf-8"))
