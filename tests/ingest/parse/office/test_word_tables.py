"""Tables of Word: what spans what, which rows are headers, and what stands in cells."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ingest.errors import DocumentTooLarge
from ingest.model.document import Document, Span
from ingest.parse import office
from ingest.parse.detect import DOCX
from ingest.settings import ParsePart

Reader = Callable[..., Document]


@pytest.fixture
def read(packed: Callable[..., bytes]) -> Reader:
    def make(body: str) -> Document:
        data = packed("word/document.xml", f"<w:document><w:body>{body}</w:body></w:document>")
        return office.parse(data, "file.docx", ParsePart(), DOCX)

    return make


def cell(text: str, properties: str = "") -> str:
    content = text if text.startswith("<") else f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{content}</w:tc>"


def table(*rows: list[str], properties: str = "") -> str:
    return "<w:tbl>" + "".join(f"<w:tr><w:trPr>{properties}</w:trPr>{''.join(row)}</w:tr>" for row in rows) + "</w:tbl>"


DOWN, ON = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"


def wide(columns: int) -> str:
    return f'<w:gridSpan w:val="{columns}"/>'


def test_spans_and_headers_of_two_rows_are_told(read: Reader) -> None:
    found = read(
        table(
            [cell("site", DOWN), cell("2026", wide(2)), cell("2027", wide(2))],
            [cell("", ON), cell("H1"), cell("H2"), cell("H1"), cell("H2")],
            [cell("苏州"), cell("1"), cell("2"), cell("3"), cell("4")],
        )
    )
    (block,) = found.blocks
    assert block.table is not None
    assert block.table.rows[0] == ("site", "2026", "2026", "2027", "2027")
    assert block.table.rows[1] == ("site", "H1", "H2", "H1", "H2")
    assert block.table.header_rows == 2
    assert block.table.spans == (Span(0, 0, 2, 1), Span(0, 1, 1, 2), Span(0, 3, 1, 2))


def test_a_table_in_a_cell_is_a_table_of_its_own(read: Reader) -> None:
    inner = table([cell("k"), cell("v")], [cell("a"), cell("1")])
    found = read(table([cell("left"), cell("right")], [cell(inner + "<w:p/>"), cell("x")]))
    assert [(b.provenance.locator, b.text) for b in found.blocks] == [
        ("table 1", "left | right\n[table 1.1] | x"), ("table 1.1", "k | v\na | 1"),
    ]


def test_values_that_repeat_in_a_small_inner_table_are_all_there(read: Reader) -> None:
    inner = table([cell("yes"), cell("yes"), cell("no")])
    found = read(table([cell(inner + "<w:p/>"), cell("x")], [cell("a"), cell("b")]))
    assert found.blocks[0].text == "yes, yes, no | x\na | b"


def test_a_frame_of_one_cell_is_ordinary_text(read: Reader) -> None:
    assert [b.kind for b in read(table([cell("just a frame")])).blocks] == ["paragraph"]


def test_deleted_and_hidden_rows_are_recorded(read: Reader) -> None:
    rows = table([cell("kept"), cell("1")]).replace("</w:tbl>", "")
    for mark, text in (("<w:del/>", "gone"), ("<w:hidden/>", "secret")):
        rows += f"<w:tr><w:trPr>{mark}</w:trPr>{cell(text)}</w:tr>"
    found = read(rows + "</w:tbl>")
    assert found.text == "kept | 1"
    assert [(o.kind, o.where, o.sample) for o in found.omissions] == [
        ("hidden_row", "table 1", "secret"), ("tracked_deletion", "table 1", "gone"),
    ]


def test_a_table_wider_than_any_page_is_bounded(read: Reader) -> None:
    rows = [[cell("x", wide(100_000))] for _ in range(2500)]
    with pytest.raises(DocumentTooLarge, match="cells"):
        read(table(*rows))
