"""Numbers at the start of a line, and what is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.numbering import RANKS, numbered


@pytest.mark.parametrize(
    ("text", "family", "rest"),
    [
        ("第一编 总则", "part", "总则"),
        ("第二部分 技术要求", "part", "技术要求"),
        ("第十二章 附则", "chapter", "附则"),
        ("第 3 节 术语", "section", "术语"),
        ("第二十一条 数据分级", "article", "数据分级"),
        ("附录A 术语", "chapter", "术语"),
        ("一、范围", "han", "范围"),
        ("（二）要求", "han_bracket", "要求"),
        ("1. Introduction", "decimal1", "Introduction"),
        ("2 Methods", "decimal1", "Methods"),
        ("3、注意事项", "decimal1", "注意事项"),
        ("1.2.3 安装步骤", "decimal3", "安装步骤"),
        ("1.1版本", "decimal2", "版本"),
        ("A.1 Scope", "decimal2", "Scope"),
        ("Part IV. General", "part", "General"),
        ("Chapter 2: Terms", "chapter", "Terms"),
        ("Appendix B", "chapter", ""),
        ("IV. RESULTS", "section", "RESULTS"),
    ],
)
def test_a_number_is_recognised_with_its_family(text: str, family: str, rest: str) -> None:
    found = numbered(text)
    assert found is not None
    assert (found.family, text[found.end :]) == (family, rest)


@pytest.mark.parametrize(
    "text", ["2024年的计划", "第三方服务", "第十二条约", "1 kg of flour", "Partly cloudy", "一个例子", "3D printing", "", "v1.2"]
)
def test_what_only_looks_like_a_number_is_none(text: str) -> None:
    assert numbered(text) is None


@given(st.text(max_size=40))
def test_any_text_has_a_ranked_number_or_none(text: str) -> None:
    found = numbered(text)
    assert found is None or (found.family in RANKS and 0 < found.end <= len(text))
