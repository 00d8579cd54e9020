"""Products and the versions behind them; numbers that are none; ordinary words that end like products."""

from __future__ import annotations

import pytest

from entities.mentions.patterns.products import products
from entities.mentions.span import disjoint


def found(text: str) -> list[tuple[str, str]]:
    return [(span.type, text[span.start : span.end]) for span in disjoint(products(text))]


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("Upgrade to Quillon Studio 2024.2 now", [("product", "Quillon Studio"), ("version", "2024.2")]),
        ("部署Redis 7.2.4。", [("product", "Redis"), ("version", "7.2.4")]),
        ("Helix Vault (version 3.3)", [("product", "Helix Vault"), ("version", "3.3")]),
        ("澜石报表平台 4.0.2-beta 修复", [("product", "澜石报表平台"), ("version", "4.0.2-beta")]),
        (
            "Windows 10 and 安卓 12",
            [
                ("product", "Windows"),
                ("version", "10"),
                ("product", "安卓"),
                ("version", "12"),
            ],
        ),
        ("采购“晴川工单系统”", [("product", "晴川工单系统")]),
        ("《观澜监控平台用户手册》", [("product", "观澜监控平台")]),
        ("天璇大模型开源了", [("product", "天璇大模型")]),
        ("the StarLake console", [("product", "StarLake")]),
    ],
)
def test_product_and_version_are_found_apart(text: str, spans: list[tuple[str, str]]) -> None:
    assert found(text) == spans


@pytest.mark.parametrize(
    "text",
    [
        "Section 4.1.2 and Table 3.1",
        "In May 2024.5 litres",
        "It costs 3.50 euros",
        "Price 12.5%",
        "IP 10.0.0.7",
        "On 31.10.2025",
        "Chapter 3.2",
        "免疫系统和社会系统",
        "统一身份认证平台",
        "数据管理平台和监控系统",
        "操作系统",
        "call HashMap() or `StarLake`",
        "McDonald spoke",
        "",
    ],
)
def test_other_numbers_and_ordinary_words_are_none(text: str) -> None:
    assert found(text) == []
