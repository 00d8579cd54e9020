"""Headings by outline, number, size and weight, each with its evidence; running text is none."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.model.document import Block, Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart

PROSE = ["The quick brown fox jumps over the lazy dog and goes on its", "way until the evening comes and everybody is at home."]
中文 = ["本办法适用于全体员工以及能够接触公司数据的合作单位，各部门", "应当指定专人负责，并在每个季度结束之后提交书面报告。"]


def parsed(data: bytes) -> Document:
    return reader.parse(data, "file.pdf", ParsePart(), PDF)


def headings(document: Document) -> list[Block]:
    return [block for block in document.blocks if block.kind == "heading"]


def set_out(pdf: Any, parts: list[tuple[Any, ...]]) -> list[Any]:
    """Place parts below each other: a heading as (text, size, font), prose as a list of lines."""
    drawn, y = [], 80.0
    for part in parts:
        if isinstance(part[0], str):
            text, size, font = part
            drawn.append(pdf.Text(50, y + size, text, size, font))
            y += size * 2.2
        else:
            drawn += pdf.lines(50, y + 10, part[0])
            y += 14 * len(part[0]) + 14
    return drawn


@pytest.mark.parametrize(
    ("numbers", "levels"),
    [
        (["第一章 总则", "第一节 范围", "第二节 术语", "第二章 分级"], [1, 2, 2, 1]),
        (["一、总体要求", "（一）基本原则", "（二）工作目标", "二、主要任务"], [1, 2, 2, 1]),
        (["1 Introduction", "1.1 Scope", "1.1.1 Limits", "2 Methods"], [1, 2, 3, 1]),
        (["Part I General", "Chapter 1 Scope", "Chapter 2 Terms", "Part II Rules"], [1, 2, 2, 1]),
        (["第一章 概述", "1.1 产品用途", "1.2 适用读者", "第二章 部署准备"], [1, 2, 2, 1]),
    ],
)
def test_numbers_set_the_level_whatever_the_type(pdf: Any, numbers: list[str], levels: list[int]) -> None:
    prose = PROSE if numbers[0].isascii() else 中文
    parts = [part for text in numbers for part in ((text, 10, "bold"), (prose,))]
    found = headings(parsed(pdf.build([set_out(pdf, parts)])))
    assert [(block.text, block.level) for block in found] == list(zip(numbers, levels, strict=True))
    assert {block.evidence for block in found} == {"numbering"}


def test_sizes_are_ranked_where_there_are_no_numbers(pdf: Any) -> None:
    parts = [
        ("User guide", 20, "bold"),
        ("Setup", 14, "bold"),
        (PROSE,),
        ("Power", 12, "bold"),
        (PROSE,),
        ("Repair", 14, "bold"),
        (PROSE,),
    ]
    found = headings(parsed(pdf.build([set_out(pdf, parts)])))
    assert [(b.text, b.level, b.evidence) for b in found] == [
        ("User guide", 1, "size"),
        ("Setup", 2, "size"),
        ("Power", 3, "size"),
        ("Repair", 2, "size"),
    ]


def test_bold_lines_at_body_size_are_weak_evidence(pdf: Any) -> None:
    found = headings(parsed(pdf.build([set_out(pdf, [("Safety", 10, "bold"), (PROSE,), ("Disposal", 10, "bold"), (PROSE,)])])))
    assert [(b.text, b.evidence) for b in found] == [("Safety", "bold"), ("Disposal", "bold")]
    assert all(block.confidence < 0.7 for block in found)


def test_the_outline_is_trusted_over_the_type(pdf: Any) -> None:
    parts = [("Overview", 10, "regular"), (PROSE,), ("Details", 10, "regular"), (PROSE,)]
    found = headings(parsed(pdf.build([set_out(pdf, parts)], outline=[("Overview", 1), ("Details", 1)])))
    assert [(b.text, b.level, b.evidence) for b in found] == [("Overview", 1, "outline"), ("Details", 1, "outline")]


def test_a_title_over_two_lines_is_one_heading(pdf: Any) -> None:
    drawn = [
        pdf.Text(60, 80, "A data plane that forgets nothing", 18, "bold"),
        pdf.Text(120, 104, "and remembers it well", 18, "bold"),
        *pdf.lines(50, 150, PROSE * 3),
    ]
    assert [block.text for block in headings(parsed(pdf.build([drawn])))] == [
        "A data plane that forgets nothing and remembers it well"
    ]


@pytest.mark.parametrize(
    "line",
    [
        "第一条 为了规范公司数据的管理，制定本制度。",
        "1. Open the lid and remove the filter.",
        "2024 was a good year for everybody",
        "一、二、三级数据分别保管。",
    ],
)
def test_numbered_sentences_are_no_headings(pdf: Any, line: str) -> None:
    prose = PROSE if line.isascii() else 中文
    assert not headings(parsed(pdf.build([set_out(pdf, [(prose,), ([line],), (prose,)])])))


def test_the_title_is_the_first_heading_of_the_highest_level(pdf: Any) -> None:
    drawn = set_out(pdf, [("User guide", 20, "bold"), ("Setup", 14, "bold"), (PROSE,)])
    assert parsed(pdf.build([drawn])).title == "User guide"
    assert parsed(pdf.build([drawn], info={"Title": "Guide to the YunGate"})).title == "Guide to the YunGate"
    assert parsed(pdf.build([drawn], info={"Title": "Microsoft Word - guide_final2.docx"})).title == "User guide"
