"""The review queue for callers who may decide: what waits for a person, and their answer. Only for tokens with `write`.

What decides is above this package and handed in. An answer is a judgement in the log of the registry under the caller's name; it
is in force with the next run, and nothing that is served changes by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Protocol

from indexes.serve.answers import ReviewAnswered, ReviewAnswers, ReviewExcerpt, ReviewQuestion, ReviewQuestions, ReviewSide
from indexes.serve.arguments import ReviewAnswer, ReviewList
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking
from ingest.errors import NotFound
from ingest.model.access import Principal
from ingest.settings import Settings


class Reviews(Protocol):
    """Where questions come from and answers go. Threads may share one."""

    def waiting(self, settings: Settings, who: Principal, limit: int) -> Sequence[Any]:
        """Questions of one base that wait, likeliest first, of which `who` sees the evidence (`flows.reviewing.Question`)."""
        ...

    def answer(
        self, settings: Settings, who: Principal, question: str, said: Literal["yes", "no", "pin"], actor: str, reason: str
    ) -> str | None:
        """Write an answer down; return the id of the judgement, None where no such question waits for `who`."""
        ...


class Reviewing:
    """The two tools over a queue."""

    def __init__(self, reviews: Reviews) -> None:
        self._reviews = reviews

    def review_list(self, asking: Asking, asked: ReviewList) -> Told:
        """Questions about the registry that wait for a decision: may two entities be one, does a text name an entity, is what a
        document proposes true? With what speaks for and against."""
        found, failed = asking.each(asked.kb_ids, lambda looking: self._waiting(looking, asked.limit))
        questions = tuple(each for one in found for each in one.result)[: asked.limit]
        seen = tuple(
            one.seen(id for each in questions if each.kb_id == one.kb_id for id in (each.left.id, each.right.id) if id)
            for one in found
        )
        return Told(ReviewQuestions(questions, failed), seen)

    def review_answer(self, asking: Asking, asked: ReviewAnswer) -> Told:
        """Decide one question of review_list, under your name and with your reason. It is written down at once and in force with
        the next run; it can be revoked by those who run the knowledge base."""
        found, failed = asking.each(asked.kb_ids, lambda looking: self._reviews.answer(
            looking.opened.settings, looking.who, asked.question, asked.answer, asking.caller.name, asked.reason
        ))
        written = tuple(ReviewAnswered(one.kb_id, asked.question, asked.answer, one.result) for one in found if one.result)
        if not written and not failed:
            raise NotFound(f"no question {asked.question!r} waits for you; take one from review_list")
        return Told(ReviewAnswers(written, failed), tuple(one.seen([one.result]) for one in found if one.result))

    def _waiting(self, looking: Looking, limit: int) -> list[ReviewQuestion]:
        return [_question(looking, each) for each in self._reviews.waiting(looking.opened.settings, looking.who, limit)]


def _question(looking: Looking, each: Any) -> ReviewQuestion:
    left, right = (ReviewSide(side.id, side.label, side.names, side.identifiers) for side in (each.left, each.right))
    evidence = tuple(ReviewExcerpt(excerpt.chunk_id, excerpt.uri, excerpt.text) for excerpt in each.evidence)
    return ReviewQuestion(
        looking.kb_id, each.id, each.kind, each.type, left, each.relation, right, each.score, each.why, each.reasons, evidence
    )
