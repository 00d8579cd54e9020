"""From a request to ranked rows of one generation: both indexes filter first, rank second, and are fused."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from indexes.generation.snapshot import Snapshot
from indexes.query.fuse import fuse, merged
from indexes.query.plan.plan import Plan
from indexes.query.request import Mode, Request
from indexes.query.signals import Signals, signals
from ingest.model.predicate import Predicate
from ingest.protocols import Embedder, Hit, Ranked
from ingest.settings import SearchPart

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Fused hits, best first, with what each index said: cosines; BM25 scores relative to the best one, because raw ones would
    tell how many rows, seen or not, hold a term. `graph`: rows that one hop led to, 0 to 1, how surely. `signals`: how well the
    query is met. `trace` says how it came about, of rows that the caller may see only."""

    hits: list[Hit]
    vector: dict[str, float]
    bm25: dict[str, float]
    trace: dict[str, Any]
    graph: dict[str, float] = field(default_factory=dict)
    signals: Signals = Signals()


def retrieve(
    snapshot: Snapshot, embedder: Embedder | None, request: Request, plan: Plan, predicate: Predicate,
    settings: SearchPart,
) -> Retrieved:
    """Return the fused candidates of a plan. `embedder` may be None for mode `bm25` only."""
    times: dict[str, float] = {}
    limit = max(settings.candidates, request.top_k)
    lists = _timed(times, "vector", lambda: _vector(snapshot, embedder, request.mode, plan, predicate, limit, times))
    vector = merged(lists)
    bm25 = _timed(times, "bm25", lambda: _bm25(snapshot, request.mode, plan, predicate, limit))
    mixed = settings.bm25_weight if plan.bm25_weight is None else plan.bm25_weight
    weight = {"vector": 0.0, "hybrid": mixed, "bm25": 1.0}[request.mode]
    hits = fuse(lists, bm25, weight, settings.candidates)
    best = max((hit.score for hit in bm25.hits), default=0.0)
    return Retrieved(
        hits, {hit.chunk_id: hit.score for hit in vector}, {hit.chunk_id: hit.score / best for hit in bm25.hits},
        {
            "vector": len(vector), "bm25": len(bm25.hits), "codes": len(bm25.codes), "fused": len(hits), "bm25_weight": weight,
            "bm25_match": round(best / bm25.ceiling, 4) if bm25.ceiling > 0 else 0.0, "milliseconds": times,
        },
        signals=signals(vector, bm25, settings.candidates),
    )


def _vector(
    snapshot: Snapshot, embedder: Embedder | None, mode: Mode, plan: Plan, predicate: Predicate, limit: int,
    times: dict[str, float],
) -> dict[str, list[Hit]]:
    if mode == "bm25" or embedder is None:
        return {}
    query = _timed(times, "embed", lambda: embedder.queries([plan.meaning])[0])
    return snapshot.vector.by_language(query, predicate, limit)


def _bm25(snapshot: Snapshot, mode: Mode, plan: Plan, predicate: Predicate, limit: int) -> Ranked:
    if mode == "vector":
        return Ranked([])
    return snapshot.bm25.rank(plan.keywords, predicate, limit)


def _timed(times: dict[str, float], name: str, call: Callable[[], T]) -> T:
    started = time.perf_counter()
    result = call()
    times[name] = round(1000 * (time.perf_counter() - started), 3)
    return result
