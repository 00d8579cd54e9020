"""Precision, recall and F1 of scored pairs."""

from __future__ import annotations

from collections.abc import Sequence

Scored = Sequence[tuple[float, bool]]


def best_threshold(scored: Scored) -> float:
    """Return the lowest score of the cut with the best F1."""
    ordered = sorted(scored, reverse=True)
    total = sum(truth for _, truth in ordered)
    right, best, threshold = 0, 0.0, 1.0
    for place, (score, truth) in enumerate(ordered, 1):
        right += truth
        if place < len(ordered) and ordered[place][0] == score:
            continue
        if (f1 := 2 * right / (place + total)) > best:
            best, threshold = f1, score
    return threshold


def f1_at(scored: Scored, threshold: float) -> float:
    taken = [truth for score, truth in scored if score >= threshold]
    return 2 * sum(taken) / (len(taken) + sum(truth for _, truth in scored))


def recall_at_precision(scored: Scored, precision: float) -> float:
    """Return the most that is found by any threshold at which `precision` holds."""
    ordered = sorted(scored, reverse=True)
    total = sum(truth for _, truth in ordered)
    right, best = 0, 0.0
    for place, (score, truth) in enumerate(ordered, 1):
        right += truth
        if place < len(ordered) and ordered[place][0] == score:
            continue
        if right / place >= precision:
            best = max(best, right / total)
    return best
