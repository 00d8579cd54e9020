"""Word lists as they are written in the modules that use them: readable lines instead of long rows of quoted strings."""

from __future__ import annotations


def words(listed: str) -> frozenset[str]:
    """The words of a text, by white space."""
    return frozenset(listed.split())


def phrases(listed: str) -> frozenset[str]:
    """The phrases of a text, by comma; line breaks count as spaces."""
    return frozenset(" ".join(phrase.split()) for phrase in listed.split(","))
