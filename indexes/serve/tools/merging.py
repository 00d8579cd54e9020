"""One list of the evidence of several knowledge bases.

Fused scores of two bases do not compare: a cosine counts in deviations of its own list there. What they are made of does: the
cosines of one model, and BM25 scores in parts of their ceiling, which say how much of the query a row holds, whatever the base.
So they are fused anew, cosines by the functions of `indexes.query.fuse` over the lists of all bases of a model together, as if
those were one base: languages are brought to one level, and rows in another language than the question's gain where no base says
much of it in its own words:

    (1 - w) · (cosine, in deviations of the lists of its model)  +  w · SPREADS · (BM25 score / its ceiling)  +  LIFT · graph
        +  what sentences are worth  +  what is gained abroad

The order that a base gave its evidence stays: what it put first (a rare code, say) has at least the score of what follows. Equal
scores are ordered by base as configured, then by place. See docs/serving.md.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from indexes.query import fuse
from indexes.query.context import estimated
from indexes.query.fuse import LIFT, SPREADS, Nearest
from indexes.query.sentences import worth
from ingest.model.evidence import Evidence, EvidencePack
from ingest.protocols import Hit

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
    packs: Sequence[tuple[str, EvidencePack]], most: int, tokens: int | None, near: Mapping[str, Nearest]
) -> list[Merged]:
    """Return the best `most` pieces of evidence, within `tokens` (the first always), numbered from K1. `near`: what the vectors
    of each base say."""
    alone = len(packs) == 1
    scores = _scores(packs, near)
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


def _scores(packs: Sequence[tuple[str, EvidencePack]], near: Mapping[str, Nearest]) -> list[list[float]]:
    """The score of every piece of evidence, by base, never rising along its list."""
    match = max((pack.trace.get("bm25_match", 0.0) for _, pack in packs), default=0.0)
    vectors = _of_vectors(near, match)
    said = [item.scores.sentence for _, pack in packs for item in pack.evidence if item.scores.sentence is not None]
    unsaid, of_sentences = min(said, default=0.0), worth(match)
    scores = []
    for kb_id, pack in packs:
        of_base = vectors[kb_id]
        weight, ceiling = pack.trace.get("bm25_weight", _HALF), SPREADS * pack.trace.get("bm25_match", 0.0)
        own = []
        for item in pack.evidence:
            each, row = item.scores, _named(kb_id, item.chunk_id)
            own.append(
                (1 - weight) * of_base.deviations.get(row, of_base.lowest) + weight * ceiling * (each.bm25 or 0.0)
                + LIFT * (each.graph or 0.0) + of_sentences * (unsaid if each.sentence is None else each.sentence)
                + (of_base.gained if row in of_base.abroad else 0.0)
            )
        for place in range(len(own) - 2, -1, -1):
            own[place] = max(own[place], own[place + 1])
        scores.append(own)
    return scores


@dataclass(frozen=True, slots=True)
class _Vectors:
    """What vectors of one model say of the rows of all bases that have it, as `fuse` knows it of one. `lowest`: the deviations of
    rows that they did not find; `gained` by those in `abroad`."""

    deviations: Mapping[str, float]
    lowest: float
    abroad: Collection[str]
    gained: float


def _of_vectors(near: Mapping[str, Nearest], match: float) -> dict[str, _Vectors]:
    """By base, those of its model. `match`: the best BM25 score of any base, in parts of its ceiling."""
    models: defaultdict[str, dict[str, Nearest]] = defaultdict(dict)
    for kb_id, each in near.items():
        models[each.model][kb_id] = each
    found = {}
    for of_model in models.values():
        candidates = min(each.candidates for each in of_model.values())
        lists = {language: hits[:candidates] for language, hits in _together(of_model).items()}
        deviations = fuse.standardised(lists, candidates)
        own = next((each.own for each in of_model.values() if each.own is not None), None)
        vectors = _Vectors(
            deviations, min(deviations.values(), default=0.0), fuse.abroad(lists, own), fuse.gained(lists, match, own)
        )
        found.update(dict.fromkeys(of_model, vectors))
    return found


def _together(near: Mapping[str, Nearest]) -> dict[str, list[Hit]]:
    """The lists of some bases by language, best first; as one where one of them did not look at languages apart: it says enough
    of the question in its own words."""
    apart = all("" not in each.lists for each in near.values())
    lists: defaultdict[str, list[Hit]] = defaultdict(list)
    for kb_id, each in near.items():
        for language, hits in each.lists.items():
            lists[language if apart else ""] += [Hit(_named(kb_id, hit.chunk_id), hit.score) for hit in hits]
    return {language: sorted(hits, key=lambda hit: (-hit.score, hit.chunk_id)) for language, hits in lists.items()}


def _named(kb_id: str, chunk_id: str) -> str:
    """A row among those of other bases: two of them may have the same."""
    return f"{kb_id} {chunk_id}"
