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

from ingest.errors import DocumentEmpty, DocumentTooLarge
from ingest.model.document import Document
from ingest.parse import office
from ingest.parse.detect import XLSX
from ingest.parse.office.sheet_cells import Budget
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
    assert rows_of(document) == [("S!A1:B2", [["a", "b"], ["2", "=2+2"]])]
    assert omissions(document) == [("uncalculated_formula", 1, "S!B2")]


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
    assert omissions(document) == [
        ("hidden_column", 1, "S!B:B"), ("hidden_row", 1, "S!2:2"), ("hidden_sheet", 1, "draft"),
    ]


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


def samples(document: Document) -> list[tuple[str, str | None, str | None]]:
    return [(o.kind, o.where, o.sample) for o in document.omissions]


def test_formats_that_hide_a_value_hide_it_and_it_is_recorded() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["a", "b", "c"])
        sheet.write_number(1, 0, 42, book.add_format({"num_format": ";;;"}))
        sheet.write_number(1, 1, 0, book.add_format({"num_format": "0;-0;;@"}))
        sheet.write_string(1, 2, "kg", book.add_format({"num_format": "0;0;0;@\\/h"}))

    document = made(fill)
    assert rows_of(document)[0][1][1] == ["", "", "kg/h"]
    assert samples(document) == [("hidden_cell", "S!A2", "42")]


def test_white_on_white_is_recorded_but_not_in_tables_that_colour_it() -> None:
    def fill(book: Any) -> None:
        white = book.add_format({"font_color": "#FFFFFF"})
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write(1, 0, "seen")
        sheet.write(1, 1, "unseen", white)
        sheet.add_table(4, 0, 5, 1, {"columns": [{"header": "k", "header_format": white}, {"header": "v"}], "data": [["x", 1]]})

    document = made(fill)
    assert "k | v" in document.text and "unseen" not in document.text
    assert samples(document) == [("hidden_cell", "S!B2", "unseen")]


def test_tables_of_the_workbook_have_their_headers() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write(0, 0, "directly above")
        sheet.add_table(1, 0, 3, 1, {"columns": [{"header": "k"}, {"header": "v"}], "data": [["x", 1], ["y", 2]]})

    document = made(fill)
    assert [(b.kind, b.provenance.locator) for b in document.blocks][1:] == [("paragraph", "S!A1"), ("table", "S!A2:B4")]


def test_notes_on_cells_are_recorded_with_their_places() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, 2])
        sheet.write_comment(1, 1, "estimated", {"author": "A"})

    assert samples(made(fill)) == [("comment", "S!B2", "estimated")]


def test_text_boxes_and_charts_of_a_sheet_are_read() -> None:
    def fill(book: Any) -> None:
        sheet, other = book.add_worksheet("S"), book.add_worksheet("data")
        other.write_row(0, 0, ["Q1", "Q2"])
        other.write_row(1, 0, [10, 20])
        other.hide()
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_row(1, 0, [1, 2])
        sheet.insert_textbox(5, 0, "重要：以合同为准")
        for row, name, source in ((10, "Shown", "S"), (30, "From a hidden sheet", "data")):
            chart = book.add_chart({"type": "column"})
            chart.add_series({"categories": [source, 0, 0, 0, 1], "values": [source, 1, 0, 1, 1]})
            chart.set_title({"name": name})
            sheet.insert_chart(row, 0, chart)

    document = made(fill)
    drawn = [(b.kind, b.text, b.provenance.locator) for b in document.blocks][2:]
    assert drawn == [
        ("paragraph", "重要：以合同为准", "S!A6"), ("caption", "Shown", "S!A11"), ("caption", "From a hidden sheet", "S!A31"),
        ("table", " | 1\nQ1 | 10\nQ2 | 20", "S!A31"),
    ]


def test_the_chart_of_a_sheet_of_its_own_is_read() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_column(0, 0, [1, 2, 3])
        chart = book.add_chart({"type": "line"})
        chart.add_series({"values": "=S!$A$1:$A$3"})
        chart.set_title({"name": "Growth"})
        book.add_chartsheet("Chart").set_chart(chart)

    assert [(b.kind, b.text) for b in made(fill).blocks][-2:] == [("heading", "Chart"), ("caption", "Growth")]


def test_tick_boxes_and_buttons_are_read() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write(0, 0, "x")
        sheet.insert_button(3, 0, {"caption": "Send it"})

    assert ("list", "- Send it") in [(b.kind, b.text) for b in made(fill).blocks]


def test_printed_headers_are_furniture() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write(0, 0, "x")
        sheet.set_header('&L&"Arial,Bold"&12内部资料&RPage &P of &N')

    assert [b.text for b in made(fill).blocks if b.layer == "furniture"] == ["内部资料 Page of"]


def test_links_made_by_formulas_are_links() -> None:
    def fill(book: Any) -> None:
        sheet = book.add_worksheet("S")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.write_formula(1, 0, '=HYPERLINK("https://example.org/x","the guide")', None, "the guide")

    assert [(link.text, link.target) for link in made(fill).links] == [("the guide", "https://example.org/x")]


def test_dates_of_the_strict_variant_are_shown_in_their_format(packed: Callable[..., bytes]) -> None:
    s = "http://purl.oclc.org/ooxml/spreadsheetml/main"
    styles = f'<styleSheet xmlns="{s}"><cellXfs><xf numFmtId="0"/><xf numFmtId="31"/></cellXfs></styleSheet>'
    cell = '<row r="1"><c r="A1" s="1" t="d"><v>2026-01-05</v></c></row>'
    sheet = f'<worksheet xmlns="{s}"><sheetData>{cell}</sheetData></worksheet>'
    book = f'<workbook xmlns="{s}" xmlns:r="http://purl.oclc.org/ooxml/officeDocument/relationships">'
    data = packed(
        "xl/workbook.xml", f'{book}<sheets><sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>'.encode(),
        {
            "r1": ("worksheet", "xl/worksheets/sheet1.xml", sheet.encode()), "r2": ("styles", "xl/styles.xml", styles.encode()),
        },
    )
    assert office.parse(data, "file.xlsx", ParsePart(), XLSX).text == "S\n\n2026年1月5日"


def test_a_workbook_of_more_cells_than_can_be_read_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ingest.parse.office.sheets.Budget", lambda file: Budget(file, 1000))
    with pytest.raises(DocumentTooLarge, match=r"file\.xlsx shows more than"):
        made(lambda book: [book.add_worksheet("S").write_row(0, 0, ["x"] * 1001)])
