"""Two generations side by side: what differs between them, told piece by piece, and how much of it there was.

An operator's view: of the whole base, whoever may see what. Both generations are kept from being pruned meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from flows.between.documents import documents
from flows.between.entities import assertions, entities
from flows.between.nouns import AssertionChange, DocumentChange, EntityChange, Fields, ShapeChange
from indexes.generation.snapshot import held
from ingest.errors import NotFound
from ingest.model.generation import Manifest
from ingest.settings import Settings
from ingest.store.catalog import Catalog, Published
from ingest.store.layout import layout_of
from ingest.store.opening import open_catalog

Counts = dict[str, dict[str, int]]
"""documents, chunks, entities, assertions -> added, removed, changed ... and `same`."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Two generations. Each method streams, and can be called again."""

    catalog: Catalog
    before: Published
    after: Published

    def shape(self) -> ShapeChange:
        """Return what besides documents was different."""
        return shape_change(self.before.manifest, self.after.manifest)

    def documents(self) -> Iterator[DocumentChange]:
        return documents(self.catalog, self.before.generation, self.after.generation)

    def entities(self) -> Iterator[EntityChange]:
        return entities(self.catalog, self.before.generation, self.after.generation)

    def assertions(self) -> Iterator[AssertionChange]:
        return assertions(self.catalog, self.before.generation, self.after.generation)


class Tally:
    """Counts what passes through it, so that a stream can be told and summed up in one go."""

    def __init__(self, difference: Difference) -> None:
        self._manifest = difference.after.manifest
        self.counts: Counts = {
            "documents": dict.fromkeys(("added", "removed", "changed", "renamed", "rewritten"), 0),
            "chunks": dict.fromkeys(("added", "removed", "rewritten", "moved"), 0),
            "entities": dict.fromkeys(("added", "removed", "changed"), 0),
            "assertions": dict.fromkeys(("added", "removed", "changed"), 0),
        }

    def document(self, change: DocumentChange) -> DocumentChange:
        self.counts["documents"][change.what] += 1
        self.counts["chunks"]["moved"] += change.moved
        for chunk in change.chunks:
            self.counts["chunks"][chunk.what] += 1
        return change

    def entity(self, change: EntityChange) -> EntityChange:
        self.counts["entities"][change.what] += 1
        return change

    def assertion(self, change: AssertionChange) -> AssertionChange:
        self.counts["assertions"][change.what] += 1
        return change

    def ended(self) -> Counts:
        """Return the counts once everything has passed, with how many are the same."""
        totals = {"documents": "sources", "chunks": "chunks", "assertions": "assertions"}
        for what, table in totals.items():
            counts = self.counts[what]
            total = int(self._manifest.catalog[table].partition(":")[0])
            counts["same"] = total - sum(count for name, count in counts.items() if name not in ("removed", "same"))
        return self.counts


@contextmanager
def between(settings: Settings, before: int | None, after: int | None) -> Iterator[Difference]:
    """Yield two generations to compare: by default the head, and the kept generation before the other one.

    Raises KnowledgeBaseMissing, and NotFound where one is not kept."""
    layout = layout_of(settings)
    with open_catalog(layout) as catalog:
        later = catalog.served() if after is None else after
        earlier = before_of(catalog, later) if before is None else before
        with held(catalog, layout, earlier) as one, held(catalog, layout, later) as two:
            yield Difference(catalog, one, two)


def before_of(catalog: Catalog, generation: int) -> int:
    """Return the kept generation before another. Raises NotFound where there is none."""
    catalog.published(generation)
    earlier = [published.generation for published in catalog.generations() if published.generation < generation]
    if not earlier:
        raise NotFound(f"no generation before {generation} is kept; `ingest snapshots list` shows those that are")
    return earlier[0]


def counted(difference: Difference) -> Counts:
    """Return how much differs."""
    tally = Tally(difference)
    streams: tuple[tuple[Iterator[Any], Callable[[Any], Any]], ...] = (
        (difference.documents(), tally.document), (difference.entities(), tally.entity),
        (difference.assertions(), tally.assertion),
    )
    for changes, count in streams:
        for change in changes:
            count(change)
    return tally.ended()


def shape_change(before: Manifest, after: Manifest) -> ShapeChange:
    """Return what shaped two generations differently."""
    settings: dict[str, Fields] = {}
    for stage in sorted(before.settings.keys() | after.settings.keys()):
        if before.settings.get(stage) != after.settings.get(stage):
            told = _differing(before.values.get(stage, {}), after.values.get(stage, {}))
            settings[stage] = told or {"": (before.settings.get(stage), after.settings.get(stage))}
    return ShapeChange(
        settings, _differing(before.fingerprints, after.fingerprints), _differing(before.engines, after.engines),
        _differing(before.scoring, after.scoring), before.registry != after.registry,
    )


def _differing(before: dict[str, Any], after: dict[str, Any]) -> Fields:
    names = sorted(before.keys() | after.keys())
    return {name: (before.get(name), after.get(name)) for name in names if before.get(name) != after.get(name)}
