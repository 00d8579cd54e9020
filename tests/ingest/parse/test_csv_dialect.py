"""How a table is cut is told by its cells, whatever its name; and what is no table is not cut at all."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.csv_dialect import Dialect, header_rows, is_plainly_a_table, is_value, sniff


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("a,b,c\n1,2,3\n", ","),
        ("a;b\n1,5;2,75\n3,0;4,1\n", ";"),
        ("a\tb, c\n1\t2, 3\n", "\t"),
        ("名称|价格\n甲|1\n", "|"),
        ("名称，价格\n甲，1\n乙，2\n", "，"),
        ("name,note\nx,see a; b\ny,c; d; e\n", ","),
        ('name,note\n"Doe, Jane",x\n"Roe, Rick",y\n', ","),
        ("date;amount\n2025-01-02;1.234,50\n2025-02-03;2.345,60\n", ";"),
        ("time,level,message\n2025-01-02 10:00:00,INFO,started\n2025-01-02 10:00:01,WARN,a|b\n", ","),
        ("url,n\nhttps://x.y/a?b=1;c=2,1\nhttps://x.y/,2\n", ","),
    ],
)
def test_the_delimiter_is_the_one_that_leaves_clean_cells(text: str, delimiter: str) -> None:
    found = sniff(text)
    assert found is not None
    assert found.delimiter == delimiter


def test_a_declared_separator_is_believed() -> None:
    assert sniff("sep=;\na;b\n") == Dialect(";", start=6)


def test_single_quotes_are_quotes_where_all_cells_wear_them() -> None:
    found = sniff("'a','b, c'\n'1','2, 3'\n'4','5, 6'\n")
    assert found is not None
    assert (found.delimiter, found.quote) == (",", "'")


@pytest.mark.parametrize("text", ["", "one\ntwo\nthree\n", "A sentence, with a comma.\nAnd one without.\n", "\n\n\n"])
def test_what_is_no_table_is_none(text: str) -> None:
    assert sniff(text) is None


@pytest.mark.parametrize(
    ("text", "is_table"),
    [
        ("id,name,price\n1,a,2\n2,b,3\n3,c,4\n", True),
        ("a\tb\n1\t2\n3\t4\n5\t6\n", True),
        ("id,name,price\n1,a,2\n", False),
        ("First, second, and third.\nFourth, fifth, and sixth.\nSeventh, eighth, and ninth.\nTenth, and, so on.\n", False),
        ("\tone\ttwo\n\tthree\tfour\n\tfive\tsix\n\tseven\teight\n", False),
        ("床前明月光，疑是地上霜。\n举头望明月，低头思故乡。\n白日依山尽，黄河入海流。\n欲穷千里目，更上一层楼。\n", False),
    ],
)
def test_without_a_name_only_a_plain_table_is_one(text: str, is_table: bool) -> None:
    assert is_plainly_a_table(text) is is_table


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        ([["name", "n"], ["a", "1"], ["b", "2"]], 1),
        ([["1", "2"], ["3", "4"]], 0),
        ([["item", "2024", "2025"], ["a", "1", "2"]], 1),
        ([["2024-01-02", "x"], ["2024-01-03", "y"]], 0),
        ([["same", "same"], ["a", "b"]], 0),
        ([["only", "one"]], 0),
        ([["name", "city"], ["Ann", "Rome"]], 1),
    ],
)
def test_a_first_row_of_names_is_a_header(rows: list[list[str]], header: int) -> None:
    assert header_rows(rows) == header


@pytest.mark.parametrize("cell", ["1", "-1.5", "1,234.50", "¥3,000", "2025-01-02", "2025年1月2日", "10:30", "1e-5", "3万"])
def test_numbers_and_dates_are_values(cell: str) -> None:
    assert is_value(cell)


@pytest.mark.parametrize("cell", ["", "a1", "A-12", "one", "1 of 2", "-", "v1.2"])
def test_words_are_no_values(cell: str) -> None:
    assert not is_value(cell)


CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0", exclude_categories=("Cs", "Cc")), max_size=12)


@given(st.lists(st.tuples(CELLS, CELLS, st.integers(0, 999).map(str)), min_size=3, max_size=8), st.sampled_from(",;\t|"))
def test_a_table_with_all_cells_quoted_is_cut_as_it_was_written(rows: list[tuple[str, ...]], delimiter: str) -> None:
    written = io.StringIO()
    csv.writer(written, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(rows)
    found = sniff(written.getvalue(), delimiter)
    assert found is not None
