"""What two registries may name differently, so that only texts that hold one of these names are read again.

A text names the same to both unless a name that only one of them has stands in it, or an identifier that they give to different
entities. That a changed name is part of a longer one, or overlaps another, changes nothing: then it stands in the text, too.
"""

from __future__ import annotations

from collections.abc import Iterable

from entities.identifiers import find
from entities.mentions.gazetteer import Gazetteer
from ingest.model.entity import Identifier


class Difference:
    """`names` (name as written, entity id) and `identifiers` that one registry has and the other has not."""

    def __init__(self, names: Iterable[tuple[str, str]], identifiers: Iterable[Identifier]) -> None:
        self._names = Gazetteer(sorted(names))
        self._identifiers = frozenset(identifiers)

    def concerns(self, text: str) -> bool:
        """Whether `text` may name something else to the one registry than to the other."""
        if self._names.holds(text):
            return True
        return bool(self._identifiers) and any(
            Identifier(scheme, item.value) in self._identifiers
            for item in find(text) for scheme in (item.scheme, "domain" if item.scheme == "email-domain" else item.scheme)
        )
