"""Where in an evidence pack the passages stand that a question needs.

An item answers a need when it is of the need's source and its text, or the section that comes with it, holds every span. Texts
are compared by letters and digits alone (NFKC, lower case): how a table, a number or emphasis is written does not matter.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Sequence

from flows.evaluation.question import Need
from ingest.model.evidence import Evidence

_MARKS = re.compile(r"[^\w]|_")
CUTS = (1, 5, 10, 20)
"""The k of Recall@k."""
GAIN_AT = 10


def folded(text: str) -> str:
    """Return letters and digits alone, as spans are compared."""
    return _MARKS.sub("", unicodedata.normalize("NFKC", text)).casefold()


def ranks_of(needs: Sequence[Need], evidence: Sequence[Evidence]) -> tuple[int | None, ...]:
    """Return the rank, from 1, of the first item that answers each need."""
    texts = [folded(item.text + "\n" + item.context) for item in evidence]
    return tuple(_rank(need, evidence, texts) for need in needs)


def _rank(need: Need, evidence: Sequence[Evidence], texts: Sequence[str]) -> int | None:
    spans = [folded(span) for span in need.spans]
    for rank, (item, text) in enumerate(zip(evidence, texts, strict=True), 1):
        if item.uri == need.uri and all(span in text for span in spans):
            return rank
    return None


def recall(ranks: Sequence[int | None], k: int) -> float:
    """Share of the needs that are answered among the first `k` items."""
    return sum(rank is not None and rank <= k for rank in ranks) / len(ranks)


def gain(ranks: Sequence[int | None], k: int = GAIN_AT) -> float:
    """nDCG@k with gains of 0 and 1: each need counts once, at its first answer; needs answered by one item count there together
    as if they stood one behind the other."""
    taken: list[int] = []
    for rank in sorted(rank for rank in ranks if rank is not None and rank <= k):
        # An item that answers two needs stands for both: the second would otherwise be pushed behind what it cannot follow.
        taken.append(max(rank, len(taken) + 1))
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(len(ranks), k) + 1))
    return sum(1 / math.log2(place + 1) for place in taken) / ideal


def reciprocal(ranks: Sequence[int | None]) -> float:
    """1 / rank of the first answer to any need, 0 where there is none."""
    return max((1 / rank for rank in ranks if rank is not None), default=0.0)
