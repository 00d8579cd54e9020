"""Excel: regions as tables, values as shown, what is hidden left out and counted."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
import yaml

from ingest.errors import DocumentEmpty
from ingest.model.document import Document
from ingest.parse import office
from ingest.parse.detect import XLSX
from ingest.settings import ParsePart

ROOT = Path(__file__).parents[4] / "fixtures"


def made(fill: Callable[[Any], None], **options: Any) -> Document:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True, **options}) as book:
        fill(book)
    return office.parse(out.getvalue(), "file.xlsx", ParsePart(), XLSX)


def rows_of(document: Document) -> list[tuple[str, list[list[str]]]]:
    return [(b.provenance.locator or "", [list(row) for row in b.table.rows]) for b in document.blocks if b.table]


def omissions(document: Document) -> list[tuple[str, int, str | None]]:
    return [(o.kind, o.count, o.where) for o in document.omissions]


def test_the_price_list_of_the_corpus_shows_what_excel_shows() -> None:
    source = yaml.safe_load((ROOT / "binary/prices.xlsx.yaml").read_text(encoding="utf-8"))
    document = office.parse((ROOT / "corpus" / source["path"]).read_bytes(), "prices.xlsx", ParsePart(), XLSX)
    assert document.title == source["title"]
    tables = rows_of(document)
    assert tables[0][0] == "产品价目表!A3:G11"
    assert tables[0][1][1] == ["云脉网关标准版", "YG-STD-20", "节点 / 年", "¥46,800.00", "15%", "¥39,780.00", "2026-01-05"]
    assert [block.text for block in document.blocks if block.kind == "heading"] == ["产品价目表", "Services"]


def test_values_are_shown_in_their_formats() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["when", "share", "price", "count", "yes", "code"])
        sheet.write_datetime(1, 0, date(2026, 1, 5), book.add_format({"num_format": "yyyy年m月d日"}))
        sheet.write_number(1, 1, 0.125, book.add_format({"num_format": "0.0%"}))
        sheet.write_number(1, 2, 1234.5, book.add_format({"num_format": "[$€-407] #,##0.00"}))
        sheet.write_number(1, 3, 42)
        sheet.write_boolean(1, 4, True)
        sheet.write_number(1, 5, 7, book.add_format({"num_format": "000"}))

    assert rows_of(made(fill))[0][1][1] == ["2026年1月5日", "12.5%", "€ 1,234.50", "42", "TRUE", "007"]


def test_formulas_show_their_last_value_and_uncalculated_ones_are_counted(patched: Callable[..., bytes]) -> None:
    out = io.BytesIO()
    with xlsxwriter.Workbook(out, {"in_memory": True}) as book:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_formula(1, 0, "=1+1", None, 2)
        sheet.write_formula(1, 1, "=2+2", None, 4)
    data = patched(out.getvalue(), "xl/worksheets/sheet1.xml", "<v>4</v>", "")
    document = office.parse(data, "file.xlsx", ParsePart(), XLSX)
    assert rows_of(document) == [("S!A1:B2", [["a", "b"], ["2", ""]])]
    assert omissions(document) == [("uncalculated_formula", 1, "S")]


def test_regions_are_cut_at_empty_rows_and_columns() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("My Sheet")
        for top, left in ((0, 0), (5, 0), (0, 5)):
            for i, row in enumerate((["k", "v"], ["a", 1], ["b", 2])):
                sheet.write_row(top + i, left, row)

    assert [where for where, _ in rows_of(made(fill))] == ["'My Sheet'!A1:B3", "'My Sheet'!F1:G3", "'My Sheet'!A6:B8"]


def test_a_title_on_top_of_a_table_is_cut_off_it() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.merge_range(0, 0, 0, 2, "价目表（含税）", None)
        sheet.write_row(1, 0, ["产品", "型号", "价格"])
        sheet.write_row(2, 0, ["网关", "YG", 468])

    document = made(fill)
    assert [(b.kind, b.text) for b in document.blocks][1] == ("paragraph", "价目表（含税）")
    assert rows_of(document) == [("S!A2:C3", [["产品", "型号", "价格"], ["网关", "YG", "468"]])]


def test_merged_cells_are_repeated_and_two_header_rows_are_seen() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.merge_range(0, 1, 0, 2, "2026", None)
        sheet.write(0, 0, "site")
        sheet.write_row(1, 0, ["city", "first half", "second half"])
        sheet.write_row(2, 0, ["苏州", 1, 2])

    (table,) = [block.table for block in made(fill).blocks if block.table]
    assert table.rows[0] == ("site", "2026", "2026") and table.header_rows == 2


def test_hidden_sheets_rows_and_columns_are_left_out_and_counted() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        for row in range(3):
            sheet.write_row(row, 0, [f"{row}{c}" for c in "abc"])
        sheet.set_row(1, None, None, {"hidden": True})
        sheet.set_column(1, 1, None, None, {"hidden": True})
        book.add_worksheet("draft").write(0, 0, "secret")
        book.worksheets()[1].hide()

    document = made(fill)
    assert "secret" not in document.text and "1a" not in document.text and "0b" not in document.text
    assert omissions(document) == [("hidden_column", 1, "S"), ("hidden_row", 1, "S"), ("hidden_sheet", 1, "draft")]


def test_remarks_below_a_table_are_paragraphs() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        for row, text in enumerate(["Travel is charged at cost; travel time counts half.", "Days are booked two weeks ahead."]):
            sheet.write(row, 0, text)

    assert [block.kind for block in made(fill).blocks] == ["heading", "paragraph", "paragraph"]


def test_links_belong_to_the_region_of_their_cell() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["name", "where"])
        sheet.write(1, 0, "guide")
        sheet.write_url(1, 1, "https://example.org/guide", string="here")

    document = made(fill)
    assert [(document.blocks[link.block].kind, link.text, link.target) for link in document.links] == [
        ("table", "here", "https://example.org/guide")
    ]


def test_dates_of_the_1904_system_are_right() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_datetime(1, 0, date(2026, 3, 2), book.add_format({"num_format": "yyyy-mm-dd"}))
        sheet.write(1, 1, "x")

    assert rows_of(made(fill, date_1904=True))[0][1][1][0] == "2026-03-02"


def test_a_workbook_without_values_is_empty() -> None:
    with pytest.raises(DocumentEmpty, match=r"file\.xlsx"):
        made(lambda book: book.add_worksheet("S"))
