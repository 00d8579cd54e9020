"""Only an author's marks make a question, and only whole pairs count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.faq import answer_in, may_start, pairs_in, question_in


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Q: How?", "How?"),
        ("Q1. How?", "How?"),
        ("question 2： How?", "How?"),
        ("问：如何？", "如何？"),
        ("问题三、如何？", "如何？"),
        ("問 1：如何？", "如何？"),
        ("How?", None),
        ("Q: one\ntwo", None),
        ("Quality: good", None),
        ("问题很多", None),
        ("Q:", None),
    ],
)
def test_marked_questions_are_told(text: str, question: str | None) -> None:
    assert question_in(text) == question


@pytest.mark.parametrize(
    ("text", "answer"),
    [("A: So.", "So."), ("答：是\n的", "是\n的"), ("答案：是", "是"), ("A good day", None), ("answers: x", None)],
)
def test_marked_answers_are_told(text: str, answer: str | None) -> None:
    assert answer_in(text) == answer


def test_pairs_are_whole_or_none() -> None:
    assert pairs_in("Q: a\ngoes on\nA: b\nand on\nQ: c\nA: d") == [("a goes on", "b\nand on"), ("c", "d")]
    assert pairs_in("Q: a\nQ: b\nA: c") is None
    assert pairs_in("words\nQ: a\nA: b") is None


@given(st.text(st.sampled_from("QA问答:： \nx1"), max_size=30))
def test_any_text_is_safe_and_the_cheap_test_never_misses(text: str) -> None:
    found = (pairs_in(text), question_in(text), answer_in(text))
    assert may_start(text) or found == (None, None, None)


def test_a_million_spaces_do_not_stall() -> None:
    assert answer_in("a" + " " * 1_000_000 + "b") is None
