"""Facts that the catalog no longer holds as published are made again: from the documents' bytes, and from the registry's seeds.

The documents that are concerned go through the same code as in a run, if their bytes, settings and parsers still are those that
the published facts were made of; so the very same facts come out, and the same snapshot. A document that is gone or has changed
cannot give them back. What is left of it stays served, under a record that says so, until a run reads it anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import orjson

from entities.assertions.declared import Declarations
from entities.mentions.recogniser import Recogniser
from flows.alike import FINGERPRINT as NEAR
from flows.assemble import OF_SOURCE, assemble, registry_facts, source_fact
from flows.base import Base
from flows.concerned import Concerned, concerned
from flows.gather import Gathering
from flows.gathered import Gathered
from flows.near import Near
from flows.records import Records
from flows.reviewed import registry_of, vocabulary_of
from flows.state import PARTIAL, State, state_after
from indexes.generation.verify import Drift
from indexes.generation.verify.facts import Table, examined
from ingest.errors import RootUnavailable, SettingsInvalid
from ingest.model.edge import PASSAGES, REGISTRY
from ingest.model.entity import Registry
from ingest.model.generation import Manifest
from ingest.model.source import Failure, Revision, SourceRecord
from ingest.progress import Progress, Silent
from ingest.sources.found import Scanned
from ingest.sources.scan import scan
from ingest.store.catalog import FACTS, Fact, Stage

_RUN = "bring the base up to its sources: ingest run"


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that cannot be given back, why, and what to do."""

    what: str
    why: str
    remedy: str


def regain(
    base: Base, previous: Manifest, found: Sequence[Drift], generation: int, progress: Progress, *, measure: bool = True
) -> tuple[list[Loss], bool]:
    """Stage the facts of `previous` as `generation`, as far as they can be given back.

    Returns what cannot be, and whether anything was staged: where facts differ and nobody can tell which, nothing is, because
    counting them anew would make what is wrong the measure. `measure`: whether the digests of `previous` are those that were
    published; where they are not, every document is read again, and all of them must be able to give their facts back."""
    tables = examined(base.catalog, previous, Silent())
    first = concerned(base, previous, tables, found)
    held: dict[str, str] = {}
    for asked in (first, first.everything(base)) if measure else (first.everything(base),):
        regaining = _Regaining(base, previous, tables, asked, progress)
        regaining.read()
        with base.catalog.staging(generation, "repair") as stage:
            regaining.write(stage)
        held = base.catalog.digests(generation)
        if held == previous.catalog or (not measure and regaining.complete):
            return [], True
        # A table that fitted was changed together with the manifest, and its sources say what is right.
        explained = all(held[name] == previous.catalog[name] or tables[name].fits for name in FACTS)
        if measure and asked.exact and (regaining.losses or explained):
            return regaining.losses, True
        base.catalog.recover()
    differing = sorted(name for name in FACTS if held[name] != previous.catalog[name])
    return [*regaining.losses, Loss(
        f"catalog/{', catalog/'.join(differing)}", "facts differ, and the sources no longer tell which",
        f"restore {base.layout.folder} from a copy, or delete it and build it anew: ingest run",
    )], False


def _is_the_same(fact: Fact, held: Fact) -> bool:
    return (fact.checksum, fact.source_id, fact.position) == (held.checksum, held.source_id, held.position)


@dataclass(slots=True)
class _Regaining:
    """One try: some sources are read again, and what comes of them replaces what the catalog holds of them."""

    base: Base
    previous: Manifest
    tables: Mapping[str, Table]
    asked: Concerned
    progress: Progress
    losses: list[Loss] = field(default_factory=list)
    _records: Records = field(default_factory=Records)
    _gathered: dict[str, Gathered] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    _registry: Registry | None = None

    @property
    def complete(self) -> bool:
        """Whether every source that the catalog has a record of gave its facts."""
        return not self.losses and not any(id in self._records for id in self.refused)

    def read(self) -> None:
        """Read the sources again. What cannot give its facts back is refused, each with the reason."""
        head = self.previous.generation
        good = (fact for fact in self.base.catalog.facts("sources", head) if fact.id not in self.tables["sources"].altered)
        self._records = Records(good)
        self._load_seeds()
        there, away = self._scanned()
        wanted = []
        for id in sorted(self.asked.sources - {REGISTRY}):
            record = self._records.get(id)
            if self._registry is None:
                self.refused[id] = "the registry's seeds, whose names its rows mention, are others by now"
            elif id in there:
                wanted.append(there[id])
            elif record is not None and record.root in away:
                self.refused[id] = away[record.root]
            else:
                self.refused[id] = "its file is gone"
        for item in Gathering(self.base, {}, self.progress).all(wanted) if wanted else ():
            id = item.scanned.source.id
            why = self._why_not(item, self._records.get(id))
            if why is None:
                self._gathered[id] = item
            else:
                self.refused[id] = why

    def _why_not(self, item: Gathered, record: SourceRecord | None) -> str | None:
        if record is None:
            return None  # whether it is what was published is told when its facts are made
        if item.content is None and record.failure is None:
            return f"its file cannot be read: {item.made.failure.message if item.made.failure is not None else ''}"
        if item.revision != record.revision:
            return "its file has changed since"
        if item.stages != record.stages:
            return "settings or parsers have changed since"
        if record.state == "quarantined":
            return "the text that is served is of an older state of its file"
        if record.state == PARTIAL:
            return "only some of its pages could be read, and which ones may differ"
        return None

    def _load_seeds(self) -> None:
        settings = self.base.settings
        try:
            registry = registry_of(settings)
        except SettingsInvalid:
            return
        same = Recogniser(registry).fingerprint == self.previous.fingerprints["recognise"]
        if same and registry.digest() == self.previous.registry:
            self._registry = registry

    def _scanned(self) -> tuple[dict[str, Scanned], dict[str, str]]:
        """Every file that is there, by source id; and why roots cannot be looked at."""
        there: dict[str, Scanned] = {}
        away: dict[str, str] = {}
        for root in self.base.catalog.roots().values():
            try:
                there.update((item.source.id, item) for item in scan(root, self.base.settings.sources).found)
            except RootUnavailable as error:
                away[root.name] = str(error)
        return there, away

    def write(self, stage: Stage) -> None:
        """Replace what the catalog holds of the sources by what came of them."""
        state = state_after(self._records, set(), self._gathered.values())
        for id, item in sorted(self._gathered.items()):
            facts = self._facts_of(state, id, item)
            if self._was_published(id, facts):
                self._put(stage, id, facts, OF_SOURCE)
            else:
                self.refused[id] = "what its file gives now is not what was published"
        for id, why in sorted(self.refused.items()):
            self._leave(stage, id, why)
        if REGISTRY in self.asked.sources:
            self._put_registry(stage, state)
        if self.previous.fingerprints.get("near") == NEAR:
            with Near(self.base.layout, stage, None) as near:
                self._put(stage, PASSAGES, {"edges": near.all()}, ("edges",))

    def _facts_of(self, state: State, id: str, item: Gathered) -> dict[str, list[Fact]]:
        record = state[id]
        if record.state != "served" or self._registry is None:
            return {"sources": [source_fact(record)]}
        declarations = Declarations(self._registry, vocabulary_of(self.base.settings))
        return assemble(record, item.made, item.chunks(self.base), Recogniser(self._registry), declarations)

    def _was_published(self, id: str, facts: Mapping[str, list[Fact]]) -> bool:
        """Whether facts made of a source whose record is no measure are those that were published, by what is left of it."""
        if id in self._records:
            return True
        head = self.previous.generation
        altered = self.base.catalog.get("sources", head, [id]).get(id)
        if altered is not None:
            (made_of,) = facts["sources"]
            return made_of.checksum == altered.checksum or made_of.payload == altered.payload
        made = {(fact.id, fact.checksum) for fact in facts.get("chunks", [])}
        held = self.base.catalog.facts("chunks", head, source_id=id)
        return {(fact.id, fact.checksum) for fact in held if fact.id not in self.tables["chunks"].altered} <= made

    def _put(self, stage: Stage, id: str, facts: Mapping[str, list[Fact]], tables: Iterable[str]) -> None:
        """Begin the facts that are not held as written, and end what is held and should not be."""
        for table in tables:
            wanted = {fact.id: fact for fact in facts.get(table, [])}
            kept = set()
            for held in self._held(table, id):
                fact = wanted.get(held.id)
                if fact is not None and _is_the_same(fact, held) and held.id not in self.tables[table].altered:
                    kept.add(held.id)
                else:
                    stage.end(table, [held.id], held.source_id)
            stage.begin(table, [fact for fact in wanted.values() if fact.id not in kept])

    def _held(self, table: str, id: str) -> list[Fact]:
        """The facts of a source, and those of its altered ones that are filed under another."""
        head = self.previous.generation
        mine = list(self.base.catalog.facts(table, head, source_id=id))
        elsewhere = self.asked.astray.get((table, id), set()) - {fact.id for fact in mine}
        return [*mine, *self.base.catalog.get(table, head, sorted(elsewhere)).values()]

    def _leave(self, stage: Stage, id: str, why: str) -> None:
        """End what cannot be proven of a source that cannot be read again as it was. What is left of it is served on, under a
        record that sends the next run to its file; where the record itself is lost, nothing is."""
        record = self._records.get(id)
        if record is None:
            if self._put_nothing(stage, id):
                self.losses.append(Loss(self._name(id), f"its record is lost or altered, and {why}", _RUN))
            return
        if not self.asked.damaged(id, self.tables):
            return  # it was only asked because nobody knew better
        self._end_unproven(stage, id)
        message = f"facts of it were lost, and {why}"
        marked = replace(
            record, state="quarantined" if record.served is not None else record.state,
            revision=Revision("", record.revision.metadata, record.revision.size),
            failure=Failure("verify", "Inconsistent", message, True),
        )
        stage.end("sources", [id], id)
        stage.begin("sources", [source_fact(marked)])
        self.losses.append(Loss(record.uri, why, _RUN))

    def _end_unproven(self, stage: Stage, id: str) -> None:
        """End the facts of a source that are altered, and those that rest on what is altered or lost: a chunk on its parent,
        mentions and links on their chunk."""
        held = {table: self._held(table, id) for table in ("parents", "chunks", "mentions", "edges", "entities", "assertions")}
        whole = {
            table: {fact.id: fact for fact in facts if fact.id not in self.tables[table].altered} for table, facts in held.items()
        }
        chunks = {one for one, fact in whole["chunks"].items() if orjson.loads(fact.payload)["parent_id"] in whole["parents"]}
        stay = {
            "parents": set(whole["parents"]), "entities": set(whole["entities"]), "chunks": chunks,
            "mentions": chunks & whole["mentions"].keys(), "assertions": set(whole["assertions"]),
            "edges": {one for one, fact in whole["edges"].items() if orjson.loads(fact.payload)["evidence"] in {*chunks, id}},
        }
        for table, facts in held.items():
            for fact in facts:
                if fact.id not in stay[table]:
                    stage.end(table, [fact.id], fact.source_id)

    def _put_nothing(self, stage: Stage, id: str) -> bool:
        held = any(self._held(table, id) for table in OF_SOURCE)
        self._put(stage, id, {}, OF_SOURCE)
        return held

    def _put_registry(self, stage: Stage, state: State) -> None:
        tables = ("entities", "assertions", "edges")
        if self._registry is not None:
            registry = self._registry

            def sources_at(evidence: str) -> list[str]:
                return sorted(record.source_id for record in state.named({evidence}) if record.served is not None)

            self._put(stage, REGISTRY, registry_facts(registry, sources_at), tables)
            return
        for table in tables:
            for fact in self._held(table, REGISTRY):
                if fact.id in self.tables[table].altered:
                    stage.end(table, [fact.id], fact.source_id)
        self.losses.append(Loss("the registry", "its seeds are others by now, or cannot be read", _RUN))

    def _name(self, id: str) -> str:
        return self.asked.names.get(id, id)


