"""Which knowledge bases there are for a caller, and how fresh they are."""

from __future__ import annotations

from indexes.serve.answers import Base, KnowledgeBases, Left
from indexes.serve.arguments import KnowledgeList
from indexes.serve.budget import Budget
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking


def knowledge_list(asking: Asking, asked: KnowledgeList) -> Told:
    """The knowledge bases that you may ask, when each was published and last found true to its sources; and what is left of this
    session's budget."""
    found, failed = asking.each(asked.kb_ids, _base)
    answer = KnowledgeBases(tuple(one.result for one in found), failed, _left(asking.session.budget))
    return Told(answer, tuple(one.seen(()) for one in found))


def _base(looking: Looking) -> Base:
    published = looking.snapshot.catalog.published(looking.snapshot.generation)
    return Base(
        looking.kb_id, looking.opened.title, looking.snapshot.generation, looking.snapshot.manifest.snapshot,
        published.published_at, published.confirmed_at,
    )


def _left(budget: Budget) -> Left:
    left = budget.left
    return Left(left["calls"], left["tokens"], left["opened"])
