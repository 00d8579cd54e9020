"""The order of things, in plain Python: from roots to a published generation.

    plan -> gather (read, parse, chunk) -> derive windows -> stage -> embed -> apply -> prove -> publish -> prune

Everything before `publish` may be interrupted at any moment: the next run discards what was staged and finds what was computed
in the caches. A run that finds nothing to do spends most of its time importing, so what only a change needs is imported when
there is one.
"""

from __future__ import annotations

import time
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
    from flows.commit import Committed
    from flows.gather import Gathered
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
    from flows.reporting.tell import Told, run_told, stops_told

    clock = Clock()
    registry = registry_of(settings)
    recogniser = _Timed(registry, clock)
    with writing(settings, create=True) as base, stops_told(base, "run", clock, progress, options.report):
        refuse_if_held(base.catalog)
        head = base.catalog.head()
        published = base.catalog.published(head) if head else None
        previous = published.manifest if published is not None else None
        settings = as_resolved(settings, previous, re_engine=options.re_engine, concerned=partial(_has_pdf, base.catalog, head))
        base = replace(base, settings=settings)
        choice = engine_of(settings, previous, re_engine=options.re_engine)
        shape = shape_of(settings, choice, recogniser.fingerprint, registry)
        surveyed = survey(
            base, options.paths, options.name, rehash=options.rehash, allow_mass_delete=options.allow_mass_delete
        )
        confirmed = None if published is None or surveyed.whole(base.catalog.roots()) else published.confirmed_at
        reached("planned")
        clock.mark("plan")
        gathered, same = _gathered(base, surveyed, progress, retry=options.rehash)
        surveyed.guard(gathered, allow_mass_delete=options.allow_mass_delete)
        clock.mark("parse")
        state = state_after(surveyed.records, surveyed.gone, gathered)
        reshaped = previous is None or _reshaped(base, previous, choice, shape)
        committed, moves = None, None
        if reshaped or state.changed or state.gone:
            from flows import near
            from flows.changes import Changes
            from flows.commit import commit
            from flows.reporting.documents import Moves

            changes = Changes(base, state, gathered, recogniser, registry, previous)
            staged = changes.staged(head + 1, anyway=reshaped, confirmed=confirmed)
            moves = Moves.of(base.catalog, head + 1) if staged else None
            clock.mark("chunk")
            if staged:
                committed = commit(base, head + 1, previous, choice, shape, progress)
                near.known(base.layout, committed.manifest.catalog["chunks"])
        remember(base, gathered, same)
        reached("signatures remembered")
        if committed is None and confirmed is None:
            base.catalog.confirm()
            reached("confirmed")
        manifest = committed.manifest if committed is not None else previous
        assert manifest is not None
        report = _report(manifest, committed, moves, surveyed, gathered, state, clock)
        told = Told(surveyed, gathered, state, moves, previous)
        return replace(report, report=run_told(base, report, told, progress, options.report))


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

    def mentions(self, chunk_id: str, text: str) -> tuple[Mention, ...]:
        started = time.perf_counter()
        found = super().mentions(chunk_id, text)
        self._clock.apart("entities", time.perf_counter() - started)
        return found


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
