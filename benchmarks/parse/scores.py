"""Three similarities of a Markdown text to the true one, from 0 to 1, and their mean, by the rules of opendataloader-bench.

Written anew from that project's description and results (github.com/opendataloader-project/opendataloader-bench); where ours
differs is told in docs/parsing-quality.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import Indel, Levenshtein
from rapidfuzz.process import cdist

from benchmarks.parse import markup
from benchmarks.parse.trees import Node, distance


@dataclass(frozen=True, slots=True)
class Scores:
    """Of one document, or means over several; None where the truth has no table, or no heading, to compare.

    `text`: reading order, 1 - (insertions and deletions) / (characters of both), tables as HTML in the text.
    `prose`: the same without tables, for looking at; not part of `overall`.
    `table`: tree edit distance similarity of all tables. `heading`: the same of headings and the text under each.
    """

    text: float | None
    prose: float | None
    table: float | None
    heading: float | None

    @property
    def overall(self) -> float:
        return fmean(one for one in (self.text, self.table, self.heading) if one is not None)


@dataclass(frozen=True, slots=True)
class Means:
    """Over documents: each measure over those that have it, `overall` over all of them."""

    documents: int
    overall: float
    text: float
    prose: float
    table: float
    heading: float


def score(truth: str, seen: str) -> Scores:
    """Compare what an engine saw with the truth, both Markdown."""
    return Scores(
        _same_characters(markup.plain(truth), markup.plain(seen)),
        _same_characters(markup.without_tables(truth), markup.without_tables(seen)),
        tree_similarity(markup.tables(truth), markup.tables(seen), root_counts=False),
        tree_similarity(markup.headings(truth), markup.headings(seen), root_counts=True),
    )


def means(scores: Sequence[Scores]) -> Means:
    """Return the means; a measure that no document has is nan."""
    return Means(
        len(scores), _mean(one.overall for one in scores), _mean(one.text for one in scores), _mean(one.prose for one in scores),
        _mean(one.table for one in scores), _mean(one.heading for one in scores),
    )


def tree_similarity(truth: Node | None, seen: Node | None, *, root_counts: bool) -> float | None:
    """Return 1 - edit distance / nodes of the larger tree; None when there is nothing to find, 0 when nothing of it was found."""
    if truth is None:
        return None
    if seen is None:
        return 0.0
    nodes = max(truth.size(), seen.size()) - (0 if root_counts else 1)
    return max(0.0, 1 - distance(truth, seen, _renaming) / nodes)


def _renaming(first: Sequence[Node], second: Sequence[Node]) -> NDArray[np.float64]:
    """Costs of renaming: 1 between tags (a cell's has its spans), else the share of characters that differ."""
    texts = np.asarray(_texts(first, second), dtype=np.float64)
    tags = np.array([one.tag for one in first])[:, None] != np.array([one.tag for one in second])[None, :]
    return np.where(tags, 1.0, texts)


def _texts(first: Sequence[Node], second: Sequence[Node]) -> NDArray[np.float64]:
    scorer: Callable[..., float] = Levenshtein.normalized_distance
    return np.asarray(cdist([one.text for one in first], [one.text for one in second], scorer=scorer, dtype=np.float64))


def _same_characters(truth: str, seen: str) -> float | None:
    return float(Indel.normalized_similarity(truth, seen)) if truth else None


def _mean(values: Iterable[float | None]) -> float:
    present = [value for value in values if value is not None]
    return fmean(present) if present else float("nan")
