"""Words and characters come out as they are meant, whatever the typesetter did to them."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.model.document import Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.parse.pdf.page import Item
from ingest.parse.pdf.text import Words, cleaned, side_by_side
from ingest.settings import ParsePart


def parsed(data: bytes) -> Document:
    return reader.parse(data, "file.pdf", ParsePart(), PDF)


@pytest.mark.parametrize(
    "text",
    [
        "点击“测试连接”，打开‘安全—密钥’页面——共 3 项……",
        "it’s a “smart” quote – and a dash — here",
        "《数据安全法》第二十一条（试行）：１２ＡＢ％",
        "a-b c-d 5−3 6′ 4″",
    ],
)
def test_characters_are_those_of_the_page(pdf: Any, text: str) -> None:
    assert parsed(pdf.build([[pdf.Text(40, 80, text)]])).text == text


def test_characters_beyond_the_basic_plane_are_kept(pdf: Any) -> None:
    assert parsed(pdf.build([[pdf.Text(40, 80, "人名\ue000野家")]])).text == "人名𠮷野家"


def test_words_cut_at_the_end_of_a_line_are_whole(pdf: Any) -> None:
    drawn = pdf.lines(
        50,
        80,
        ["The gateway keeps its configu-", "ration in memory, and well-", "known paths; a well-known", "path is never dropped."],
    )
    assert "configuration in memory, and well-known paths" in parsed(pdf.build([drawn])).text


def test_lines_of_chinese_are_joined_without_a_space(pdf: Any) -> None:
    drawn = pdf.lines(
        50, 80, ["系统在证书到期之前四十五天开始提醒到期之", "前七天自动续签。使用 YunGate 2.0 的节点由", "管理员批准。"]
    )
    assert (
        parsed(pdf.build([drawn])).text
        == "系统在证书到期之前四十五天开始提醒到期之前七天自动续签。使用 YunGate 2.0 的节点由管理员批准。"
    )


def test_ligatures_radicals_and_control_characters_are_undone() -> None:
    assert cleaned("ef\ufb01cient\u200b of\ufb02ine") == "efficient offline"
    assert cleaned("\u2f00\u2f08") == "一人"
    assert cleaned("\uf0b7 item") == "• item"
    assert cleaned("Ａ１（全角）") == "Ａ１（全角）"


def test_chinese_set_with_blanks_between_characters_loses_them() -> None:
    items = [Item(char, 10.0 + 14 * i, 0, 20.0 + 14 * i, 12, 10) for i, char in enumerate("数据分级管理")]
    assert side_by_side(items) == "数据分级管理"


def test_items_of_latin_words_are_set_apart_by_the_gap() -> None:
    items = [Item("Open", 0, 0, 20, 12, 10), Item("the", 23, 0, 35, 12, 10), Item("lid.", 35.2, 0, 50, 12, 10)]
    assert side_by_side(items) == "Open thelid."


def test_a_hyphen_of_its_own_is_kept_when_the_document_shows_the_word() -> None:
    words = Words(["a state-of-the-art design", "the design is state-of-the-"])
    assert words.joined(["a self-", "contained unit"]) == "a selfcontained unit"
    assert Words(["self-contained"]).joined(["a self-", "contained unit"]) == "a self-contained unit"


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        (["见 https://", "example.com/a/1 的说明"], "见 https://example.com/a/1 的说明"),
        (["见 https://example.com/", "a/1 的说明"], "见 https://example.com/a/1 的说明"),
        (["see https://example.com/start-", "here.html now"], "see https://example.com/start-here.html now"),
        (["see https://example.com/", "for more"], "see https://example.com/ for more"),
        (["he/", "she"], "he/ she"),
    ],
)
def test_addresses_cut_at_the_end_of_a_line_are_whole(lines: list[str], text: str) -> None:
    assert Words(lines).joined(lines) == text


def test_a_question_begins_a_paragraph_however_close_it_stands(pdf: Any) -> None:
    drawn = pdf.lines(40, 80, [
        "问：退款多久到账？这一行写得很长很长很长很长很长很长",
        "答：三到五个工作日到账，请耐心等待银行处理，超过一",
        "周请联系客服，节假日顺延，这一行也一样长很长长很长。",
        "Q: Can I pay by card, and when is it going to be charged?",
        "A: Yes.",
    ])
    assert [block.kind for block in parsed(pdf.build([drawn])).blocks] == ["faq", "faq"]
