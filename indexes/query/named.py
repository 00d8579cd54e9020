"""What BM25 is asked: what a question names apart from what it asks of it, and both in the other language, too.

A name in a question weighs as much as the rest of it, and short rows that have it twice (a title, a table of versions) would come
before the one that answers. So where the registry knows the name, BM25 is asked for two things: the rest of the question, as
usual, and each named thing as one thing, which a row has or has not, by whichever of its names. And rows that have a name of it
are lifted before those that say the same of its neighbours; which of them comes first, the rest of the question decides.

A Chinese question shares no words with an English row, nor the reverse. So it is asked in the words of a lexicon, too, and a row
counts by whichever it meets better. That costs a search more, in collections of both languages only.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from indexes.bm25.terms import query_terms, tokens
from indexes.generation.snapshot import Snapshot
from indexes.query.plan.lexicon import lexicon
from indexes.query.plan.plan import Called, Plan
from indexes.query.plan.translate import is_chinese, translated
from ingest.model.predicate import Predicate
from ingest.protocols import Asked, Hit, Ranked

NAMED = 0.2
"""Share of a BM25 score that names have. Less, and rows that say the same of something else come near; more, and what is asked
decides too little. Chosen on fixtures/eval/calibration.jsonl: .906 nDCG@10, with .1 .900, with .3 .904."""
TRANSLATED = 1.0
"""What a share of a translated question is worth beside one of the question itself: .910 on the same set, .906 where nothing is
translated, .895 with 1.5. Across languages, on half of the articles of XQuAD, .939 and .911, where it was .861 and .858."""
SPOKEN = {"zh": frozenset("一不在有年"), "en": frozenset(("one", "time", "use", "new", "year", "first"))}
"""Terms of which some row has one in nearly any collection in a language: without them nothing need be translated."""


def asked(snapshot: Snapshot, plan: Plan, predicate: Predicate, limit: int, ranked: Ranked) -> Ranked:
    """Return `ranked`, what BM25 found by the keywords of a plan, with the rows and scores by what is asked apart from what is
    named, and by the same in the other language where the collection has rows in it."""
    named = [Asked(ways, once=True) for called in plan.called if (ways := _ways(called))]
    rest = plan.keywords if plan.rest is None else plan.rest
    met = [(ranked, 1.0)]
    if named:
        own = [Asked(((term,),)) for term in query_terms(rest)] if rest.strip() else []
        met = [(snapshot.bm25.meets(own, named, NAMED, predicate, limit), 1.0)]
    other = SPOKEN["en" if is_chinese(rest) else "zh"]
    words = lexicon() if snapshot.bm25.held(other, predicate) else None
    abroad = [] if words is None else translated(rest, words, lambda terms: snapshot.bm25.held(terms, predicate))
    if abroad:
        met.append((snapshot.bm25.meets(abroad, named, NAMED, predicate, limit), TRANSLATED))
    return _best(ranked, met) if named or abroad else ranked


def _ways(called: Called) -> tuple[tuple[str, ...], ...]:
    return tuple(filter(None, dict.fromkeys(tuple(sorted(set(tokens(name)))) for name in called.names)))


def _best(ranked: Ranked, found: Sequence[tuple[Ranked, float]]) -> Ranked:
    """Return what was met by any of the ways in which a question was asked, each row by what it meets best. Scores are in parts
    of the ceiling of `ranked`, which has the codes; with each way goes what a share of its ceiling is worth."""
    best: dict[str, float] = {}
    for each, worth in found:
        scale = worth * ranked.ceiling / each.ceiling if each.ceiling > 0 else 0.0
        for hit in each.hits:
            best[hit.chunk_id] = max(best.get(hit.chunk_id, 0.0), scale * hit.score)
    hits = sorted((Hit(chunk, score) for chunk, score in best.items()), key=lambda hit: (-hit.score, hit.chunk_id))
    return replace(ranked, hits=hits)


def things(snapshot: Snapshot, plan: Plan, chunks: Collection[str]) -> list[frozenset[str]]:
    """Return for each thing that a plan names those of some rows that have a name of it, in text, headings or title."""
    return [snapshot.bm25.having(_ways(called), chunks) for called in plan.called]


def about(plan: Plan, having: Sequence[Collection[str]]) -> dict[str, float]:
    """Return the rows that have a name of what a plan names with 1, or less where it may mean several things. `having`: of each
    thing the rows that have it."""
    found: dict[str, float] = {}
    for called, rows in zip(plan.called, having, strict=True):
        for chunk in rows:
            found[chunk] = max(found.get(chunk, 0.0), 1 / called.meanings)
    return found
