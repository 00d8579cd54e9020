"""What disagrees in a knowledge base, as far as a caller may see it: several versions that hold at once, assertions that
contradict one another, and differing numbers in what is said of one entity. Nothing is resolved here, and neither side is told
where the other does not show."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from indexes.query.asserted import at_odds
from indexes.query.conflicts import at_once
from indexes.query.differing import differing
from indexes.serve.answers import Conflicts, FoundConflict
from indexes.serve.arguments import ConflictsList
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking
from ingest.model.entity import followed
from ingest.model.instant import BEGIN, END, now, seconds
from ingest.model.source import SourceRecord

_READ = 300
"""Passages of an entity whose numbers are compared, each with each."""


def conflicts_list(asking: Asking, asked: ConflictsList) -> Told:
    """What disagrees: document families of which several versions hold at once, contradicting assertions, and, where an entity
    is given, differing numbers in passages that mention it. Only what you may see on both sides."""
    def listed(looking: Looking) -> list[FoundConflict] | None:
        known = asked.entity is None or looking.visible.members(asked.entity)
        return list(_conflicts(looking, asked)) if known else None  # nothing is known of it, which is not that nothing disagrees

    found, failed = asking.found(asked.kb_ids, asked.entity or "", listed)
    every = [conflict for one in found for conflict in one.result]
    shown = tuple(every[: asked.limit])
    seen = tuple(one.seen(id for each in shown if each.kb_id == one.kb_id for id in each.sources) for one in found)
    return Told(Conflicts(shown, failed, len(every) > len(shown)), seen)


def _conflicts(looking: Looking, asked: ConflictsList) -> Iterator[FoundConflict]:
    instant = asked.as_of or now()
    kinds = asked.kinds or ("versions", "assertions", "values")
    if "versions" in kinds and asked.entity is None:
        yield from _versions(looking, asked.family, instant)
    if asked.family is None and "assertions" in kinds:
        yield from _contradictions(looking, asked.entity, instant)
    if asked.family is None and asked.entity is not None and "values" in kinds:
        yield from _values(looking, asked.entity, instant)


def _versions(looking: Looking, family: str | None, instant: str) -> Iterator[FoundConflict]:
    """Families of which several versions are active and hold at an instant, all of which show."""
    moment = seconds(instant, absent=0)
    versions: dict[tuple[str, str], dict[str, str | None]] = defaultdict(dict)
    for fact in looking.snapshot.catalog.facts("sources", looking.snapshot.generation):
        said = fact.stated(SourceRecord)["declared"]["family"]
        if said is None or (family is not None and said != family):
            continue
        record = fact.noun(SourceRecord)
        holds = seconds(record.valid_from, absent=BEGIN) <= moment < seconds(record.valid_until, absent=END)
        if holds and record.declared.status == "active" and looking.record(record.source_id) is not None:
            tenant = record.declared.access.tenant or ""
            versions[said, tenant][record.uri] = record.declared.version
    for (name, _), uris in sorted(versions.items()):
        if len(set(uris.values())) > 1:
            yield FoundConflict("versions", at_once(name, uris.values()), tuple(sorted(uris)), kb_id=looking.kb_id)


def _contradictions(looking: Looking, entity: str | None, instant: str) -> Iterator[FoundConflict]:
    """Assertions that show, hold at an instant and cannot all be true."""
    about = None if entity is None else (followed(entity, looking.snapshot.manifest.redirects),)
    for odd in at_odds(looking.snapshot, looking.visible, instant, about):
        yield FoundConflict("assertions", odd.message, odd.sources, kb_id=looking.kb_id)


def _values(looking: Looking, entity: str, instant: str) -> Iterator[FoundConflict]:
    """Numbers at odds in passages that mention an entity, are active and hold at an instant."""
    moment = seconds(instant, absent=0)
    chunks = [chunk for id in looking.visible.members(entity) for chunk in looking.visible.mentioning(id, _READ)]
    rows = [
        row for row in looking.rows(chunks[:_READ]).values()
        if row.status == "active" and seconds(row.valid_from, absent=BEGIN) <= moment < seconds(row.valid_until, absent=END)
    ]
    records = looking.records([row.source_id for row in rows])
    rows = [row for row in rows if row.source_id in records]
    for each in differing(looking.snapshot, rows, [_Document(records[row.source_id].uri) for row in rows]):
        yield FoundConflict(each.kind, each.message, each.sources, kb_id=looking.kb_id)


@dataclass(frozen=True, slots=True)
class _Document:
    uri: str

    @property
    def citation(self) -> str:
        return self.uri
