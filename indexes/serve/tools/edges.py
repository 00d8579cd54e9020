"""What is next to something: one hop along relations that may be followed, within bounds, and only what shows."""

from __future__ import annotations

from collections.abc import Sequence

from indexes.graph.expand import Step, expand
from indexes.serve.answers import Neighbor, Neighbors
from indexes.serve.arguments import GraphNeighbors
from indexes.serve.tools.asking import Asking, Told, held
from indexes.serve.tools.looking import Looking, urn_of
from indexes.serve.tools.vocabulary import vocabulary_of
from ingest.errors import UsageError
from ingest.model.edge import LINKS_TO, MENTIONS
from ingest.model.entity import followed
from ingest.settings import Settings

_LOOKED_AT = 4
"""Steps that are looked at for one that shows: of a step whose end does not show the next takes the place."""


def graph_neighbors(asking: Asking, asked: GraphNeighbors) -> Told:
    """One hop from entities, passages or documents along asserted relations and links: bounded, within a time if asked, each step
    with the evidence that says so. Mentions are followed only where `relations` names them."""
    known: dict[str, None] = {}

    def hop(looking: Looking) -> list[Neighbor] | None:
        allowed = followable(looking.opened.settings)
        known.update(dict.fromkeys(allowed))
        return _hop(looking, asked, allowed)

    results, failed = asking.each(asked.kb_ids, hop)
    unknown = sorted(set(asked.relations or ()) - known.keys())
    if unknown and not failed:  # a base that failed may know them
        raise UsageError(f"no relation is called {', '.join(unknown)}; those that can be followed are: {', '.join(known)}")
    found = held(results, failed, ", ".join(asked.ids))
    steps = tuple(step for one in found for step in one.result)
    seen = tuple(one.seen(id for step in one.result for id in (step.id, step.reached)) for one in found)
    return Told(Neighbors(steps, failed), seen)


def _hop(looking: Looking, asked: GraphNeighbors, allowed: Sequence[str]) -> list[Neighbor] | None:
    """The steps in one base, along those of its own relations that are asked for; None where none of the ids shows in it."""
    wanted = [name for name in allowed if name != MENTIONS] if asked.relations is None else asked.relations
    relations = [name for name in wanted if name in allowed]
    nodes = [id for id in map(_node, asked.ids) if _shows(looking, id)]
    if not nodes:
        return None
    window = (asked.holds_from or "", asked.holds_until or "~") if asked.holds_from or asked.holds_until else None
    steps = expand(
        looking.snapshot.graph, nodes, looking.predicate, relations=relations, window=window,
        fan_out=asked.fan_out * _LOOKED_AT, redirects=looking.snapshot.manifest.redirects,
    )
    told: list[Neighbor] = []
    taken: dict[str, int] = {}
    for step in filter(lambda step: _ends_show(looking, step), steps):
        if taken.get(step.node, 0) < asked.fan_out and (named := _named(looking, step.reached)) is not None:
            taken[step.node] = taken.get(step.node, 0) + 1
            told.append(_told(looking.kb_id, step, named))
    return told


def followable(settings: Settings) -> tuple[str, ...]:
    """The relations that may be followed in a base: those of its vocabulary, links and mentions."""
    return (*sorted(vocabulary_of(settings)), LINKS_TO, MENTIONS)


def _node(id: str) -> str:
    return id if id.startswith("urn:") else urn_of(id)


def _shows(looking: Looking, id: str) -> bool:
    return (
        looking.row(id) is not None or looking.record(id) is not None or looking.parent(id) is not None
        or bool(looking.visible.members(id))
    )


def _ends_show(looking: Looking, step: Step) -> bool:
    """Whether an assertion shows by the ids that it was written with, one of which may have been merged since."""
    ends = (step.edge.subject, step.edge.object)
    return step.edge.relation in (LINKS_TO, MENTIONS) or all(looking.visible.mentioning(end, 1) for end in ends)


def _named(looking: Looking, id: str) -> tuple[str, str] | None:
    """What a node is called and what it is, None where it does not show."""
    if (row := looking.row(id)) is not None:
        return row.title, "chunk"
    if (record := looking.record(id)) is not None:
        return record.title, "document"
    if (parent := looking.parent(id)) is not None:
        return (parent.heading_path or ("",))[-1], "parent"
    members = looking.visible.members(id)
    if not members:
        return None
    meant = followed(id, looking.snapshot.manifest.redirects)
    shown = members.get(meant) or next(iter(members.values()))
    return shown.label, shown.type


def _told(kb_id: str, step: Step, named: tuple[str, str]) -> Neighbor:
    edge = step.edge
    return Neighbor(
        kb_id, step.node, edge.relation, step.reverse, step.reached, *named, edge.evidence, edge.valid_from, edge.valid_until,
        edge.confidence,
    )
