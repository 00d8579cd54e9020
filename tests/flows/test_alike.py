"""When two passages count as copies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.alike import LEAST, Shingles

ZH = "云脉网关的备份每六小时一次，全量备份安排在星期日凌晨，备份文件默认保留三十天，恢复的时候只能有一个节点在运行。"
EN = "A backup is made every six hours and a full one on Sunday night; files are kept for thirty days unless told otherwise."


@given(st.text())
def test_a_text_says_what_it_says_itself(text: str) -> None:
    one = Shingles(text)
    assert one.share(Shingles(text)) == (1.0 if one.of else 0.0)
    assert one.keys() == Shingles(text).keys()


@given(st.text(), st.text())
def test_which_of_two_comes_first_does_not_matter(left: str, right: str) -> None:
    assert Shingles(left).share(Shingles(right)) == Shingles(right).share(Shingles(left))


def test_markup_and_line_breaks_do_not_matter() -> None:
    for text in (ZH, EN):
        other = Shingles("**" + text.replace(" ", "\n") + "**")
        assert Shingles(text).share(other) == 1.0
        assert set(Shingles(text).keys()) & set(other.keys())


def test_a_figure_that_differs_parts_texts() -> None:
    left, right = Shingles(EN + " Port 8443."), Shingles(EN + " Port 8444.")
    assert left.share(right) == 0.0
    assert not set(left.keys()) & set(right.keys())


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (ZH, ZH.replace("三十天", "二十天")),
        (ZH, ZH.replace("六小时", "两小时")),
        (ZH, ZH.replace("一个节点", "两个节点")),
        (EN, EN.replace("six hours", "two hours")),
        (EN, EN.replace("thirty days", "ninety days")),
    ],
)
def test_a_figure_in_words_that_differs_parts_texts(text: str, other: str) -> None:
    left, right = Shingles(text), Shingles(other)
    assert left.share(right) == 0.0
    assert not set(left.keys()) & set(right.keys())


def test_one_as_an_article_is_no_figure() -> None:
    assert Shingles(ZH).figures == ("六", "三十") and Shingles(EN).figures == ("six", "thirty")


def test_other_words_are_no_copy() -> None:
    assert Shingles(EN).share(Shingles(EN.replace("Sunday night", "the last day of every month"))) < LEAST


def test_short_texts_have_no_keys() -> None:
    assert Shingles("第一章 总则").keys() == []
