"""Reviewed assertions about what an answer speaks of that contradict one another, as far as the caller may see both.

Which relations admit one object at a time is said by the vocabulary and by seeds; what contradicts what by
`entities.assertions.standing`. An assertion shows when its evidence and both of its ends do: of two that contradict, one of
which is hidden, nothing is told.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from entities.assertions.standing import Standing, standings
from indexes.generation.snapshot import Snapshot
from indexes.query.visible import Visible
from ingest.model.entity import Assertion, followed
from ingest.model.evidence import Conflict, Evidence
from ingest.model.predicate import Predicate

_MOST = 200
"""Assertions of one entity that show and are compared; what is hidden takes no place of theirs."""


def contradictions(
    snapshot: Snapshot, predicate: Predicate, instant: str | None, evidence: Sequence[Evidence]
) -> Iterator[Conflict]:
    """Yield what is at odds at `instant` (None: at any time) about the entities of an answer, by entity and relation."""
    by_subject = snapshot.kept("exclusive assertions", lambda: _exclusive(snapshot)) if evidence else {}
    if not by_subject:
        return
    redirects = snapshot.manifest.redirects
    visible = Visible(snapshot, predicate)
    for entity in sorted({id for item in evidence for id in item.entity_ids}):
        said = list(islice(filter(visible.assertion, by_subject.get(entity, ())), _MOST))
        if len(said) < 2:
            continue
        stood = standings(said, {each.relation for each in said}, redirects)
        holding = [each for each in stood if instant is None or each.holds_at(instant)]
        ids = {each.assertion.assertion_id for each in holding}
        odd = [each for each in holding if not ids.isdisjoint(each.contradicts)]
        for relation in sorted({each.assertion.relation for each in odd}):
            group = [each for each in odd if each.assertion.relation == relation]
            yield _told(snapshot, visible, entity, relation, group, evidence)


def _told(
    snapshot: Snapshot, visible: Visible, entity: str, relation: str, odd: Sequence[Standing], evidence: Sequence[Evidence]
) -> Conflict:
    redirects = snapshot.manifest.redirects
    objects = [each.assertion.object for each in odd if each.assertion.object is not None]
    labels = {id: _label(visible, id) for id in (entity, *objects)}
    values = sorted({
        labels[each.assertion.object] if each.assertion.object is not None else str(each.assertion.value) for each in odd
    })
    meant = {followed(id, redirects) for id in objects}
    literal = [each.assertion.value for each in odd if each.assertion.value]
    said = [
        item for item in evidence if entity in item.entity_ids
        and (not meant.isdisjoint(item.entity_ids) or any(value in item.text for value in literal))
    ]
    sources = sorted({uri for each in odd if each.assertion.evidence for uri in visible.uris(each.assertion.evidence)})
    return Conflict(
        "assertions", f"{labels[entity]} {relation}: {' and '.join(values)} hold at the same time",
        tuple(sources), tuple(item.citation for item in said),
    )


def _label(visible: Visible, id: str) -> str:
    """A name of an entity that shows, else its id."""
    shown = visible.members(id)
    return next(iter(shown.values())).label if shown else id


def _exclusive(snapshot: Snapshot) -> dict[str, list[Assertion]]:
    """Every assertion under a relation that admits one object at a time, by the entity that its subject means."""
    relations = exclusive_relations(snapshot)
    found: dict[str, list[Assertion]] = defaultdict(list)
    for fact in snapshot.catalog.facts("assertions", snapshot.generation):
        if fact.stated(Assertion)["relation"] in relations:
            assertion = fact.noun(Assertion)
            found[followed(assertion.subject, snapshot.manifest.redirects)].append(assertion)
    return {subject: group for subject, group in found.items() if len(group) > 1}


def exclusive_relations(snapshot: Snapshot) -> frozenset[str]:
    """Return the relations that admit one object at a time: by the vocabulary, and as seeds say; seeds that do not speak of it
    are not read."""
    from entities.registry import load_seeds
    from entities.relations import vocabulary

    settings = snapshot.settings
    base = Path(settings.base)
    listed = vocabulary(base / file for file in settings.entities.vocabulary).exclusive
    seeds = [base / file for file in (*settings.entities.seeds, settings.entities.imported)]
    telling = [seed for seed in seeds if seed.is_file() and b"exclusive" in seed.read_bytes()]
    return listed | frozenset(load_seeds(telling).exclusive) if telling else listed
