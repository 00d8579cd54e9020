"""How near what is asked of a thing comes to what is said of it, and to what is said of others: where a property is asked for
that nobody wrote down of this thing, or that the caller may not see, rows of others are nearer than its own.

The vector of a whole question says mostly what it names, and so is near to all rows of that. The question without the names is
near to whoever says it of anything. All measures are of rows that the caller may see, in the language of the first row of the
thing; cosines.

    own     of the nearest row of the thing
    above   by how much that exceeds the mean of the 40 nearest of all rows
    ahead   of the twenty nearest, the share that is nearer than any row of the thing, and not like one
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from indexes.generation.snapshot import Snapshot
from ingest.model.language import primary
from ingest.model.predicate import Predicate
from ingest.model.row import ChunkRow

_NEAREST = 40
_AHEAD = 20
_SIBLINGS = 0.9
"""Cosine of two rows from which on they are alike. Chosen by eye: sections of one kind, of two papers, mostly had .93 to 1 with
multilingual-e5, and of two kinds .8 to .88."""


@dataclass(frozen=True, slots=True)
class Nearness:
    own: float
    above: float
    ahead: float


def nearness(snapshot: Snapshot, query: Any, predicate: Predicate, holders: Sequence[ChunkRow]) -> Nearness | None:
    """Return how near `query`, the vector of a question without its names, comes. `holders`: rows of what it names, best first.
    None where no row is in the language of these."""
    import numpy as np

    lists = snapshot.vector.by_language(query, predicate, _NEAREST)
    others = lists.get(primary(holders[0].language or ""), [])
    if not others:
        return None
    vectors = snapshot.vector.vectors([*(row.chunk_id for row in holders), *(hit.chunk_id for hit in others[:_AHEAD])])
    own = np.stack([np.frombuffer(vectors[row.chunk_id], np.float32) for row in holders])
    near = np.stack([np.frombuffer(vectors[hit.chunk_id], np.float32) for hit in others[:_AHEAD]])
    scores = np.array([hit.score for hit in others])
    best = float((own @ query).max())
    like = (near @ own.T).max(axis=1)
    passed = (scores[:_AHEAD] > best) & (like < _SIBLINGS)
    return Nearness(best, best - float(scores.mean()), float(passed.mean()))
