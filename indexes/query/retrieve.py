"""From a request to ranked rows of one generation: both indexes filter first, rank second, and are fused."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from indexes.generation.snapshot import Snapshot
from indexes.query.fuse import fuse
from indexes.query.request import Request
from ingest.model.predicate import Predicate
from ingest.protocols import Embedder, Hit
from ingest.settings import SearchPart

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Fused hits, best first, with what each index said and how long it took (milliseconds)."""

    hits: list[Hit]
    vector: dict[str, float]
    bm25: dict[str, float]
    bm25_weight: float
    milliseconds: dict[str, float]


def retrieve(
    snapshot: Snapshot, embedder: Embedder | None, request: Request, predicate: Predicate, settings: SearchPart
) -> Retrieved:
    """Return the fused candidates. `embedder` may be None for mode `bm25` only."""
    times: dict[str, float] = {}
    vector = _timed(times, "vector", lambda: _vector(snapshot, embedder, request, predicate, settings, times))
    bm25 = _timed(times, "bm25", lambda: _bm25(snapshot, request, predicate, settings))
    weight = settings.bm25_weight * _match(snapshot, request) if request.mode == "hybrid" else 1.0
    return Retrieved(
        fuse(vector, bm25, weight),
        {hit.chunk_id: hit.score for hit in vector}, {hit.chunk_id: hit.score for hit in bm25}, weight, times,
    )


def _vector(
    snapshot: Snapshot, embedder: Embedder | None, request: Request, predicate: Predicate, settings: SearchPart,
    times: dict[str, float],
) -> list[Hit]:
    if request.mode == "bm25" or embedder is None:
        return []
    query = _timed(times, "embed", lambda: embedder.queries([request.query])[0])
    return snapshot.vector.search(query, predicate, max(settings.candidates, request.top_k))


def _bm25(snapshot: Snapshot, request: Request, predicate: Predicate, settings: SearchPart) -> list[Hit]:
    if request.mode == "vector":
        return []
    return snapshot.bm25.search(request.query, predicate, max(settings.candidates, request.top_k))


def _match(snapshot: Snapshot, request: Request) -> float:
    """How far the corpus knows the query's terms, 0 to 1: a question in another language must not be ranked by the few
    numbers and names that it shares."""
    return snapshot.bm25.known_share(request.query)


def _timed(times: dict[str, float], name: str, call: Callable[[], T]) -> T:
    started = time.perf_counter()
    result = call()
    times[name] = round(1000 * (time.perf_counter() - started), 3)
    return result
