"""The review queue as a server hands it to callers who may decide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from flows.reviewing import Question, answer, questions
from ingest.model.access import Principal
from ingest.settings import Settings


class Queue:
    """See `indexes.serve.tools.reviewing.Reviews`: what somebody may not see is not asked, and cannot be answered."""

    def waiting(self, settings: Settings, who: Principal, limit: int) -> Sequence[Question]:
        return questions(settings, who, limit)

    def answer(
        self, settings: Settings, who: Principal, question: str, said: Literal["yes", "no", "pin"], actor: str, reason: str
    ) -> str | None:
        found = next((each for each in questions(settings, who) if each.id == question), None)
        return None if found is None else answer(settings, found, said, actor=actor, reason=reason).judgement_id
