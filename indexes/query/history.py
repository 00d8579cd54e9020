"""What a caller may see of an older generation: what today's rules allow. What was closed since stays closed.

A source that the head still has is judged by what it declares there; one that is gone by what it declared last. One of which
the head serves nothing (it was withdrawn, or what lies there now was never understood) is closed, and so is one whose last rules
are not known because the generations between are not all kept.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from indexes.generation.snapshot import Snapshot
from ingest.model.access import Access, Principal
from ingest.model.source import SourceRecord
from ingest.store.catalog import Catalog, Fact


def visible_now(snapshot: Snapshot, head: int, who: Principal) -> frozenset[str]:
    """Return the ids of the sources of `snapshot` that `who` may see under the rules of generation `head`."""
    held = {id for id, _ in snapshot.catalog.pairs("sources", snapshot.generation)}
    rules = rules_of(snapshot.catalog, snapshot.generation, head, held)
    judged: dict[Access | None, bool] = {None: False}
    for access in rules.values():
        if access not in judged:
            judged[access] = access is not None and access.admits(who)
    return frozenset(id for id, access in rules.items() if judged[access])


def rules_of(catalog: Catalog, generation: int, head: int, sources: Collection[str]) -> dict[str, Access | None]:
    """Return who may see each of these sources of an older generation under the rules of `head`; None, and not named: nobody."""
    rules = dict(_rules(fact for fact in catalog.facts("sources", head) if fact.id in sources))
    gone = set(sources) - rules.keys()
    if gone and _all_kept(catalog, generation, head):
        rules |= _rules(catalog.latest("sources", head, sorted(gone)).values())
    return rules


def _all_kept(catalog: Catalog, generation: int, head: int) -> bool:
    """Whether every generation from the older one to the head is kept, and with it every rule that was published."""
    kept = {published.generation for published in catalog.generations()}
    return kept.issuperset(range(generation, head + 1))


def _rules(facts: Iterable[Fact]) -> Iterator[tuple[str, Access | None]]:
    """Source id -> who may see it; None: nobody. Reads two fields of each record: a base may have a hundred thousand."""
    for fact in facts:
        record = fact.stated(SourceRecord)
        access = record["declared"]["access"]
        users, roles = (None if names is None else tuple(names) for names in (access["users"], access["roles"]))
        yield fact.id, None if record["served"] is None else Access(access["tenant"], users, roles, access["level"])
