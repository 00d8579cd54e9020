"""How much a term tells of a row, as the server's sparse vectors hold it, and how far that may be from the score.

A score is the sum over terms of  idf · tf / (tf + K)  with  K = k1 (1 - b + b · length / mean)  (`indexes.bm25.scoring`). What is
stored is tf / (tf + K) of one reference: `K1`, `B` and the mean length of the first build of its line. The query brings the idf.
Mean and settings move on and the points stay, so what the server ranks by is a bound: the true part is at most `headroom` times
as large, because (tf + K') / (tf + K) lies between 1 and K' / K. Whoever searches scores the candidates anew from their counts,
and asks for more until none that was not given could come in between.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from indexes.bm25.scoring import Scoring
from indexes.bm25.texts import encode

K1, B = 1.5, 0.75
REFERENCE = Scoring("lucene", K1, B)
DRIFT = 1.5
"""How far the mean length may move from the reference, as a factor, before the weights are made anew."""


def term_index(term: str) -> int:
    """Return the place of a term in sparse vectors: 32 bits of its hash. Terms that share one only widen the bound."""
    return int.from_bytes(hashlib.blake2b(encode(term), digest_size=4).digest(), "little")


def sparse(counts: Mapping[str, int], mean: float) -> tuple[list[int], list[float]]:
    """Return indices, ascending, and weights of a row with these terms."""
    if not counts:
        return [], []
    saturation = float(REFERENCE.saturation(np.array([sum(counts.values())]), mean)[0])
    found: dict[int, float] = {}
    for term, count in counts.items():
        index = term_index(term)
        found[index] = found.get(index, 0.0) + count / (count + saturation)
    indices = sorted(found)
    return indices, [float(np.float32(found[index])) for index in indices]


def sparse_query(weights: Mapping[str, float]) -> tuple[list[int], list[float]]:
    """Return indices and idf of the terms of a query; those that add nothing are left out."""
    found: dict[int, float] = {}
    for term, weight in weights.items():
        if weight > 0:
            found[term_index(term)] = found.get(term_index(term), 0.0) + weight
    indices = sorted(found)
    return indices, [found[index] for index in indices]


def headroom(scoring: Scoring, mean: float, reference: float, longest: int) -> float:
    """Return what a score is at most, as a factor of what the server ranks by, in rows of up to `longest` terms."""
    ends: Any = np.array([1, max(longest, 1)])
    ratio = REFERENCE.saturation(ends, reference) / scoring.saturation(ends, mean)
    scale = 1.0 if scoring.formula == "lucene" else scoring.k1 + 1
    return scale * max(1.0, float(ratio.max()))
