"""Numbered paragraphs keep what introduces them."""

from __future__ import annotations

from typing import Any

import pytest

SAID = "在本单位工作满一年并且按照国家有关规定缴纳社会保险费用的人员，其补贴标准由所在部门核定后报人力资源部门备案"


@pytest.mark.parametrize(
    "marks", ["（一） （二） （三） （四） （五） （六）", "1、 2、 3、 4、 5、 6、", "① ② ③ ④ ⑤ ⑥", "(a) (b) (c) (d) (e) (f)"]
)
def test_later_items_have_the_introduction_in_their_prefix(build: Any, holds: Any, marks: str) -> None:
    items = [build.paragraph(f"{mark}{SAID}{mark}；{SAID}。") for mark in marks.split()]
    after = build.paragraph(f"第三条 {SAID}。{SAID}，以上。{SAID}，完。")
    made = build.document(build.paragraph("第二条 由公司制定。适用于下列人员："), *items, after)
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    first, *later = chunked.children
    assert "适用于下列人员" in first.text and "适用于下列人员" not in first.prefix
    of_items = [child for child in later if child.text[child.overlap :][:1] in "（1234561(①②③④⑤⑥"]
    assert of_items and all("适用于下列人员：" in child.prefix for child in of_items)
    assert all("第二条" not in child.prefix for child in later)
    assert all("适用于" not in child.prefix for child in later if child.text[child.overlap :].startswith("第三条"))


def test_items_within_an_item_have_its_words(build: Any) -> None:
    inner = [build.paragraph(f"（{n}）{SAID}。{SAID}。") for n in range(1, 7)]
    second = build.paragraph(f"二、其他。{SAID}。{SAID}。")
    made = build.document(build.paragraph("下列人员："), build.paragraph("一、正式员工："), *inner, second)
    prefixes = {child.text[child.overlap :][:3]: child.prefix for child in build.cut(made).children}
    assert any("正式员工：" in prefix for begins, prefix in prefixes.items() if begins[:1] == "（")


def test_numbered_paragraphs_that_nothing_introduces_have_no_more_than_their_headings(build: Any) -> None:
    made = build.document(build.heading("补贴"), *(build.paragraph(f"{n}、{SAID}。{SAID}。") for n in range(1, 9)))
    assert {child.prefix for child in build.cut(made).children} == {"手册. 补贴", "手册"}
