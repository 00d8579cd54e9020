"""What begins without its subject is noticed, and what names one is left alone."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.chunk.leaning import leans


@pytest.mark.parametrize("text", [
    "It listens on port 9443.", "They are kept for 13 months.", "This limits the rate.", "Its default port is 9443.",
    "However, it restarts every night.", "The default port is 9443.", "Default port: 9443", "Maximum size: 5 MB",
    "- Price: 30 euros a month", "The price is 30 euros.", "1. Their licences expire.", "Both run on Linux.",
    "它支持国密算法。", "其默认端口为 8443。", "该网关支持限流。", "支持国密算法，不需要额外授权。",
    "默认端口：8443", "可通过命令行修改。",
    "价格为每月 30 元。", "（1）有效期为一年。", "不支持热升级。", "这些规则每天执行。", "本产品适用于数据中心。",
    "“它”指的是网关。", "- 必须先备份。", "并且支持断点续传。",
])  # fmt: skip
def test_beginning_without_a_subject_leans(text: str) -> None:
    assert leans(text, 0)


@pytest.mark.parametrize("text", [
    "Lantern keeps metrics for 13 months.", "The gateway restarts every night.", "Port 9443 belongs to Lantern.",
    "Item one: open.",
    "Thistle is a plant.", "Italy exports wine.",
    "海桐网关支持国密算法。", "其他产品另行说明。", "此外，海桐网关支持限流。",
    "那么多的设备需要校准。", "运维人员可以修改端口。", "地址解析由云脉完成。", "",
    "   ", "9443", "……", "其中海桐网关占一半。",
])  # fmt: skip
def test_beginning_with_a_subject_stands_alone(text: str) -> None:
    assert not leans(text, 0)


def test_only_the_beginning_counts() -> None:
    text = "Lantern keeps metrics. It listens on port 9443."
    assert not leans(text, 0) and leans(text, text.index("It "))


def filler(build: Any, count: int, language: str) -> list[Any]:
    zh, en = "每天两点备份全部配置，失败时重试三次，每次间隔十分钟。" * 3, "Night after night the jobs run in order. " * 9
    said = zh if language == "zh" else en
    return [build.paragraph(said + str(n)) for n in range(count)]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_child_that_leans_names_what_was_defined_last_before_it(build: Any, holds: Any, language: str) -> None:
    first, second, leaning = {
        "zh": ("云脉网关是一款企业级网关。", "云脉总线是一种消息中间件。", "它默认监听 9443 端口，可以修改。"),
        "en": ("Lantern is a monitoring service.", "Harrier is a message bus.", "It listens on port 9443 unless told otherwise."),
    }[language]
    # Whichever paragraphs begin a child, most of them lean.
    made = build.document(
        build.heading("Parts"), build.paragraph(first), *(build.paragraph(leaning * 4) for _ in range(6)),
        build.paragraph(second), *(build.paragraph(leaning * 4) for _ in range(6)),
    )  # fmt: skip
    budget = {"child_min": 60, "child_max": 90, "overlap": False}
    chunked = build.cut(made, title="手册", **budget)
    holds(made, chunked, build.settings(**budget))
    at = made.text.index(second)
    topics = ("云脉网关", "云脉总线") if language == "zh" else ("Lantern", "Harrier")
    led = [(child, child.provenance.span[0]) for child in chunked.children if child.text.startswith(leaning[:2])]
    assert {start > at for _, start in led} == {True, False}
    for child, start in led:
        assert child.subject == topics[start > at] and child.prefix.endswith(f". {child.subject}")


@pytest.mark.parametrize(("first", "second", "topic"), [
    ("Alpha is a router that joins two networks.", "Beta is a switch with eight ports.", "Beta"),
    ("云脉网关是一款企业级网关。", "云脉总线是一种消息中间件。", "云脉总线"),
])
def test_child_that_begins_with_a_definition_is_about_what_it_defines(build: Any, first: str, second: str, topic: str) -> None:
    made = build.document(build.heading("Parts"), build.paragraph(first * 5), build.paragraph(second * 5))
    children = build.cut(made, title="手册", child_min=50, child_max=100, overlap=False).children
    begins = next(child for child in children if child.provenance.span[0] == made.text.index(second))
    assert begins.subject == topic and begins.prefix.endswith(f". {topic}")


def test_child_that_names_itself_keeps_the_subject_of_its_section(build: Any) -> None:
    made = build.document(
        build.heading("Parts"), build.paragraph("Lantern is a monitoring service."), *filler(build, 3, "en"),
        build.paragraph("Harrier is a message bus."), *filler(build, 3, "en"),
    )  # fmt: skip
    children = build.cut(made, title="Guide").children
    assert {child.subject for child in children} == {"Lantern"}
