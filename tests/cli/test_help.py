"""Help: every command has one, with an example that its own options accept."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import Any

import pytest


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield (name parts, click command) of every command, also those of groups."""
    import typer

    from ingest.cli.main import app

    group: Any = typer.main.get_command(app)
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from (((name, inner), below) for inner, below in command.commands.items())
        else:
            yield (name,), command


COMMANDS = dict(commands())


def test_the_documented_commands_are_there() -> None:
    assert set(COMMANDS) >= {
        ("run",), ("check",), ("verify",), ("parse",), ("search",), ("show",), ("doctor",),
        ("snapshots", "list"), ("snapshots", "show"), ("snapshots", "diff"), ("snapshots", "rollback"), ("snapshots", "release"),
        ("snapshots", "prune"), ("snapshots", "export"), ("snapshots", "import"),
    }


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_help_ends_with_an_example_that_is_accepted(name: tuple[str, ...]) -> None:
    text = COMMANDS[name].help.strip()
    last = text.splitlines()[-1]
    assert last.startswith("Example:  ingest "), text
    words = shlex.split(last.removeprefix("Example:  "))
    assert tuple(words[1 : 1 + len(name)]) == name
    COMMANDS[name].make_context("ingest", words[1 + len(name) :])


@pytest.mark.parametrize("name", COMMANDS, ids=" ".join)
def test_every_option_says_what_it_does(name: tuple[str, ...]) -> None:
    for parameter in COMMANDS[name].params:
        assert parameter.name == "help" or getattr(parameter, "help", None), f"{parameter.name} of {' '.join(name)}"


def test_help_goes_to_standard_output(ingest: Callable[..., Any]) -> None:
    for arguments in (["--help"], ["run", "--help"], ["snapshots", "rollback", "--help"]):
        ended = ingest(*arguments)
        assert (ended.code, ended.err) == (0, "")
        assert "Usage" in ended.out
    assert ingest().code == 2 or "Usage" in ingest().out


def test_codes_that_are_documented_in_help_exist() -> None:
    from ingest.errors import ConcordError

    known = {0, 3, 4, 5, 6, 7} | {cls.exit_code for cls in _all(ConcordError)}
    for name, command in COMMANDS.items():
        line = next((line for line in command.help.splitlines() if "Exit code" in line), "")
        codes = {int(word) for word in line.replace(",", " ").replace(":", " ").split() if word.isdecimal()}
        assert codes <= known, name


def _all(cls: type) -> Iterator[Any]:
    yield cls
    for below in cls.__subclasses__():
        yield from _all(below)
