"""What stays together: captions that no format marks, lead-ins, and what stands between them."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.model.document import Block

FILLER = "每天两点备份全部配置，失败时重试三次，每次间隔十分钟，结果写入审计日志。"


@pytest.mark.parametrize("caption", ["表 1：产品价格", "Table 2. Prices", "附表一 价格"])
def test_a_paragraph_that_is_a_caption_is_repeated_with_the_header(build: Any, holds: Any, caption: str) -> None:
    rows = [(f"产品{n}", f"{n * 10} 元", "这是一段说明文字") for n in range(60)]
    made = build.document(build.paragraph(FILLER), build.paragraph(caption), build.table(("名称", "价格", "说明"), *rows))
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    later = [child for child in chunked.children if child.kind == "table"][1:]
    assert later and all(child.text.startswith(f"{caption}\n\n名称 | 价格 | 说明\n") for child in later)


def test_a_paragraph_that_is_the_caption_of_a_figure_stays_with_it(build: Any) -> None:
    for count in range(1, 9):
        above = [build.paragraph(FILLER * 2 + str(n)) for n in range(count)]
        made = build.document(*above, Block("caption", "架构"), build.paragraph("图 2：系统架构"), *reversed(above))
        (child,) = [child for child in build.cut(made).children if "图 2：" in child.text[child.overlap :]]
        assert "架构\n\n图 2：系统架构" in child.text


def test_a_sentence_about_a_table_is_no_caption(build: Any) -> None:
    rows = [(f"产品{n}", f"{n * 10} 元", "这是一段说明文字") for n in range(60)]
    said = "表 1 中的价格" + FILLER * 4
    made = build.document(build.paragraph(said), build.table(("名称", "价格", "说明"), *rows))
    assert all(FILLER not in child.text for child in build.cut(made).children[2:])


def test_a_note_between_them_parts_no_lead_in_from_its_list(build: Any, holds: Any) -> None:
    for count in range(1, 9):
        above = [build.paragraph(FILLER * 2 + str(n)) for n in range(count)]
        items = Block("list", "\n".join(f"- 第{n}项：{FILLER}" for n in range(30)))
        made = build.document(*above, build.paragraph("支持下列操作[1]："), Block("footnote", "[1] 自 2.0 起。"), items)
        chunked = build.cut(made)
        holds(made, chunked, build.settings())
        (first,) = [child for child in chunked.children if "- 第0项" in child.text]
        assert "支持下列操作[1]：" in first.text
        later = [child for child in chunked.children if child.kind == "list/part"][1:]
        assert later and all(child.text.startswith("支持下列操作[1]：\n\n- ") for child in later)


def test_the_end_of_an_answer_goes_with_its_question_and_not_with_the_next(build: Any, holds: Any) -> None:
    pair, other = Block("faq", "怎么装？\n运行："), Block("faq", "多久？\n三天。")
    made = build.document(pair, Block("code", "echo 1"), build.paragraph("等一会儿。"), other, build.paragraph("账户问题"), other)
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    assert [child.text for child in chunked.children] == [
        "怎么装？\n运行：\n\necho 1\n\n等一会儿。", "多久？\n三天。", "账户问题\n\n多久？\n三天。",
    ]
