"""The two BM25 formulas, as array expressions over a term's postings.

    lucene  ln(1 + (N - df + 1/2) / (df + 1/2)) · tf / (tf + K)
    okapi   rank_bm25.BM25Okapi 0.2.2, operation for operation, so that scores are equal to the last bit
    with    K = k1 · (1 - b + b · length / mean length)

N, df and lengths are those of the live rows that the caller may see. Okapi's idf is negative for a term in more than half of
them, and is then replaced by a quarter of the mean idf of all terms: `mean_idf` says how that mean comes about.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Formula = Literal["lucene", "okapi"]
Floats = NDArray[np.float64]

EPSILON = 0.25
"""rank_bm25's default."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """A formula with its parameters."""

    formula: Formula = "lucene"
    k1: float = 1.5
    b: float = 0.75

    def saturation(self, lengths: NDArray[Any], mean: float) -> Floats:
        """K for rows of these lengths."""
        result: Floats = self.k1 * (1 - self.b + self.b * lengths / mean)
        return result

    def idf(self, df: float, rows: int, mean_idf: Callable[[], float]) -> float:
        if self.formula == "lucene":
            return math.log(1 + (rows - df + 0.5) / (df + 0.5))
        idf = okapi_idf(df, rows)
        return idf if idf >= 0 else EPSILON * mean_idf()

    def part(self, idf: float, counts: Floats, saturation: Floats) -> Floats:
        """What a term adds to the scores of rows that hold it `counts` times."""
        over = counts + saturation
        held = counts if self.formula == "lucene" else counts * (self.k1 + 1)
        result: Floats = np.divide(held, over, out=over)
        result *= idf
        return result

    def most(self, idf: float) -> float:
        """What a term cannot add more than, however often a row holds it."""
        return max(idf, 0.0) * (1.0 if self.formula == "lucene" else self.k1 + 1)


def okapi_idf(df: float, rows: int) -> float:
    return math.log(rows - df + 0.5) - math.log(df + 0.5)


def mean_okapi_idf(df_in_order: NDArray[np.int64], rows: int) -> float:
    """Mean idf of all terms, added up one by one in the order in which rank_bm25 meets them: by the first row that holds the
    term, then by the term. `df_in_order` must not be empty."""
    frequencies, place = np.unique(df_in_order, return_inverse=True)
    idf = np.array([okapi_idf(df, rows) for df in frequencies.tolist()])[place]
    return float(np.add.accumulate(idf)[-1]) / len(df_in_order)
