"""From staged facts to a published generation: embed, apply, prove, publish, prune, in that order.

Facts are staged before their texts are embedded, so that only rows that are really new are embedded, and a run killed while
embedding restages in seconds what the caches hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import orjson

from flows.base import Base, Clock
from flows.shape import Shape, indexes_of
from indexes.generation.apply import StagedBuild, apply, bases
from indexes.generation.prove import prove
from indexes.generation.prune import prune_published
from indexes.generation.publish import files_of, publish, snapshot_digest
from ingest.embed.batches import EmbedReport, embed_missing
from ingest.embed.engine import Choice
from ingest.errors import WorkFailed
from ingest.model.chunk import embedded
from ingest.model.generation import Manifest
from ingest.progress import Progress
from ingest.steps import reached


@dataclass(frozen=True, slots=True)
class Committed:
    """What committing a staged generation did. `seconds`: embed, index, prove, publish."""

    manifest: Manifest
    embedded: int
    builds: list[StagedBuild]
    seconds: dict[str, float]
    remarks: tuple[str, ...] = ()
    """What is to be said of the texts that were embedded."""

    def told(self) -> dict[str, dict[str, float | int | bool]]:
        """The `builds` of a report."""
        return {
            build.build.kind: {"rows": len(build.written), "reused": build.reused, "seconds": round(build.seconds, 4)}
            for build in self.builds
        }


def commit(
    base: Base, generation: int, previous: Manifest | None, choice: Choice, shape: Shape, progress: Progress, *,
    anew: frozenset[str] = frozenset(), recount: bool = False,
) -> Committed:
    """Publish what was staged as `generation`. Any exception leaves the head where it was.

    `anew` names indexes that take nothing over, `recount` counts every fact, where the last count is no measure (repair)."""
    layout, catalog = base.layout, base.catalog
    indexes = indexes_of(base.settings, choice, base.cache)
    clock = Clock()
    known_files = partial(files_of, layout, [published.generation for published in catalog.generations()])
    begin_with = bases(layout, previous, indexes, known_files, progress, anew=anew) if previous is not None else {}
    reached("bases checked")
    clock.mark("prove")  # that what is taken over is what was published
    done = _embedded(base, generation, choice, progress, everything="vector" not in begin_with)
    reached("texts embedded")
    clock.mark("embed")
    digests = catalog.digests(generation, previous.catalog if previous is not None and not recount else None)
    builds = apply(layout, catalog, generation, digests, begin_with, indexes, known_files, progress, anew=anew)
    reached("indexes applied")
    clock.mark("index")
    prove(builds, indexes, progress)
    reached("generation proven")
    clock.mark("prove")
    manifest = Manifest(
        generation=generation,
        snapshot=snapshot_digest(digests, shape.registry, shape.settings, shape.fingerprints),
        builds=tuple(build.build for build in builds),
        catalog=digests, registry=shape.registry, settings=shape.settings,
        fingerprints=shape.fingerprints, scoring=shape.scoring, values=shape.values, engines=shape.engines,
        redirects=shape.redirects,
    )
    publish(layout, catalog, manifest, builds, base.token)
    prune_published(layout, catalog, base.settings.generations.keep, progress)
    clock.mark("publish")
    return Committed(manifest, done.embedded, builds, clock.seconds, tuple(_long(done, choice)))


def _embedded(base: Base, generation: int, choice: Choice, progress: Progress, *, everything: bool) -> EmbedReport:
    """See to it that every text to be written has its vector in the cache."""
    facts = base.catalog.facts("chunks", generation) if everything else base.catalog.added("chunks", generation)
    rows = (orjson.loads(fact.payload) for fact in facts)
    texts = (embedded(row["prefix"], row["text"]) for row in rows)  # as `ChunkRow.embed_text`, in a third of the time
    done = embed_missing(texts, choice, base.settings.embed, base.cache, base.settings.execute, base.models, progress)
    if done.failed:
        text, error = next(iter(done.failed.items()))
        raise WorkFailed(
            f"{len(done.failed)} texts cannot be embedded, one begins {text[:60]!r} ({error}); nothing was published; leave its "
            "document out with .ingestignore, or use another embed.engine",
            kind=error.kind if isinstance(error, WorkFailed) else "exception",
        )
    return done


def _long(done: EmbedReport, choice: Choice) -> Iterator[str]:
    """Say which texts went through the model in parts: the vector of such a text is a mean, and finds less well."""
    if done.long:
        yield (
            f"{done.long} of the chunks written are longer than the embedder's window of {choice.window} tokens (the longest has "
            f"{done.longest}): each is embedded in parts; a smaller chunk.child_max or chunk.atomic_max cuts them"
        )
