"""A figure and how far it can be trusted: percentile bootstrap over questions.

    figure = sum of what stands above the line / sum of what stands below it

Questions are drawn with replacement as often as there are; the interval holds the middle 95 % of the figures that come of it.
Drawn with a seed: the same outcomes give the same interval. Source: B. Efron,
R. Tibshirani, An Introduction to the Bootstrap, 1993.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flows.evaluation.outcome import Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 20261130
_LOW, _HIGH = 2.5, 97.5


@dataclass(frozen=True, slots=True)
class Figure:
    """`value` lies between `low` and `high` in 95 of 100 such sets; `questions` that it speaks of."""

    value: float
    low: float
    high: float
    questions: int


@dataclass(frozen=True, slots=True)
class Change:
    """What a second system did on the same questions: `difference` with its interval, and the share of resamples in which it was
    not better than the first."""

    first: float
    second: float
    difference: float
    low: float
    high: float
    not_better: float
    questions: int


def figure(parts: Sequence[Part]) -> Figure | None:
    """Return the figure of some questions, None where nothing stands below the line."""
    import numpy as np

    values = np.asarray(parts, dtype=float)
    if not len(values) or values[:, 1].sum() == 0:
        return None
    drawn = _quotients(values, _draws(len(values)))
    low, high = np.percentile(drawn, (_LOW, _HIGH))
    return Figure(float(values[:, 0].sum() / values[:, 1].sum()), float(low), float(high), int((values[:, 1] > 0).sum()))


def change(first: Sequence[Part], second: Sequence[Part]) -> Change | None:
    """Return how the second differs from the first, question by question: both are drawn together."""
    import numpy as np

    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not len(one) or 0 in (one[:, 1].sum(), two[:, 1].sum()):
        return None
    draws = _draws(len(one))
    above = [values[:, 0].sum() / values[:, 1].sum() for values in (one, two)]
    spread = _quotients(two, draws, keep=True) - _quotients(one, draws, keep=True)
    spread = spread[~np.isnan(spread)]
    low, high = np.percentile(spread, (_LOW, _HIGH))
    return Change(
        float(above[0]), float(above[1]), float(above[1] - above[0]), float(low), float(high), float((spread <= 0).mean()),
        int(((one[:, 1] > 0) | (two[:, 1] > 0)).sum()),
    )


def percentile(values: Sequence[float], share: float) -> float:
    """Return the value below which `share` percent lie."""
    import numpy as np

    return float(np.percentile(np.asarray(values), share)) if values else 0.0


def _draws(count: int) -> NDArray[np.int64]:
    import numpy as np

    return np.random.default_rng(SEED).integers(0, count, size=(RESAMPLES, count))


def _quotients(values: NDArray[np.float64], draws: NDArray[np.int64], *, keep: bool = False) -> NDArray[np.float64]:
    """The figure of every resample; those with nothing below the line are left out, or kept as NaN."""
    import numpy as np

    above, below = values[draws, 0].sum(axis=1), values[draws, 1].sum(axis=1)
    quotients: NDArray[np.float64] = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return quotients if keep else quotients[~np.isnan(quotients)]
