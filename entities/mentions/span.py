"""A span of a text that seems to name something, as patterns and models propose it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Span(NamedTuple):
    """Characters `start` to `end` (exclusive) of a text. `method` and `confidence` are those of `CandidateMention`; `entity_ids`
    too, empty where only the form speaks."""

    start: int
    end: int
    type: str
    method: str
    confidence: float
    entity_ids: tuple[str, ...] = ()


def disjoint(spans: Iterable[Span]) -> list[Span]:
    """Return spans of which no two share a character, in order: of those that do the surer, then the longer, then the first."""
    taken: list[Span] = []
    for span in sorted(spans, key=lambda span: (-span.confidence, span.start - span.end, span)):
        if all(span.end <= other.start or other.end <= span.start for other in taken):
            taken.append(span)
    return sorted(taken)
