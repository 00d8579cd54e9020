from __future__ import annotations

from typing import Any

import pytest

from ingest.chunk.questions import asks
from ingest.model.document import Block


@pytest.mark.parametrize("heading", [
    "How do I reset the password?", "1.2 What is Lantern?", "Is it free?", "如何重置口令", "3. 怎样升级固件？", "为什么备份失败",
    "忘记口令怎么办",
    "支持离线升级吗", "有哪些限制？", "日志保留多久", "（二）是否需要授权", "计费方式是什么",
])  # fmt: skip
def test_heading_that_asks_is_a_question(heading: str) -> None:
    assert asks(heading)


@pytest.mark.parametrize("heading", [
    "How it works", "What's new", "Installation", "安装", "常见问题", "问题处理流程", "多少", "Is", "?", "",
])  # fmt: skip
def test_heading_that_names_is_none(heading: str) -> None:
    assert not asks(heading)


def test_answer_under_a_heading_that_asks_is_a_pair(build: Any) -> None:
    made = build.document(
        build.heading("如何重置口令？"), build.paragraph("在本地终端执行 reset-admin。"),
        build.heading("安装"), build.paragraph("运行安装程序。"),
        build.heading("Which ports are open?"), Block("table", "9443 | API"),
    )  # fmt: skip
    assert [child.kind for child in build.cut(made).children] == ["faq", "paragraph", "table"]


def test_a_short_pair_with_its_introduction_is_a_pair(build: Any) -> None:
    made = build.document(
        build.heading("FAQ"), build.paragraph("Our frequently asked questions, in short:"), Block("faq", "Is it free?\nYes."),
    )
    assert [child.kind for child in build.cut(made).children] == ["faq"]


def test_every_pair_is_a_child_of_its_own(build: Any, holds: Any) -> None:
    pairs = [Block("faq", f"问题 {n} 怎么办？\n请联系第 {n} 组。") for n in range(5)]
    made = build.document(
        build.heading("常见问题"), build.paragraph("汇总如下："), *pairs, build.paragraph("没有找到答案时请致电热线。")
    )
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    assert [child.kind for child in chunked.children] == ["faq"] * 5 + ["paragraph"]
    assert chunked.children[0].text.startswith("常见问题\n\n汇总如下：\n\n问题 0")
    assert len(chunked.parents) == 1


def test_long_introduction_is_a_child_before_the_pairs(build: Any) -> None:
    intro = build.paragraph("这里汇总了客户支持中心在过去一年中收到最多的问题，按照产品和版本分类。" * 3)
    made = build.document(build.heading("常见问题"), intro, Block("faq", "多久？\n一年。"), Block("faq", "多少？\n三个。"))
    assert [child.kind for child in build.cut(made).children] == ["paragraph", "faq", "faq"]


def test_pair_that_is_the_whole_section_stays_with_its_heading(build: Any) -> None:
    made = build.document(build.heading("常见问题"), Block("faq", "多久？\n一年。"))
    assert [child.text for child in build.cut(made).children] == ["常见问题\n\n多久？\n一年。"]
