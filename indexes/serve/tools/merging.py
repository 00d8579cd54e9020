"""One list of the evidence of several knowledge bases.

Fused scores of two bases do not compare: a cosine counts in deviations of its own list there. What they are made of does: the
cosines of one model, and BM25 scores in parts of their ceiling, which say how much of the query a row holds, whatever the base.
So they are fused anew over all evidence together, as `indexes.query.fuse` does within a base, but that languages are not levelled
and rows in another than the question's gain nothing:

    (1 - w) · (cosine, in deviations of all evidence of its model)  +  w · SPREADS · (BM25 score / its ceiling)  +  LIFT · graph
        +  what sentences are worth

The order that a base gave its evidence stays: what it put first (a rare code, say) has at least the score of what follows. Equal
scores are ordered by base as configured, then by place. See docs/serving.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from indexes.query.context import estimated
from indexes.query.fuse import LIFT, SPREADS
from indexes.query.sentences import worth
from ingest.model.evidence import Evidence, EvidencePack

_HALF = 0.5
"""Weight of BM25 where a pack does not tell it."""


@dataclass(frozen=True, slots=True)
class Merged:
    """A piece of evidence of one base, with its citation in the one list. `score`: 1 for the best of all, 0 for the last."""

    citation: str
    kb_id: str
    item: Evidence
    score: float


def merged(
    packs: Sequence[tuple[str, EvidencePack]], most: int, tokens: int | None, models: Mapping[str, str] | None = None
) -> list[Merged]:
    """Return the best `most` pieces of evidence, within `tokens` (the first always), numbered from K1. `models`: base -> what its
    vectors are made by; bases that are not named share one."""
    alone = len(packs) == 1
    scores = _scores(packs, models or {})
    scored = [
        (score, number, place, kb_id, item)
        for number, (kb_id, pack) in enumerate(packs)
        for place, (item, score) in enumerate(zip(pack.evidence, scores[number], strict=True))
    ]
    ordered = sorted(scored, key=lambda each: (each[1], each[2]) if alone else (-each[0], each[1], each[2]))
    best, least = max((each[0] for each in scored), default=0.0), min((each[0] for each in scored), default=0.0)
    chosen: list[Merged] = []
    left = tokens
    for score, _, _, kb_id, item in ordered[:most]:
        if left is not None and not alone:
            left -= estimated(item.text) + estimated(item.context)
            if left < 0 and chosen:
                break
        shown = (score - least) / (best - least) if best > least else 1.0
        chosen.append(Merged(f"K{len(chosen) + 1}", kb_id, item, round(shown, 6)))
    return chosen


def _scores(packs: Sequence[tuple[str, EvidencePack]], models: Mapping[str, str]) -> list[list[float]]:
    """The score of every piece of evidence, by base, never rising along its list."""
    cosines: dict[str, list[float]] = {}
    for kb_id, pack in packs:
        cosines.setdefault(models.get(kb_id, ""), []).extend(
            item.scores.vector for item in pack.evidence if item.scores.vector is not None
        )
    scores = []
    for kb_id, pack in packs:
        near = cosines[models.get(kb_id, "")]
        mean = math.fsum(near) / max(1, len(near))
        spread = math.sqrt(math.fsum((cosine - mean) ** 2 for cosine in near) / max(1, len(near)))
        weight, match = pack.trace.get("bm25_weight", _HALF), pack.trace.get("bm25_match", 0.0)
        lowest = min(near, default=0.0)
        of_sentences = worth(match)
        unsaid = min((each.scores.sentence for each in pack.evidence if each.scores.sentence is not None), default=0.0)
        own = []
        for each in (item.scores for item in pack.evidence):
            cosine = lowest if each.vector is None else each.vector
            deviations = (cosine - mean) / spread if spread > 0 else 0.0
            said = SPREADS * match * (each.bm25 or 0.0)
            own.append(
                (1 - weight) * deviations + weight * said + LIFT * (each.graph or 0.0)
                + of_sentences * (unsaid if each.sentence is None else each.sentence)
            )
        for place in range(len(own) - 2, -1, -1):
            own[place] = max(own[place], own[place + 1])
        scores.append(own)
    return scores
