"""What people should settle in a published generation although it is as its sources say: the warnings of `check`.

Windows that opened or closed since the last confirmation, families whose versions do not fit together, assertions that
contradict one another, documents that do not parse. They are told, never resolved here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from flows.records import Records
from flows.state import state_after
from ingest.model.entity import Assertion, Entity, followed
from ingest.model.report import Remark
from ingest.model.row import ChunkRow
from ingest.store.catalog import Catalog

if TYPE_CHECKING:
    from entities.assertions.declared import Declarations
    from entities.assertions.standing import Standing


def windows(records: Records, since: str, until: str) -> Iterator[Remark]:
    """Active documents that began or ceased to hold after `since` and not after `until`."""
    for id in records.dated():
        stated = records.said(id)
        if stated["served"] is None or stated["declared"]["status"] != "active":
            continue
        uri = f"{stated['root']}/{stated['path']}"
        for edge, happened in (("valid_from", "began to hold"), ("valid_until", "ceased to hold")):
            instant = stated[edge]
            if instant is not None and since < instant <= until:
                yield Remark("window", f"{uri} {happened} at {instant}, after the last confirmation", (uri,))


def families(records: Records) -> Iterator[Remark]:
    """Versions that overlap, leave a gap, or name what is not there."""
    for finding in state_after(records, set(), ()).disagreements:
        yield Remark("family", finding.message, tuple(records[id].uri for id in finding.sources))


def failures(records: Records) -> Iterator[Remark]:
    """Documents that are quarantined, failed or withdrawn, with the reason."""
    for id in records.failed():
        record = records[id]
        if record.failure is not None:
            yield Remark(record.state, f"{record.uri} is {_state(record.state)}: {record.failure.message}", (record.uri,))


def _state(state: str) -> str:
    return {
        "quarantined": "quarantined, its last good text is served", "failed": "not served, it never parsed",
        "withdrawn": "withdrawn, its metadata cannot be trusted", "partial": "served in part",
    }.get(state, state)


def contradictions(catalog: Catalog, generation: int, exclusive: Collection[str], records: Records) -> Iterator[Remark]:
    """Assertions of one subject, under one relation that admits one object at a time, that differ while both hold: by the same
    rule as answers and exports tell them (`entities.assertions.standing`)."""
    if not exclusive:
        return
    from entities.assertions.standing import standings

    redirects = catalog.published(generation).manifest.redirects
    groups: dict[tuple[str, str], list[Standing]] = defaultdict(list)
    said = (fact.noun(Assertion) for fact in catalog.facts("assertions", generation))
    for stood in standings((one for one in said if one.relation in exclusive), exclusive, redirects):
        if stood.contradicts:
            groups[followed(stood.assertion.subject, redirects), stood.assertion.relation].append(stood)
    for (subject, relation), group in sorted(groups.items()):
        objects = (followed(one.assertion.object, redirects) for one in group if one.assertion.object is not None)
        labels = _labels(catalog, generation, [subject, *objects])
        told = sorted({_told(one, labels, redirects) for one in group})
        evidence = {one.assertion.evidence for one in group if one.assertion.evidence}
        message = f"{labels[subject]} {relation}: {' and '.join(told)} hold at the same time"
        yield Remark("contradiction", message, tuple(sorted(records[id].uri for id in records.named(evidence))))


def unfit(records: Records, declarations: Declarations, catalog: Catalog, generation: int) -> Iterator[Remark]:
    """What documents assert of their own accord, in their metadata and in mapped columns of their tables, that could not be
    taken, with what to do about each."""
    for id in records.declaring(("assertions", "columns")):
        record = records[id]
        if record.served is not None:
            said = {key: value for key, value in record.declared.extra.items() if key in ("about", "assertions", "columns")}
            rows = catalog.facts("chunks", generation, source_id=id) if "columns" in said else ()
            for problem in declarations.of(said, record.uri, (fact.stated(ChunkRow)["text"] for fact in rows))[1]:
                yield Remark("assertion", f"{problem.place}: {problem.message}; {problem.remedy}", (record.uri,))


def _labels(catalog: Catalog, generation: int, ids: Iterable[str]) -> dict[str, str]:
    wanted = sorted(set(ids))
    entities = {id: fact.noun(Entity).label for id, fact in catalog.get("entities", generation, wanted).items()}
    return {id: entities.get(id, id) for id in wanted}


def _told(stood: Standing, labels: dict[str, str], redirects: Mapping[str, str]) -> str:
    assertion = stood.assertion
    what = labels[followed(assertion.object, redirects)] if assertion.object is not None else repr(assertion.value)
    if assertion.valid_from is None and stood.valid_until is None:
        return what
    return f"{what} ({assertion.valid_from or '…'} to {stood.valid_until or '…'})"
