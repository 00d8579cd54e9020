"""One ranking of what two indexes found.

    fused = (1 - w) · (cosine, in standard deviations of its list)  +  w · SPREADS · (BM25 score / its ceiling)
            +  LIFT · max(graph, about)  +  said  +  ABROAD · (1 - match)²  for rows in another language than the question

A cosine means something only beside the others of its list, and the vectors come as one list for each language of the rows: a
question lies nearer to most passages of its own language than to the right one of another, so the lists are brought nearly to one
level before they are measured together. A BM25 score means something by itself: how much of what the query says the row says
too. So BM25 weighs as much as the query's language and terms meet the corpus. A Chinese question to English documents reaches a
few hundredths of its ceiling by the numbers and names that it shares, and the vectors decide; the same question to Chinese
documents reaches half of it.

Rows that hold a rare code of the query (`indexes.bm25.codes`) come before all others, those with more codes first: whoever writes
ERR_1042 means it.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from ingest.protocols import Hit, Ranked

SPREADS = 18.0
"""Standard deviations of a list of cosines that the whole BM25 ceiling is worth. From 14 to 22, nDCG@10 on the half of XQuAD on
which it was chosen stays within .004 in both languages; less costs Chinese, more costs English and questions across languages."""


LEVELLED = 0.8
"""Part of the distance between the mean cosines of two languages that is taken out. All of it, and nothing of a language in which
nothing fits looks worse than what does; by .8 the best of such a language stay below. Spreads are never made equal: a list of
rows that all fit as little as one another has the smallest, and its noise would become as large as what sets the right row
apart elsewhere. Chosen on fixtures/eval/calibration.jsonl, where .6 to 1 differ by .006 nDCG@10."""

ABROAD = 1.0
"""Standard deviations that rows in another language gain where no row says a word of a question (`match`: the best BM25 score in
parts of its ceiling). What is levelled still leaves a question nearer to its own language, whatever that says, and the answer may
stand in the other alone. Of XQuAD in a collection of both languages, half of the articles in each, such questions gain .011
nDCG@10 (Chinese) and .023 (English), and those that their own language answers lose .004 and nothing; 2 gives as much again and
takes another .006 and .002."""

LIFT = 3.0
"""Standard deviations that a row gains to which the graph surely leads, or that mentions what the query names."""

_NOWHERE: Mapping[str, float] = {}


@dataclass(frozen=True, slots=True)
class Nearest:
    """What the vector index said of one question, to be fused with what others say of it: by language the nearest rows that the
    caller may see, `candidates` of each at least where there are so many; `own` as `fuse` is given it; `model`: what the vectors
    are made by, for cosines of two do not compare."""

    lists: Mapping[str, Sequence[Hit]] = field(default_factory=dict)
    own: str | None = None
    candidates: int = 0
    model: str = ""


def fuse(
    vector: Mapping[str, Sequence[Hit]], bm25: Ranked, bm25_weight: float, candidates: int, graph: Mapping[str, float] = _NOWHERE,
    about: Mapping[str, float] = _NOWHERE, said: Mapping[str, float] = _NOWHERE, own: str | None = None,
) -> list[Hit]:
    """Return what any of them found and every row with a code, best first, ties by chunk id.

    `vector`: the nearest rows of each language. `bm25_weight` is in 0 to 1, the vector has the rest. `graph`: rows that one hop
    leads to, 0 to 1; `about`: which of the rows that were found have what the query names, 0 to 1; `said`: what a second look at
    the best rows adds, in standard deviations, to all others the least of it; `own`: the question's language, where rows in
    others gain beside its own. `candidates` is what each list was asked for at least; cosines are standardised over so many
    whatever the length of the list, and a row found otherwise has at least what the last of so many has, so that asking for more
    evidence does not change the first.
    """
    left, right = standardised(vector, candidates), _shares(bm25)
    from_abroad = gained(vector, match(bm25), own)
    elsewhere = abroad(vector, own) if from_abroad else ()
    firsts = [left[hit.chunk_id] for hits in vector.values() for hit in hits[:candidates]]
    lowest_left = min(firsts, default=0.0)
    # A list that is not full names every row that holds a term: the others have nothing of the query.
    lowest_right = right[bm25.hits[candidates - 1].chunk_id] if right and len(bm25.hits) >= candidates else 0.0
    for side, lowest, others in ((left, lowest_left, right), (right, lowest_right, left)):
        for chunk in {*others, *bm25.codes, *graph}:
            side[chunk] = max(side.get(chunk, lowest), lowest)
    unsaid = min(said.values(), default=0.0)
    fused = {
        chunk: (1 - bm25_weight) * left.get(chunk, lowest_left) + bm25_weight * right.get(chunk, lowest_right)
        + LIFT * max(graph.get(chunk, 0.0), about.get(chunk, 0.0)) + said.get(chunk, unsaid)
        + (from_abroad if chunk in elsewhere else 0.0)
        for chunk in {*left, *right}
    }
    return sorted(_lifted(fused, bm25.codes), key=lambda hit: (-hit.score, hit.chunk_id))


def match(bm25: Ranked) -> float:
    """Return the best BM25 score, in parts of its ceiling."""
    best = max((hit.score for hit in bm25.hits), default=0.0)
    return best / bm25.ceiling if bm25.ceiling > 0 else 0.0


def gained(languages: Collection[str], match: float, own: str | None) -> float:
    """Return the standard deviations that rows in other languages than `own` gain, nothing where none are beside its own."""
    return ABROAD * (1 - match) ** 2 if own in languages and len(languages) > 1 else 0.0


def abroad(vector: Mapping[str, Sequence[Hit]], own: str | None) -> set[str]:
    """Return the rows in other languages than `own`."""
    return {hit.chunk_id for language, hits in vector.items() if language not in ("", own) for hit in hits}


def in_turn(hits: Sequence[Hit], things: Sequence[Collection[str]]) -> list[Hit]:
    """Return hits, best first, with the best row of each of several things before the second best of any: who compares two things
    needs both. It counts as much as the row whose place it takes. `things`: the rows of each; one that no hit has is left out."""
    firsts = {next((hit.chunk_id for hit in hits if hit.chunk_id in rows), "") for rows in things} - {""}
    last = hits[len(firsts) - 1].score if firsts else 0.0
    raised = [Hit(hit.chunk_id, max(hit.score, last)) if hit.chunk_id in firsts else hit for hit in hits]
    return sorted(raised, key=lambda hit: (-hit.score, hit.chunk_id not in firsts, hit.chunk_id))


def merged(lists: Mapping[str, Sequence[Hit]]) -> list[Hit]:
    """Return the rows of all lists as one, best first."""
    return list(heapq.merge(*lists.values(), key=lambda hit: (-hit.score, hit.chunk_id)))


def standardised(lists: Mapping[str, Sequence[Hit]], candidates: int) -> dict[str, float]:
    """Return scores as standard deviations from the mean of the first `candidates` of all lists, after the lists of languages
    were levelled. Those of languages with fewer rows than `candidates` say too little of their language and stay as they are."""
    means = {
        language: math.fsum(hit.score for hit in hits[:candidates]) / candidates
        for language, hits in lists.items() if len(hits) >= candidates
    }
    highest = max(means.values(), default=0.0)
    levelled = {
        language: _raised(hits, LEVELLED * (highest - means[language])) if language in means else hits
        for language, hits in lists.items()
    }
    every = merged(levelled)
    return _spread(every, every[:candidates])


def _raised(hits: Sequence[Hit], by: float) -> Sequence[Hit]:
    return [Hit(hit.chunk_id, hit.score + by) for hit in hits] if by else hits


def _spread(hits: Sequence[Hit], measure: Sequence[Hit]) -> dict[str, float]:
    """Scores as standard deviations from the mean of `measure`; all 0 where that does not differ."""
    first = [hit.score for hit in measure]
    mean = math.fsum(first) / max(1, len(first))
    spread = math.sqrt(math.fsum((score - mean) ** 2 for score in first) / max(1, len(first)))
    return {hit.chunk_id: (hit.score - mean) / spread if spread > 0 else 0.0 for hit in hits}


def _shares(bm25: Ranked) -> dict[str, float]:
    return {hit.chunk_id: SPREADS * hit.score / bm25.ceiling for hit in bm25.hits} if bm25.ceiling > 0 else {}


def _lifted(fused: Mapping[str, float], codes: Mapping[str, int]) -> list[Hit]:
    """Lift rows by more than scores differ for each code that they hold."""
    step = 1 + max(fused.values(), default=0.0) - min(fused.values(), default=0.0)
    return [Hit(chunk, score + step * codes.get(chunk, 0)) for chunk, score in fused.items()]
