"""Which entities are one: components of accepted edges, and what of them only a person may decide.

An edge is accepted because of an identifier in common, an equal name, or a judgement. A component that holds a contradiction (a
pair that a judgement keeps apart, or two values of an exclusive identifier) proves that one of its edges is wrong, and nobody can
tell which: all of them but identifiers go to review. What identifiers alone still join stands, unless they contradict one
another, or a pin. The outcome depends on the set of edges only; the smallest id survives.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from entities.judgements import Pair, pair_of
from ingest.model.entity import Judgement, Redirect

Ground = Literal["identifier", "name", "judgement"]


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """Why two entities are taken to be one. `pair`: the smaller id first. `words`: for people."""

    pair: Pair
    ground: Ground
    words: str


@dataclass(frozen=True, slots=True, order=True)
class Undecided:
    """An edge that waits for a person, and why."""

    edge: Edge
    why: str


@dataclass(frozen=True, slots=True)
class Clusters:
    """`redirects`: by id, of every entity but the one that survives of its cluster. `undecided`: sorted."""

    redirects: tuple[Redirect, ...]
    undecided: tuple[Undecided, ...]


def edge(one: str, other: str, ground: Ground, words: str) -> Edge:
    return Edge(pair_of(one, other), ground, words)


def clusters(
    edges: Iterable[Edge], apart: Mapping[Pair, Judgement], conflict: Callable[[Sequence[str]], str | None],
) -> Clusters:
    """Return what follows from `edges`. `apart`: pairs that judgements keep apart; a `pin` also against identifiers. `conflict`
    says why some entities cannot all be one, by their identifiers, or None."""
    accepted = {each for each in edges if not _kept_apart(each, apart)}
    undecided: set[Undecided] = set()
    for members, joined in _components(accepted):
        why = _contradiction(members, apart, conflict)
        if why is not None:
            loose = {each for each in joined if each.ground != "identifier"}
            undecided |= {Undecided(each, why) for each in loose}
            accepted -= loose
    pinned = {pair: entry for pair, entry in apart.items() if entry.kind == "pin"}
    for members, joined in _components(accepted):
        why = _contradiction(members, pinned, conflict)
        if why is not None:
            undecided |= {Undecided(each, why) for each in joined}
            accepted -= set(joined)
    redirects = [
        Redirect(member, members[0], tuple(sorted({each.words for each in joined if member in each.pair})))
        for members, joined in _components(accepted) for member in members[1:]
    ]
    return Clusters(tuple(sorted(redirects, key=lambda redirect: redirect.entity_id)), tuple(sorted(undecided)))


def _kept_apart(each: Edge, apart: Mapping[Pair, Judgement]) -> bool:
    """Whether a judgement about this very pair outweighs the edge: a pin any, the others all but an identifier."""
    entry = apart.get(each.pair)
    return entry is not None and (entry.kind == "pin" or each.ground != "identifier")


def _components(edges: Iterable[Edge]) -> list[tuple[tuple[str, ...], list[Edge]]]:
    """(ids, edges) of each component of two entities or more, sorted."""
    leader: dict[str, str] = {}

    def root(id: str) -> str:
        while leader.setdefault(id, id) != id:
            leader[id] = leader[leader[id]]
            id = leader[id]
        return id

    ordered = sorted(edges)
    for each in ordered:
        one, other = sorted(map(root, each.pair))
        leader[other] = one
    members: dict[str, list[str]] = defaultdict(list)
    for id in sorted(leader):
        members[root(id)].append(id)
    joined: dict[str, list[Edge]] = defaultdict(list)
    for each in ordered:
        joined[root(each.pair[0])].append(each)
    return [(tuple(members[first]), joined[first]) for first in sorted(joined)]


def _contradiction(
    members: Sequence[str], apart: Mapping[Pair, Judgement], conflict: Callable[[Sequence[str]], str | None]
) -> str | None:
    """Return why these cannot all be one, in words; the first reason in order."""
    inside = set(members)
    for pair, entry in sorted(apart.items()) if len(apart) < len(members) ** 2 else _pairs(members, apart):
        if inside.issuperset(pair):
            return f"{entry.actor} keeps {pair[0]} and {pair[1]} apart ({entry.reason})"
    return conflict(members)


def _pairs(members: Sequence[str], apart: Mapping[Pair, Judgement]) -> Iterable[tuple[Pair, Judgement]]:
    for place, one in enumerate(members):
        for other in members[place + 1 :]:
            if (one, other) in apart:
                yield (one, other), apart[one, other]
