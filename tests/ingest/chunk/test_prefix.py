from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingest.chunk.prefix import prefix_of, shortened
from ingest.chunk.units import measure


def test_title_path_and_subject_stand_in_this_order() -> None:
    assert prefix_of("手册", ("安装", "Linux"), "云脉网关", 300) == "手册. 安装. Linux. 云脉网关"


def test_nothing_is_said_twice() -> None:
    assert prefix_of("Guide", ("GUIDE", "Setup of YunBus"), "YunBus", 300) == "Guide. Setup of YunBus"
    assert prefix_of("Guide", (), "guide", 300) == "Guide"


def test_a_long_prefix_is_shortened_without_losing_a_part() -> None:
    made = prefix_of("很长的标题" * 30, ("一级" * 30, "二级" * 30, "三级" * 30), "主题" * 30, 300)
    assert measure(made) <= 300
    title, first, left_out, last, subject, end = made.split("…")
    assert title.startswith("很长的标题") and first.startswith(" 一级")
    assert (left_out.strip(), end) == ("", "")
    assert last.startswith(" 三级") and subject.startswith(" 主题")


def test_what_the_text_begins_with_is_left_out() -> None:
    assert prefix_of("手册", ("安装", "Linux"), "云脉网关", 300, ["Linux"]) == "手册. 安装. 云脉网关"
    assert prefix_of("手册", ("手册", "安装"), "", 300, ["安装"]) == "手册"
    assert prefix_of("手册", ("手册", "安装"), "", 300, ["手册", "安装"]) == ""
    assert prefix_of("手册", ("手册", "安装"), "云脉网关", 300, ["手册"]) == "安装. 云脉网关"


def test_a_part_that_ends_in_a_mark_gets_no_full_stop() -> None:
    assert prefix_of("常见问题", ("如何退款？", "例外"), "", 300) == "常见问题. 如何退款？ 例外"


@given(st.text(max_size=400), st.lists(st.text(max_size=400), max_size=6), st.text(max_size=400), st.integers(1, 400))
def test_a_prefix_never_exceeds_its_limit(title: str, path: list[str], subject: str, limit: int) -> None:
    assert measure(prefix_of(title, tuple(path), subject, limit)) <= limit


@given(st.text(max_size=300), st.integers(0, 60))
def test_a_shortened_text_begins_like_the_whole(text: str, limit: int) -> None:
    short = shortened(text, limit)
    assert measure(short) <= max(limit, 0)
    assert text.startswith(short.removesuffix("…"))
