"""A figure and how far it can be trusted: percentile bootstrap over questions.

    figure = sum of what stands above the line / sum of what stands below it

Questions are drawn with replacement as often as there are; the interval holds the middle 95 % of the figures that come of it.
Drawn with a seed: the same outcomes give the same interval. Source: B. Efron,
R. Tibshirani, An Introduction to the Bootstrap, 1993.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flows.evaluation.outcome import Part

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

RESAMPLES = 2000
SEED = 20261130
_LOW, _HIGH = 2.5, 97.5
_DRAWN_AT_ONCE = 2_000_000


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
    drawn = _resampled(len(values), lambda draws: _quotients(values, draws))
    low, high = np.percentile(drawn[~np.isnan(drawn)], (_LOW, _HIGH))
    return Figure(float(values[:, 0].sum() / values[:, 1].sum()), float(low), float(high), int((values[:, 1] > 0).sum()))


def change(first: Sequence[Part], second: Sequence[Part]) -> Change | None:
    """Return how the second differs from the first, question by question: both are drawn together."""
    import numpy as np

    one, two = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if not len(one) or 0 in (one[:, 1].sum(), two[:, 1].sum()):
        return None
    above = [values[:, 0].sum() / values[:, 1].sum() for values in (one, two)]
    spread = _resampled(len(one), lambda draws: _quotients(two, draws) - _quotients(one, draws))
    spread = spread[~np.isnan(spread)]
    low, high = np.percentile(spread, (_LOW, _HIGH))
    return Change(
        float(above[0]), float(above[1]), float(above[1] - above[0]), float(low), float(high), float((spread <= 0).mean()),
        int(((one[:, 1] > 0) | (two[:, 1] > 0)).sum()),
    )


def percentile(values: Sequence[float], share: float) -> Figure:
    """Return the value below which `share` percent of some values lie, with its interval. At least one value."""
    import numpy as np

    known = np.asarray(values, dtype=float)
    drawn = _resampled(len(known), lambda draws: np.percentile(known[draws], share, axis=1))
    low, high = np.percentile(drawn, (_LOW, _HIGH))
    return Figure(float(np.percentile(known, share)), float(low), float(high), len(known))


def _resampled(
    count: int, statistic: Callable[[NDArray[np.int64]], NDArray[np.float64]]
) -> NDArray[np.float64]:
    """The statistic of every resample of `count` questions, some resamples at a time: ten thousand questions fit, too."""
    import numpy as np

    generator = np.random.default_rng(SEED)
    at_once = max(1, _DRAWN_AT_ONCE // count)
    blocks = [min(at_once, RESAMPLES - start) for start in range(0, RESAMPLES, at_once)]
    return np.concatenate([statistic(generator.integers(0, count, size=(block, count))) for block in blocks])


def _quotients(values: NDArray[np.float64], draws: NDArray[np.int64]) -> NDArray[np.float64]:
    """The figure of every resample; NaN where nothing stands below the line."""
    import numpy as np

    above, below = values[draws, 0].sum(axis=1), values[draws, 1].sum(axis=1)
    quotients: NDArray[np.float64] = np.divide(above, below, out=np.full(len(above), np.nan), where=below > 0)
    return quotients
