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


# -- what else people do in plain text ------------------------------------------------------------------------------------


def test_capitals_alone_on_a_line_are_a_heading_among_others_that_are_not() -> None:
    document = read("OPENING HOURS\n\nWe open at nine in the morning.\n\nPRICES\n\nThey are on the board.\n")
    assert [(block.kind, block.text, block.evidence) for block in document.blocks if block.kind == "heading"] == [
        ("heading", "OPENING HOURS", "capitals"), ("heading", "PRICES", "capitals"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "NASA\n\nis an agency.\n",
        "STOP IT NOW!\n\nhe cried.\n",
        "ALL OF THIS\n\nIS SHOUTED\n\nTO THE END\n",
        "ERROR 42\nnot found\n",
        "the last words are\n\nTHE VERY END\n",
    ],
)
def test_other_capitals_are_no_headings(text: str) -> None:
    assert all(block.kind == "paragraph" for block in read(text).blocks)


def test_indents_part_paragraphs_where_the_text_does_it_that_way() -> None:
    first = "　　根据全市统一安排，档案馆自下月起实行新的查阅办法，凭有效证件即可\n在一楼大厅办理。"
    blocks = read(f"{first}\n　　查阅民生类档案的市民，可以提前提交申请。\n").blocks
    assert [block.text for block in blocks] == [
        "　　根据全市统一安排，档案馆自下月起实行新的查阅办法，凭有效证件即可在一楼大厅办理。".strip("　"),
        "查阅民生类档案的市民，可以提前提交申请。",
    ]
    assert [block.provenance.lines for block in blocks] == [(1, 2), (3, 3)]


def test_tables_in_text_are_tables() -> None:
    block = read("Prices:\n\nname     n    price\n----     -    -----\na        1    2.50\nb        2    3.75\n").blocks[1]
    assert block.kind == "table"
    assert block.text == "name | n | price\na | 1 | 2.50\nb | 2 | 3.75"
    assert block.provenance.lines == (3, 6)


def test_code_that_is_set_in_is_code_over_its_blank_lines() -> None:
    block = read("Run this:\n\n    for x in y:\n        print(x)\n\n    done = True;\n\nand wait.\n").blocks[1]
    assert (block.kind, block.text) == ("code", "for x in y:\n    print(x)\n\ndone = True;")
    assert block.provenance.lines == (3, 6)


def test_fenced_code_is_code_and_a_fence_that_never_closes_is_none() -> None:
    assert [(block.kind, block.text) for block in read("a\n\n```sh\nrun  it\n\nnow\n```\n").blocks] == [
        ("paragraph", "a"), ("code", "run  it\n\nnow"),
    ]
    assert [block.text for block in read("```\n\none\n\ntwo\n").blocks] == ["```", "one", "two"]


def test_verse_and_addresses_keep_their_lines() -> None:
    text = "床前明月光，\n疑是地上霜。\n举头望明月，\n低头思故乡。"
    assert read(text).text == text


def test_front_matter_is_no_text_and_counts_as_lines() -> None:
    (block,) = read("---\ntitle: x\n---\nwords\n").blocks
    assert (block.text, block.provenance.lines) == ("words", (4, 4))


def test_page_breaks_are_no_letters() -> None:
    assert read("one\n\f\ntwo\n\fthree").text == "one\n\ntwo\nthree"
