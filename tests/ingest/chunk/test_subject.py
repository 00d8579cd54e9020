from __future__ import annotations

from typing import Any

import pytest

from ingest.chunk.sections import outline
from ingest.chunk.subject import NOTHING, Subject, subject_of, without_numbering


@pytest.mark.parametrize(
    ("sentence", "topic"),
    [
        ("云脉网关（YunGate）是一款企业级 API 网关。", "云脉网关"),
        ("退款是指把已经支付的款项退还给买方。", "退款"),
        ("所谓灰度发布，指的是逐步放量。", ""),
        ("“令牌桶”是一种限流算法。", "令牌桶"),
        ("手册是公司的财产。", "手册"),
        ("价格是三十元。", ""),
        ("它是一种数据库。", ""),
        ("如果这是一个错误，请重试。", ""),
        ("YunBus is a message bus.", "YunBus"),
        ("The YunBus Operator (YBO) is the person on call.", ""),
        ("A circuit breaker is a switch that opens on errors.", "circuit breaker"),
        ("Retention refers to how long events are kept.", "Retention"),
        ("This is a guide.", ""),
        ("It is a database.", ""),
        ("Each of the nodes is a server.", ""),
    ],
)
def test_a_definition_in_the_first_sentence_names_the_topic(build: Any, sentence: str, topic: str) -> None:
    root = outline(build.document(build.paragraph(sentence)))
    assert subject_of(root, "手册", NOTHING).topic == topic


def test_a_topic_is_carried_down_and_joined_to_the_heading(build: Any) -> None:
    made = outline(build.document(build.heading("备份策略", 2), build.paragraph("每天一次。")))
    around = Subject("云脉网关", "云脉网关")
    assert subject_of(made.subsections[0], "手册", around) == Subject("云脉网关 · 备份策略", "云脉网关", "备份策略")


def test_a_heading_below_another_keeps_that_one_where_nothing_is_defined(build: Any) -> None:
    """A chapter of a catalogue names the thing, its sections (Data, Care) do not."""
    made = outline(build.document(build.heading("Data", 3), build.paragraph("It weighs 6 kg.")))
    around = Subject("Catalogue · Kestrel", "", "Kestrel")
    assert subject_of(made.subsections[0], "Catalogue", around).text == "Catalogue · Kestrel · Data"


@pytest.mark.parametrize("heading", ["安装", "一、概述", "1.2 Installation", "Chapter 3: Overview", "FAQ"])
def test_a_heading_any_manual_has_says_what_is_around_it(build: Any, heading: str) -> None:
    made = outline(build.document(build.heading(heading, 2), build.paragraph("每天一次。")))
    around = Subject("云脉网关", "云脉网关")
    assert subject_of(made.subsections[0], "手册", around) == around


def test_without_a_definition_title_and_heading_are_the_subject(build: Any) -> None:
    made = outline(build.document(build.heading("2.1 Limits per client", 2), build.paragraph("Twenty.")))
    around = subject_of(made, "API Guide", NOTHING)
    assert subject_of(made.subsections[0], "API Guide", around).text == "API Guide · Limits per client"


def test_a_document_without_any_name_is_about_how_it_begins(build: Any) -> None:
    assert subject_of(outline(build.document(build.paragraph("些许文字"))), "", NOTHING).text == "些许文字"


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("第三章 总则", "总则"),
        ("第十二条　附则", "附则"),
        ("一、系统要求", "系统要求"),
        ("（二）范围", "范围"),
        ("1.2.3 Setup", "Setup"),
        ("3安装", "安装"),
        ("Chapter 4: Backup", "Backup"),
        ("Step 2 - Restart", "Restart"),
        ("2.0.3 (2026-04-22)", "2.0.3 (2026-04-22)"),
        ("2024 年报", "2024 年报"),
        ("7", "7"),
        ("4xx errors", "4xx errors"),
    ],
)
def test_numbers_in_front_of_a_heading_are_not_its_name(heading: str, name: str) -> None:
    assert without_numbering(heading) == name
