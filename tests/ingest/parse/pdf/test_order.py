"""Columns are read one after the other, rows of a table are not taken for columns."""

from __future__ import annotations

from typing import Any

from ingest.model.document import Document
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart

LEFT = [f"left column line {n} goes on and on" for n in range(12)]
RIGHT = [f"right column row {n} goes on and on" for n in range(12)]


def parsed(data: bytes) -> Document:
    return reader.parse(data, "file.pdf", ParsePart(), PDF)


def test_two_columns_are_read_one_after_the_other(pdf: Any) -> None:
    drawn = pdf.lines(50, 100, LEFT) + pdf.lines(310, 105, RIGHT)
    text = parsed(pdf.build([drawn])).text
    assert text.index("line 11") < text.index("row 0")
    places = [text.index(line) for line in LEFT + RIGHT]
    assert places == sorted(places)


def test_columns_on_one_grid_are_still_columns(pdf: Any) -> None:
    text = parsed(pdf.build([pdf.lines(50, 100, LEFT) + pdf.lines(310, 100, RIGHT)])).text
    assert text.index("line 11") < text.index("row 0")


def test_what_spans_the_columns_divides_them(pdf: Any) -> None:
    title = [pdf.Text(50, 60, "A title that runs over the whole width of this page without a break", 14)]
    divider = [
        pdf.Text(
            50, 320, "A sentence that is set over both of the columns and that belongs between the upper and the lower part", 10
        )
    ]
    upper = pdf.lines(50, 100, LEFT) + pdf.lines(310, 100, RIGHT)
    lower = pdf.lines(50, 350, [t.replace("left", "lower left") for t in LEFT]) + pdf.lines(
        310, 350, [t.replace("right", "lower right") for t in RIGHT]
    )
    text = parsed(pdf.build([title + upper + divider + lower])).text
    places = [
        text.index(part)
        for part in ("A title", "left column line 0", "right column row 11", "A sentence", "lower left", "lower right")
    ]
    assert places == sorted(places)


def test_three_columns_are_read_from_left_to_right(pdf: Any) -> None:
    drawn = [
        one for i in range(3) for one in pdf.lines(40 + 180 * i, 100, [f"column {i} line {n} goes on here" for n in range(9)])
    ]
    text = parsed(pdf.build([drawn])).text
    places = [text.index(f"column {i} line {n} ") for i in range(3) for n in range(9)]
    assert places == sorted(places)


def test_chinese_columns_are_read_one_after_the_other(pdf: Any) -> None:
    left = [f"左栏第{n}行文字，讲述系统的安装与配置方法" for n in "一二三四五六七八"]
    right = [f"右栏第{n}行文字，讲述日常的维护与备份方法" for n in "一二三四五六七八"]
    text = parsed(pdf.build([pdf.lines(50, 100, left) + pdf.lines(310, 104, right)])).text
    assert text.index("左栏第八行") < text.index("右栏第一行")


def test_labels_and_values_stay_on_their_line(pdf: Any) -> None:
    labels = ["Voltage", "Current", "Power", "Weight", "Depth"]
    drawn = pdf.lines(50, 100, labels) + pdf.lines(300, 100, ["230 V", "16 A", "3.6 kW", "12 kg", "60 cm"])
    text = parsed(pdf.build([drawn])).text
    assert text.index("230 V") < text.index("Current") < text.index("16 A") < text.index("Power")


def test_a_stamp_along_the_margin_is_furniture() -> None:
    """Text turned by a quarter at the edge; drawn with a rotated matrix, which the maker of PDFs here has no word for."""
    from ingest.parse.pdf.order import laid_in_order
    from ingest.parse.pdf.page import Item, Page, turned_item

    page = Page(1, 595, 842)
    page.side(0).items.append(Item("Body text of the page.", 60, 100, 200, 112, 10))
    page.side(270).items.append(turned_item(Item("arXiv:2004.04906", 14, 300, 30, 460, 16), 270, 595, 842))
    zones = laid_in_order(page).zones
    assert [(zone.turn, zone.margin) for zone in zones] == [(0, False), (270, True)]
