"""From staged facts to a published generation: embed, apply, prove, publish, prune, in that order.

Facts are staged before their texts are embedded, so that only rows that are really new are embedded, and a run killed while
embedding restages in seconds what the caches hold.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indexes.bm25.terms import FINGERPRINT as TERMS
from indexes.generation.apply import StagedBuild, apply
from indexes.generation.kinds import Kind, kinds
from indexes.generation.prove import prove
from indexes.generation.publish import files_of, publish, snapshot_digest
from ingest.chunk.structure import FINGERPRINT as CHUNKER
from ingest.embed.batches import embed_missing, vectors
from ingest.embed.engine import Choice
from ingest.model.generation import Manifest
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.cache import Cache
from ingest.store.catalog import Catalog
from ingest.store.layout import Layout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Base:
    """The knowledge base that a run works on."""

    layout: Layout
    catalog: Catalog
    cache: Cache
    settings: Settings
    models: Path
    token: str
    """Proof that the lease is this run's, checked again when the head moves."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Everything besides the facts that decides content: what a manifest records and `check` compares."""

    registry: str
    settings: dict[str, str]
    fingerprints: dict[str, str]
    engines: dict[str, str]


def shape_of(settings: Settings, choice: Choice, recogniser: str, registry: str) -> Shape:
    """Return the shape that a run under these settings gives its generation."""
    fingerprints = {"chunk": CHUNKER, "embed": choice.fingerprint, "terms": TERMS, "recognise": recogniser}
    return Shape(registry, settings.shape_digests(), fingerprints, {"embed": choice.engine})


def indexes_of(base: Base, choice: Choice) -> tuple[Kind, ...]:
    """Return the three indexes, the vector one fed from the embedding cache."""

    def source(texts: Iterable[str]) -> NDArray[np.float32]:
        import numpy as np

        return np.stack(list(vectors(list(texts), choice, base.cache)))

    return kinds(base.settings, choice.fingerprint, choice.dimensions, source)


@dataclass(frozen=True, slots=True)
class Committed:
    """What committing a staged generation did. `seconds`: embed, index, prove, publish."""

    manifest: Manifest
    embedded: int
    builds: list[StagedBuild]
    seconds: dict[str, float]


def commit(
    base: Base, generation: int, previous: Manifest | None, choice: Choice, shape: Shape, progress: Progress,
    *, afresh: frozenset[str] = frozenset(),
) -> Committed:
    """Publish what was staged as `generation`. Any exception leaves the head where it was.

    `afresh` names indexes to rebuild from the catalog without taking anything over."""
    layout, catalog = base.layout, base.catalog
    indexes = indexes_of(base, choice)
    clock = Clock()
    vector = next(kind for kind in indexes if kind.name == "vector")
    from_empty = previous is None or "vector" in afresh or previous.build("vector").fingerprint != vector.fingerprint
    embedded = embed_missing(
        _texts(catalog, generation, everything=from_empty), choice, base.settings.embed, base.cache,
        base.settings.execute, base.models, progress,
    ).embedded
    clock.mark("embed")
    digests = catalog.digests(generation)
    kept = [published.generation for published in catalog.generations()]
    builds = apply(
        layout, catalog, generation, digests, previous, indexes, lambda build: files_of(layout, kept, build), progress,
        afresh=afresh,
    )
    clock.mark("index")
    prove(builds, indexes, progress)
    clock.mark("prove")
    manifest = Manifest(
        generation=generation,
        snapshot=snapshot_digest(digests, shape.registry, shape.settings, shape.fingerprints),
        builds=tuple(build.build for build in builds),
        catalog=digests, registry=shape.registry, settings=shape.settings,
        fingerprints=shape.fingerprints, engines=shape.engines,
    )
    publish(layout, catalog, manifest, builds, base.token)
    clock.mark("publish")
    return Committed(manifest, embedded, builds, clock.seconds)


def _texts(catalog: Catalog, generation: int, *, everything: bool) -> Iterator[str]:
    facts = catalog.facts("chunks", generation) if everything else catalog.added("chunks", generation)
    return (fact.noun(ChunkRow).embed_text for fact in facts)


class Clock:
    """Times the stages of a run, one after the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._since = time.perf_counter()

    def mark(self, stage: str) -> None:
        """Add the time since the last mark to `stage`."""
        moment = time.perf_counter()
        self.seconds[stage] = round(self.seconds.get(stage, 0.0) + moment - self._since, 4)
        self._since = moment

    def apart(self, stage: str, seconds: float) -> None:
        """Count `seconds` that passed since the last mark for `stage` instead of the stage that is marked next."""
        self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
        self._since += seconds
