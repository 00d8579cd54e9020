"""What a run writes: the facts of every source that differs from the head."""

from __future__ import annotations

from collections.abc import Mapping

from entities.assertions.declared import KEYS as DECLARING
from entities.assertions.declared import Declarations
from entities.mentions.recogniser import Recogniser
from flows.alike import FINGERPRINT as NEAR
from flows.assemble import OF_SOURCE, assemble, asserted_by, refreshed, registry_facts, source_fact
from flows.base import Base
from flows.gathered import Gathered
from flows.near import Near
from flows.renamed import Renamed
from flows.reviewed import relations_of, vocabulary_of
from flows.state import SERVED_ANEW, State
from ingest.model.edge import LINKS_TO, REGISTRY, Edge
from ingest.model.entity import Registry
from ingest.model.generation import Manifest
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord
from ingest.steps import reached
from ingest.store.catalog import Fact, Stage


class Changes:
    """What makes of the head what `state` says."""

    def __init__(
        self, base: Base, state: State, gathered: list[Gathered], recogniser: Recogniser, registry: Registry,
        previous: Manifest | None,
    ) -> None:
        self._base = base
        self._state = state
        self._gathered = {item.scanned.source.id: item for item in gathered}
        self._recogniser = recogniser
        self._registry = registry
        self._renamed = Renamed(base.catalog, previous, recogniser)
        self._reseeded = previous is None or (previous.registry, previous.fingerprints.get("relations")) != (
            registry.digest(), relations_of(base.settings)
        )
        same_rules = previous is not None and previous.fingerprints.get("near") == NEAR
        self._compared = previous.catalog["chunks"] if previous is not None and same_rules else None
        self._declarations = Declarations(registry, vocabulary_of(base.settings))
        self._head = base.catalog.head()

    def staged(self, generation: int, *, anyway: bool, confirmed: str | None) -> bool:
        """Stage every fact that differs from the head, as `generation`, and return whether it was staged: where nothing differs
        it is only `anyway`. `confirmed`: when all sources were last looked at, None: in this run."""
        with self._base.catalog.staging(generation, since=(None, confirmed) if confirmed is not None else None) as stage:
            if not self._write(stage) and not anyway:
                stage.discard()
        return not stage.discarded

    def _write(self, stage: Stage) -> bool:
        changed = False
        for id in sorted(self._state.gone):
            changed |= self._put(stage, id, _nothing())
        declaring = self._state.before.declaring(DECLARING) if self._reseeded else []
        concerned = {*self._state.changed, *(id for id in declaring if id not in self._state.gone)}
        for id in sorted(self._state if self._renamed else concerned):
            facts = self._facts_of(id)
            if facts:
                changed |= self._put(stage, id, facts)
        if self._reseeded or self._state.gone or self._gathered:
            changed |= self._put(stage, REGISTRY, registry_facts(self._registry, self._sources_at))
        if changed or self._compared is None:
            with Near(self._base.layout, stage, self._compared) as near:
                changed |= near.update()
        return changed

    def _put(self, stage: Stage, source: str, facts: Mapping[str, list[Fact]]) -> bool:
        fresh = source not in self._state.before and source != REGISTRY
        changed = [stage.replace(table, source, rows, fresh=fresh) for table, rows in facts.items()]
        reached("source staged")
        return any(changed)

    def _facts_of(self, id: str) -> dict[str, list[Fact]]:
        """The facts of one source by table, or nothing where none of them can have changed."""
        record, before, item = self._state[id], self._state.before.get(id), self._gathered.get(id)
        if item is not None and record.state in SERVED_ANEW:
            chunked, found = item.chunks(self._base), item.found(self._base)
            return assemble(record, item.made, chunked, self._recogniser, self._declarations, found)
        if record.served is None:
            return {**_nothing(), "sources": [source_fact(record)]} if record != before else {}
        renamed = self._renamed.concerns(id)
        if record == before and not renamed and not self._reseeded:
            return {}
        asserted = self._asserted(record)
        if record == before and not renamed:
            return asserted
        held = self._base.catalog.facts("chunks", self._head, source_id=id)
        recogniser = self._recogniser if renamed else None
        return {"sources": [source_fact(record)], **refreshed(record, held, recogniser), **asserted}

    def _asserted(self, record: SourceRecord) -> dict[str, list[Fact]]:
        """What a document asserts that is not made anew, and its edges, of which links stay."""
        catalog, id = self._base.catalog, record.source_id
        texts = (fact.noun(ChunkRow).text for fact in catalog.facts("chunks", self._head, source_id=id))
        asserted = asserted_by(record, texts, self._declarations)
        links = [fact for fact in catalog.facts("edges", self._head, source_id=id) if fact.noun(Edge).relation == LINKS_TO]
        return {"assertions": asserted["assertions"], "edges": [*links, *asserted["edges"]]}

    def _sources_at(self, evidence: str) -> list[str]:
        """Ids of the sources that a seed's evidence names, by uri or by path below any root."""
        return sorted(record.source_id for record in self._state.named({evidence}) if record.served is not None)


def _nothing() -> dict[str, list[Fact]]:
    return {table: [] for table in OF_SOURCE}
