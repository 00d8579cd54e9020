"""What the graph leads to: rows about what is asserted to be one hop from the entities that a query names.

    named in the query                                                  (in mode graph: rows that mention it, NEAR of its weight)
    else (where it asks by a relation) mentioned in the best rows
        -> other ends of their assertions -> the row that says so       all of it
                                          -> rows that mention them     half of it (unless they mention what is named, too)

A name that may mean several things gives each its part. Relations that the query asks by count whole, others half. An entity that
very many rows mention leads nowhere: it does not tell rows apart. Rows that mention what the query names are lifted only where
nothing else ranks rows: words find them and rank them better, and a lift for the name alone costs places. What a hop is for are
those that the words of the query cannot find. Everything is read through the caller's predicate.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from entities.relations import vocabulary
from indexes.generation.snapshot import Snapshot
from indexes.graph.expand import Step, expand
from indexes.query.plan.plan import Plan
from indexes.query.visible import Visible
from ingest.model.edge import MENTIONS, REGISTRY
from ingest.model.entity import followed
from ingest.model.predicate import Predicate
from ingest.settings import SearchPart, Settings

NEAR = 0.25
OTHER_END = 0.5
_UNASKED = 0.5
_BEST = 3
"""Best rows whose entities are followed where the query names none."""
_LOOKED_AT = 4
"""Steps that are looked at for one that shows."""
_NAMED_IN_ONE = 8
"""Entities of one row that are followed."""
_MENTIONED_IN_ONE = 64
"""Entities of one row that are looked at."""
_CHUNK = "urn:kb:chunk:"


@dataclass(frozen=True, slots=True)
class Led:
    """`scores`: chunk id -> 0 to 1, how surely the graph leads there. `entities`: from which; `steps`: how many edges of
    assertions were followed."""

    scores: dict[str, float]
    entities: int = 0
    steps: int = 0


def led(
    snapshot: Snapshot, plan: Plan, best: Sequence[str], predicate: Predicate, window: tuple[str, str] | None,
    settings: SearchPart, *, near: float = 0.0,
) -> Led:
    """Return the rows that the graph leads to. `best`: chunk ids, best first, for a query that names no entity. `window`:
    assertions must hold during some of it. `near`: what mentioning a named entity counts."""
    means = snapshot.manifest.redirects
    weights = _named(plan, means) or (_mentioned(snapshot, best[:_BEST], predicate) if plan.relations else {})
    if not weights:
        return Led({})
    relations = _relations(settings, snapshot.settings)
    steps = expand(
        snapshot.graph, list(weights), predicate, relations=relations, window=window,
        fan_out=settings.expand_fan_out * _LOOKED_AT, redirects=means,
    )
    steps = _showing(Visible(snapshot, predicate), steps, settings.expand_fan_out)
    scores: dict[str, float] = {}
    reached: dict[str, float] = defaultdict(float)
    for step in steps:
        weight = weights[step.node] * step.edge.confidence * (1.0 if _is_asked(step, plan.relations) else _UNASKED)
        if step.edge.evidence.startswith(_CHUNK):
            _raise(scores, [step.edge.evidence], weight)
        reached[step.reached] = max(reached[step.reached], OTHER_END * weight)
    for entity, weight in reached.items():
        _raise(scores, _mentioning(snapshot, entity, predicate, settings.expand_rows), weight)
    if near > 0:
        for entity, weight in weights.items():
            _raise(scores, _mentioning(snapshot, entity, predicate, settings.expand_rows), near * weight)
    else:
        scores = _without(snapshot, scores, weights, predicate)
    return Led(scores, len(weights), len(steps))


def _without(
    snapshot: Snapshot, scores: dict[str, float], named: Mapping[str, float], predicate: Predicate
) -> dict[str, float]:
    """`scores` but for rows that mention what is named themselves, unless one is what asserts something of it."""
    means = snapshot.manifest.redirects
    edges = snapshot.graph.neighbors(sorted(scores), [MENTIONS], predicate, _MENTIONED_IN_ONE) if scores else []
    found = {edge.subject for edge in edges if followed(edge.object, means) in named}
    return {chunk: score for chunk, score in scores.items() if score > OTHER_END or chunk not in found}


def _showing(visible: Visible, steps: Sequence[Step], most: int) -> list[Step]:
    """The steps along assertions of which both ends show, too, at most `most` from a node."""
    taken: Counter[str] = Counter()
    kept = []
    for step in steps:
        if taken[step.node] < most and all(visible.mentioning(end, 1) for end in (step.edge.subject, step.edge.object)):
            taken[step.node] += 1
            kept.append(step)
    return kept


def _named(plan: Plan, means: Mapping[str, str]) -> dict[str, float]:
    weights: dict[str, float] = {}
    for name in plan.entities:
        for entity in name.entity_ids:
            meant = followed(entity, means)
            weights[meant] = max(weights.get(meant, 0.0), 1 / len(name.entity_ids))
    return weights


def _mentioned(snapshot: Snapshot, best: Sequence[str], predicate: Predicate) -> dict[str, float]:
    """The entities of the best rows, the first ones weighing most."""
    weights: dict[str, float] = {}
    for place, chunk in enumerate(best):
        for edge in snapshot.graph.neighbors([chunk], [MENTIONS], predicate, _NAMED_IN_ONE):
            weights.setdefault(followed(edge.object, snapshot.manifest.redirects), 1 / (2 + place))
    return weights


def _mentioning(snapshot: Snapshot, entity: str, predicate: Predicate, most: int) -> list[str]:
    """The rows that mention an entity, by any id that means it; none where they are more than `most`."""
    called = [entity, *sorted(old for old, new in snapshot.manifest.redirects.items() if new == entity)]
    edges = snapshot.graph.neighbors(called, [MENTIONS], predicate, most + 1, reverse=True)
    chunks = {edge.subject for edge in edges if edge.source_id != REGISTRY}
    return sorted(chunks) if len(chunks) <= most else []


def _is_asked(step: Step, relations: Sequence[str]) -> bool:
    return not relations or step.edge.relation in relations


def _raise(scores: dict[str, float], chunks: Iterable[str], score: float) -> None:
    for chunk in chunks:
        scores[chunk] = max(scores.get(chunk, 0.0), score)


def _relations(search: SearchPart, settings: Settings) -> tuple[str, ...]:
    """Those of the settings, else the whole vocabulary of the base, in order."""
    return search.expand_relations or _all(tuple(Path(settings.base) / file for file in settings.entities.vocabulary))


@lru_cache(maxsize=8)
def _all(files: tuple[Path, ...]) -> tuple[str, ...]:
    return tuple(sorted(vocabulary(files)))
