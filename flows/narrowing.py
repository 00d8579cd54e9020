"""What a rollback must not give back: access that was withdrawn since the generation it goes back to.

Content goes back, access does not. Whoever narrowed the access of a document did so for a reason that an older text knows
nothing of, and a file that was closed must not open because something else went wrong. So a rollback serves a document to
those only who might read it then *and* may read it now; one that nobody may read now stays out. A document that is gone is
judged by what it declared last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from flows.assemble import OF_SOURCE, refreshed, source_fact
from flows.base import Base
from flows.commit import commit
from flows.pipeline import engine_of
from flows.shape import Shape
from indexes.generation.rollback import stage_rollback
from indexes.query.history import rules_of
from ingest.model.access import Access
from ingest.model.generation import Manifest
from ingest.model.source import SourceRecord
from ingest.progress import Progress
from ingest.store.catalog import Catalog, Fact


@dataclass(frozen=True, slots=True)
class Narrower:
    """Sources of an older generation that fewer people may read now, by id: under what rule, or None for nobody at all."""

    records: Mapping[str, SourceRecord]
    rules: Mapping[str, Access | None]

    def uris(self, *, closed: bool) -> tuple[str, ...]:
        """Of those that are closed, or of those that are open to fewer."""
        return tuple(sorted(self.records[id].uri for id, rule in self.rules.items() if (rule is None) is closed))


def narrower_since(catalog: Catalog, target: int) -> Narrower:
    """Compare who might read each source in generation `target` with who may now. Reads what changed in between."""
    then = {fact.id: fact.noun(SourceRecord) for fact in catalog.apart("sources", target, catalog.head())}
    then = {id: record for id, record in then.items() if record.served is not None}
    now = rules_of(catalog, target, catalog.head(), then.keys())
    rules: dict[str, Access | None] = {}
    for id, record in then.items():
        before, rule = record.declared.access, now.get(id)
        if rule is None:
            rules[id] = None
        elif not rule.at_least_as_open_as(before):
            rules[id] = before.narrowed(rule)
    return Narrower({id: then[id] for id in rules}, rules)


def roll_back_narrowed(base: Base, target: int, narrower: Narrower, progress: Progress) -> Manifest:
    """As `indexes.generation.rollback.rollback`, but for those sources: their rows are written anew, their vectors cached."""
    catalog = base.catalog
    head, then = catalog.published(catalog.head()).manifest, catalog.published(target).manifest
    recorded = base.settings.model_copy(update={"embed": base.settings.embed.model_copy(update={"engine": "auto"})})
    choice = engine_of(recorded, then, re_engine=False)
    shape = Shape.recorded(then)
    generation = stage_rollback(catalog, target, {id: _facts(catalog, target, narrower, id) for id in narrower.rules})
    return commit(base, generation, head, choice, shape, progress).manifest


def _facts(catalog: Catalog, target: int, narrower: Narrower, id: str) -> dict[str, list[Fact]]:
    """What the rollback serves of a source that fewer may read now, by table."""
    rule, record = narrower.rules[id], narrower.records[id]
    if rule is None:
        return {table: [] for table in OF_SOURCE}
    record = replace(record, declared=replace(record.declared, access=rule))
    facts = {table: list(catalog.facts(table, target, source_id=id)) for table in OF_SOURCE}
    return {**facts, "sources": [source_fact(record)], **refreshed(record, facts["chunks"], None)}
