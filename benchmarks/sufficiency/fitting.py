"""Logistic regression by Newton's method with a small ridge, folds by subject, and what a chance is worth: bins and refusals."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.sufficiency.measured import Seen
from indexes.query.sufficiency import APART, NAMES, NEAR, SENTENCES, VECTORS, WORDS, chance, columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

TERMS = ("one", "across", "known across", *NAMES, *WORDS)
MEANING = (*TERMS, *VECTORS, *(f"{name} across" for name in APART if name in VECTORS))
NAMED = (*TERMS, "untold", "deviations", "deviations across", *NEAR, *(f"{name} across" for name in NEAR))
ANSWERS = 2.5
"""What answers weigh against refusals among questions that name a known thing: there the two are hardest to tell apart, and who
is refused what is written is worse off than who has to see for himself that it is not. Where one question in six has no answer,
precision and recall of refusals are .68 and .66 so on both calibration sets."""
UNNAMED = 0.8
"""The same among other questions. With 1, .01 fewer of the answers of the shared sets are refused, and .05 fewer of what is taken
away."""
SETS = {
    "meaning": (MEANING, UNNAMED), "terms": (TERMS, 1.0), "named": (NAMED, ANSWERS),
    "named, sentences": ((*NAMED, *SENTENCES, *(f"{name} across" for name in SENTENCES)), ANSWERS),
}
"""Columns, and what answers weigh."""
FOLDS = 5
BINS = 10
_RIDGE = 0.3
_ROUNDS = 60
_NO_GAIN = frozenset({
    "numbers", "keys", "codes", "contrast", "split", "strange", "unheard", "untold", "ahead", "ahead across",
})
"""Columns that may only speak against an answer."""


def fitted(seen: Sequence[Seen], names: Sequence[str], answers: float = 1.0) -> dict[str, float]:
    """Return the weights of the columns `names`. `answers`: what they weigh together, refusals being 1. Columns that would speak
    for an answer though they tell of what it lacks, or the other way round, are left out and the rest fitted again: chance of a
    small set must not become a rule."""
    used = list(names)
    while True:
        weights = dict(zip(used, _newton(seen, used, answers), strict=True))
        wrong = [name for name, weight in weights.items() if _wrong(name, weight)]
        if not wrong:
            return {name: round(float(weights.get(name, 0.0)), 4) for name in names}
        used.remove(max(wrong, key=lambda name: abs(weights[name])))


def _wrong(name: str, weight: float) -> bool:
    if name in ("one", "across"):
        return False
    return weight > 0 if name in _NO_GAIN else weight < 0


def _newton(seen: Sequence[Seen], names: Sequence[str], answers: float) -> NDArray[np.float64]:
    """What a class weighs does not depend on how many it has: that is the maker's choice, not the world's."""
    made = np.array([[columns(each.features)[name] for name in names] for each in seen])
    right = np.array([each.answered for each in seen], dtype=float)
    scale = np.maximum(made.std(axis=0), 1e-6)
    scale[[at for at, name in enumerate(names) if name == "one"]] = 1.0
    x = made / scale
    share = right.mean()
    weight = np.where(right == 1, 0.5 / share, 0.5 / (1 - share) / answers)
    ridge = np.diag([0.0 if name == "one" else _RIDGE for name in names])
    found = np.zeros(len(names))
    for _ in range(_ROUNDS):
        p = 1 / (1 + np.exp(-np.clip(x @ found, -30, 30)))
        gradient = x.T @ (weight * (right - p)) - ridge @ found
        hessian = (x * (weight * p * (1 - p))[:, None]).T @ x + ridge + 1e-9 * np.eye(len(names))
        step = np.linalg.solve(hessian, gradient)
        found = found + step
        if float(np.abs(step).max()) < 1e-8:
            break
    return np.asarray(found / scale)


def held_out(seen: Sequence[Seen], names: Sequence[str], answers: float = 1.0) -> list[float]:
    """Return the chance of each by weights that were fitted without its subject."""
    folds = [int(hashlib.sha256(each.near.encode()).hexdigest(), 16) % FOLDS for each in seen]
    weights = {
        fold: fitted([each for each, of in zip(seen, folds, strict=True) if of != fold], names, answers)
        for fold in sorted(set(folds))
    }
    return [chance(each.features, weights[of]) for each, of in zip(seen, folds, strict=True)]


@dataclass(frozen=True, slots=True)
class Refusals:
    """Of `count` questions: precision (of those refused, that had no answer), recall (of those without, that were refused), and
    of those with an answer the share that was refused."""

    count: int
    precision: float
    recall: float
    refused_wrongly: float


def refusals(seen: Sequence[Seen], chances: Sequence[float], threshold: float) -> Refusals:
    """Precision and recall with both classes weighing the same, as in fitting."""
    without = [p < threshold for each, p in zip(seen, chances, strict=True) if not each.answered]
    with_one = [p < threshold for each, p in zip(seen, chances, strict=True) if each.answered]
    recall, wrongly = sum(without) / max(1, len(without)), sum(with_one) / max(1, len(with_one))
    precision = recall / (recall + wrongly) if recall + wrongly else 1.0
    return Refusals(len(seen), precision if with_one else 1.0, recall, wrongly)


def reliability(seen: Sequence[Seen], chances: Sequence[float]) -> list[tuple[float, float, int]]:
    """Per bin of chance that has some: its mean, the share that was answered (both classes weighing the same), and how many."""
    answered = sum(each.answered for each in seen)
    weight = {True: 0.5 / max(1, answered), False: 0.5 / max(1, len(seen) - answered)}
    found = []
    for number in range(BINS):
        within = [
            (p, each.answered) for each, p in zip(seen, chances, strict=True)
            if number <= p * BINS < number + 1 or (p == 1 and number == BINS - 1)
        ]
        if within:
            whole = sum(weight[right] for _, right in within)
            mean = sum(p * weight[right] for p, right in within) / whole
            found.append((mean, sum(weight[right] for _, right in within if right) / whole, len(within)))
    return found


def error(bins: Sequence[tuple[float, float, int]]) -> float:
    """Expected calibration error: the distance of chance and share, by how many it is of."""
    return sum(abs(mean - share) * count for mean, share, count in bins) / sum(count for _, _, count in bins)
