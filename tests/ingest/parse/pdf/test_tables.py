"""Tables by lines, by rules and by alignment: rows, columns, cells over several of them; and what looks like one and is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ingest.model.document import Document, Span, Table
from ingest.parse import pdf as reader
from ingest.parse.detect import PDF
from ingest.settings import ParsePart

PROSE = ["The quick brown fox jumps over the lazy dog and goes on its", "way until the evening comes and everybody is at home."]


def parsed(pdf: Any, *pages: list[Any]) -> Document:
    return reader.parse(pdf.build(list(pages)), "file.pdf", ParsePart(), PDF)


def tables(document: Document) -> list[Table]:
    return [block.table for block in document.blocks if block.table is not None]


def rows(document: Document) -> list[list[str]]:
    (table,) = tables(document)
    return [list(row) for row in table.rows]


def without(pdf: Any, drawn: list[Any], rule: Callable[[Any], bool]) -> list[Any]:
    """What was drawn less some of its rules."""
    return [one for one in drawn if not isinstance(one, pdf.Rule) or not rule(one)]


# Drawn with lines


def test_a_missing_line_makes_one_cell_of_two(pdf: Any) -> None:
    cells = [["Region", "Revenue", ""], ["", "2025", "2026"], ["North", "12", "15"]]
    # The first cell goes over two rows, the second of the first row over two columns.
    whole = pdf.grid(50, 100, [100, 100, 100], 20, cells)
    drawn = without(pdf, whole, lambda one: one.y0 == one.y1 == 120 or one.x0 == one.x1 == 250)
    drawn += [pdf.Rule(150, 120, 350, 120), pdf.Rule(250, 120, 250, 160)]
    document = parsed(pdf, drawn)
    assert rows(document) == [["Region", "Revenue", "Revenue"], ["Region", "2025", "2026"], ["North", "12", "15"]]
    (table,) = tables(document)
    assert table.spans == (Span(0, 0, 2, 1), Span(0, 1, 1, 2))
    assert document.text.count("Revenue") == 2 and document.text.count("12") == 1


def test_the_first_and_last_column_need_no_outer_line(pdf: Any) -> None:
    cells = [["Code", "Meaning", "Remedy"], ["E1042", "Timeout", "Retry"], ["E1043", "Expired", "Renew"]]
    drawn = without(pdf, pdf.grid(50, 100, [100, 100, 100], 20, cells), lambda one: one.x0 == one.x1 in (50, 350))
    assert rows(parsed(pdf, drawn)) == cells


def test_neighbouring_cells_that_stand_close_are_two_cells(pdf: Any) -> None:
    cells = [["a", "b"], *[[f"{n}", f"{n * 7}"] for n in range(1, 6)]]
    assert rows(parsed(pdf, pdf.grid(50, 100, [16, 16], 16, cells))) == cells


def test_the_border_of_a_page_is_no_table(pdf: Any) -> None:
    border = pdf.grid(20, 20, [555], 802, [[""]])
    inner = pdf.grid(50, 300, [90, 90], 20, [["a", "b"], ["c", "d"]])
    document = parsed(pdf, [*border, pdf.Rule(20, 60, 575, 60), *pdf.lines(50, 200, PROSE), *inner])
    assert rows(document) == [["a", "b"], ["c", "d"]]
    assert " ".join(PROSE) in document.text


def test_a_box_around_a_column_of_text_is_no_table(pdf: Any) -> None:
    box = pdf.grid(45, 90, [500], 300, [[""], [""]])
    document = parsed(pdf, [*box, *pdf.lines(50, 100, PROSE * 9), *pdf.lines(50, 420, PROSE * 5)])
    assert not tables(document)


# Between rules


def test_rules_above_and_below_are_enough(pdf: Any) -> None:
    cells = [["Model", "Tokens", "Score"], ["small", "3.71T", "0.87"], ["large", "21.3T", "0.91"]]
    table = pdf.between_rules(50, 120, [120, 100, 100], cells)
    document = parsed(pdf, [*pdf.lines(50, 80, PROSE), *table, *pdf.lines(50, 220, PROSE)])
    assert rows(document) == cells
    assert [block.kind for block in document.blocks] == ["paragraph", "table", "paragraph"]


def test_lines_of_one_cell_stay_in_their_row(pdf: Any) -> None:
    cells = [["Party", "Seats"], ["People's Party\nof the North", "1,652"], ["Green", "715"], ["United\nParty", "388"]]
    found = rows(parsed(pdf, pdf.between_rules(50, 120, [150, 100], cells, pitch=22)))
    assert found == [[cell.replace("\n", " ") for cell in row] for row in cells]


def test_a_long_cell_in_the_middle_of_its_row_is_one_cell(pdf: Any) -> None:
    drawn = [pdf.Rule(50, 100, 400, 100), pdf.Text(53, 114, "Country"), pdf.Text(150, 114, "Rule"), pdf.Rule(50, 120, 400, 120)]
    for n, name in enumerate(["Canada", "Chile", "China", "Egypt"]):
        top = 132 + 60 * n
        texts = [f"Ownership of land {n} is", "allowed to residents who", f"pay taxes in {name}."]
        drawn += pdf.lines(150, top, texts, pitch=1.2)
        drawn.append(pdf.Text(53, top + 12, name))
    drawn.append(pdf.Rule(50, 370, 400, 370))
    found = rows(parsed(pdf, drawn))
    assert [row[0] for row in found] == ["Country", "Canada", "Chile", "China", "Egypt"]
    assert found[1][1] == "Ownership of land 0 is allowed to residents who pay taxes in Canada."


def test_a_heading_over_two_columns_reaches_as_far_as_its_rule(pdf: Any) -> None:
    places = (53, 160, 250, 350)
    cells = {132: "Country 2019 2020 2021", 152: "Laos 4.0% 11.5% 38.0%", 168: "Chad 1.0% 12.5% 39.0%"}
    drawn = [
        pdf.Rule(50, 100, 400, 100), pdf.Text(230, 114, "Growth"), pdf.Rule(150, 118, 330, 118),
        pdf.Rule(50, 138, 400, 138), pdf.Rule(50, 174, 400, 174),
        *[pdf.Text(x, y, text) for y, row in cells.items() for x, text in zip(places, row.split(), strict=True)],
    ]
    document = parsed(pdf, drawn)
    (table,) = tables(document)
    assert table.rows[0] == ("", "Growth", "Growth", "")
    assert table.rows[1] == ("Country", "2019", "2020", "2021")
    assert table.spans == (Span(0, 1, 1, 2),) and table.header_rows == 2


def test_a_heading_above_the_first_rule_belongs_to_the_table(pdf: Any) -> None:
    cells = [["Cost of revenue", "178", "141"], ["Research", "3,423", "2,532"], ["Total", "4,737", "3,549"]]
    head = [pdf.Text(x, 112, text) for x, text in ((205, "2025"), (305, "2024"))]
    document = parsed(pdf, [*pdf.lines(50, 60, PROSE), *head, *pdf.between_rules(50, 118, [150, 100, 100], cells, head=1)])
    assert rows(document)[0] == ["", "2025", "2024"]
    assert rows(document)[1:] == cells


def test_prose_between_two_tables_of_one_width_parts_them(pdf: Any) -> None:
    first, second = [["a", "b"], ["1", "2"], ["3", "4"]], [["c", "d"], ["5", "6"], ["7", "8"]]
    between = pdf.lines(50, 190, ["Double these amounts if you use vessels with a vertical tube of"])
    below = pdf.between_rules(50, 210, [100, 100], second)
    document = parsed(pdf, [*pdf.between_rules(50, 120, [100, 100], first), *between, *below])
    assert [[list(row) for row in table.rows] for table in tables(document)] == [first, second]


def test_columns_of_prose_between_the_rules_of_header_and_footer_are_no_table(pdf: Any) -> None:
    left, right = ([f"{side} column line {n} goes on and on here" for n in range(20)] for side in ("left", "right"))
    drawn = [pdf.Rule(50, 60, 545, 60), *pdf.lines(50, 100, left), *pdf.lines(310, 100, right), pdf.Rule(50, 780, 545, 780)]
    assert not tables(parsed(pdf, drawn))


# By alignment


def test_three_columns_that_stand_in_line_are_a_table(pdf: Any) -> None:
    cells = [["Voltage", "230 V", "nominal"], ["Current", "16 A", "most"], ["Power", "3.6 kW", "most"], ["Weight", "9 kg", "net"]]
    drawn = [pdf.Text(x, 100 + 16 * i, cell) for i, row in enumerate(cells) for x, cell in zip((50, 180, 300), row, strict=True)]
    assert rows(parsed(pdf, [*pdf.lines(50, 40, PROSE), *drawn])) == cells


@pytest.mark.parametrize(
    "texts",
    [
        [("•", "check the voltage of the supply"), ("•", "close the valve"), ("•", "open the other valve again")],
        [("1.", "check the voltage of the supply"), ("2.", "close the valve"), ("3.", "open the other valve again")],
        [("E = mc", "(1)"), ("a = b + c", "(2)"), ("x = y", "(3)")],
    ],
    ids=["bullets", "numbers", "formulas"],
)
def test_lists_and_numbered_formulas_are_no_tables(pdf: Any, texts: list[tuple[str, str]]) -> None:
    drawn = [pdf.Text(x, 100 + 16 * i, text) for i, row in enumerate(texts) for x, text in zip((50, 90), row, strict=True)]
    assert not tables(parsed(pdf, drawn))


def test_justified_lines_with_wide_gaps_are_no_table(pdf: Any) -> None:
    words = [
        "3 Scientific Method lab", "10 Worksheet for cells", "how molecules all move", "12 Introduction to light",
        "or scopes in the class",
    ]
    drawn = []
    for i, line in enumerate(words):
        parts = line.split()
        gap = (260 - sum(5 * len(word) for word in parts)) / (len(parts) - 1)
        x = 50.0
        for word in parts:
            drawn.append(pdf.Text(x, 100 + 14 * i, word))
            x += 5 * len(word) + gap
    assert not tables(parsed(pdf, drawn))


# Typed


def test_rows_between_bars_are_a_table(pdf: Any) -> None:
    drawn = pdf.lines(50, 100, ["| 字段 | 条件 |", "| --- | --- |", "| 时间 | before |", "| 数字 | = |"])
    assert rows(parsed(pdf, drawn)) == [["字段", "条件"], ["时间", "before"], ["数字", "="]]


# Over columns and pages


def test_a_table_goes_on_in_the_next_column_with_its_cut_row_joined(pdf: Any) -> None:
    upper = [["Pack", "Use"], ["OCR", "reads all fields that re-"]]
    lower = [["", "quire text"], ["Search", "finds data"]]
    left = without(pdf, pdf.grid(50, 700, [80, 120], 20, upper), lambda one: one.y0 == one.y1 == 740)
    right = without(pdf, pdf.grid(320, 60, [80, 120], 20, lower), lambda one: one.y0 == one.y1 == 60)
    prose = pdf.lines(50, 70, [f"left column line {n} goes on and on" for n in range(40)])
    other = pdf.lines(320, 130, [f"right column row {n} goes on and on" for n in range(9)])
    found = rows(parsed(pdf, [*prose, *left, *right, *other]))
    assert found == [["Pack", "Use"], ["OCR", "reads all fields that require text"], ["Search", "finds data"]]


def test_a_caption_that_says_continued_does_not_part_a_table(pdf: Any) -> None:
    head = ["Code", "Meaning"]
    first = pdf.grid(50, 700, [120, 200], 20, [head, ["E1", "first"], ["E2", "second"]])
    second = [pdf.Text(50, 70, "表 2（续）"), *pdf.grid(50, 80, [120, 200], 20, [head, ["E3", "third"]])]
    assert rows(parsed(pdf, first, second)) == [head, ["E1", "first"], ["E2", "second"], ["E3", "third"]]
