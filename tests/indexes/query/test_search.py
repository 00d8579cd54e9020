"""Search against the obvious: rank every row by hand, keep those that the caller may see."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexes.bm25.codes import RARE, codes
from indexes.bm25.terms import query_terms, terms
from indexes.query.evidence import search
from indexes.query.fuse import SPREADS
from indexes.query.request import Mode, Request, predicate_of
from ingest.model.access import Access, Principal
from ingest.model.instant import parse_instant
from ingest.model.predicate import Predicate, filter_columns
from ingest.model.row import ChunkRow
from ingest.settings import SearchPart

MODES: tuple[Mode, ...] = ("bm25", "vector", "hybrid")
QUERIES = (
    "gateway", "错误码 ERR_1042 怎么处理", "備份保留多少天", "GET /api/v2/users", "storage gateway of the second generation",
    "when do backups run, and ERR_1042?", "Версия 2.1", "zephyr", "", "how many requests a minute",
)
WIDE = SearchPart(per_parent=1000)
PRINCIPALS = st.builds(
    Principal, user=st.sampled_from((None, "alice", "王芳")), roles=st.sampled_from(((), ("sales",), ("ops", "sales"))),
    tenant=st.sampled_from((None, "acme", "碧海")), level=st.sampled_from((0, 1, 3)),
)
INSTANTS = st.sampled_from(("2023-06-01", "2024-01-01", "2025-07-01", "2026-01-01")).map(parse_instant)
STATUSES = st.sampled_from((("active",), None, ("draft", "deprecated")))


def requests(query: str, mode: Mode, data: st.DataObject) -> Request:
    """A request that is asked as it stands: a plan would lean on BM25 where the query has a code."""
    return Request(query, mode, 1000, data.draw(PRINCIPALS), data.draw(INSTANTS), data.draw(STATUSES), planned=False)


@pytest.fixture(scope="session")
def mixed_rows(make_row: Callable[..., Any], some_rows: Any) -> st.SearchStrategy[list[ChunkRow]]:
    """Rows of any access, window and status, and up to 20 more that anybody sees."""
    open_rows = st.sets(st.integers(24, 71), max_size=20).map(lambda numbers: [make_row(number) for number in sorted(numbers)])
    return st.builds(lambda some, others: [*some, *others], some_rows, open_rows)


def by_hand(rows: Sequence[ChunkRow], request: Request, predicate: Predicate, embedder: Any) -> dict[str, float]:
    """Fused score of every row that search has to return. Lists of up to 40 rows are never cut, which keeps this short."""
    shown = [row for row in rows if predicate.admits(filter_columns(row))]
    cosines, shares, held = {}, {}, Counter[str]()
    if request.mode != "bm25" and shown:
        query = embedder.queries([request.query])[0]
        cosines = {row.chunk_id: float(embedder.passages([row.embed_text])[0] @ query) for row in shown}
    if request.mode != "vector":
        seen = [row for row in rows if predicate.caller().admits(filter_columns(row))]
        shares, held = bm25_by_hand(seen, shown, request.query)
    first = sorted(cosines.values(), reverse=True)[: SearchPart().candidates]  # no language has so many rows here
    mean, spread = (np.mean(first), np.std(first)) if cosines else (0.0, 0.0)
    weight = {"bm25": 1.0, "vector": 0.0, "hybrid": 0.5}[request.mode]
    scores = {
        chunk: (1 - weight) * ((cosines.get(chunk, mean) - mean) / spread if spread > 1e-9 else 0.0)
        + weight * SPREADS * shares.get(chunk, 0.0)
        for chunk in {*cosines, *shares}
    }
    step = 1 + max(scores.values(), default=0.0) - min(scores.values(), default=0.0)
    return {chunk: score + step * held[chunk] for chunk, score in scores.items()}


def bm25_by_hand(rows: Sequence[ChunkRow], shown: Sequence[ChunkRow], query: str) -> tuple[dict[str, float], Counter[str]]:
    """Shares of the ceiling, and how many codes each row holds. `rows`: those that the caller may see; `shown`: of these, those
    that are asked for."""
    counts = {row.chunk_id: Counter(terms(row.search_text)) for row in rows}
    mean = sum(count.total() for count in counts.values()) / max(1, len(rows))

    def idf(df: int) -> float:
        return math.log(1 + (len(rows) - df + 0.5) / (df + 0.5))

    scores, ceiling, held = Counter[str](), 0.0, Counter[str]()
    for term in query_terms(query):
        holders = [row.chunk_id for row in shown if term in counts[row.chunk_id]]
        df = sum(term in count for count in counts.values())
        ceiling += idf(df)
        for chunk in holders:
            tf, length = counts[chunk][term], counts[chunk].total()
            scores[chunk] += idf(df) * tf / (tf + 1.5 * (0.25 + 0.75 * length / mean))
        if term in codes(query) and len(holders) <= RARE:
            held.update(holders)
    return {chunk: score / ceiling for chunk, score in scores.items()}, held


@pytest.fixture(scope="module", autouse=True)
def _untranslated() -> Iterator[None]:
    """What is computed by hand here knows no lexicon."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("indexes.query.named.lexicon", lambda: None)
        yield


@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_every_mode_returns_what_is_admitted_in_the_order_of_brute_force(
    make_snapshot: Callable[..., Any], embedder: Any, mixed_rows: Any, data: st.DataObject
) -> None:
    rows = data.draw(mixed_rows)
    request = requests(data.draw(st.sampled_from(QUERIES)), data.draw(st.sampled_from(MODES)), data)
    with make_snapshot(rows) as snapshot:
        predicate = predicate_of(request, snapshot, request.as_of)
        pack = search(snapshot, embedder, request, WIDE)
    expected = by_hand(rows, request, predicate, embedder)
    found = {item.chunk_id: item.scores.fused for item in pack.evidence}
    assert found == pytest.approx(expected, abs=1e-4)
    scores = [item.scores.fused for item in pack.evidence]
    assert scores == sorted(scores, reverse=True)
    by_id = {row.chunk_id: row for row in rows}
    assert all(predicate.admits(filter_columns(by_id[chunk])) for chunk in found)
    assert pack.evidence or pack.status == "insufficient_evidence"
    assert [item.citation for item in pack.evidence] == [f"K{number}" for number in range(1, len(expected) + 1)]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_fewer_pieces_of_evidence_are_the_first_of_more(
    make_snapshot: Callable[..., Any], embedder: Any, mixed_rows: Any, data: st.DataObject
) -> None:
    rows = data.draw(mixed_rows)
    request = requests(data.draw(st.sampled_from(QUERIES)), "hybrid", data)
    with make_snapshot(rows) as snapshot:
        every = search(snapshot, embedder, request, SearchPart()).evidence
        for most in (0, 1, 3, 10):
            assert search(snapshot, embedder, replace(request, top_k=most), SearchPart()).evidence == every[:most]


SECRETS = ("zephyr", "ZEPHYR_77", "飓风", "quokka", "QUOKKA_88", "鼹鼠")


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_a_word_that_only_hidden_rows_hold_changes_nothing(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], embedder: Any, mixed_rows: Any, data: st.DataObject
) -> None:
    """Two bases differ in the words of hidden rows only. Who may not see them gets the same answer, scores and trace included,
    though the question has those words. (Numbers of rows, their mean length and the frequencies of words that show are the
    documented residual, so they are equal here.)"""
    shown = [row for row in data.draw(mixed_rows) if row.access == Access()]
    access = data.draw(st.sampled_from((Access("acme"), Access(users=("alice",)), Access(roles=("ops",)), Access(level=2))))
    numbers = range(100, 100 + data.draw(st.integers(1, 6)))

    def base(words: Sequence[str]) -> list[ChunkRow]:
        hidden = [
            make_row(number, text=words[number % 3], chunk_id=f"urn:kb:chunk:{number:032x}", access=access, family="handbook",
                     version=words[number % 3])
            for number in numbers
        ]
        return [*shown, *hidden]

    question = " ".join([data.draw(st.sampled_from(QUERIES)), *data.draw(st.lists(st.sampled_from(SECRETS[:3]), max_size=3))])
    for mode in MODES:
        packs = []
        for words in (SECRETS[:3], SECRETS[3:]):
            with make_snapshot(base(words)) as snapshot:
                packs.append(search(snapshot, embedder, requests_of_nobody(question, mode), SearchPart()))
        one, other = packs
        assert one.evidence == other.evidence and one.conflicts == other.conflicts and one.status == other.status
        assert {**one.trace, "milliseconds": 0} == {**other.trace, "milliseconds": 0}


def requests_of_nobody(query: str, mode: Mode) -> Request:
    return Request(query, mode, as_of="2026-01-01T00:00:00Z")


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_counts_are_of_rows_that_show(
    make_snapshot: Callable[..., Any], embedder: Any, mixed_rows: Any, data: st.DataObject
) -> None:
    rows = data.draw(mixed_rows)
    request = requests(data.draw(st.sampled_from(QUERIES)), data.draw(st.sampled_from(MODES)), data)
    with make_snapshot(rows) as snapshot:
        predicate = predicate_of(request, snapshot, request.as_of)
        trace = search(snapshot, embedder, request, SearchPart()).trace
    shown = sum(predicate.admits(filter_columns(row)) for row in rows)
    assert max(trace[name] for name in ("vector", "bm25", "codes", "fused")) <= shown


def test_of_what_is_pasted_the_beginning_is_embedded_and_all_words_are_looked_for(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], embedder: Any
) -> None:
    seen: list[str] = []

    class Watched:
        def queries(self, texts: Sequence[str]) -> Any:
            seen.extend(texts)
            return embedder.queries(texts)

    rows = [make_row(0), make_row(5, text="QUOKKA is written at the end.")]
    with make_snapshot(rows) as snapshot:
        pack = search(snapshot, Watched(), Request("log line\n" * 2000 + "QUOKKA", "hybrid"), SearchPart())  # type: ignore[arg-type]
    assert [len(text) for text in seen] == [2000]
    assert pack.evidence[0].text == "QUOKKA is written at the end."


def test_vectors_are_asked_once_and_by_language_where_words_tell_little(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], embedder: Any
) -> None:
    asked: list[str] = []

    class Watched:
        def __init__(self, reader: Any) -> None:
            self._reader = reader

        def __getattr__(self, name: str) -> Any:
            asked.append(name)
            return getattr(self._reader, name)

    with make_snapshot([make_row(number) for number in range(6)]) as snapshot:
        snapshot._readers["vector"] = Watched(snapshot.vector)
        for query in (make_row(0).text, "zephyr quokka"):
            search(snapshot, embedder, Request(query, "hybrid"), SearchPart())
        snapshot._readers["vector"] = snapshot.vector._reader
    assert asked == ["search", "by_language"]
