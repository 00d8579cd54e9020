"""Tables in text files are tables: bounded blocks with their header, every cell kept, lines told."""

from __future__ import annotations

import csv
import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.errors import DocumentTooLarge
from ingest.model.document import Document
from ingest.parse.csv_rows import rows_of
from ingest.parse.csv_table import BLOCK_ROWS
from ingest.parse.route import parse
from ingest.settings import ParsePart


def read(text: str, name: str = "a.csv", encoding: str = "utf-8") -> Document:
    return parse(text.encode(encoding), name, ParsePart())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "gb18030", "big5"])
def test_a_table_in_any_encoding_is_a_table(encoding: str) -> None:
    (block,) = read("產品名稱,單價,備註\n數據網關,1200,按年計費\n對象存儲,3.5,按量計費\n", encoding=encoding).blocks
    assert block.table is not None
    assert block.table.rows[1] == ("數據網關", "1200", "按年計費")
    assert block.table.header_rows == 1
    assert block.provenance.lines == (1, 3)


def test_a_long_table_is_cut_into_blocks_with_its_header() -> None:
    blocks = read("name,value\n" + "".join(f"item {n},{n}\n" for n in range(250))).blocks
    assert [len(block.table.rows) - 1 for block in blocks if block.table] == [BLOCK_ROWS, BLOCK_ROWS, 50]
    assert {block.table.rows[0] for block in blocks if block.table} == {("name", "value")}
    assert [block.provenance.locator for block in blocks] == ["lines 1-101", "lines 102-201", "lines 202-251"]


def test_what_stands_above_a_table_is_a_paragraph() -> None:
    blocks = read("Report of March,,\n,,\nregion,q1,q2\neast,1,2\nwest,3,4\n").blocks
    assert [(block.kind, block.text.split("\n")[0]) for block in blocks] == [
        ("paragraph", "Report of March"), ("table", "region | q1 | q2"),
    ]


def test_a_blank_line_parts_tables_of_different_kind() -> None:
    blocks = read("a,b,c\n1,2,3\n\nx,y\n7,8\n").blocks
    assert [block.text for block in blocks] == ["a | b | c\n1 | 2 | 3", "x | y\n7 | 8"]


def test_a_blank_line_inside_a_table_parts_its_rows_only() -> None:
    blocks = read("a,b\nx,1\n\ny,2\n3,4\n").blocks
    assert all(block.table and block.table.rows[0] == ("a", "b") for block in blocks)


def test_cells_keep_delimiters_quotes_and_line_breaks() -> None:
    (block,) = read('a,b\n"x, ""y""\nz",2\nq,3\n').blocks
    assert block.table is not None
    assert block.table.rows[1] == ('x, "y"\nz', "2")
    assert block.text == 'a | b\nx, "y" z | 2\nq | 3'


def test_a_quote_that_never_closes_costs_one_line_its_quotes() -> None:
    (block,) = read('a,b\n"x,1\ny,2\nz,3\n').blocks
    assert block.table is not None
    assert block.table.rows == (("a", "b"), ('"x', "1"), ("y", "2"), ("z", "3"))


def test_ragged_rows_keep_all_their_cells() -> None:
    (block,) = read("a,b\n1,2,3\n4\n5,6\n7,8\n").blocks
    assert block.table is not None
    assert block.table.rows[1:] == (("1", "2", "3"), ("4", "", ""), ("5", "6", ""), ("7", "8", ""))


def test_a_table_that_would_explode_is_refused() -> None:
    with pytest.raises(DocumentTooLarge, match="empty cells"):
        read(",".join(f"c{n}" for n in range(3_000)) + "\n" + "x,y\n" * 5_000)


def test_broken_quotes_by_the_thousand_do_not_stall() -> None:
    began = time.process_time()
    assert len(list(rows_of(['a,b', '"x,1'] * 20_000, ","))) == 40_000
    assert time.process_time() - began < 20


def test_a_file_that_is_no_table_is_text() -> None:
    document = read("just a\ntext, of words\nwithout tables.\n")
    assert document.media_type == "text/plain"
    assert "text, of words" in document.text


CELL = st.text(st.characters(codec="utf-8", exclude_characters="\r\0\f\v\x1c\x1d\x1e\x85\u2028\u2029"), max_size=15)


@given(st.lists(st.lists(CELL, min_size=2, max_size=5), min_size=1, max_size=12))
def test_every_cell_that_was_written_is_read(rows: list[list[str]]) -> None:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerows(rows)
    found = [cells for _, _, cells in rows_of(written.getvalue().removesuffix("\n").split("\n"), ",")]
    assert found == rows


@given(st.text(st.sampled_from('ab,"\n; \t'), max_size=60))
def test_no_letter_is_lost_whatever_is_broken(text: str) -> None:
    kept = "".join("".join(cells) for _, _, cells in rows_of(text.split("\n"), ","))
    assert kept.count("a") == text.count("a")
    assert kept.count("b") == text.count("b")
