"""A footnote is beside the sentence that cites it: in its child, or in its prefix."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.model.document import Block

FILLER = "每天两点备份全部配置，失败时重试三次，每次间隔十分钟，结果写入审计日志。"


@pytest.mark.parametrize("mark", ["[1]", "[note 2]", "①", "3)", "*"])
def test_note_comes_with_its_sentence_wherever_the_paragraph_is_cut(build: Any, holds: Any, mark: str) -> None:
    said = f"保留期限为十三个月{mark}。" + FILLER * 20
    made = build.document(
        build.heading("备份"), build.paragraph(said),
        Block("footnote", f"{mark} 监管要求的期限是六个月。"), build.paragraph(FILLER),
    )
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    assert len(chunked.children) > 2
    assert "监管要求的期限是六个月" in chunked.children[0].prefix
    assert all("监管要求" not in child.prefix for child in chunked.children[1:])


def test_note_in_the_same_child_is_not_said_twice(build: Any) -> None:
    cited, note = build.paragraph("保留十三个月[1]。"), Block("footnote", "[1] 监管要求六个月。")
    made = build.document(cited, note, build.paragraph(FILLER * 9))
    first = build.cut(made).children[0]
    assert "监管要求" in first.text and "监管要求" not in first.prefix


def test_notes_that_nothing_cites_are_text_like_any_other(build: Any, holds: Any) -> None:
    notes = [Block("footnote", f"[{n}] Harding, A. ({1990 + n}). On gateways and their keepers, volume {n}.") for n in range(30)]
    made = build.document(build.heading("References"), *notes)
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    assert max(child.units for child in chunked.children) <= 300


def test_note_stays_behind_the_paragraph_that_cites_it(build: Any) -> None:
    paragraphs = [build.paragraph(FILLER * 3 + str(n)) for n in range(4)]
    cited = build.paragraph(FILLER * 2 + "期限见注[7]。")
    made = build.document(*paragraphs, cited, Block("footnote", "[7] 六个月。"), build.paragraph(FILLER * 4))
    (child,) = [child for child in build.cut(made).children if "期限见注[7]。" in child.text[child.overlap :]]
    assert "[7] 六个月。" in child.text


def test_a_mark_behind_the_full_stop_belongs_to_the_sentence_before_it(build: Any, holds: Any) -> None:
    said = FILLER * 12 + "保留期限为十三个月。[1]" + FILLER * 12
    made = build.document(build.paragraph(said), Block("footnote", "[1] 监管要求的期限是六个月。"))
    chunked = build.cut(made)
    holds(made, chunked, build.settings())
    (citing,) = [child for child in chunked.children if "十三个月。[1]" in child.text[child.overlap :]]
    assert "监管要求" in citing.prefix + citing.text
