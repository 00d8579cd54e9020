"""From ranked rows to an evidence pack: text and context from the catalog of the same generation, conflicts named."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import islice

from indexes.generation.snapshot import Snapshot
from indexes.query.copies import Copies
from indexes.query.request import Request, instant_of, predicate_of
from indexes.query.retrieve import Retrieved, retrieve
from ingest.errors import Inconsistent
from ingest.model.canonical import digest_of
from ingest.model.chunk import Parent
from ingest.model.entity import followed
from ingest.model.evidence import Conflict, Copy, Evidence, EvidencePack, Scores
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow, resealed
from ingest.model.source import SourceRecord
from ingest.protocols import Embedder, Hit
from ingest.settings import SearchPart
from ingest.store.catalog import Fact


def search(snapshot: Snapshot, embedder: Embedder | None, request: Request, settings: SearchPart) -> EvidencePack:
    """Answer one request from one pinned generation.

    `status` is `insufficient_evidence` when nothing was found. Raises Inconsistent when an index and the catalog disagree about a
    row: nothing is answered from rows that are not what was published.
    """
    instant = instant_of(request)
    predicate = predicate_of(request, snapshot, instant)
    found = retrieve(snapshot, embedder, request, predicate, settings)
    copies = Copies(snapshot, predicate)
    chosen, collapsed = _chosen(snapshot, found.hits, predicate, request.top_k, settings.per_parent, copies)
    evidence = _evidence(snapshot, found, chosen, copies)
    return EvidencePack(
        generation=snapshot.generation,
        snapshot=snapshot.manifest.snapshot,
        query=request.query,
        as_of=instant,
        principal=request.principal,
        status="ok" if evidence else "insufficient_evidence",
        evidence=evidence,
        conflicts=_conflicts([row for _, row in chosen], evidence),
        trace={**found.trace, "collapsed": collapsed},
    )


def _chosen(
    snapshot: Snapshot, hits: Sequence[Hit], predicate: Predicate, most: int, per_parent: int, copies: Copies
) -> tuple[list[tuple[Hit, ChunkRow]], int]:
    """The best hits with their rows, `most` of them, and how many copies were passed over. Every parent gives `per_parent`
    children at first: its text comes with the first as context, so more of them would crowd out what others say. Further ones
    fill what is left."""
    chosen: list[tuple[Hit, ChunkRow]] = []
    further: list[tuple[Hit, ChunkRow]] = []
    taken: Counter[str] = Counter()
    seen: set[str] = set()
    collapsed = 0
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
    return (chosen + further)[:most], collapsed


def _rows(snapshot: Snapshot, hits: Sequence[Hit], predicate: Predicate) -> list[ChunkRow]:
    """The rows of hits, proven to be those that were published and that the caller may see."""
    facts = snapshot.catalog.get("chunks", snapshot.generation, [hit.chunk_id for hit in hits])
    return [_proven(snapshot, hit.chunk_id, facts.get(hit.chunk_id), predicate) for hit in hits]


def _proven(snapshot: Snapshot, chunk_id: str, fact: Fact | None, predicate: Predicate) -> ChunkRow:
    row = None if fact is None else fact.noun(ChunkRow)
    if fact is None or row is None or row.row_checksum != fact.checksum or resealed(row) != row:
        raise Inconsistent(
            f"generation {snapshot.generation} answers with {chunk_id}, which its catalog does not hold as published; "
            "run: ingest verify"
        )
    if not predicate.admits(filter_columns(row)):
        raise Inconsistent(f"an index returned {chunk_id}, which the request's filter does not admit; run: ingest verify")
    return row


def _evidence(
    snapshot: Snapshot, found: Retrieved, chosen: Sequence[tuple[Hit, ChunkRow]], copies: Copies
) -> tuple[Evidence, ...]:
    rows = [row for _, row in chosen]
    parents = snapshot.catalog.get("parents", snapshot.generation, sorted({row.parent_id for row in rows}))
    records = snapshot.catalog.get("sources", snapshot.generation, sorted({row.source_id for row in rows}))
    told = copies.told([row.chunk_id for row in rows])
    items = []
    for number, (hit, row) in enumerate(chosen, 1):
        scores = Scores(found.vector.get(hit.chunk_id), found.bm25.get(hit.chunk_id), None, hit.score)
        record = records[row.source_id].noun(SourceRecord)
        context = _context(snapshot, row, parents.get(row.parent_id))
        entities = tuple(sorted({followed(id, snapshot.manifest.redirects) for id in row.entity_ids}))
        items.append(_item(f"K{number}", row, entities, record, context, scores, told[row.chunk_id]))
    return tuple(items)


def _context(snapshot: Snapshot, row: ChunkRow, fact: Fact | None) -> str:
    parent = None if fact is None else fact.noun(Parent)
    if fact is None or parent is None or parent.source_id != row.source_id or digest_of(parent) != fact.checksum:
        raise Inconsistent(
            f"generation {snapshot.generation} does not hold {row.parent_id}, the context of {row.chunk_id}, as published; "
            "run: ingest verify"
        )
    return parent.text


def _item(
    citation: str, row: ChunkRow, entities: tuple[str, ...], record: SourceRecord, context: str, scores: Scores,
    also_in: tuple[Copy, ...],
) -> Evidence:
    return Evidence(
        citation, row.chunk_id, row.parent_id, row.source_id, record.uri, row.title, row.heading_path, row.text, context,
        entities, row.version, row.status, row.valid_from, row.valid_until, row.text_checksum, row.confidence, scores,
        row.provenance, also_in,
    )


def _conflicts(rows: Sequence[ChunkRow], evidence: Sequence[Evidence]) -> tuple[Conflict, ...]:
    """Two versions of one family in one answer: both hold at that instant, so the reader must be told."""
    members: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for row, item in zip(rows, evidence, strict=True):
        if row.family is not None:
            members[(row.family, row.access.tenant or "")][item.uri] = row.version or "without version"
    return tuple(
        Conflict(
            "versions",
            f"{family}: several versions hold at this instant ({', '.join(sorted(set(uris.values())))})",
            tuple(sorted(uris)),
        )
        for (family, _), uris in sorted(members.items())
        if len(set(uris.values())) > 1
    )
