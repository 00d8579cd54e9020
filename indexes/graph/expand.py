"""One hop from some nodes: what is asserted of entities, or links documents, within bounds that a caller sets.

In: an opened graph, nodes, and who asks. Out: at most so many steps a node, the surest first, each with its edge. Only
relations on the list are followed, only edges that hold, and never an edge whose evidence the caller may not see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ingest.model.edge import Edge
from ingest.model.entity import followed
from ingest.model.predicate import Predicate
from ingest.protocols import GraphReader

_MOST_READ = 4096
"""Edges of one node and direction that are looked at for those that hold. Beyond that a node is a hub, and what it is next to
says little."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step from `node` to `reached`, along `edge` or (`reverse`) against it. Ids are those that merged ones mean now."""

    node: str
    reached: str
    edge: Edge
    reverse: bool


def expand(
    reader: GraphReader, nodes: Sequence[str], predicate: Predicate, *, relations: Sequence[str],
    window: tuple[str, str] | None = None, fan_out: int = 8, redirects: Mapping[str, str] | None = None,
) -> list[Step]:
    """Return the steps of one hop, by node in the order of `nodes`, then by confidence, by place in `relations`, and by id.

    `relations`: the only ones that are followed, in both directions; an empty list follows none. `window`: normalised instants
    [from, until); an edge must hold during some of it, None: whenever. `fan_out`: steps a node at most. `redirects`: ids that
    were merged; a node is asked under every id that means it, and what is reached is told by the id that it means."""
    means = redirects or {}
    called: dict[str, list[str]] = {}
    for old, new in means.items():
        called.setdefault(new, []).append(old)
    steps: list[Step] = []
    for node in dict.fromkeys(followed(node, means) for node in nodes):
        found = _steps(reader, [node, *sorted(called.get(node, ()))], predicate, relations, window, means)
        best = sorted(found, key=lambda step: _order(step, relations))
        kept: dict[tuple[str, str, bool], Step] = {}
        for step in best:
            kept.setdefault((step.edge.relation, step.reached, step.reverse), step)
        steps += list(kept.values())[: max(fan_out, 0)]
    return steps


def _steps(
    reader: GraphReader, ids: list[str], predicate: Predicate, relations: Sequence[str], window: tuple[str, str] | None,
    means: Mapping[str, str],
) -> Iterator[Step]:
    node = ids[0]
    for reverse in (False, True):
        for edge in reader.neighbors(ids, relations, predicate, _MOST_READ, reverse) if relations else ():
            reached = followed(edge.subject if reverse else edge.object, means)
            if reached != node and (window is None or _holds(edge, window)):
                yield Step(node, reached, edge, reverse)


def _holds(edge: Edge, window: tuple[str, str]) -> bool:
    # Open sides sort before and after every instant.
    return (edge.valid_from or "") < window[1] and window[0] < (edge.valid_until or "~")


def _order(step: Step, relations: Sequence[str]) -> tuple[float, int, bool, str, str]:
    return -step.edge.confidence, relations.index(step.edge.relation), step.reverse, step.reached, step.edge.edge_id
