"""What a letter says, what it quotes and who signs it are told apart."""

from __future__ import annotations

import pytest

from ingest.model.document import Block
from ingest.parse.draft import Draft
from ingest.parse.mail.body import quoted_below, write_plain


def written(text: str, *, flowed: bool = False) -> list[Block]:
    draft = Draft()
    write_plain(draft, text, lambda where: where, flowed=flowed)
    return draft.blocks


def test_quoted_lines_are_a_quote_with_deeper_marks_kept() -> None:
    blocks = written("Agreed.\n\nOn Monday Ann wrote:\n> Shall we?\n>\n>> Why not?\n>> Really.\n\nBest\n")
    assert [(block.kind, block.text) for block in blocks] == [
        ("paragraph", "Agreed."), ("paragraph", "On Monday Ann wrote:"),
        ("quote", "Shall we?\n> Why not?\n> Really."), ("paragraph", "Best"),
    ]
    assert blocks[2].provenance.lines == (4, 7)


def test_wrapped_lines_of_a_quote_are_joined() -> None:
    first = "> this line was wrapped by an editor at about seventy columns, and it"
    (block,) = written(f"{first}\n> goes on here.\n")
    assert block.text == f"{first[2:]} goes on here."


@pytest.mark.parametrize(
    "line",
    [
        "-----Original Message-----", "------------------ 原始邮件 ------------------", "---------- Forwarded message ---------",
        "发件人： 张三 <a@b.cn>\n发送时间： 2026年1月5日", "From: Ann <a@b>\nSent: Monday", "-------- 转发邮件信息 --------",
    ],
)
def test_what_is_below_the_introduction_of_another_letter_is_quoted(line: str) -> None:
    blocks = written(f"My answer.\n\n{line}\nTheir letter.\n\nIts end.\n")
    assert [block.kind for block in blocks] == ["paragraph", "quote"]
    assert blocks[1].text.endswith("Its end.")


def test_the_word_from_alone_introduces_nothing() -> None:
    assert [block.kind for block in written("From: where?\n\nFrom here to there.\n")] == ["paragraph", "paragraph"]


def test_the_signature_is_furniture() -> None:
    body, signature = written("Hello.\n\n-- \nAnn\n+1 23\n")
    assert (body.text, body.layer) == ("Hello.", "body")
    assert (signature.text, signature.layer) == ("Ann\n+1 23", "furniture")


def test_two_dashes_far_above_the_end_are_no_signature() -> None:
    assert all(block.layer == "body" for block in written("a\n\n--\n\n" + "words and words\n\n" * 20))


def test_flowed_lines_are_one_paragraph() -> None:
    blocks = written("A long \nparagraph that \ngoes on.\n\n> and a \n> quote\n\n-- \nme\n", flowed=True)
    assert [block.text for block in blocks] == ["A long paragraph that goes on.", "and a quote", "me"]


def test_blocks_of_a_page_are_quoted_in_the_same_way() -> None:
    blocks = [Block("paragraph", text) for text in ("Answer", "From: Ann\nSent: Monday\nTo: me", "Their words")]
    assert [block.kind for block in quoted_below(blocks)] == ["paragraph", "quote", "quote"]
