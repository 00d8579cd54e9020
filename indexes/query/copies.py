"""Passages of other sources that say the same as what was found: told beside it instead of crowding it out.

Only copies that the request's filter admits are looked at, both by the graph and by their rows: that a passage has a copy which
the caller may not see is not to be told, neither by name nor by a count.
"""

from __future__ import annotations

from collections.abc import Sequence

from indexes.generation.snapshot import Snapshot
from ingest.model.edge import NEAR_DUPLICATE
from ingest.model.evidence import Copy
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord

MOST = 64
"""Copies of one passage that are looked at, and told: what a flows.near.REACH of 32 to either side makes of one key."""


class Copies:
    """The copies that one request may see."""

    def __init__(self, snapshot: Snapshot, predicate: Predicate) -> None:
        self._snapshot = snapshot
        self._predicate = predicate
        self._of: dict[str, dict[str, float]] = {}

    def look(self, chunks: Sequence[str]) -> None:
        """Read the copies of some chunks at once."""
        wanted = [chunk for chunk in chunks if chunk not in self._of]
        self._of.update((chunk, {}) for chunk in wanted)
        graph = self._snapshot.graph
        for reverse in (False, True):
            for edge in graph.neighbors(wanted, [NEAR_DUPLICATE], self._predicate, MOST, reverse):
                chunk, other = (edge.object, edge.subject) if reverse else (edge.subject, edge.object)
                self._of[chunk][other] = edge.confidence

    def of(self, chunk: str) -> frozenset[str]:
        """Ids of the copies of a chunk that was looked at."""
        return frozenset(self._of[chunk])

    def told(self, chunks: Sequence[str]) -> dict[str, tuple[Copy, ...]]:
        """Chunk id -> its copies, those that share most first."""
        ids = sorted({copy for chunk in chunks for copy in self._of[chunk]})
        facts = self._snapshot.catalog.get("chunks", self._snapshot.generation, ids) if ids else {}
        rows = {id: row for id, fact in facts.items() if self._predicate.admits(filter_columns(row := fact.noun(ChunkRow)))}
        sources = sorted({row.source_id for row in rows.values()})
        records = self._snapshot.catalog.get("sources", self._snapshot.generation, sources) if sources else {}
        uris = {id: fact.noun(SourceRecord).uri for id, fact in records.items()}
        return {
            chunk: tuple(
                Copy(id, rows[id].source_id, uris[rows[id].source_id], rows[id].title, rows[id].version, share)
                for id, share in sorted(self._of[chunk].items(), key=lambda found: (-found[1], found[0])) if id in rows
            )
            for chunk in chunks
        }
