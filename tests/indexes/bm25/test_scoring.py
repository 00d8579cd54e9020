"""The okapi formula is rank_bm25's on any corpus, also on large ones where sums of idf round differently by order."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from rank_bm25 import BM25Okapi

from indexes.bm25.reader import open_reader
from indexes.bm25.scoring import Scoring
from indexes.bm25.terms import query_terms, terms
from ingest.model.predicate import Predicate

WORDS = [f"w{number}q" for number in range(2000)]


def text(chance: random.Random) -> str:
    """Most texts hold 网关, so that its idf is negative; word frequencies fall off as in language."""
    words = [WORDS[min(int(chance.paretovariate(0.7)), 1999)] for _ in range(chance.randrange(1, 60))]
    return " ".join([*words, "网关" if chance.random() < 0.8 else "gateway"])


@pytest.mark.parametrize(("k1", "b"), [(1.5, 0.75), (0.9, 0.4), (2.0, 1.0), (1.2, 0.0)])
def test_okapi_is_rank_bm25_to_the_last_bit(
    on_disk: Callable[..., Any], make_row: Callable[..., Any], k1: float, b: float
) -> None:
    chance = random.Random(7)  # noqa: S311
    rows = sorted((make_row(number, text=text(chance)) for number in range(600)), key=lambda row: row.chunk_id)
    builds = on_disk(most_tokens=3000)
    base = builds.write(None, rows[::2] + [make_row(number, text=text(chance)) for number in range(1000, 1100)])
    gone = [make_row(number).chunk_id for number in range(24)]
    extra = [chunk_id for chunk_id in builds.contents if chunk_id not in {row.chunk_id for row in rows}]
    path = builds.write(base, rows[1::2], gone + extra)
    reader = open_reader(path, "okapi", k1, b)
    oracle = BM25Okapi([terms(row.search_text) for row in rows], k1=k1, b=b)
    for query in ("网关", "网关 w1q w2q gateway", "gateway w7q w40q w1999q", "手册 Manual 网关"):
        scores = oracle.get_scores(query_terms(query)).tolist()
        expected = {row.chunk_id: score for row, score in zip(rows, scores, strict=True) if score > 0}
        assert {hit.chunk_id: hit.score for hit in reader.search(query, Predicate(None), 1000)} == expected


def test_a_rarer_term_weighs_more() -> None:
    scoring = Scoring()
    weights = [scoring.idf(df, 1000, lambda: 0.0) for df in (1, 10, 500, 1000)]
    assert weights == sorted(weights, reverse=True) and weights[-1] > 0
