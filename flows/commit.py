"""From staged facts to a published generation: embed, apply, prove, publish, prune, in that order.

Facts are staged before their texts are embedded, so that only rows that are really new are embedded, and a run killed while
embedding restages in seconds what the caches hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import orjson

from flows.base import Base, Clock
from flows.placing import placed, recorded, tidied
from flows.shape import Shape, indexes_of
from indexes.generation.apply import StagedBuild, apply, bases
from indexes.generation.kinds import Kind
from indexes.generation.prove import prove
from indexes.generation.prune import prune_published, unbuild
from indexes.generation.publish import files_of, publish, snapshot_digest
from ingest.embed.batches import EmbedReport, embed_missing
from ingest.embed.engine import Choice
from ingest.errors import WorkFailed
from ingest.model.chunk import embedded
from ingest.model.generation import Build, Manifest
from ingest.progress import Progress
from ingest.steps import reached

Proof = Callable[[Sequence[StagedBuild], Sequence[Kind]], None]
"""Raises where proven builds are not what is wanted."""


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
    anew: frozenset[str] = frozenset(), recount: bool = False, proof: Proof | None = None,
) -> Committed:
    """Publish what was staged as `generation`. Any exception leaves the head where it was.

    `anew` names indexes that take nothing over, `recount` counts every fact, where the last count is no measure (repair).
    `proof` is asked besides, once the builds are proven."""
    steps = Commit(base, generation, previous, choice, shape, progress, anew=anew, recount=recount, proof=proof)
    steps.embed()
    steps.index()
    return steps.publish()


class Commit:
    """The steps of `commit`, to be taken in the order of their definition. One that failed may be taken again before the next."""

    def __init__(
        self, base: Base, generation: int, previous: Manifest | None, choice: Choice, shape: Shape, progress: Progress, *,
        anew: frozenset[str] = frozenset(), recount: bool = False, proof: Proof | None = None,
    ) -> None:
        self._base, self._generation, self._previous = base, generation, previous
        self._choice, self._shape, self._progress = choice, shape, progress
        self._anew, self._recount, self._proof = anew, recount, proof
        self._settings = placed(base.settings, previous)
        self._indexes = indexes_of(self._settings, choice, base.cache)
        self._known_files = partial(
            files_of, base.layout, [published.generation for published in base.catalog.generations()]
        )
        self._clock = Clock()
        self._begin_with: dict[str, Build] = {}
        self._indexing, self._publishing = False, False

    def embed(self) -> None:
        """See which builds can be taken over, and to it that every text to be written has its vector in the cache."""
        self._clock.resume()
        base, previous = self._base, self._previous
        if previous is not None:
            self._begin_with = bases(
                base.layout, previous, self._indexes, self._known_files, self._progress, anew=self._anew
            )
        reached("bases checked")
        self._clock.mark("prove")  # that what is taken over is what was published
        everything = "vector" not in self._begin_with
        self._done = _embedded(base, self._generation, self._choice, self._progress, everything=everything)
        reached("texts embedded")
        self._clock.mark("embed")

    def index(self) -> None:
        """Write the three builds, privately."""
        self._clock.resume()
        layout, catalog = self._base.layout, self._base.catalog
        if self._indexing:  # a try before this one may have left half a build, or have moved some into place
            unbuild(layout, catalog)
        self._indexing = True
        previous = self._previous.catalog if self._previous is not None and not self._recount else None
        self._digests = catalog.digests(self._generation, previous)
        self._builds = apply(
            layout, catalog, self._generation, self._digests, self._begin_with, self._indexes, self._known_files,
            self._progress, anew=self._anew,
        )
        reached("indexes applied")
        self._clock.mark("index")

    def publish(self) -> Committed:
        """Prove the builds, and make them the head."""
        self._clock.resume()
        base = self._base
        if self._publishing:
            if self._is_head(self._manifest()):  # the try before this one failed after the only moment that counts
                return self._committed()
            self.index()
        self._publishing = True
        prove(self._builds, self._indexes, self._progress)
        if self._proof is not None:
            self._proof(self._builds, self._indexes)
        reached("generation proven")
        self._clock.mark("prove")
        publish(base.layout, base.catalog, self._manifest(), self._builds)
        prune_published(base.layout, base.catalog, base.settings.generations.keep, self._progress)
        tidied(self._settings, base.layout, self._progress)
        self._clock.mark("publish")
        return self._committed()

    def _manifest(self) -> Manifest:
        shape, digests = self._shape, self._digests
        return Manifest(
            generation=self._generation,
            snapshot=snapshot_digest(digests, shape.registry, shape.settings, shape.fingerprints),
            builds=tuple(build.build for build in self._builds),
            catalog=digests, registry=shape.registry, settings=shape.settings,
            fingerprints=shape.fingerprints, scoring=shape.scoring, values=shape.values,
            engines=recorded(shape.engines, self._settings), redirects=shape.redirects,
        )

    def _is_head(self, manifest: Manifest) -> bool:
        head = self._base.catalog.head()
        return head == self._generation and self._base.catalog.published(head).manifest == manifest

    def _committed(self) -> Committed:
        remarks = tuple(_long(self._done, self._choice))
        return Committed(self._manifest(), self._done.embedded, self._builds, self._clock.seconds, remarks)


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
