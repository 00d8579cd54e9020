"""One list of the evidence of several knowledge bases.

Fused scores of two bases do not compare: a cosine counts in deviations of its own list, BM25 in parts of its own ceiling. So
within each base they are laid between 0 and 1, its best at 1, and multiplied by how well the base as a whole meets the query: the
calibrated confidence that its evidence answers it. A base that has nothing to say then stands below one that has, and the order
within each base stays what it was. Equal scores are ordered by base as configured, then by place. See docs/serving.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from indexes.serve.tools.tokens import tokens_of
from ingest.model.evidence import Evidence, EvidencePack

_FLOOR = 0.05
"""What the last of a base's list counts beside its best: it was found, too."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A piece of evidence of one base, with its citation in the one list. `score`: 0 to 1."""

    citation: str
    kb_id: str
    item: Evidence
    score: float


def merged(packs: Sequence[tuple[str, EvidencePack]], most: int, tokens: int | None) -> list[Merged]:
    """Return the best `most` pieces of evidence, within `tokens` (the first always), numbered from K1."""
    alone = len(packs) == 1
    scored = [
        (score, number, place, kb_id, item)
        for number, (kb_id, pack) in enumerate(packs)
        for place, (item, score) in enumerate(zip(pack.evidence, _scores(pack), strict=True))
    ]
    ordered = sorted(scored, key=lambda each: (each[1], each[2]) if alone else (-each[0], each[1], each[2]))
    chosen: list[Merged] = []
    left = tokens
    for score, _, _, kb_id, item in ordered[:most]:
        if left is not None and not alone:
            left -= tokens_of(item.text) + tokens_of(item.context)
            if left < 0 and chosen:
                break
        chosen.append(Merged(f"K{len(chosen) + 1}", kb_id, item, round(score, 6)))
    return chosen


def _scores(pack: EvidencePack) -> list[float]:
    """Each item's fused score between _FLOOR and 1, times how well the pack answers; never rising along the list."""
    fused = [item.scores.fused for item in pack.evidence]
    best, least = max(fused, default=0.0), min(fused, default=0.0)
    strength = 1.0 if pack.confidence is None else pack.confidence
    spread = best - least
    scores = []
    limit = 1.0
    for score in fused:
        limit = min(limit, _FLOOR + (1 - _FLOOR) * (score - least) / spread if spread > 0 else 1.0)
        scores.append(strength * limit)
    return scores
