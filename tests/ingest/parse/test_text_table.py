"""Tables drawn in plain text are tables; lists, verse and prose are not."""

from __future__ import annotations

import pytest

from ingest.parse.text_table import columns, table_in

DRAWN = {
    "pipes": "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",
    "bare pipes": "a | b\n--|--\n1 | 2\n3 | 4",
    "console": "+---+---+\n| a | b |\n+---+---+\n| 1 | 2 |\n| 3 | 4 |\n+---+---+",
    "grid": "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n+---+---+",
    "boxes": "┌───┬───┐\n│ a │ b │\n├───┼───┤\n│ 1 │ 2 │\n│ 3 │ 4 │\n└───┴───┘",
    "double boxes": "╔═══╦═══╗\n║ a ║ b ║\n╠═══╬═══╣\n║ 1 ║ 2 ║\n║ 3 ║ 4 ║\n╚═══╩═══╝",
    "tabs": "a\tb\n1\t2\n3\t4",
    "spaces": "a      b\n1      2\n3      4",
    "ruled spaces": "a      b\n---  ---\n1      2\n3      4",
}


@pytest.mark.parametrize("name", DRAWN)
def test_a_drawn_table_is_a_table(name: str) -> None:
    table = table_in(DRAWN[name].split("\n"))
    assert table is not None
    assert table.rows == (("a", "b"), ("1", "2"), ("3", "4"))
    assert table.header_rows == 1


def test_columns_of_han_characters_align_by_width() -> None:
    table = table_in(["名称        单价  备注", "对象存储    3.5   按量", "CDN         0.2   按流量", "数据网关    1200"])
    assert table is not None
    assert table.rows[2] == ("CDN", "0.2", "按流量")
    assert table.rows[3] == ("数据网关", "1200", "")


def test_a_cell_of_several_lines_is_one() -> None:
    lines = (
        "+------+-------+\n| name | notes |\n+======+=======+\n| x    | first |\n|      | rest  |\n+------+-------+\n"
        "| y    | other |\n+------+-------+"
    )
    table = table_in(lines.split("\n"))
    assert table is not None
    assert table.rows == (("name", "notes"), ("x", "first rest"), ("y", "other"))


@pytest.mark.parametrize(
    "text",
    [
        "- one\n- two\n- three",
        "The quick brown fox\njumps over\nthe lazy dog",
        "床前明月光，疑是地上霜。\n举头望明月，低头思故乡。",
        "Sentences.  Two spaces after.\nSome people type.  Like this, always.\nAnd never.  Stop it.",
        "one line only | with a bar",
        "if a | b:\n    return c",
        "key: value\nother: thing\nthird: x",
        "=====\n-----\n=====",
    ],
)
def test_other_lines_are_no_table(text: str) -> None:
    assert table_in(text.split("\n")) is None


def test_columns_are_those_of_a_screen() -> None:
    assert (columns("ab"), columns("汉字a"), columns("ｆ")) == (2, 5, 2)
