"""What people should settle in a published generation although it is as its sources say: the warnings of `check`.

Windows that opened or closed since the last confirmation, families whose versions do not fit together, assertions that
contradict one another, documents that do not parse. They are told, never resolved here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from flows.records import Records
from flows.state import state_after
from ingest.model.entity import Assertion, Entity
from ingest.model.report import Remark
from ingest.store.catalog import Catalog

if TYPE_CHECKING:
    from entities.assertions.declared import Declarations


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
    """Assertions of one subject, under one relation that admits one object at a time, that differ while both hold."""
    groups: dict[tuple[str, str], list[Assertion]] = defaultdict(list)
    for fact in catalog.facts("assertions", generation) if exclusive else ():
        assertion = fact.noun(Assertion)
        if assertion.relation in exclusive:
            groups[assertion.subject, assertion.relation].append(assertion)
    for (subject, relation), group in sorted(groups.items()):
        at_odds = [one for one in group if any(_contradict(one, other) for other in group)]
        if at_odds:
            labels = _labels(catalog, generation, [subject, *(one.object for one in at_odds if one.object is not None)])
            told = sorted({_told(one, labels) for one in at_odds})
            sources = [records[id].uri for id in records.named({one.evidence for one in at_odds if one.evidence})]
            message = f"{labels[subject]} {relation}: {' and '.join(told)} hold at the same time"
            yield Remark("contradiction", message, tuple(sorted(sources)))


def unfit(records: Records, declarations: Declarations) -> Iterator[Remark]:
    """Assertions of documents' own metadata that could not be taken, with what to do about each."""
    for id in records.declaring(("assertions",)):
        record = records[id]
        if record.served is not None:
            extra = record.declared.extra
            said: dict[str, Any] = {"about": extra.get("about"), "assertions": extra["assertions"]}
            for problem in declarations.of(said, record.uri, ())[1]:
                yield Remark("assertion", f"{problem.place}: {problem.message}; {problem.remedy}", (record.uri,))


def _contradict(one: Assertion, other: Assertion) -> bool:
    if (one.object, one.value) == (other.object, other.value):
        return False
    # Open sides sort before and after every instant.
    return (one.valid_from or "") < (other.valid_until or "~") and (other.valid_from or "") < (one.valid_until or "~")


def _labels(catalog: Catalog, generation: int, ids: Iterable[str]) -> dict[str, str]:
    wanted = sorted(set(ids))
    entities = {id: fact.noun(Entity).label for id, fact in catalog.get("entities", generation, wanted).items()}
    return {id: entities.get(id, id) for id in wanted}


def _told(assertion: Assertion, labels: dict[str, str]) -> str:
    what = labels[assertion.object] if assertion.object is not None else repr(assertion.value)
    if assertion.valid_from is None and assertion.valid_until is None:
        return what
    return f"{what} ({assertion.valid_from or '…'} to {assertion.valid_until or '…'})"
