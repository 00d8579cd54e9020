"""From staged facts to a published generation: embed, apply, prove, publish, prune, in that order.

Facts are staged before their texts are embedded, so that only rows that are really new are embedded, and a run killed while
embedding restages in seconds what the caches hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from flows.base import Base, Clock
from flows.shape import Shape, indexes_of
from indexes.generation.apply import StagedBuild, apply
from indexes.generation.prove import prove
from indexes.generation.publish import files_of, publish, snapshot_digest
from ingest.embed.batches import embed_missing
from ingest.embed.engine import Choice
from ingest.model.generation import Manifest
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.store.catalog import Catalog


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
    indexes = indexes_of(base.settings, choice, base.cache)
    clock = Clock()
    vector = next(kind for kind in indexes if kind.name == "vector")
    from_empty = previous is None or "vector" in afresh or previous.build("vector").fingerprint != vector.fingerprint
    embedded = embed_missing(
        _texts(catalog, generation, everything=from_empty), choice, base.settings.embed, base.cache,
        base.settings.execute, base.models, progress,
    ).embedded
    clock.mark("embed")
    digests = catalog.digests(generation, previous.catalog if previous is not None else None)
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
