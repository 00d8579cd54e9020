"""The names of the entities of a generation, as they are looked up: made once a generation, kept for a few bases.

A table holds everything that was published, hidden or not: what is found in it is looked at for whether it shows before anything
of it is told.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from entities.names import folded, form_of
from indexes.generation.snapshot import Snapshot
from ingest.model.edge import REGISTRY
from ingest.model.entity import Entity, Identifier

_KEPT = 8


@dataclass(slots=True)
class Table:
    """Entities by what they are called. `texts`: every name with its entity, for likeness."""

    entities: dict[str, Entity]
    called: dict[str, list[str]]
    identified: dict[Identifier, list[str]]
    texts: list[tuple[str, str]]
    _spelled: dict[tuple[str, str], list[str]] | None = None

    def spelled(self, text: str, type: str | None) -> Iterator[str]:
        """Ids of the entities that have a name which is `text` but for spelling, by the rules of their type."""
        if self._spelled is None:
            made: dict[tuple[str, str], list[str]] = {}
            for id, entity in self.entities.items():
                for name in entity.names:
                    if key := form_of(name.text, entity.type).key:
                        made.setdefault((entity.type, key), []).append(id)
            self._spelled = made  # replaced whole: threads that make it at once make the same
        for kind in sorted({kind for kind, _ in self._spelled}):
            if type is None or kind == type:
                yield from self._spelled.get((kind, form_of(text, kind).key), ())


class Names:
    """Tables by generation, the latest few. Threads may share one."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tables: OrderedDict[tuple[str, int], Table] = OrderedDict()

    def of(self, snapshot: Snapshot) -> Table:
        key = str(snapshot.layout.catalog), snapshot.generation
        with self._lock:
            found = self._tables.get(key)
        if found is None:
            found = _table(snapshot)
        with self._lock:
            self._tables[key] = found
            self._tables.move_to_end(key)
            while len(self._tables) > _KEPT:
                self._tables.popitem(last=False)
        return found


def _table(snapshot: Snapshot) -> Table:
    entities: dict[str, Entity] = {}
    for fact in snapshot.catalog.facts("entities", snapshot.generation):
        if fact.id not in entities or fact.source_id == REGISTRY:  # the registry knows more than documents that mint
            entities[fact.id] = fact.noun(Entity)
    called: dict[str, list[str]] = {}
    identified: dict[Identifier, list[str]] = {}
    texts = []
    for id, entity in entities.items():
        for text in dict.fromkeys(folded(name.text) for name in entity.names):
            called.setdefault(text, []).append(id)
            texts.append((text, id))
        for item in entity.identifiers:
            identified.setdefault(item, []).append(id)
    return Table(entities, called, identified, texts)
