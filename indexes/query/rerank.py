"""The best rows in the order of a reranker: it sees query and text together, and few of them because that is slow.

Rows that it is not shown follow in the order that they had. The fused scores of those that it is shown are dealt out anew in its
order, so that order and scores agree.
"""

from __future__ import annotations

from collections.abc import Sequence

from indexes.generation.snapshot import Snapshot
from ingest.model.row import ChunkRow
from ingest.protocols import Hit, Reranker


def reranked(snapshot: Snapshot, reranker: Reranker, query: str, hits: Sequence[Hit], most: int) -> list[Hit]:
    """Return `hits` with the first `most` in the reranker's order; ties keep the order that they had."""
    first, rest = hits[:most], list(hits[most:])
    facts = snapshot.catalog.get("chunks", snapshot.generation, [hit.chunk_id for hit in first])
    held = [hit for hit in first if hit.chunk_id in facts]
    scores = reranker.scores(query, [facts[hit.chunk_id].noun(ChunkRow).search_text for hit in held])
    placed = sorted(zip(scores, range(len(held)), strict=True), key=lambda each: (-each[0], each[1]))
    ranks = sorted((hit.score for hit in held), reverse=True)
    missing = [hit for hit in first if hit.chunk_id not in facts]  # whoever reads the rows next tells that they are missing
    return [*(Hit(held[at].chunk_id, score) for (_, at), score in zip(placed, ranks, strict=True)), *missing, *rest]
