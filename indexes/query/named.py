"""What a question names, apart from what it asks of it.

A name in a question weighs as much as the rest of it, and short rows that have it twice (a title, a table of versions) would come
before the one that answers. So where the registry knows the name, BM25 is asked for two things: the rest of the question, as
usual, and each named thing as one thing, which a row has or has not, by whichever of its names. And rows that have a name of it
are lifted before those that say the same of its neighbours; which of them comes first, the rest of the question decides.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from indexes.bm25.terms import query_terms, tokens
from indexes.generation.snapshot import Snapshot
from indexes.query.plan.plan import Called, Plan
from ingest.protocols import Asked, Hit, Ranked


def asked_apart(plan: Plan) -> list[Asked]:
    """Return what BM25 is asked for where a plan names something; nothing elsewhere."""
    names = [ways for called in plan.called if (ways := _ways(called))]
    if not names or plan.rest is None:
        return []
    rest = [Asked(((term,),)) for term in query_terms(plan.rest)] if plan.rest.strip() else []
    return [*rest, *(Asked(ways, once=True) for ways in names)]


def _ways(called: Called) -> tuple[tuple[str, ...], ...]:
    return tuple(filter(None, dict.fromkeys(tuple(sorted(set(tokens(name)))) for name in called.names)))


def met_apart(ranked: Ranked, met: Ranked) -> Ranked:
    """Return the rows that meet what was asked apart, with scores in parts of the ceiling of `ranked`, which has the codes."""
    scale = ranked.ceiling / met.ceiling if met.ceiling > 0 else 0.0
    return replace(ranked, hits=[Hit(hit.chunk_id, hit.score * scale) for hit in met.hits])


def about(snapshot: Snapshot, plan: Plan, chunks: Collection[str]) -> dict[str, float]:
    """Return those of some rows that have a name of what a plan names, in text, headings or title, with 1, or less where the name
    may mean several things."""
    found: dict[str, float] = {}
    for called in plan.called:
        for chunk in snapshot.bm25.having(_ways(called), chunks):
            found[chunk] = max(found.get(chunk, 0.0), 1 / called.meanings)
    return found
