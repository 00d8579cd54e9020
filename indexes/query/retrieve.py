"""From a request to ranked rows of one generation: both indexes filter first, rank second, and are fused."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar, cast

from indexes.bm25.terms import query_terms
from indexes.generation.snapshot import Snapshot
from indexes.query.fuse import Nearest, fuse, gained, in_turn, match, merged
from indexes.query.halfway import abroad, halfway, onward
from indexes.query.hop import NEAR, Led, led
from indexes.query.named import about, asked, things
from indexes.query.plan.plan import Plan
from indexes.query.plan.reading import MOST as READ
from indexes.query.request import Mode, Request, instant_of
from indexes.query.rerank import reranked
from indexes.query.sentences import WELL, said, worth
from indexes.query.signals import E5, Signals, signals
from ingest.model.language import language_of
from ingest.model.predicate import Predicate
from ingest.protocols import Embedder, Hit, Ranked, Reranker
from ingest.rerank.engine import sentences_of
from ingest.settings import SearchPart
from ingest.together import together

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Fused hits, best first, with what each index said: cosines; BM25 scores relative to the best one, because raw ones would
    tell how many rows, seen or not, hold a term. `graph`: rows that one hop led to, 0 to 1, how surely. `signals`: how well the
    query is met. `rest`: the vector of the query without its names, where it was needed. `sentences`: of the best
    rows, how near their best sentence comes, where they were looked at. `trace` says how it came about, of rows
    that the caller may see only. `full`: whether an index may have more than it gave. `further`: what comes after all `hits`,
    best first. `near`: for who merges answers."""

    hits: list[Hit]
    vector: dict[str, float]
    bm25: dict[str, float]
    trace: dict[str, Any]
    graph: dict[str, float] = field(default_factory=dict)
    signals: Signals = Signals()
    rest: Any = None
    sentences: dict[str, float] = field(default_factory=dict)
    full: bool = False
    further: Sequence[Hit] = ()
    near: Nearest = Nearest()


def retrieve(
    snapshot: Snapshot, embedder: Embedder | None, request: Request, plan: Plan, predicate: Predicate,
    settings: SearchPart, reranker: Reranker | None = None,
) -> Retrieved:
    """Return the fused candidates of a plan. `embedder` may be None for modes `bm25` and `graph` only.

    Who asks for more rows than lists of `search.candidates` give gets those of longer lists after them: which rows have what is
    named, are in which language or come first of a list changes with its length, and the first are to stay."""
    embed = None if embedder is None else cache(lambda text: embedder.queries([text])[0])
    found = _retrieved(snapshot, embed, request, plan, predicate, settings, reranker, settings.candidates)
    if not found.full or request.top_k <= max(settings.candidates, len(found.hits)):
        return found
    plain = settings.model_copy(update={"sentences": False})
    more = _timed(found.trace["milliseconds"], "further", lambda: _retrieved(
        snapshot, embed, request, plan, predicate, plain, None, request.top_k
    ))
    first = {hit.chunk_id for hit in found.hits}
    further = [hit for hit in more.hits if hit.chunk_id not in first]
    vector, bm25, graph = (
        known | {hit.chunk_id: also[hit.chunk_id] for hit in further if hit.chunk_id in also}
        for known, also in ((found.vector, more.vector), (found.bm25, more.bm25), (found.graph, more.graph))
    )
    return replace(found, vector=vector, bm25=bm25, graph=graph, further=further)


def _retrieved(
    snapshot: Snapshot, embed: Callable[[str], Any] | None, request: Request, plan: Plan, predicate: Predicate,
    settings: SearchPart, reranker: Reranker | None, limit: int,
) -> Retrieved:
    """The same of the `limit` best rows of each index."""
    times: dict[str, float] = {}
    lists: dict[str, list[Hit]] = {}

    def ranked() -> Ranked:
        return _timed(times, "bm25", lambda: _bm25(snapshot, request.mode, plan, predicate, limit))

    if embed is not None and request.mode in ("hybrid", "vector"):
        query, bm25 = _both(lambda: _timed(times, "embed", lambda: embed(plan.meaning[:READ])), ranked)
        apart = request.mode == "vector" or bool(plan.entities) or match(bm25) < WELL
        lists = _timed(times, "vector", lambda: _vector(snapshot, query, predicate, limit, apart))
    else:
        bm25 = ranked()
    best = max((hit.score for hit in bm25.hits), default=0.0)
    mixed = settings.bm25_weight if plan.bm25_weight is None else plan.bm25_weight
    weight = {"vector": 0.0, "hybrid": mixed, "bm25": 1.0, "graph": 0.0}[request.mode]
    having: list[frozenset[str]] = []
    about_it = None
    if request.mode == "hybrid":
        having = _timed(times, "about", lambda: things(snapshot, plan, _found(lists, bm25)))
        rest = plan.rest
        language = None if rest is None else abroad(rest, lists, having)
        if embed is not None and rest is not None and (len(having) > 1 or language is not None):
            about_it = _timed(times, "embed rest", lambda: embed(rest[:READ]))
            query = halfway(query, about_it)
            if language is not None:
                query = onward(snapshot, query, about_it, language, predicate)
            lists = _timed(times, "vector rest", lambda: _vector(snapshot, query, predicate, limit, True))
            having = things(snapshot, plan, _found(lists, bm25))
    named = about(plan, having) if having else {}
    vector = merged(lists)
    hop = Led({})
    sentences: dict[str, float] = {}
    asked_of_it = plan.meaning if plan.rest is None else plan.rest
    measured = request.mode == "hybrid" and snapshot.manifest.engines.get("embed") in E5
    of_sentences, own = (worth(match(bm25)), language_of(asked_of_it)) if measured else (0.0, None)

    def fused() -> list[Hit]:
        gains = {chunk: of_sentences * cosine for chunk, cosine in sentences.items()}
        return fuse(lists, bm25, weight, settings.candidates, hop.scores, named, gains, own)

    hits = fused()
    if _expands(request, plan, settings):
        hop = _timed(times, "graph", lambda: led(
            snapshot, plan, [hit.chunk_id for hit in hits], predicate, _window(request, plan), settings,
            near=NEAR if request.mode == "graph" else 0.0,
        ))
        hits = fused() if hop.scores else hits
    model = sentences_of(settings) if of_sentences and _says_something(asked_of_it) else None
    if model is not None:
        by_language = lists if plan.rest is None else {}  # rows that have what is named were brought up already
        sentences = _timed(times, "sentences", lambda: said(snapshot, model, asked_of_it, hits, by_language))
        hits = fused()
    if having:
        hits = in_turn(hits, [*having, hop.scores.keys() & _found(lists, bm25)])
    if reranker is not None:
        hits = _timed(times, "rerank", lambda: reranked(snapshot, reranker, request.query, hits, settings.rerank_rows))
    return Retrieved(
        hits, {hit.chunk_id: hit.score for hit in vector}, {hit.chunk_id: hit.score / best for hit in bm25.hits},
        {
            "vector": len(vector), "languages": len(lists), "bm25": len(bm25.hits), "codes": len(bm25.codes),
            "graph": len(hop.scores), "entities": hop.entities, "steps": hop.steps, "fused": len(hits), "bm25_weight": weight,
            "bm25_match": round(match(bm25), 4), "milliseconds": times,
        },
        hop.scores, replace(signals(vector, bm25, settings.candidates), gained=gained(lists, match(bm25), own)), about_it,
        sentences, any(len(each) >= limit for each in (*lists.values(), bm25.hits)),
        near=Nearest(lists, own, settings.candidates, snapshot.manifest.fingerprints.get("embed", "")),
    )


def _says_something(question: str) -> bool:
    """Whether more is left of a question than what joins names: `和`, a comma."""
    return len("".join(query_terms(question))) > 1


def _found(lists: Mapping[str, Sequence[Hit]], bm25: Ranked) -> set[str]:
    return {hit.chunk_id for hits in (*lists.values(), bm25.hits) for hit in hits}


def _both(meant: Callable[[], T], ranked: Callable[[], U]) -> tuple[T, U]:
    """Ask BM25 while the question's vector is made. The vector index comes after both: what BM25 finds says how it is asked, and
    its engine holds the interpreter, so that beside it BM25 would wait, and fight for that: half a millisecond of an answer."""
    found = together([meant, ranked])
    return cast(T, found[0]), cast(U, found[1])


def _expands(request: Request, plan: Plan, settings: SearchPart) -> bool:
    """Mode `graph` is nothing else; elsewhere the request decides, else the plan and the settings must both want it."""
    if request.mode in ("graph", "hybrid"):
        wanted = plan.expand and settings.expand if request.expand is None else request.expand
        return request.mode == "graph" or wanted
    return False


def _window(request: Request, plan: Plan) -> tuple[str, str]:
    """When assertions must hold: during what is asked about, else at its instant."""
    during = plan.during or request.during
    if during is not None:
        return during
    instant = plan.as_of or instant_of(request)
    return instant, instant + "~"  # the least range that holds an instant: sorts after it and before the next


def _vector(snapshot: Snapshot, query: Any, predicate: Predicate, limit: int, apart: bool) -> dict[str, list[Hit]]:
    if apart:
        return snapshot.vector.by_language(query, predicate, limit)
    return {"": snapshot.vector.search(query, predicate, limit)}


def _bm25(snapshot: Snapshot, mode: Mode, plan: Plan, predicate: Predicate, limit: int) -> Ranked:
    if mode in ("vector", "graph"):
        return Ranked([])
    ranked = snapshot.bm25.rank(plan.keywords, predicate, limit)
    return asked(snapshot, plan, predicate, limit, ranked) if mode == "hybrid" else ranked


def _timed(times: dict[str, float], name: str, call: Callable[[], T]) -> T:
    started = time.perf_counter()
    result = call()
    times[name] = round(1000 * (time.perf_counter() - started), 3)
    return result
