"""Whole PDFs: what is read of them, and how each kind of bad file is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentEncrypted, DocumentTooLarge
from ingest.model.document import SEPARATOR, Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart

CORPUS = Path(__file__).parents[4] / "fixtures" / "corpus"
SOURCES = Path(__file__).parents[4] / "fixtures" / "binary"


def parsed(data: bytes, **settings: Any) -> Document:
    return reader.parse(data, "file.pdf", ParsePart(**settings), PDF)


def body(document: Document) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in document.blocks if block.layer == "body"]


@pytest.fixture(scope="module", params=["manuals/云脉密钥部署指南.pdf", "whitepapers/yungate-data-plane.en.pdf"])
def corpus(request: pytest.FixtureRequest) -> tuple[Document, dict[str, Any]]:
    """A parsed PDF of the corpus, and the text that it was typeset from."""
    document = parsed((CORPUS / request.param).read_bytes())
    sources = (yaml.safe_load(path.read_text(encoding="utf-8")) for path in SOURCES.glob("*.pdf.yaml"))
    return document, next(source for source in sources if source["path"] == request.param)


def test_every_heading_of_a_typeset_document_is_found_in_order(corpus: tuple[Document, dict[str, Any]]) -> None:
    document, source = corpus
    wanted = [text for block in source["blocks"] for key, text in block.items() if key in ("h1", "h2")]
    assert [block.text for block in document.blocks if block.kind == "heading" and block.text in wanted] == wanted


def test_subsections_are_below_their_sections(corpus: tuple[Document, dict[str, Any]]) -> None:
    document, source = corpus
    level = {block.text: block.level for block in document.blocks if block.kind == "heading"}
    for key in ("h1", "h2"):
        levels = {level[text] for block in source["blocks"] for k, text in block.items() if k == key}
        assert len(levels) <= 1
    h1, h2 = ({level[t] for b in source["blocks"] for k, t in b.items() if k == key} for key in ("h1", "h2"))
    assert not h2 or min(h2) == max(h1) + 1


def test_paragraphs_are_whole_across_lines_columns_and_pages(corpus: tuple[Document, dict[str, Any]]) -> None:
    document, source = corpus
    texts = {block.text for block in document.blocks}
    wanted = [" ".join(text.split()) for block in source["blocks"] for key, text in block.items() if key == "p"]
    found = [text for text in wanted if text in texts]
    # A figure or heading between the parts of one paragraph still parts it.
    assert len(found) >= 0.85 * len(wanted), [text[:60] for text in wanted if text not in texts]


def test_running_headers_and_footers_are_furniture(corpus: tuple[Document, dict[str, Any]]) -> None:
    document, source = corpus
    furniture = [block.text for block in document.blocks if block.layer == "furniture"]
    assert source["header"] in furniture
    assert any(text.startswith(source["footer"]) for text in furniture)
    assert not any(text.startswith(source["footer"]) for _, text in body(document))


def test_metadata_is_what_the_file_says(corpus: tuple[Document, dict[str, Any]]) -> None:
    document, source = corpus
    assert document.title == source["title"]
    assert document.embedded["author"] == source["author"]
    assert document.embedded["created"].startswith(str(source["created"])[:10])


def test_blocks_know_their_place_in_the_text_and_on_the_pages(corpus: tuple[Document, dict[str, Any]]) -> None:
    document, _ = corpus
    assert document.pages is not None
    for block in document.blocks:
        assert block.provenance.boxes
        for box in block.provenance.boxes:
            assert 1 <= box.page <= document.pages
            assert box.x0 < box.x1 and box.y0 < box.y1
        if block.layer == "body":
            start, end = block.provenance.span or (0, 0)
            assert document.text[start:end] == block.text
    assert document.text == SEPARATOR.join(text for _, text in body(document))


def test_the_same_bytes_give_the_same_document(corpus: tuple[Document, dict[str, Any]]) -> None:
    document, source = corpus
    assert parsed((CORPUS / source["path"]).read_bytes()) == document


def test_a_ruled_table_is_read_once_and_only_as_a_table(pdf: Any) -> None:
    rows = [["错误码", "含义"], ["E1042", "连接超时"], ["E1043", "证书过期"]]
    data = pdf.build(
        [[pdf.Text(50, 80, "下表列出常见的错误。"), *pdf.grid(50, 100, [120, 200], 20, rows), pdf.Text(50, 200, "表后的文字。")]]
    )
    document = parsed(data)
    (table,) = [block for block in document.blocks if block.table]
    assert table.table is not None and [list(row) for row in table.table.rows] == rows
    assert document.text.count("E1042") == 1
    assert [kind for kind, _ in body(document)] == ["paragraph", "table", "paragraph"]


def test_a_table_goes_on_over_a_page_with_its_header_once(pdf: Any) -> None:
    head = ["Code", "Meaning"]
    first = [head, *[[f"E{n}", f"first part {n}"] for n in range(5)]]
    second = [head, *[[f"E{n}", f"second part {n}"] for n in range(5, 9)]]
    data = pdf.build([pdf.grid(50, 600, [120, 200], 20, first), pdf.grid(50, 60, [120, 200], 20, second)])
    (table,) = [block for block in parsed(data).blocks if block.table]
    assert table.table is not None
    assert [row[0] for row in table.table.rows] == ["Code", *(f"E{n}" for n in range(9))]
    assert [box.page for box in table.provenance.boxes] == [1, 2]


def test_lists_keep_their_items_and_depth(pdf: Any) -> None:
    drawn = [
        pdf.Text(50, 80, "Before you start:"),
        *[pdf.Text(60, 100 + 14 * i, "•") for i in (0, 2)],
        pdf.Text(72, 100, "check the voltage of both supplies and"),
        pdf.Text(72, 114, "write it down;"),
        pdf.Text(72, 128, "close the valve."),
        pdf.Text(84, 142, "a) the left one"),
        pdf.Text(84, 156, "b) the right one"),
    ]
    (found,) = [text for kind, text in body(parsed(pdf.build([drawn]))) if kind == "list"]
    assert found.split("\n") == [
        "- check the voltage of both supplies and write it down;",
        "- close the valve.",
        "  a) the left one",
        "  b) the right one",
    ]


def test_code_keeps_its_lines_and_indentation(pdf: Any) -> None:
    code = ["def area(r):", "    return 3.14 * r ** 2", "print(area(2))"]
    drawn = [pdf.Text(50, 80, "An example of a function in Python, which is easy to read:")]
    drawn += [
        pdf.Text(50 + 5 * (len(line) - len(line.lstrip())), 100 + 14 * i, line.strip(), 10, "mono") for i, line in enumerate(code)
    ]
    (found,) = [text for kind, text in body(parsed(pdf.build([drawn]))) if kind == "code"]
    assert found.split("\n") == code


def test_a_page_on_its_side_reads_like_one_that_stands(pdf: Any) -> None:
    drawn = pdf.lines(50, 80, ["系统每天凌晨自动备份，备份文件由主密钥加密。", "恢复之前必须先用三把智能钥匙恢复主密钥。"])
    assert body(parsed(pdf.build([drawn], rotate=90))) == body(parsed(pdf.build([drawn])))


def test_links_belong_to_the_block_they_stand_in() -> None:
    document = parsed((CORPUS / "whitepapers/yungate-data-plane.en.pdf").read_bytes())
    for link in document.links:
        assert link.target and 0 <= link.block < len(document.blocks)


# What is refused


def test_a_file_that_needs_a_password_is_encrypted(encrypted: bytes) -> None:
    with pytest.raises(DocumentEncrypted, match=r"file\.pdf.*password"):
        parsed(encrypted)


@pytest.mark.parametrize("keep", [0.3, 0.7, 0.97])
def test_a_truncated_file_is_corrupt_and_never_half_read(pdf: Any, keep: float) -> None:
    data = pdf.build([pdf.lines(50, 80, ["A line of text that stands alone."] * 20)] * 5)
    with pytest.raises(DocumentCorrupt, match=r"file\.pdf"):
        parsed(data[: int(len(data) * keep)])


def test_what_is_no_pdf_is_corrupt() -> None:
    with pytest.raises(DocumentCorrupt, match="not a PDF"):
        parsed(b"<html><body>Error 404</body></html>")
    with pytest.raises(DocumentCorrupt):
        parsed(b"%PDF-1.7\nnothing else\nstartxref\n0\n%%EOF")


def test_more_pages_than_allowed_are_too_large_not_cut(pdf: Any) -> None:
    data = pdf.build([[pdf.Text(50, 80, f"page {n}")] for n in range(6)])
    with pytest.raises(DocumentTooLarge, match="6 pages"):
        parsed(data, max_pages=5)
    assert parsed(data, max_pages=6).pages == 6


def test_pages_over_several_batches_all_arrive(pdf: Any) -> None:
    document = parsed(pdf.build([[pdf.Text(50, 400, f"marker {n} stands here")] for n in range(60)]))
    assert document.pages == 60
    assert [f"marker {n} stands here" in document.text for n in range(60)] == [True] * 60


def test_a_scan_is_empty_and_says_why(pdf: Any) -> None:
    with pytest.raises(DocumentEmpty, match="scan"):
        parsed(pdf.build([[pdf.Rect(0, 0, 300, 300, (0.4, 0.4, 0.4))]]))


def test_pages_without_text_are_recorded(pdf: Any) -> None:
    document = parsed(pdf.build([[pdf.Text(50, 80, "some text")], []]))
    assert [(o.kind, o.where) for o in document.omissions] == [("page_without_text", "page 2")]


def test_the_engine_setting_does_not_change_the_fingerprint() -> None:
    assert reader.version(ParsePart(pdf_engine="auto")) == reader.version(ParsePart(pdf_engine="liteparse"))
    assert "liteparse" in reader.version(ParsePart())
