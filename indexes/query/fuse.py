"""One ranking of two lists: scores are standardised within each list, then added with weights.

Standardised scores keep how far the best stands out, which ranks throw away; on XQuAD they beat reciprocal rank fusion in
both languages. What one index did not return counts as the lowest score that it did return.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ingest.protocols import Hit


def fuse(vector: Sequence[Hit], bm25: Sequence[Hit], bm25_weight: float) -> list[Hit]:
    """Return the union of both lists, best first, ties by chunk id. `bm25_weight` is in 0 to 1, the vector has the rest."""
    if not bm25 or not vector:
        return sorted(_Standard(vector or bm25).hits(), key=_order)
    left, right = _Standard(vector), _Standard(bm25)
    fused = [
        Hit(chunk, (1 - bm25_weight) * left.of(chunk) + bm25_weight * right.of(chunk))
        for chunk in {hit.chunk_id for hit in (*vector, *bm25)}
    ]
    return sorted(fused, key=_order)


def _order(hit: Hit) -> tuple[float, str]:
    return -hit.score, hit.chunk_id


class _Standard:
    """Scores of one list as standard deviations from their mean."""

    def __init__(self, hits: Sequence[Hit]) -> None:
        count = max(1, len(hits))
        mean = math.fsum(hit.score for hit in hits) / count
        spread = math.sqrt(math.fsum((hit.score - mean) ** 2 for hit in hits) / count)
        self._scores = {hit.chunk_id: (hit.score - mean) / spread if spread > 0 else 0.0 for hit in hits}
        self._lowest = min(self._scores.values(), default=0.0)

    def of(self, chunk: str) -> float:
        return self._scores.get(chunk, self._lowest)

    def hits(self) -> list[Hit]:
        return [Hit(chunk, score) for chunk, score in self._scores.items()]
