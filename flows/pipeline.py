"""The order of things, in plain Python: from roots to a published generation.

    plan -> gather (read, parse, chunk) -> derive windows -> stage -> embed -> apply -> prove -> publish -> prune

Everything before `publish` may be interrupted at any moment: the next run discards what was staged and finds what was computed
in the caches. A run that finds nothing to do spends most of its time importing, so what only a change needs is imported when
there is one. `run` is all of it; who wants to see the steps one by one, as a scheduler does, takes them from `running`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from entities.mentions.recogniser import Recogniser
from flows.base import Base, Clock
from flows.engines import as_resolved
from flows.known import Surveyed, remember, survey
from flows.opening import writing
from flows.records import catalogued
from flows.reviewed import registry_of
from flows.shape import Shape, indexes_of, shape_of
from flows.state import State, state_after
from indexes.generation.prune import recover
from indexes.generation.rollback import refuse_if_held
from ingest.embed.engine import Choice, choose
from ingest.errors import EngineUnavailable, ExtraMissing
from ingest.model.entity import Mention, Registry
from ingest.model.generation import Manifest
from ingest.model.report import STAGES, ReportedFailure, RunReport
from ingest.parse.detect import PDF
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.steps import reached

if TYPE_CHECKING:
    from entities.identifiers import Found
    from flows.commit import Committed
    from flows.gathered import Gathered
    from flows.reporting.documents import Moves
    from ingest.sources.found import Content, Scanned
    from ingest.store.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller asks of a run, besides settings. No paths: every registered root."""

    paths: tuple[Path, ...] = ()
    name: str | None = None
    rehash: bool = False
    allow_mass_delete: bool = False
    re_engine: bool = False
    report: Path | None = None
    """Where a copy of the report is wanted."""


def run(settings: Settings, options: Options, progress: Progress) -> RunReport:
    """Bring the knowledge base up to its sources and publish a generation, if anything changed.

    Raises LeaseHeld, OnHold, UsageError, SourceError, EngineUnavailable, ModelUnavailable, StorageFailed, Inconsistent; after any
    of them what was published before is still served. Failures of single documents are in the report. Every run that had the
    lease leaves one beside the catalog, also of such an error.
    """
    with running(settings, options, progress) as steps:
        steps.plan()
        steps.parse()
        steps.chunk()
        if steps.staged:
            steps.embed()
            steps.index()
        return steps.publish()


@contextmanager
def running(settings: Settings, options: Options, progress: Progress) -> Iterator[Run]:
    """Take the lease and yield the steps of a run. Whoever takes them one by one may wait between them, and keeps the lease.

    Raises LeaseHeld. An error that leaves this context ends the run, and the report tells of it."""
    from flows.reporting.tell import stops_told

    clock = Clock()
    registry = registry_of(settings)
    with writing(settings, create=True) as base, stops_told(base, "run", clock, progress, options.report):
        yield Run(base, options, progress, registry, clock)


class Run:
    """The steps of a run, to be taken in the order of their definition under one lease; `embed` and `index` only if `staged`.

    A step that failed may be taken again before the next: what it had finished comes from the caches, and what it left half done
    is discarded first. Between processes nothing of a Run survives but that; a new one begins with `plan`.
    """

    staged = False
    """Whether a next generation is staged. False after `chunk`: nothing changed."""

    def __init__(self, base: Base, options: Options, progress: Progress, registry: Registry, clock: Clock) -> None:
        self._base, self._options, self._progress, self._clock = base, options, progress, clock
        self._registry, self._recogniser = registry, _Timed(registry, clock)
        self._chunking = False
        self._moves: Moves | None = None
        self._committed: Committed | None = None

    def plan(self) -> None:
        """Compare sources, settings and code with the head."""
        self._clock.resume()
        base, options = self._base, self._options
        refuse_if_held(base.catalog)
        self._head = base.catalog.head()
        published = base.catalog.published(self._head) if self._head else None
        self._previous = previous = published.manifest if published is not None else None
        settings = as_resolved(
            base.settings, previous, re_engine=options.re_engine, concerned=partial(_has_pdf, base.catalog, self._head)
        )
        self._base = base = replace(base, settings=settings)
        self._choice = engine_of(settings, previous, re_engine=options.re_engine)
        self._shape = shape_of(settings, self._choice, self._recogniser.fingerprint, self._registry)
        self._surveyed = surveyed = survey(
            base, options.paths, options.name, rehash=options.rehash, allow_mass_delete=options.allow_mass_delete
        )
        self._confirmed = None if published is None or surveyed.whole(base.catalog.roots()) else published.confirmed_at
        reached("planned")
        self._clock.mark("plan")

    def parse(self) -> None:
        """Read, parse and cut what may have changed; results go to the caches."""
        self._clock.resume()
        self._gathered, self._same = _gathered(self._base, self._surveyed, self._progress, retry=self._options.rehash)
        self._surveyed.guard(self._gathered, allow_mass_delete=self._options.allow_mass_delete)
        self._clock.mark("parse")

    def chunk(self) -> None:
        """Stage the facts of the next generation (documents, rows, mentions, assertions, edges), if anything changed."""
        self._clock.resume()
        base, previous, gathered = self._base, self._previous, self._gathered
        if self._chunking:  # a try before this one may have staged facts, of which nobody knows how many
            recover(base.layout, base.catalog)
        self._chunking = True
        self._state = state = state_after(self._surveyed.records, self._surveyed.gone, gathered)
        self._moves, self.staged = None, False
        reshaped = previous is None or _reshaped(base, previous, self._choice, self._shape)
        if not (reshaped or state.changed or state.gone):
            return
        from flows.changes import Changes
        from flows.commit import Commit
        from flows.reporting.documents import Moves

        changes = Changes(base, state, gathered, self._recogniser, self._registry, previous)
        if changes.staged(self._head + 1, anyway=reshaped, confirmed=self._confirmed):
            self._moves = Moves.of(base.catalog, self._head + 1)
            self._commit = Commit(base, self._head + 1, previous, self._choice, self._shape, self._progress)
            self.staged = True
        self._clock.mark("chunk")

    def embed(self) -> None:
        """See to it that every row to be written has its vector."""
        self._commit.embed()

    def index(self) -> None:
        """Write the three builds of the next generation, privately."""
        self._commit.index()

    def publish(self) -> RunReport:
        """Prove the builds and make them the head, if anything is staged; remember what was read; report."""
        base = self._base
        if self.staged and self._committed is None:
            from flows import near

            self._committed = self._commit.publish()
            near.known(base.layout, self._committed.manifest.catalog["chunks"])
        remember(base, self._gathered, self._same)
        reached("signatures remembered")
        if self._committed is None and self._confirmed is None:
            base.catalog.confirm()
            reached("confirmed")
        return self._told()

    def _told(self) -> RunReport:
        from flows.reporting.tell import Told, run_told

        manifest = self._committed.manifest if self._committed is not None else self._previous
        assert manifest is not None
        report = _report(
            manifest, self._committed, self._moves, self._surveyed, self._gathered, self._state, self._clock
        )
        told = Told(self._surveyed, self._gathered, self._state, self._moves, self._previous)
        return replace(report, report=run_told(self._base, report, told, self._progress, self._options.report))


def engine_of(settings: Settings, previous: Manifest | None, *, re_engine: bool) -> Choice:
    """Choose the embedder. With `auto`, what was recorded at the first publish is kept: a machine that lacks it must not
    silently re-embed everything with something else."""
    if previous is None or settings.embed.engine != "auto" or re_engine:
        return choose(settings.embed)
    recorded, published = previous.engines["embed"], previous.fingerprints["embed"]
    try:
        choice = choose(settings.embed.model_copy(update={"engine": recorded}))
    except ExtraMissing as error:
        raise EngineUnavailable(
            f"the knowledge base was embedded with {published}, which is not here: {error}; or accept that everything is "
            "embedded anew with: ingest run --re-engine"
        ) from error
    if choice.fingerprint != published:
        raise EngineUnavailable(
            f"the knowledge base was embedded with {published}, this machine has {choice.fingerprint}; install the same "
            "versions, or accept that everything is embedded anew with: ingest run --re-engine"
        )
    return choice


def _has_pdf(catalog: Catalog, generation: int) -> bool:
    return any(stated["media_type"] == PDF for _, stated in catalogued(catalog, generation).stated())


class _Timed(Recogniser):
    """A recogniser whose time is told apart from that of the rows which it is for."""

    def __init__(self, registry: Registry, clock: Clock) -> None:
        super().__init__(registry)
        self._clock = clock

    def mentions(self, chunk_id: str, text: str, found: Sequence[Found] | None = None) -> tuple[Mention, ...]:
        started = time.perf_counter()
        mentions = super().mentions(chunk_id, text, found)
        self._clock.apart("entities", time.perf_counter() - started)
        return mentions


def _gathered(
    base: Base, surveyed: Surveyed, progress: Progress, *, retry: bool
) -> tuple[list[Gathered], list[tuple[Scanned, Content]]]:
    """Read what may have changed. Returns what was made of it, by source id, and the files that are as they were."""
    if not surveyed.suspects:
        return [], []
    from flows.gather import Gathering

    gathering = Gathering(base, surveyed.records, progress, retry=retry)
    gathered = sorted(gathering.all(surveyed.suspects), key=lambda item: item.scanned.source.id)
    return gathered, gathering.same


def _reshaped(base: Base, previous: Manifest, choice: Choice, shape: Shape) -> bool:
    """Whether settings, fingerprints or engines alone ask for another generation."""
    if (previous.registry, previous.settings, previous.fingerprints) != (shape.registry, shape.settings, shape.fingerprints):
        return True
    indexes = indexes_of(base.settings, choice, base.cache)
    return any(previous.build(kind.name).fingerprint != kind.fingerprint for kind in indexes)


def _report(
    manifest: Manifest, committed: Committed | None, moves: Moves | None, surveyed: Surveyed, gathered: list[Gathered],
    state: State, clock: Clock,
) -> RunReport:
    failures = tuple(sorted((
        ReportedFailure(
            record.uri, record.failure.stage, record.failure.error, record.failure.message, record.failure.retryable,
            record.served is not None,
        )
        for record in state.failed() if record.failure is not None
    ), key=lambda failure: failure.uri))
    remarks = committed.remarks if committed is not None else ()
    spent = {**clock.seconds, **(committed.seconds if committed is not None else {})}
    seconds = {stage: round(spent.get(stage, 0.0), 4) for stage in STAGES}
    total = int(manifest.catalog["chunks"].partition(":")[0])
    chunks = moves.counts(total) if moves is not None else {"added": 0, "removed": 0, "kept": total, "rewritten": 0}
    return RunReport(
        generation=manifest.generation, snapshot=manifest.snapshot, published=committed is not None,
        sources=surveyed.counts(gathered, state, len(failures)), chunks=chunks,
        embedded=committed.embedded if committed is not None else 0, failures=failures,
        warnings=tuple(sorted({*surveyed.warnings, *state.findings, *remarks})), seconds=seconds,
        builds=committed.told() if committed is not None else {},
    )
