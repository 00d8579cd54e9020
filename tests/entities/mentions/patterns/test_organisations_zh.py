"""Chinese organisations: where a name starts in running text, where it ends, and what is no name at all."""

from __future__ import annotations

import pytest

from entities.mentions.patterns.organisations_zh import organisations_zh


def found(text: str) -> list[str]:
    return sorted({text[span.start : span.end] for span in organisations_zh(text)}, key=text.index)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("甲方为北京松石科技有限公司，乙方略。", ["北京松石科技有限公司"]),
        ("昨天松石科技股份有限公司发布了年报", ["松石科技股份有限公司"]),
        ("法院判决松石重工有限责任公司赔偿", ["松石重工有限责任公司"]),
        ("由太和财产保险股份有限公司承保", ["太和财产保险股份有限公司"]),
        ("松石有限公司和青岛海鸥大学共建", ["松石有限公司", "青岛海鸥大学"]),
        ("松石集团北京分公司", ["松石集团北京分公司"]),
        ("松石（上海）投资有限公司苏州分公司负责", ["松石（上海）投资有限公司苏州分公司"]),
        ("苏州松石合伙企业（有限合伙）领投", ["苏州松石合伙企业（有限合伙）"]),
        ("江苏省工业和信息化厅、成都市发展和改革委员会", ["江苏省工业和信息化厅", "成都市发展和改革委员会"]),
        ("经理从松石有限公司离职", ["松石有限公司"]),
        ("2021年3月5日松石银行开业", ["松石银行"]),
        ("工信部与证监会联合发文", ["工信部", "证监会"]),
        ("复兴大学附属江湾医院上线了", ["复兴大学附属江湾医院"]),
        ("再保人为东泽再保险公司", ["东泽再保险公司"]),
    ],
)
def test_name_starts_and_ends_where_it_does(text: str, names: list[str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "该公司与有关部门",
        "各大学和研究院",
        "银行、保险公司和基金会",
        "数据中心的监控",
        "有限公司与股份有限公司的区别",
        "大学生银行卡",
        "公司法和公司章程",
        "教育部长来了",
        "填写公司名称",
        "没有一家上市公司",
        "",
        "。，",
    ],
)
def test_ordinary_words_are_no_name(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "杭州松石有限公司（以下简称“松石”）中标。松石今日开工。",
        "杭州松石有限公司（下称松石）中标。松石今日开工。",
        "杭州松石有限公司（松石）中标。松石今日开工。",
    ],
)
def test_short_name_that_a_text_gives_is_found_wherever_it_stands(text: str) -> None:
    called = [span for span in organisations_zh(text) if span.method == "pattern:called"]
    assert {text[span.start : span.end] for span in called} == {"松石"} and max(span.start for span in called) == text.rindex(
        "松石"
    )


def test_place_in_brackets_is_no_short_name() -> None:
    assert not [span for span in organisations_zh("杭州松石有限公司（杭州）中标。") if span.method == "pattern:called"]
