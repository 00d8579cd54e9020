"""From ranked rows to an evidence pack: text and context from the catalog of the same generation, conflicts named.

What a plan could not settle is asked (`clarification`): of a pronoun nothing is retrieved, for nobody said what it means; a name
of several things is answered for all of them, a code that no row has with what is one slip away, a question that names nothing as
it stands. Flags warn of texts that speak to the reader; they change nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from indexes.generation.snapshot import Snapshot
from indexes.query.choose import choose
from indexes.query.conflicts import conflicts
from indexes.query.context import contexts, fitting
from indexes.query.copies import Copies
from indexes.query.flags import flags
from indexes.query.fuse import Nearest
from indexes.query.nearness import nearness
from indexes.query.plan.narrow import narrowed, timed
from indexes.query.plan.plan import Plan, as_asked
from indexes.query.plan.planner import planned
from indexes.query.plan.reading import MOST as READ
from indexes.query.request import Request, instant_of, predicate_of
from indexes.query.retrieve import Retrieved, retrieve
from indexes.query.subjects import subjects
from indexes.query.sufficiency import judged
from ingest.errors import Inconsistent
from ingest.model.canonical import digest_of, plain
from ingest.model.chunk import Parent
from ingest.model.entity import followed
from ingest.model.evidence import Conflict, Copy, Evidence, EvidencePack, Freshness, Scores
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord
from ingest.protocols import Embedder, Hit
from ingest.rerank.engine import reranker_of
from ingest.settings import SearchPart
from ingest.store.catalog import Fact


def search(snapshot: Snapshot, embedder: Embedder | None, request: Request, settings: SearchPart) -> EvidencePack:
    """Answer one request from one pinned generation.

    `status` is `insufficient_evidence` when nothing was found, or when the chance that it answers is below `search.sufficiency`.
    Raises Inconsistent when an index and the catalog disagree about a row: nothing is answered from rows that are not what was
    published.
    """
    return searched(snapshot, embedder, request, settings)[0]


def searched(
    snapshot: Snapshot, embedder: Embedder | None, request: Request, settings: SearchPart
) -> tuple[EvidencePack, Nearest]:
    """As `search`, with what the pack is merged by with those of other knowledge bases."""
    instant = instant_of(request)
    predicate = predicate_of(request, snapshot, instant)
    plan = planned(snapshot, request, predicate, settings) if request.planned else as_asked(request.query)
    named = subjects(snapshot, predicate, plan)
    if (moved := timed(request, plan)) is not request:
        request, instant = moved, instant_of(moved)
        predicate = predicate_of(request, snapshot, instant)
    predicate = narrowed(predicate, plan)
    if plan.clarification is not None and plan.clarification.reason == "pronoun":
        return _pack(snapshot, request, instant, plan, "insufficient_evidence"), Nearest()
    found = retrieve(snapshot, embedder, request, plan, predicate, settings, reranker_of(settings))
    copies = Copies(snapshot, predicate)
    chosen, collapsed = choose(
        snapshot, (found.hits, found.further), predicate, request.top_k, settings.per_parent, copies
    )
    tokens = settings.tokens if request.tokens is None else request.tokens
    chosen = chosen[: fitting([row.text for _, row in chosen], tokens)]
    evidence = _evidence(snapshot, found, chosen, copies, tokens)
    rows = {row.chunk_id: row for _, row in chosen}
    sure = judged(
        (plan.question or request.query)[:READ], evidence, found.signals, snapshot.manifest.engines.get("embed", ""), named,
        lambda terms: snapshot.bm25.held(terms, predicate),
        None if embedder is None or found.signals.cosine is None else lambda asked, holders: nearness(
            snapshot, embedder.queries([asked])[0] if found.rest is None else found.rest, predicate,
            [rows[chunk] for chunk in holders],
        ),
    )
    enough = sure.chance is not None and sure.chance >= settings.sufficiency
    pack = _pack(
        snapshot, request, instant, plan, "ok" if enough else "insufficient_evidence", evidence=evidence,
        conflicts=conflicts(snapshot, predicate, None if request.during else instant, [row for _, row in chosen], evidence),
        confidence=sure.chance, trace={**found.trace, "collapsed": collapsed, "sufficiency": plain(sure.features)},
    )
    return pack, found.near


def _pack(
    snapshot: Snapshot, request: Request, instant: str, plan: Plan, status: str, *, evidence: tuple[Evidence, ...] = (),
    conflicts: tuple[Conflict, ...] = (), confidence: float | None = None, trace: Mapping[str, Any] | None = None,
) -> EvidencePack:
    asked = plan.clarification
    return EvidencePack(
        generation=snapshot.generation, snapshot=snapshot.manifest.snapshot, query=request.query, as_of=instant,
        principal=request.principal, status=status, evidence=evidence, conflicts=conflicts, confidence=confidence,
        clarification=None if asked is None else plain(asked), freshness=_freshness(snapshot),
        trace={**(trace or {}), "plan": _told(plan)},
    )


def _freshness(snapshot: Snapshot) -> Freshness:
    """A generation is confirmed by each run that finds nothing to change, and when it is published."""
    published = snapshot.catalog.published(snapshot.generation)
    return Freshness(published.published_at, published.confirmed_at)


def _told(plan: Plan) -> dict[str, Any]:
    """What a plan says beyond the one that changes nothing. A clarification stands in the pack itself."""
    silent = as_asked("")
    said = {each.name: getattr(plan, each.name) for each in fields(plan) if each.name != "clarification"}
    return {name: plain(value) for name, value in said.items() if value != getattr(silent, name)}


def _evidence(
    snapshot: Snapshot, found: Retrieved, chosen: Sequence[tuple[Hit, ChunkRow]], copies: Copies, tokens: int
) -> tuple[Evidence, ...]:
    rows = [row for _, row in chosen]
    parents = snapshot.catalog.get("parents", snapshot.generation, sorted({row.parent_id for row in rows}))
    records = snapshot.catalog.get("sources", snapshot.generation, sorted({row.source_id for row in rows}))
    told = copies.told([row.chunk_id for row in rows])
    sections = [_section(snapshot, row, parents.get(row.parent_id)) for row in rows]
    given = contexts([(row.text, section) for row, section in zip(rows, sections, strict=True)], tokens)
    items = []
    for number, ((hit, row), context) in enumerate(zip(chosen, given, strict=True), 1):
        id = hit.chunk_id
        scores = Scores(found.vector.get(id), found.bm25.get(id), found.graph.get(id), hit.score, found.sentences.get(id))
        record = records[row.source_id].noun(SourceRecord)
        entities = tuple(sorted({followed(id, snapshot.manifest.redirects) for id in row.entity_ids}))
        items.append(_item(f"K{number}", row, entities, record, context, scores, told[row.chunk_id]))
    return tuple(items)


def _section(snapshot: Snapshot, row: ChunkRow, fact: Fact | None) -> str:
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
        row.provenance, also_in, flags([row.title, *row.heading_path, context, *([] if row.text in context else [row.text])]),
    )
