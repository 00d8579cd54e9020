"""Recall, nDCG and reciprocal ranks against figures worked out by hand, and what holds of all of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.evaluation.question import Need
from flows.evaluation.ranks import folded, gain, ranks_of, recall, reciprocal
from ingest.model.document import Provenance
from ingest.model.evidence import Evidence, Scores


def item(uri: str, text: str, context: str = "") -> Evidence:
    return Evidence(
        "K1", "c", "p", "s", uri, "", (), text, context, (), None, "active", None, None, "", 1.0, Scores(), Provenance()
    )


def test_item_answers_where_source_and_every_span_meet() -> None:
    evidence = [
        item("docs/other.md", "默认最大并发连接数为 20000"), item("docs/a.md", "目录"),
        item("docs/a.md", "| 并发 | **20,000** |"), item("docs/a.md", "x", "并发上限 20000"),
    ]
    assert ranks_of([Need("docs/a.md", ("20000",))], evidence) == (3,)
    assert ranks_of([Need("docs/a.md", ("上限", "20000"))], evidence) == (4,)
    assert ranks_of([Need("docs/a.md")], evidence) == (2,)
    assert ranks_of([Need("docs/b.md", ("20000",)), Need("docs/a.md", ("目录",))], evidence) == (None, 2)


def test_spans_are_compared_by_letters_and_digits() -> None:
    assert folded("１，２００ Routes `x_y`") == folded("1,200 routes xy") == "1200routesxy"


@pytest.mark.parametrize(("ranks", "figure"), [
    ((1,), 1.0), ((2,), 1 / math.log2(3)), ((11,), 0.0), ((None,), 0.0), ((1, 2), 1.0), ((2, 1), 1.0), ((1, 1), 1.0),
    ((1, None), 1 / (1 + 1 / math.log2(3))), ((3, 4), (0.5 + 1 / math.log2(5)) / (1 + 1 / math.log2(3))),
])
def test_gain_is_what_a_hand_makes_it(ranks: tuple[int | None, ...], figure: float) -> None:
    assert gain(ranks) == pytest.approx(figure)


def test_recall_and_reciprocal_rank() -> None:
    assert [recall((2, 7, None, 20), k) for k in (1, 5, 10, 20)] == [0, 0.25, 0.5, 0.75]
    assert (reciprocal((None, 4, 2)), reciprocal((None,))) == (0.5, 0.0)


RANKS = st.lists(st.one_of(st.none(), st.integers(1, 30)), min_size=1, max_size=6).map(tuple)


@given(RANKS)
def test_figures_lie_between_none_and_all_and_never_fall_with_depth(ranks: tuple[int | None, ...]) -> None:
    assert 0 <= gain(ranks) <= 1 + 1e-9
    recalls = [recall(ranks, k) for k in (1, 5, 10, 20)]
    assert recalls == sorted(recalls) and recalls[0] >= 0 and recalls[-1] <= 1


@given(RANKS, st.randoms())
def test_order_of_needs_does_not_matter(ranks: tuple[int | None, ...], random: object) -> None:
    mixed = sorted(ranks, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert gain(tuple(mixed)) == pytest.approx(gain(ranks))
