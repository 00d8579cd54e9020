"""A reranker orders what it is shown, and that only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from indexes.query.rerank import reranked
from ingest.protocols import Hit


class ByLength:
    """Prefers short texts."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def scores(self, query: str, texts: Sequence[str]) -> list[float]:
        self.shown = list(texts)
        return [-float(len(text)) for text in texts]


def test_the_best_rows_are_put_in_its_order_and_the_rest_follow(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    rows = [make_row(number, text="word " * (4 - number), prefix="") for number in range(4)]
    hits = [Hit(row.chunk_id, 4.0 - number) for number, row in enumerate(rows)]
    reranker = ByLength()
    with make_snapshot(rows) as snapshot:
        found = reranked(snapshot, reranker, "q", hits, 3)
        assert [hit.chunk_id for hit in found] == [rows[at].chunk_id for at in (2, 1, 0, 3)]
        assert [hit.score for hit in found] == [4.0, 3.0, 2.0, 1.0]
        assert reranker.shown == [row.search_text for row in rows[:3]]
        assert reranked(snapshot, reranker, "q", [], 3) == []


def test_equal_scores_keep_the_order_that_was(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    rows = [make_row(number, text="same", prefix="") for number in range(3)]
    hits = [Hit(row.chunk_id, 1.0) for row in rows]
    with make_snapshot(rows) as snapshot:
        assert reranked(snapshot, ByLength(), "q", hits, 3) == hits
