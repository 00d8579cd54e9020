"""Which passage comes first, and is the answer in what the reader is given? The made set, exact cosine, one vector a piece.

A piece is right when it is of the right document and holds all that the question needs. nDCG@10 is 1 / log2(1 + rank) of the
first right one. A reader is given the best pieces in order, as many as a budget of about 2,000 tokens takes, the same for
everybody: big pieces are fewer. What he is given of ours where he asks for parents instead is told apart. Intervals are those of
95 % by resampling questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.chunking.asking import plain
from benchmarks.chunking.contenders import SETTINGS, Piece
from benchmarks.chunking.vectors import Vectors
from benchmarks.chunking.world.papers import CATEGORIES, Question
from benchmarks.measure import table

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUDGET = 2000
_DEPTH = 60
_RESAMPLED = 1000


@dataclass(frozen=True, slots=True)
class Answered:
    """How one question fared. `rank` from 1, 0 beyond ten."""

    question: Question
    rank: int
    inside: bool
    """Whether the answer is in the pieces that fit into the budget."""
    wider: bool
    """Whether it is in their contexts, as many as fit: parents, of ours."""
    best: str
    """The text that came first."""

    @property
    def gain(self) -> float:
        return 1 / math.log2(1 + self.rank) if self.rank else 0.0


def answered(pieces: Sequence[Piece], questions: Sequence[Question], vectors: Vectors) -> list[Answered]:
    import numpy as np

    passages = vectors.passages([piece.embed for piece in pieces])
    scores = vectors.queries([question.text for question in questions]) @ passages.T
    found = []
    for question, row in zip(questions, scores, strict=True):
        order = np.argsort(-row, kind="stable")[:_DEPTH]
        found.append(_judged(question, [pieces[at] for at in order]))
    return found


def _judged(question: Question, ranked: Sequence[Piece]) -> Answered:
    rank = next((at for at, piece in enumerate(ranked[:10], 1) if _holds(piece.paper, piece.text, question)), 0)
    inside = _given([(piece.paper, piece.text) for piece in ranked], question)
    wider = _given([(piece.paper, piece.context) for piece in ranked], question)
    return Answered(question, rank, inside, wider, ranked[0].embed)


def _given(ranked: Sequence[tuple[str, str]], question: Question) -> bool:
    """Whether the answer is in the first of these texts, each taken once, that fit into the budget; the first always does."""
    spent = 0
    for number, (paper, text) in enumerate(dict.fromkeys(ranked)):
        spent += weight(text)
        if number and spent > BUDGET:
            return False
        if _holds(paper, text, question):
            return True
    return False


def _holds(paper: str, text: str, question: Question) -> bool:
    if paper != question.paper:
        return False
    bare = plain(text)
    return all(plain(need) in bare for need in question.needs)


def weight(text: str) -> int:
    """About how many tokens a text is: one for a Han character, one for four others."""
    han = sum("\u3400" <= character <= "\u9fff" for character in text)
    return han + (len(text) - han) // 4


def report(found: dict[str, list[Answered]], pieces: dict[str, list[Piece]]) -> str:
    rows = []
    for name, answers in found.items():
        sizes = [weight(piece.embed) for piece in pieces[name]]
        rows.append([
            name, f"{len(sizes):,}", round(sum(sizes) / len(sizes)), _interval([one.gain for one in answers]),
            _interval([float(one.inside) for one in answers]),
            _interval([float(one.wider) for one in answers]) if name in SETTINGS else "",
        ])
    return table(["", "pieces", "tokens, mean", "nDCG@10", "answer in the pieces", "in their parents"], rows)


def by_category(found: dict[str, list[Answered]]) -> str:
    """nDCG@10 / answer in the pieces, by category and language."""
    groups = [(category, language) for category in CATEGORIES for language in ("zh", "en")]
    rows = []
    for name, answers in found.items():
        cells = []
        for group in groups:
            of = [one for one in answers if (one.question.category, one.question.language) == group]
            cells.append(f"{_mean([one.gain for one in of]):.3f} / {_mean([float(one.inside) for one in of]):.3f}" if of else "")
        rows.append([name, *cells])
    return table(["", *(" ".join(group) for group in groups)], rows)


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _interval(values: Sequence[float]) -> str:
    import numpy as np

    draws: NDArray[np.float64] = np.random.default_rng(5).choice(np.array(values), (_RESAMPLED, len(values))).mean(axis=1)
    low, high = np.quantile(draws, (0.025, 0.975))
    return f"{_mean(values):.3f} ({low:.3f} to {high:.3f})"
