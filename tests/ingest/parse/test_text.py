"""Plain text: paragraphs by blank lines, headings only where the text says so twice."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import DocumentUnsupported
from ingest.model.document import Document
from ingest.parse.text import parse
from ingest.settings import ParsePart


def read(text: str | bytes) -> Document:
    return parse(text.encode() if isinstance(text, str) else text, "a.txt", ParsePart(), "text/plain")


def shape(text: str) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, block.text) for block in read(text).blocks]


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("第一章 总则\n\n正文。\n\n1.1 范围\n\n正文。", [("第一章 总则", 1), ("1.1 范围", 2)]),
        ("第一编 总则\n\n第一章 通则\n\n正文。", [("第一编 总则", 1), ("第一章 通则", 2)]),
        ("一、概述\n\n正文。\n\n（一）背景\n\n正文。", [("一、概述", 1), ("（一）背景", 2)]),
        ("Chapter 1 Scope\n\nWords.\n\n1.1 Terms\n\nWords.", [("Chapter 1 Scope", 1), ("1.1 Terms", 2)]),
        ("Title\n=====\n\nPart\n----\n\nWords.", [("Title", 1), ("Part", 2)]),
        ("标题\n====\n\n第一章 总则\n\n正文。", [("标题", 1), ("第一章 总则", 2)]),
        ("第一章 总则\n本章规定适用范围。", [("第一章 总则", 1)]),
    ],
)
def test_numbered_and_underlined_lines_are_headings(text: str, levels: list[tuple[str, int]]) -> None:
    assert [(title, level) for kind, level, title in shape(text) if kind == "heading"] == levels


@pytest.mark.parametrize(
    "text",
    [
        "第三条 员工应当遵守本手册的各项规定，违反者按照第五章处理。",
        "1. first\n\n2. second\n\n3. third",
        "一、甲\n二、乙\n三、丙",
        "1.1 This line is a whole sentence that goes on for long enough to be no heading at all",
        "2024.05.01 released",
        "-----\n-----",
        "Just a line",
    ],
)
def test_sentences_and_lists_are_no_headings(text: str) -> None:
    assert not [block for block in shape(text) if block[0] == "heading"]


def test_a_table_of_contents_is_no_run_of_headings() -> None:
    contents = "第一章 总则\n第二章 休假\n第三章 附则\n\n"
    found = shape(contents + "第一章 总则\n\n正文一。\n\n第二章 休假\n\n正文二。")
    assert [text for kind, _, text in found if kind == "heading"][-2:] == ["第一章 总则", "第二章 休假"]
    assert ("paragraph", 0, "第一章 总则") in found


def test_wrapped_lines_are_joined_and_meant_lines_kept() -> None:
    wrapped = "本手册适用于全体员工，自二〇二五年一月一日起施行。各部门应当组织学习，并在一个月内\n完成考核。"
    assert shape(wrapped) == [("paragraph", 0, wrapped.replace("\n", ""))]
    address = "Room 301\n12 High Street\nLondon"
    assert shape(address) == [("paragraph", 0, address)]


def test_bullets_are_a_list() -> None:
    assert shape("* one\n* two\n  goes on\n  - three\n• four") == [("list", 0, "- one\n- two goes on\n  - three\n- four")]


def test_questions_and_answers_are_pairs() -> None:
    assert shape("问：如何升级固件？\n答：先备份，\n再升级。\n\nQ: Why?\n\nA: So.") == [
        ("faq", 0, "如何升级固件？\n先备份，\n再升级。"),
        ("faq", 0, "Why?\nSo."),
    ]


@pytest.mark.parametrize("encoding", ["gbk", "big5", "utf-16-le", "utf-8-sig"])
def test_encodings_change_nothing(encoding: str) -> None:
    text = "第一章 概述\n\n本品用於文件。\n" if encoding == "big5" else "第一章 概述\n\n本产品用于文件。\n"
    assert read(text.encode(encoding)).blocks == read(text).blocks


def test_lines_are_those_of_the_file() -> None:
    assert [block.provenance.lines for block in read("\n\none\ntwo\n\n\nTitle\n=====\nthree").blocks] == [(3, 4), (7, 8), (9, 9)]


def test_title_is_an_underlined_first_line() -> None:
    assert read("Title\n=====\n\nwords").title == "Title"
    assert read("words\n\nmore").title is None


def test_damaged_bytes_are_counted() -> None:
    (omission,) = read("中文文本，足够长的一段文字，以便判断编码。".encode() * 3 + b"\xff").omissions
    assert (omission.kind, omission.count) == ("undecodable", 1)


def test_binary_is_refused() -> None:
    with pytest.raises(DocumentUnsupported, match=r"a\.txt"):
        read(bytes(range(256)) * 4)


@given(st.text(st.sampled_from("ab汉\n 1.一、-=Q:A答问："), max_size=120))
def test_no_letter_is_lost(text: str) -> None:
    document = read(text)
    for block in document.blocks:
        assert block.text.strip()
    # Marks of lists and questions and underlines are markup; letters are not.
    kept = "".join(block.text for block in document.blocks)
    assert all(kept.count(letter) == text.count(letter) for letter in "ab汉")
