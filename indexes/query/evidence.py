"""From ranked rows to an evidence pack: text and context from the catalog of the same generation, conflicts named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from indexes.generation.snapshot import Snapshot
from indexes.query.request import Request, instant_of, predicate_of
from indexes.query.retrieve import Retrieved, retrieve
from ingest.errors import Inconsistent
from ingest.model.canonical import sha256_hex
from ingest.model.chunk import Parent
from ingest.model.evidence import Conflict, Evidence, EvidencePack, Scores
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord
from ingest.protocols import Embedder, Hit
from ingest.settings import SearchPart


def search(snapshot: Snapshot, embedder: Embedder | None, request: Request, settings: SearchPart) -> EvidencePack:
    """Answer one request from one pinned generation."""
    instant = instant_of(request)
    predicate = predicate_of(request, snapshot, instant)
    found = retrieve(snapshot, embedder, request, predicate, settings)
    evidence = _evidence(snapshot, found, found.hits[: request.top_k], predicate)
    return EvidencePack(
        generation=snapshot.generation,
        snapshot=snapshot.manifest.snapshot,
        query=request.query,
        as_of=instant,
        principal=request.principal,
        status="ok" if evidence else "insufficient_evidence",
        evidence=tuple(item for item, _ in evidence),
        conflicts=_conflicts(evidence),
        trace=_trace(found),
    )


def _trace(found: Retrieved) -> dict[str, Any]:
    return {
        "vector": len(found.vector), "bm25": len(found.bm25), "fused": len(found.hits),
        "bm25_weight": round(found.bm25_weight, 4), "milliseconds": found.milliseconds,
    }


def _evidence(
    snapshot: Snapshot, found: Retrieved, hits: Sequence[Hit], predicate: Predicate
) -> list[tuple[Evidence, ChunkRow]]:
    rows = {id: fact.noun(ChunkRow) for id, fact in snapshot.catalog.get(
        "chunks", snapshot.generation, [hit.chunk_id for hit in hits]).items()}
    parents = snapshot.catalog.get("parents", snapshot.generation, sorted({row.parent_id for row in rows.values()}))
    records = snapshot.catalog.get("sources", snapshot.generation, sorted({row.source_id for row in rows.values()}))
    best = max(found.bm25.values(), default=0.0)
    items = []
    for number, hit in enumerate(hits, 1):
        row = rows.get(hit.chunk_id)
        if row is None or sha256_hex(row.text) != row.text_checksum:
            raise Inconsistent(
                f"generation {snapshot.generation} answers with {hit.chunk_id}, which its catalog does not hold as published; "
                "run: ingest verify"
            )
        if not predicate.admits(filter_columns(row)):
            raise Inconsistent(f"an index returned {hit.chunk_id}, which the request's filter does not admit; run: ingest verify")
        bm25 = found.bm25.get(hit.chunk_id)
        # Relative to the best hit: raw BM25 scores would tell how many rows, seen or not, hold a term.
        scores = Scores(found.vector.get(hit.chunk_id), bm25 / best if bm25 is not None and best else None, None, hit.score)
        record, parent = records[row.source_id].noun(SourceRecord), parents[row.parent_id].noun(Parent)
        items.append((_item(f"K{number}", row, record, parent, scores), row))
    return items


def _item(citation: str, row: ChunkRow, record: SourceRecord, parent: Parent, scores: Scores) -> Evidence:
    return Evidence(
        citation, row.chunk_id, row.parent_id, row.source_id, record.uri, row.title, row.heading_path, row.text, parent.text,
        row.entity_ids, row.version, row.status, row.valid_from, row.valid_until, row.text_checksum, row.confidence, scores,
        row.provenance,
    )


def _conflicts(evidence: Sequence[tuple[Evidence, ChunkRow]]) -> tuple[Conflict, ...]:
    """Two versions of one family in one answer: both hold at that instant, so the reader must be told."""
    members: dict[tuple[str, str | None], dict[str, str]] = defaultdict(dict)
    for item, row in evidence:
        if row.family is not None:
            members[(row.family, row.access.tenant)][item.uri] = row.version or "without version"
    return tuple(
        Conflict(
            "versions",
            f"{family}: several versions hold at this instant ({', '.join(sorted(set(uris.values())))})",
            tuple(sorted(uris)),
        )
        for (family, _), uris in sorted(members.items(), key=lambda entry: (entry[0][0], entry[0][1] or ""))
        if len(set(uris.values())) > 1
    )
