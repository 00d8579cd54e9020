"""Only an author's marks make a question, and only whole pairs count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.faq import answer_in, is_marked, may_start, pairs_in, question_in


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


@pytest.mark.parametrize(
    "text",
    [
        "【问】能退吗？\n【答】能。", "[Q] 能退吗？\n[A] 能。", "질문: 能退吗？\n답변: 能。", "質問：能退吗？\n回答：能。",
        "问：能退吗？ 答：能。",
    ],
)
def test_marks_in_brackets_of_neighbours_and_on_one_line_are_pairs(text: str) -> None:
    assert pairs_in(text) == [("能退吗？", "能。")]


def test_a_line_is_marked_beyond_doubt_by_a_colon_or_brackets() -> None:
    assert is_marked("Q: How?") and is_marked("答：能。") and is_marked("【答】能。")
    assert not is_marked("A. Smith said") and not is_marked("Questions are asked") and not is_marked("答案很多")
