"""How much of an agent's window a text takes, about."""

from __future__ import annotations

from ingest.chunk.units import units


def tokens_of(text: str) -> int:
    """Return the tokens of a text: its units, which are about one Han character or a word of another script."""
    return units(text) if text else 0
