"""Which cells make a table, which of its rows are headers, and what is running text around it."""

from __future__ import annotations

import pytest

from ingest.model.document import Span
from ingest.parse.office.sheet_cells import Cells, Rect, letters, rectangle
from ingest.parse.office.sheet_regions import Declared, Piece, pieces


def cells(text: str, *, out: str = "", merged: tuple[str, ...] = (), frozen: int = 0) -> Cells:
    """A sheet drawn with one line a row and `|` between cells; numbers are quantities; `out` are rows that stand out."""
    made = Cells("S", frozen_rows=frozen)
    for row, line in enumerate(text.strip("\n").split("\n"), start=1):
        for column, cell in enumerate(line.split("|"), start=1):
            if value := cell.strip():
                made.rows.setdefault(row, {})[column] = value
                if value.replace(".", "").isdecimal():
                    made.numeric.add((row, column))
                if str(row) in out.split():
                    made.standing_out.add((row, column))
    made.merged = [rect for ref in merged if (rect := rectangle(ref))]
    return made


def read(sheet: Cells, *declared: Declared) -> list[Piece]:
    return list(pieces(sheet, declared))


def headers(sheet: Cells) -> int:
    return next(piece.table.header_rows for piece in read(sheet) if piece.table)


def test_tables_that_touch_at_a_corner_are_two() -> None:
    found = read(cells("a|b| | \n1|2| | \n3|4| | \n | |x|y\n | |5|6\n | |7|8"))
    assert [piece.rect for piece in found] == [(1, 1, 3, 2), (4, 3, 6, 4)]


def test_a_declared_table_is_one_whatever_adjoins_it() -> None:
    found = read(cells("note|k|v\nof|a|1\nours|b|2"), Declared((1, 2, 3, 3), 1))
    assert [(piece.rect, piece.table.rows if piece.table else None) for piece in found][1] == (
        (1, 2, 3, 3), (("k", "v"), ("a", "1"), ("b", "2")),
    )


def test_a_declared_table_without_headers_has_none() -> None:
    (piece,) = read(cells("a|b\nc|d"), Declared((1, 1, 2, 2), 0))
    assert piece.table is not None and piece.table.header_rows == 0


@pytest.mark.parametrize(
    ("sheet", "expected"),
    [
        (cells("name|price\nx|1\ny|2"), 1),
        (cells("1|2\n3|4\n5|6"), 0),
        (cells("产品|2024|2025\n网关|1|2\n总线|3|4"), 1),
        (cells("site|2026| \n |H1|H2\n苏州|1|2", out="1 2"), 2),
        (cells("a|b\nunit|unit\n1|2\n3|4", out="1 2"), 2),
        (cells("a|b\nc|d\n1|2\n3|4", frozen=2), 2),
        (cells("x|1\ny|2\nz|3", out="1 2 3"), 0),
    ],
)
def test_header_rows_are_told_by_look_and_content(sheet: Cells, expected: int) -> None:
    assert headers(sheet) == expected


def test_titles_above_and_remarks_below_are_paragraphs() -> None:
    found = read(cells("价目表（2026）| \n产品|价格\n网关|468\n总线|120\n注：含税价格，按季结算| ", merged=("A1:B1",)))
    assert [(piece.text, piece.rect) for piece in found if piece.table is None] == [
        ("价目表（2026）", (1, 1, 1, 2)), ("注：含税价格，按季结算", (5, 1, 5, 2)),
    ]


def test_spans_are_told_in_the_rows_and_columns_of_the_table() -> None:
    sheet = cells(" | | \n |k|v\n |a|1\n |a|2", merged=("B3:B4",))
    (piece,) = read(sheet)
    assert piece.table is not None and piece.table.spans == (Span(1, 0, 2, 1),)


def test_addresses_are_read_and_written() -> None:
    assert rectangle("$B$3:AA10") == (3, 2, 10, 27) and letters(27) == "AA"
    nowhere: Rect | None = rectangle("A0:ZZZ9")
    assert nowhere is None


def test_a_staircase_of_cells_is_cut_without_end() -> None:
    sheet = Cells("S", rows={row: {row // 2 + 1: "x", row // 2 + 2: "y"} for row in range(1, 3000)})
    assert sum(piece.table is not None for piece in read(sheet)) >= 1
