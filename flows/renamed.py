"""Which sources today's registry may name otherwise than the one that was published: only their texts are recognised again.

The published names are in the catalog, so nothing is kept for this. Where the rules of recognition themselves changed, every
source is concerned.
"""

from __future__ import annotations

from functools import cached_property

from entities.mentions.difference import Difference
from entities.mentions.recogniser import Recogniser
from ingest.model.edge import REGISTRY
from ingest.model.entity import Entity, Registry
from ingest.model.generation import Manifest
from ingest.model.row import ChunkRow
from ingest.store.catalog import Catalog


class Renamed:
    """What `recogniser` finds against what the head holds, whose manifest is `previous` (None: there is no head)."""

    def __init__(self, catalog: Catalog, previous: Manifest | None, recogniser: Recogniser) -> None:
        self._catalog = catalog
        self._previous = previous
        self._recogniser = recogniser
        self._head = catalog.head() if previous is not None else 0

    def __bool__(self) -> bool:
        """Whether anything at all may be named otherwise."""
        return self._previous is None or self._previous.fingerprints["recognise"] != self._recogniser.fingerprint

    def concerns(self, source_id: str) -> bool:
        """Whether some text of a source, as the head serves it, may be."""
        if not self:
            return False
        if self._difference is None:
            return True
        held = self._catalog.facts("chunks", self._head, source_id=source_id)
        return any(self._difference.concerns(fact.stated(ChunkRow)["text"]) for fact in held)

    @cached_property
    def _difference(self) -> Difference | None:
        """None: the rules are others, or the registry was another than the catalog says."""
        if self._previous is None:
            return None
        facts = self._catalog.facts("entities", self._head, source_id=REGISTRY)
        before = Recogniser(Registry(tuple(fact.noun(Entity) for fact in facts)))
        return self._recogniser.since(before) if before.fingerprint == self._previous.fingerprints["recognise"] else None
