"""How much evidence is asked for changes how much comes, not what comes first."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from indexes.query.evidence import search
from indexes.query.request import Mode, Request
from ingest.model.entity import Entity, Name
from ingest.settings import SearchPart

WHEN = "2026-01-01T00:00:00Z"
WORDS = ("gateway", "backup", "limit", "retry", "power", "licence", "days", "hours", "cabinet", "owner", "ERR_1042", "Falcon")
CHARS = ("网关", "备份", "限流", "重试", "电源", "许可证", "天数", "机柜", "负责人", "期限", "隼网关", "版本")
FEW = SearchPart(candidates=12)


@pytest.fixture(scope="module")
def crowded(make_snapshot: Callable[..., Any], make_row: Callable[..., Any], make_fact: Callable[..., Any]) -> Iterator[Any]:
    """More rows of each language than lists are long, a few sections with many rows, and one thing with names in both."""
    rng = random.Random(7)  # noqa: S311
    falcon = Entity("urn:kb:entity:falcon", "product", (Name("隼网关", "preferred", "zh"), Name("Falcon", "alternate", "en")))
    rows = []
    for number in range(100):
        words = rng.choices(CHARS if number % 2 else WORDS, k=rng.randint(4, 9))
        text = f"{number}：{'的'.join(words)}。" if number % 2 else f"{number}: {' '.join(words)}."
        named = (falcon.entity_id,) if {"Falcon", "隼网关"} & set(words) else ()
        places = {"parent_id": f"urn:kb:parent:{number % 7}", "source_id": f"urn:kb:source:{number % 7:02}"}
        rows.append(make_row(number, text=text, entity_ids=named, **places))
    with make_snapshot(rows, entities=[make_fact(falcon, falcon.entity_id, "")]) as snapshot:
        yield snapshot


SOME = st.lists(st.sampled_from((*WORDS, *CHARS)), min_size=1, max_size=5)


@given(words=SOME, mode=st.sampled_from(("hybrid", "vector", "bm25")))
@settings(max_examples=8, deadline=None, phases=(Phase.generate,), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_asking_for_more_changes_nothing_of_the_first(crowded: Any, embedder: Any, words: list[str], mode: Mode) -> None:
    def found(top_k: int) -> Any:
        return search(crowded, embedder, Request(" ".join(words), mode, top_k, as_of=WHEN, tokens=10**6), FEW)

    first = found(FEW.candidates)
    for top_k in (5, 13, 60):
        pack = found(top_k)
        ids = [item.chunk_id for item in pack.evidence]
        common = min(top_k, len(first.evidence))
        assert ids[:common] == [item.chunk_id for item in first.evidence[:common]], top_k
        assert [item.scores for item in pack.evidence[:common]] == [item.scores for item in first.evidence[:common]]
        assert len(ids) == len(set(ids)) and (len(ids) == top_k or mode == "bm25")
    assert (pack.status, pack.confidence) == (first.status, first.confidence)


def test_few_rows_are_not_searched_for_twice(crowded: Any, embedder: Any) -> None:
    def times(top_k: int) -> Any:
        return search(crowded, embedder, Request("gateway 备份", top_k=top_k, as_of=WHEN), FEW).trace["milliseconds"]

    assert "further" not in times(12) and "further" not in times(13) and "further" in times(99)


@pytest.mark.parametrize("mode", ["hybrid", "vector", "bm25", "graph"])
def test_a_base_smaller_than_its_lists_is_not_searched_for_twice(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], embedder: Any, mode: Mode
) -> None:
    with make_snapshot([make_row(number, text=f"{number}: gateway backup.") for number in range(8)]) as snapshot:
        pack = search(snapshot, embedder, Request("gateway backup", mode, 99, as_of=WHEN), FEW)
    assert "further" not in pack.trace["milliseconds"] and bool(pack.evidence) == (mode != "graph")


class Counting:
    """An embedder that notes what it is asked."""

    def __init__(self, inner: Any) -> None:
        self._inner, self.asked = inner, [""][:0]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def queries(self, texts: list[str]) -> Any:
        self.asked += texts
        return self._inner.queries(texts)


def test_a_question_is_embedded_once_however_much_is_asked_for(crowded: Any, embedder: Any) -> None:
    counting = Counting(embedder)
    trace = search(crowded, counting, Request("gateway 备份", top_k=99, as_of=WHEN), FEW).trace
    assert "further" in trace["milliseconds"] and counting.asked == ["gateway 备份"]
