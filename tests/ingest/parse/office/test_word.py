"""Word documents: structure kept, what a reader would not see left out and counted."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import docx
import pytest
import yaml
from docx.enum.style import WD_STYLE_TYPE

from ingest.errors import DocumentEmpty
from ingest.model.document import Document
from ingest.parse import office
from ingest.parse.detect import DOCX
from ingest.settings import ParsePart

ROOT = Path(__file__).parents[4] / "fixtures"
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def parsed(data: bytes) -> Document:
    return office.parse(data, "file.docx", ParsePart(), DOCX)


def body(document: Document) -> list[tuple[str, int, str]]:
    return [(block.kind, block.level, block.text) for block in document.blocks if block.layer == "body"]


def omissions(document: Document) -> dict[str, tuple[int, str | None]]:
    return {omission.kind: (omission.count, omission.sample) for omission in document.omissions}


def insert(document: Any, xml: str) -> None:
    """Put raw XML at the end of the body."""
    from docx.oxml import parse_xml

    document.element.body.insert(len(document.element.body) - 1, parse_xml(xml))


def test_the_policy_of_the_corpus_reads_as_it_was_written() -> None:
    source = yaml.safe_load((ROOT / "binary/policy.docx.yaml").read_text(encoding="utf-8"))
    document = parsed((ROOT / "corpus" / source["path"]).read_bytes())
    assert document.title == source["title"] and document.embedded["author"] == source["author"]
    headings = [(f"h{block.level}", block.text) for block in document.blocks if block.kind == "heading"][1:]
    assert headings == [(k, t) for block in source["blocks"] for k, t in block.items() if k in ("h1", "h2")]
    texts = [block.text.replace("[1]", "[^]") for block in document.blocks if block.kind == "paragraph"]
    assert [t for block in source["blocks"] for k, t in block.items() if k == "p"] == texts[1:]
    (table,) = [block.table for block in document.blocks if block.table]
    assert table.rows[0] == ("级别", "举例", "允许的存放位置", "允许的存放位置", "保存期限")
    assert table.rows[1] == ("级别", "举例", "公司系统", "个人设备", "保存期限")
    assert f"[1] {source['footnote']}" in document.text


def test_localised_heading_styles_are_headings(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    for name, text in (("标题 1", "总则"), ("Überschrift 2", "Umfang")):
        document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
        document.add_paragraph(text, style=name)
    assert body(parsed(saved(document))) == [("heading", 1, "总则"), ("heading", 2, "Umfang")]


def test_an_outline_level_makes_a_heading_of_any_style(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    insert(document, f'<w:p {W}><w:pPr><w:outlineLvl w:val="2"/></w:pPr><w:r><w:t>Third level</w:t></w:r></w:p>')
    assert body(parsed(saved(document))) == [("heading", 3, "Third level")]


def test_bold_numbered_lines_are_headings_only_where_there_are_no_others(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    for text, bold in (
        ("一、总体要求", True),
        ("各部门应当遵守下列规定。", False),
        ("（一）基本原则", True),
        ("先备份，再升级。", False),
    ):
        document.add_paragraph().add_run(text).bold = bold
    found = parsed(saved(document))
    assert [(b.text, b.level, b.evidence) for b in found.blocks if b.kind == "heading"] == [
        ("一、总体要求", 1, "numbering"),
        ("（一）基本原则", 2, "numbering"),
    ]
    document.add_heading("A styled heading", 1)
    assert [b.text for b in parsed(saved(document)).blocks if b.kind == "heading"] == ["A styled heading"]


def test_lists_have_one_line_an_item_with_number_and_depth(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    for text, style in (
        ("打开电源", "List Number"),
        ("等待启动", "List Number"),
        ("a remark", "List Bullet"),
        ("a detail", "List Bullet 2"),
    ):
        document.add_paragraph(text, style=style)
    (found,) = [text for kind, _, text in body(parsed(saved(document))) if kind == "list"]
    assert found.split("\n")[:3] == ["1. 打开电源", "2. 等待启动", "- a remark"]
    assert found.split("\n")[3].strip() == "- a detail"


def test_merged_cells_are_repeated_into_all_they_cover(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    table = document.add_table(3, 3)
    for row in range(3):
        for column in range(3):
            table.cell(row, column).text = f"{row}{column}"
    table.cell(0, 1).merge(table.cell(0, 2)).text = "wide"
    table.cell(1, 0).merge(table.cell(2, 0)).text = "tall"
    (found,) = [block.table for block in parsed(saved(document)).blocks if block.table]
    assert found.rows == (("00", "wide", "wide"), ("tall", "11", "12"), ("tall", "21", "22"))


def test_tracked_deletions_are_left_out_and_insertions_are_read(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    insert(
        document,
        f'<w:p {W}><w:r><w:t xml:space="preserve">有效期为 </w:t></w:r>'
        '<w:del w:id="1" w:author="a"><w:r><w:delText>30</w:delText></w:r></w:del>'
        '<w:ins w:id="2" w:author="a"><w:r><w:t>90</w:t></w:r></w:ins><w:r><w:t xml:space="preserve"> 天</w:t></w:r></w:p>',
    )
    found = parsed(saved(document))
    assert found.text == "有效期为 90 天"
    assert omissions(found) == {"tracked_deletion": (1, "30")}


def test_comments_and_hidden_text_are_left_out_and_counted(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("Payment within ")
    run = paragraph.add_run("30 days")
    paragraph.add_run(" secret").font.hidden = True
    document.add_comment(run, text="why so long?", author="A", initials="A")
    found = parsed(saved(document))
    assert found.text == "Payment within 30 days"
    assert omissions(found) == {"comment": (1, "why so long?"), "hidden_text": (1, "secret")}


def test_text_boxes_are_read_once(saved: Callable[[Any], bytes]) -> None:
    box = f"<w:txbxContent {W}><w:p><w:r><w:t>in the box</w:t></w:r></w:p></w:txbxContent>"
    xml = (
        f'<w:p {W} xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
        'xmlns:v="urn:schemas-microsoft-com:vml" '
        'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"><w:r><w:t>anchor</w:t></w:r><w:r><mc:AlternateContent>'
        f"<mc:Choice><w:drawing><wps:txbx>{box}</wps:txbx></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:textbox>{box}</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>"
    )
    document = docx.Document()
    insert(document, xml)
    assert [text for _, _, text in body(parsed(saved(document)))] == ["anchor", "in the box"]


def test_links_have_their_text_and_target(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    document.add_paragraph("before")
    relation = document.part.relate_to(
        "manual/setup.md", "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink", is_external=True
    )
    insert(
        document,
        f'<w:p {W} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
        '<w:r><w:t xml:space="preserve">see </w:t></w:r>'
        f'<w:hyperlink r:id="{relation}"><w:r><w:t>the setup</w:t></w:r></w:hyperlink></w:p>',
    )
    found = parsed(saved(document))
    assert [(found.blocks[link.block].text, link.text, link.target) for link in found.links] == [
        ("see the setup", "the setup", "manual/setup.md")
    ]


def test_content_controls_are_looked_through(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    insert(document, f"<w:sdt {W}><w:sdtContent><w:p><w:r><w:t>inside a control</w:t></w:r></w:p></w:sdtContent></w:sdt>")
    assert parsed(saved(document)).text == "inside a control"


def test_code_is_kept_line_by_line(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    for line in ("for name in names:", "    print(name)"):
        run = document.add_paragraph().add_run(line)
        run.font.name = "Consolas"
    document.add_paragraph("That was all.")
    assert body(parsed(saved(document))) == [
        ("code", 0, "for name in names:\n    print(name)"),
        ("paragraph", 0, "That was all."),
    ]


def test_headers_and_footers_are_furniture(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    document.add_paragraph("text")
    document.sections[0].header.paragraphs[0].text = "内部资料"
    found = parsed(saved(document))
    assert found.text == "text"
    assert [block.text for block in found.blocks if block.layer == "furniture"] == ["内部资料"]


def test_core_properties_are_embedded_as_written(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    document.add_paragraph("text")
    properties = document.core_properties
    properties.title, properties.author, properties.language = "数据分级", "王芳", "zh-CN"
    properties.created = datetime(2026, 1, 4, 10)
    found = parsed(saved(document))
    assert found.title == "数据分级"
    assert {key: found.embedded[key] for key in ("title", "author", "created", "authoring_language")} == {
        "title": "数据分级",
        "author": "王芳",
        "created": "2026-01-04T10:00:00Z",
        "authoring_language": "zh-CN",
    }


def test_a_document_without_text_is_empty(saved: Callable[[Any], bytes]) -> None:
    with pytest.raises(DocumentEmpty, match=r"file\.docx"):
        parsed(saved(docx.Document()))


def test_marked_questions_and_answers_are_pairs(saved: Callable[[Any], bytes]) -> None:
    document = docx.Document()
    for text in ("问：退款多久到账？", "答：三个工作日。", "节假日顺延。", "Q: Card?", "A: Yes."):
        document.add_paragraph(text)
    document.add_paragraph("问：同段？").add_run().add_break()
    document.paragraphs[-1].add_run("答：同段。")
    found = [(kind, text) for kind, _, text in body(parsed(saved(document)))]
    assert found == [("faq", "退款多久到账？\n三个工作日。\n节假日顺延。"), ("faq", "Card?\nYes."), ("faq", "同段？\n同段。")]
