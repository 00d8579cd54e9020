"""Questions asked of a generation, their answers judged, and the figures: how good is this knowledge base, and is it still?

Every question is asked as a caller would ask it, of one pinned generation, deep enough for Recall@20, and once more without
expansion through the graph where it was right, which tells what the graph is worth. What is asked is never written anywhere.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from flows.answering import query_embedder
from flows.evaluation.judge import Judge, right_by
from flows.evaluation.kept import keep
from flows.evaluation.outcome import Outcome
from flows.evaluation.question import Question
from flows.evaluation.ranks import ranks_of
from flows.evaluation.summary import Compared, Group, compared, groups
from flows.evaluation.thresholds import Verdict, threshold, verdicts
from flows.opening import reading
from indexes.generation.snapshot import Snapshot
from indexes.query.evidence import search
from indexes.query.request import Request
from ingest.errors import ConcordError, StorageFailed
from ingest.model.evidence import EvidencePack
from ingest.model.instant import now
from ingest.progress import Progress
from ingest.protocols import Embedder
from ingest.settings import SearchPart, Settings
from ingest.store.layout import layout_of
from ingest.store.opening import open_catalog

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEPTH = 20
"""Items that are asked for: Recall@20 needs them."""
TOKENS = 1_000_000
"""More than they have: a budget would cut the list before its end."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One generation, one set of questions. `at`: when."""

    generation: int
    snapshot: str
    at: str
    questions: int
    groups: tuple[Group, ...]
    outcomes: tuple[Outcome, ...]
    verdicts: tuple[Verdict, ...] = ()
    compared: tuple[Compared, ...] = ()
    against: str = ""

    @property
    def passed(self) -> bool:
        return all(verdict.ok for verdict in self.verdicts)


def evaluate(
    settings: Settings, questions: Sequence[Question], progress: Progress, *, generation: int | None = None,
    thresholds: Sequence[str] = (), other_generation: int | None = None, other_settings: Settings | None = None,
) -> Evaluation:
    """Ask and judge all questions. With another generation or other settings these are asked too, and each metric of the first is
    compared with the second's, question by question.

    Raises UsageError for a threshold that cannot be read, before anything is asked; KnowledgeBaseMissing, NotFound,
    EngineUnavailable. An error that a question raises is its outcome.
    """
    bounds = [threshold(said) for said in thresholds]
    first = _asked(settings, questions, progress, generation)
    made = replace(first, verdicts=verdicts(bounds, first.groups))
    if other_generation is None and other_settings is None:
        return made
    second = _asked(other_settings or settings, questions, progress, other_generation if other_settings is None else generation)
    against = f"generation {second.generation}" if other_settings is None else "other settings"
    return replace(made, compared=compared(second.outcomes, first.outcomes), against=against)


def keep_figures(settings: Settings, made: Evaluation, file: Path, progress: Progress) -> None:
    """Keep the figures of the head with the knowledge base, for `ingest doctor`; where nothing can be written, say so."""
    layout = layout_of(settings)
    with open_catalog(layout) as catalog:
        if catalog.head() != made.generation:
            return
    try:
        keep(
            layout, generation=made.generation, snapshot=made.snapshot, at=made.at, file=file, groups=made.groups,
            passed=made.passed,
        )
    except StorageFailed as error:
        progress.note(str(error))


def _asked(settings: Settings, questions: Sequence[Question], progress: Progress, generation: int | None) -> Evaluation:
    with reading(settings, generation) as snapshot:
        by_meaning = any(question.mode != "bm25" for question in questions)
        model = query_embedder(settings, snapshot) if by_meaning else None
        embedder = None if model is None else Remembering(model)
        judge = Judge(snapshot)
        outcomes = []
        progress.start("eval", len(questions), "questions")
        for question in questions[:1]:  # models, registry and lexicon are read with the first question, which is nobody's latency
            _outcome(snapshot, model, question, settings.search, judge)
        for question in questions:
            outcomes.append(_outcome(snapshot, embedder, question, settings.search, judge))
            progress.advance("eval")
        progress.finish("eval")
        return Evaluation(
            snapshot.generation, snapshot.manifest.snapshot, now(), len(questions), groups(outcomes), tuple(outcomes)
        )


def _outcome(
    snapshot: Snapshot, embedder: Embedder | None, question: Question, settings: SearchPart, judge: Judge
) -> Outcome:
    request = Request(
        question.query, question.mode, DEPTH, question.principal, question.as_of, tokens=TOKENS
    )
    asked = embedder if question.mode != "bm25" else None
    started = time.perf_counter()
    try:
        pack = search(snapshot, asked, request, settings)
    except ConcordError as error:
        return judge.judged(question, None, 1000 * (time.perf_counter() - started), error=f"{type(error).__name__}: {error}")
    took = 1000 * (time.perf_counter() - started)
    without = False
    if question.expected.needs and right_by(ranks_of(question.expected.needs, pack.evidence)):
        less: EvidencePack = search(snapshot, asked, replace(request, expand=False), settings)
        without = right_by(ranks_of(question.expected.needs, less.evidence))
    return judge.judged(question, pack, took, without_graph=without)


class Remembering:
    """An embedder that encodes a query once: what is asked twice is timed the first time."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.fingerprint, self.dimensions, self.window = embedder.fingerprint, embedder.dimensions, embedder.window
        self._known: dict[str, NDArray[np.float32]] = {}

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return self._embedder.tokens(texts)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embedder.passages(texts)

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            self._known.update(zip(fresh, self._embedder.queries(fresh), strict=True))
        return np.stack([self._known[text] for text in texts])
