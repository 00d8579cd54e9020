"""Spans of a text that name an entity: names of the registry, and identifiers that prove themselves.

Only exact names are taken (after case folding and width folding), longest first, on word boundaries where the script has
them. A name that two entities share names neither here: which one is meant is a question for review, never a guess. A valid
identifier that no seed claims mints an entity of its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from entities.identifiers import find
from ingest.model.canonical import digest_of
from ingest.model.entity import Entity, Identifier, Mention, Name, Registry, minted_id

VERSION = "1"

_SHORTEST = 2
_TYPE_OF_SCHEME = {"uscc": "organization"}


class Recogniser:
    """Finds mentions of a registry. `fingerprint` changes with everything that could change what is found."""

    def __init__(self, registry: Registry) -> None:
        owners: dict[str, set[str]] = defaultdict(set)
        for entity in registry.entities:
            for name in entity.names:
                owners[_folded(name.text)].add(entity.entity_id)
        self._names = {name: next(iter(ids)) for name, ids in owners.items() if len(ids) == 1 and len(name) >= _SHORTEST}
        self._pattern = _pattern(self._names)
        self._identified = {identifier: entity.entity_id for entity in registry.entities for identifier in entity.identifiers}
        claimed = sorted((item.scheme, item.value, owner) for item, owner in self._identified.items())
        self.fingerprint = digest_of([VERSION, self._names, claimed])

    def mentions(self, chunk_id: str, text: str) -> tuple[Mention, ...]:
        """Return the mentions in `text`, in order; `start` and `end` are characters of `text` itself."""
        found = [*self._by_identifier(chunk_id, text), *self._by_name(chunk_id, text)]
        return tuple(sorted(found, key=lambda mention: (mention.start, mention.end)))

    def minted(self, mentions: tuple[Mention, ...]) -> Iterator[Entity]:
        """Entities that exist because a valid identifier of theirs was read and no seed claims it."""
        claimed = set(self._identified.values())
        for mention in mentions:
            if mention.method.startswith("identifier:") and mention.entity_id not in claimed:
                _, scheme, value = mention.method.split(":", 2)
                name = Name(value, "preferred")
                yield Entity(mention.entity_id, _TYPE_OF_SCHEME[scheme], (name,), (Identifier(scheme, value),))

    def _by_identifier(self, chunk_id: str, text: str) -> Iterator[Mention]:
        for start, end, scheme, value in find(text):
            owner = self._identified.get(Identifier(scheme, value)) or minted_id(_TYPE_OF_SCHEME[scheme], scheme, value)
            yield Mention(chunk_id, start, end, text[start:end], owner, f"identifier:{scheme}:{value}")

    def _by_name(self, chunk_id: str, text: str) -> Iterator[Mention]:
        if self._pattern is None:
            return
        folded = _folded(text)
        # Folding that changes the length would shift offsets; such a text is searched as it is written.
        haystack = folded if len(folded) == len(text) else text
        for match in self._pattern.finditer(haystack):
            owner = self._names.get(_folded(match.group()))
            if owner is not None:
                yield Mention(chunk_id, match.start(), match.end(), text[match.start() : match.end()], owner, "gazetteer")


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).lower()


def _pattern(names: dict[str, str]) -> re.Pattern[str] | None:
    """One alternation, longest name first; a Latin letter or digit at a name's edge must not continue beyond it."""
    if not names:
        return None
    return re.compile("|".join(_bounded(name) for name in sorted(names, key=lambda name: (-len(name), name))), re.IGNORECASE)


def _bounded(name: str) -> str:
    before = r"(?<![0-9a-zA-Z_])" if name[0].isascii() and name[0].isalnum() else ""
    after = r"(?![0-9a-zA-Z_])" if name[-1].isascii() and name[-1].isalnum() else ""
    return f"{before}{re.escape(name)}{after}"
