"""The order of things, in plain Python: from roots to a published generation.

    plan -> gather (read, parse, chunk) -> derive windows -> stage -> embed -> apply -> prove -> publish -> prune

Everything before `publish` may be interrupted at any moment: the next run discards what was staged and finds what was computed
in the caches.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from entities.recognise import Recogniser
from entities.registry import load_seeds
from flows.assemble import OF_SOURCE, assemble, refreshed, registry_facts, source_fact
from flows.commit import Base, Clock, Committed, Shape, commit, indexes_of, shape_of
from flows.gather import Gathered, Gathering
from flows.known import Surveyed, remember, survey
from flows.opening import writing
from flows.state import record_of
from indexes.generation.prune import prune
from indexes.generation.rollback import refuse_if_held
from ingest.embed.engine import Choice, choose
from ingest.errors import EngineUnavailable
from ingest.model.edge import REGISTRY
from ingest.model.entity import Mention, Registry
from ingest.model.generation import Manifest
from ingest.model.report import STAGES, ReportedFailure, RunReport
from ingest.model.source import SourceRecord
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.sources.families import Member, windows
from ingest.store.catalog import Fact, Stage


@dataclass(frozen=True, slots=True)
class Options:
    """What a caller asks of a run, besides settings. No paths: every registered root."""

    paths: tuple[Path, ...] = ()
    name: str | None = None
    rehash: bool = False
    allow_mass_delete: bool = False
    re_engine: bool = False


def run(settings: Settings, options: Options, progress: Progress) -> RunReport:
    """Bring the knowledge base up to its sources and publish a generation, if anything changed.

    Raises LeaseHeld, OnHold, UsageError, SourceError, EngineUnavailable, ModelUnavailable, StorageFailed, Inconsistent; after any
    of them what was published before is still served. Failures of single documents are in the report.
    """
    clock = Clock()
    registry = load_seeds(Path(settings.base) / seed for seed in settings.entities.seeds)
    recogniser = _Timed(registry, clock)
    with writing(settings, create=True) as base:
        refuse_if_held(base.catalog)
        head = base.catalog.head()
        previous = base.catalog.published(head).manifest if head else None
        choice = engine_of(settings, previous, re_engine=options.re_engine)
        shape = shape_of(settings, choice, recogniser.fingerprint, registry.digest())
        surveyed = survey(
            base, options.paths, options.name, rehash=options.rehash, allow_mass_delete=options.allow_mass_delete
        )
        clock.mark("plan")
        gathering = Gathering(base, surveyed.records, progress)
        gathered = sorted(gathering.all(surveyed.suspects), key=lambda item: item.scanned.source.id)
        surveyed.guard(gathered, allow_mass_delete=options.allow_mass_delete)
        clock.mark("parse")
        change = _Changes(base, surveyed, gathered, recogniser, registry, previous)
        with base.catalog.staging(head + 1) as stage:
            changed = change.write(stage)
            if not changed and previous is not None and not _reshaped(base, previous, choice, shape):
                stage.discard()
        clock.mark("chunk")
        if stage.discarded:
            assert previous is not None
            remember(base, gathered, gathering.same)
            base.catalog.confirm()
            return _report(previous, None, surveyed, gathered, change, base, clock)
        committed = commit(base, head + 1, previous, choice, shape, progress)
        remember(base, gathered, gathering.same)
        prune(base.layout, base.catalog, settings.generations.keep)
        return _report(committed.manifest, committed, surveyed, gathered, change, base, clock)


def engine_of(settings: Settings, previous: Manifest | None, *, re_engine: bool) -> Choice:
    """Choose the embedder. With `auto`, what was recorded at the first publish is kept: a machine that lacks it must not
    silently re-embed everything with something else."""
    part = settings.embed
    recorded = previous.engines.get("embed") if previous is not None else None
    if part.engine == "auto" and recorded is not None and not re_engine:
        part = part.model_copy(update={"engine": recorded})
    choice = choose(part)
    if previous is not None and settings.embed.engine == "auto" and not re_engine:
        published = previous.fingerprints["embed"]
        if choice.fingerprint != published:
            raise EngineUnavailable(
                f"the knowledge base was embedded with {published}, this machine has {choice.fingerprint}; install the same "
                "versions, or accept that everything is embedded anew with: ingest run --re-engine"
            )
    return choice


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


class _Changes:
    """What this run writes: records of every source as they will be, and the facts of those that differ."""

    def __init__(
        self, base: Base, surveyed: Surveyed, gathered: list[Gathered], recogniser: Recogniser, registry: Registry,
        previous: Manifest | None,
    ) -> None:
        self._base = base
        self._gathered = {item.scanned.source.id: item for item in gathered}
        self._gone = surveyed.gone
        self._recogniser = recogniser
        self._registry = registry
        self._renamed_entities = previous is None or previous.fingerprints["recognise"] != recogniser.fingerprint
        self._reseeded = previous is None or previous.registry != registry.digest()
        self._before = surveyed.records
        self._head = base.catalog.head()
        self.warnings = list(surveyed.warnings)
        self.records = self._derived(self._current())

    def _current(self) -> dict[str, SourceRecord]:
        records = {id: record for id, record in self._before.items() if id not in self._gone}
        for id, item in self._gathered.items():
            records[id] = record_of(item, self._before.get(id))
        return records

    def _derived(self, records: dict[str, SourceRecord]) -> dict[str, SourceRecord]:
        """Give every record its window: families are derived anew, because one arrival may close another's window."""
        trusted = (record for record in records.values() if record.served is not None)
        derived = windows(Member(record.source_id, record.uri, record.declared) for record in trusted)
        self.warnings.extend(finding.message for finding in derived.findings)
        changed = {
            id: replace(records[id], valid_from=window[0], valid_until=window[1])
            for id, window in derived.window.items()
            if (records[id].valid_from, records[id].valid_until) != tuple(window)
        }
        return {**records, **changed}

    def write(self, stage: Stage) -> bool:
        """Stage every fact that differs from the head; return whether there was any."""
        changed = False
        for id in sorted(self._gone):
            changed |= self._put(stage, id, _nothing())
        for id in sorted(self.records):
            facts = self._facts_of(id)
            if facts:
                changed |= self._put(stage, id, facts)
        if self._reseeded or self._gone or self._gathered:
            changed |= self._put(stage, REGISTRY, registry_facts(self._registry, self._sources_at))
        return changed

    def _put(self, stage: Stage, source: str, facts: Mapping[str, list[Fact]]) -> bool:
        fresh = source not in self._before and source != REGISTRY
        changed = [stage.replace(table, source, rows, fresh=fresh) for table, rows in facts.items()]
        return any(changed)

    def _facts_of(self, id: str) -> dict[str, list[Fact]]:
        """The facts of one source by table, or nothing where none of them can have changed."""
        record, before, item = self.records[id], self._before.get(id), self._gathered.get(id)
        if item is not None and record.state == "served":
            return assemble(record, item.made, item.chunks(self._base), self._recogniser)
        if record.served is None:
            return {**_nothing(), "sources": [source_fact(record)]} if record != before else {}
        if record == before and not self._renamed_entities:
            return {}
        held = self._base.catalog.facts("chunks", self._head, source_id=id)
        recogniser = self._recogniser if self._renamed_entities else None
        return {"sources": [source_fact(record)], **refreshed(record, held, recogniser)}

    def _sources_at(self, evidence: str) -> list[str]:
        """Ids of the sources that a seed's evidence names, by uri or by path below any root."""
        return sorted(
            id for id, record in self.records.items() if evidence in (record.uri, record.path) and record.served is not None
        )


def _nothing() -> dict[str, list[Fact]]:
    return {table: [] for table in OF_SOURCE}


def _reshaped(base: Base, previous: Manifest, choice: Choice, shape: Shape) -> bool:
    """Whether settings, fingerprints or engines alone ask for another generation."""
    if (previous.registry, previous.settings, previous.fingerprints) != (shape.registry, shape.settings, shape.fingerprints):
        return True
    return any(previous.build(kind.name).fingerprint != kind.fingerprint for kind in indexes_of(base, choice))


def _report(
    manifest: Manifest, committed: Committed | None, surveyed: Surveyed, gathered: list[Gathered], change: _Changes, base: Base,
    clock: Clock,
) -> RunReport:
    failures = tuple(
        ReportedFailure(
            record.uri, record.failure.stage, record.failure.error, record.failure.message, record.failure.retryable,
            record.served is not None,
        )
        for _, record in sorted(change.records.items(), key=lambda entry: entry[1].uri) if record.failure is not None
    )
    spent = {**clock.seconds, **(committed.seconds if committed is not None else {})}
    seconds = {stage: round(spent.get(stage, 0.0), 4) for stage in STAGES}
    builds: dict[str, dict[str, float | int | bool]] = {
        build.build.kind: {"rows": len(build.written), "reused": build.reused, "seconds": round(build.seconds, 4)}
        for build in (committed.builds if committed is not None else ())
    }
    return RunReport(
        generation=manifest.generation, snapshot=manifest.snapshot, published=committed is not None,
        sources=surveyed.counts(gathered, change.records, len(failures)), chunks=_chunk_counts(base, manifest, committed),
        embedded=committed.embedded if committed is not None else 0, failures=failures,
        warnings=tuple(sorted(set(change.warnings))), seconds=seconds, builds=builds,
    )


def _chunk_counts(base: Base, manifest: Manifest, committed: Committed | None) -> dict[str, int]:
    total = int(manifest.catalog["chunks"].partition(":")[0])
    if committed is None:
        return {"added": 0, "removed": 0, "kept": total, "rewritten": 0}
    begun = {id for id, _ in base.catalog.begun("chunks", manifest.generation)}
    ended = base.catalog.removed("chunks", manifest.generation)
    both = begun & ended
    return {"added": len(begun - both), "removed": len(ended - both), "kept": total - len(begun), "rewritten": len(both)}
