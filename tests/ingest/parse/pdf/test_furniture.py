"""What comes back at the same place of many pages is furniture; what stands at the edge only once is not."""

from __future__ import annotations

from typing import Any

from ingest.model.document import Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart


def parsed(pages: list[list[Any]], pdf: Any) -> Document:
    return reader.parse(pdf.build(pages), "file.pdf", ParsePart(), PDF)


def furniture(document: Document) -> list[str]:
    return [block.text for block in document.blocks if block.layer == "furniture"]


def body(pdf: Any, n: int) -> list[Any]:
    return list(pdf.lines(50, 200, [f"Page {n} has a text of its own,", "which nobody wants to lose."]))


def test_headers_and_page_numbers_are_one_block_each_with_a_box_a_page(pdf: Any) -> None:
    pages = [[pdf.Text(50, 40, "内部资料 请勿外传"), *body(pdf, n), pdf.Text(290, 815, f"第 {n} 页")] for n in range(1, 6)]
    document = parsed(pages, pdf)
    assert furniture(document) == ["内部资料 请勿外传", "第 1 页"]
    boxes = [block.provenance.boxes for block in document.blocks if block.layer == "furniture"]
    assert [[box.page for box in found] for found in boxes] == [[1, 2, 3, 4, 5]] * 2
    assert "内部资料" not in document.text


def test_odd_and_even_pages_have_their_own(pdf: Any) -> None:
    pages = [[pdf.Text(50 if n % 2 else 400, 40, "Manual" if n % 2 else "Release 3"), *body(pdf, n)] for n in range(1, 8)]
    assert sorted(furniture(parsed(pages, pdf))) == ["Manual", "Release 3"]


def test_a_number_that_counts_the_pages_takes_the_chapter_title_along(pdf: Any) -> None:
    pages = [
        [pdf.Text(50, 815, f"{title} {n}"), *body(pdf, n)]
        for n, title in enumerate(["Scope", "Terms", "Setup", "Repair"], start=7)
    ]
    document = parsed(pages, pdf)
    assert sorted(furniture(document)) == ["Repair 10", "Scope 7", "Setup 9", "Terms 8"]


def test_a_line_at_the_edge_of_one_page_is_text(pdf: Any) -> None:
    pages = [body(pdf, n) for n in range(1, 5)]
    pages[1].append(pdf.Text(50, 40, "A title at the very top"))
    document = parsed(pages, pdf)
    assert not furniture(document) and "A title at the very top" in document.text


def test_two_pages_are_too_few_to_tell(pdf: Any) -> None:
    assert not furniture(parsed([[pdf.Text(50, 40, "Same line"), *body(pdf, n)] for n in (1, 2)], pdf))


ENTRIES = [f"{n} Chapter on subject {n} {'.' * 30} {n + 1}" for n in range(1, 6)]


def test_printed_contents_that_lead_to_headings_are_furniture_and_tell_them(pdf: Any) -> None:
    chapters = [[pdf.Text(50, 100, f"{n} Chapter on subject {n}"), *body(pdf, n)] for n in range(1, 6)]
    document = parsed([pdf.lines(50, 100, ENTRIES), *chapters], pdf)
    assert any("3 Chapter on subject 3" in text for text in furniture(document))
    assert document.text.count("Chapter on subject 3") == 1
    headings = [(block.text, block.evidence) for block in document.blocks if block.kind == "heading"]
    assert headings == [(f"{n} Chapter on subject {n}", "contents") for n in range(1, 6)]


def test_a_table_of_contents_by_itself_is_what_the_document_says(pdf: Any) -> None:
    document = parsed([pdf.lines(50, 100, ENTRIES)], pdf)
    assert "Chapter on subject 3" in document.text and not furniture(document)


def test_a_sentence_goes_on_over_the_furniture_between_pages(pdf: Any) -> None:
    above = "恢复到新的一体机之前必须先用三把管理员智能钥匙恢复"
    pages = [
        [pdf.Text(50, 40, "手册"), *pdf.lines(50, 100, ["一体机高度为两个单元满载功耗为四百二十瓦需要两路电源", above])],
        [pdf.Text(50, 40, "手册"), *pdf.lines(50, 100, ["主密钥。", "另一段文字从这里开始。"])],
        [pdf.Text(50, 40, "手册"), *body(pdf, 3)],
    ]
    assert f"{above}主密钥。" in parsed(pages, pdf).text
