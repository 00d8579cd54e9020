"""Candidates as the server ranks them, by a bound of their scores: more and more, until whoever asks has seen enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from indexes.bm25.scoring import Scoring
from indexes.qdrant.rows import Rows
from indexes.qdrant.weights import headroom, sparse_query

_EXTRA = 16
"""Candidates asked for beyond the limit: seldom are more needed."""
ROUNDING = 1.0001
"""The server adds weights up in single precision."""


def candidates(
    rows: Rows, scoring: Scoring, mean: float, weights: Mapping[str, float], where: Sequence[Any], limit: int
) -> Iterator[tuple[list[Any], float | None]]:
    """Yield the points (`payload` with terms and counts) that have most of some weighed terms, more each time, and what one that
    was not given can score at most; None with the last, when all were given."""
    from qdrant_client.models import SparseVector

    indices, values = sparse_query(weights)
    if not indices:
        return
    room = headroom(scoring, mean, rows.header.mean, rows.header.longest) * ROUNDING
    query, asked = SparseVector(indices=indices, values=values), limit + _EXTRA
    while True:
        found = rows.points.nearest(query, where, asked, ["chunk_id", "terms", "counts"])
        if len(found) < asked:
            yield found, None
            return
        yield found, found[-1].score * room
        asked *= 4
