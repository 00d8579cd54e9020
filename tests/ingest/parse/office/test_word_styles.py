"""Labels of numbered paragraphs are those that Word prints."""

from __future__ import annotations

import pytest
from lxml import etree

from ingest.parse.office.word_styles import Numbering, spelled

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def numbering(levels: list[tuple[str, str]]) -> Numbering:
    written = "".join(
        f'<w:lvl w:ilvl="{i}"><w:start w:val="1"/><w:numFmt w:val="{format}"/><w:lvlText w:val="{text}"/></w:lvl>'
        for i, (format, text) in enumerate(levels)
    )
    nums = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    nums += '<w:num w:numId="2"><w:abstractNumId w:val="0"/>'
    nums += '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    return Numbering.read(
        etree.fromstring(
            f'<w:numbering xmlns:w="{W}"><w:abstractNum w:abstractNumId="0">{written}</w:abstractNum>{nums}</w:numbering>'
        )
    )


def test_levels_count_within_one_another_and_start_anew() -> None:
    found = numbering([("decimal", "%1."), ("decimal", "%1.%2"), ("lowerLetter", "%3)")])
    labels = [found.label("1", depth) for depth in (0, 1, 1, 2, 2, 0, 1)]
    assert labels == ["1.", "1.1", "1.2", "a)", "b)", "2.", "2.1"]


def test_a_list_that_starts_anew_does_not_go_on_counting() -> None:
    found = numbering([("decimal", "%1.")])
    assert [found.label(number, 0) for number in ("1", "1", "2", "1")] == ["1.", "2.", "1.", "3."]


def test_chinese_chapters_are_labelled_as_such() -> None:
    found = numbering([("chineseCountingThousand", "第%1章"), ("chineseCounting", "（%2）")])
    assert [found.label("1", depth) for depth in (0, 1, 1, 0)] == ["第一章", "（一）", "（二）", "第二章"]


@pytest.mark.parametrize(
    ("number", "format", "text"),
    [
        (4, "upperRoman", "IV"),
        (28, "lowerLetter", "bb"),
        (12, "chineseCounting", "十二"),
        (20, "ideographTraditional", "二十"),
        (3, "decimalEnclosedCircle", "③"),
        (7, "decimalZero", "07"),
        (5, "somethingNew", "5"),
    ],
)
def test_numbers_are_spelled_in_their_format(number: int, format: str, text: str) -> None:
    assert spelled(number, format) == text
