"""Which of the ranked rows become evidence: copies stand together, and no parent crowds out the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import islice

from indexes.generation.snapshot import Snapshot
from indexes.query.copies import Copies
from ingest.errors import Inconsistent
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow, is_sealed
from ingest.protocols import Hit
from ingest.store.catalog import Fact


def choose(
    snapshot: Snapshot, ranked: Sequence[Sequence[Hit]], predicate: Predicate, most: int, per_parent: int, copies: Copies
) -> tuple[list[tuple[Hit, ChunkRow]], int]:
    """The best hits with their rows, `most` of them, and how many copies were passed over. Every parent gives `per_parent`
    children at first: its text comes with the first as context, so more of them would crowd out what others say. Further ones
    fill what is left, before hits of the next list of `ranked`."""
    chosen: list[tuple[Hit, ChunkRow]] = []
    taken: Counter[str] = Counter()
    seen: set[str] = set()
    collapsed = 0
    for hits in ranked:
        further: list[tuple[Hit, ChunkRow]] = []
        waiting = iter(hits)
        while len(chosen) < most and (part := list(islice(waiting, most))):
            rows = _rows(snapshot, part, predicate)
            copies.look([hit.chunk_id for hit in part])
            for hit, row in zip(part, rows, strict=True):
                if not seen.isdisjoint(copies.of(hit.chunk_id)):
                    collapsed += 1
                    continue
                seen.add(hit.chunk_id)
                taken[row.parent_id] += 1
                (chosen if taken[row.parent_id] <= per_parent else further).append((hit, row))
        chosen += further
    return chosen[:most], collapsed


def _rows(snapshot: Snapshot, hits: Sequence[Hit], predicate: Predicate) -> list[ChunkRow]:
    """The rows of hits, proven to be those that were published and that the caller may see."""
    facts = snapshot.catalog.get("chunks", snapshot.generation, [hit.chunk_id for hit in hits])
    return [_proven(snapshot, hit.chunk_id, facts.get(hit.chunk_id), predicate) for hit in hits]


def _proven(snapshot: Snapshot, chunk_id: str, fact: Fact | None, predicate: Predicate) -> ChunkRow:
    row = None if fact is None else fact.noun(ChunkRow)
    if fact is None or row is None or row.row_checksum != fact.checksum or not is_sealed(row):
        raise Inconsistent(
            f"generation {snapshot.generation} answers with {chunk_id}, which its catalog does not hold as published; "
            "run: ingest verify"
        )
    if not predicate.admits(filter_columns(row)):
        raise Inconsistent(f"an index returned {chunk_id}, which the request's filter does not admit; run: ingest verify")
    return row
