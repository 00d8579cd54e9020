"""The ordinary words of `words.toml`, read once."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def words(name: str) -> frozenset[str]:
    """Return a list of `words.toml`: split at blanks, or at `|` where it has any."""
    text = _lists()[name]
    parts = (part for line in text.splitlines() for part in line.split("|")) if "|" in text else text.split()
    return frozenset(part for part in parts if part)


@cache
def letters(name: str) -> str:
    """Return an entry of `words.toml` that is a set of characters."""
    return _lists()[name]


@cache
def longest_first(*names: str) -> tuple[str, ...]:
    """Return lists together, as alternatives for an expression."""
    together = frozenset().union(*map(words, names))
    return tuple(sorted(together, key=lambda word: (-len(word), word)))


@cache
def _lists() -> dict[str, str]:
    return tomllib.loads(files("entities.mentions.patterns").joinpath("words.toml").read_text(encoding="utf-8"))
