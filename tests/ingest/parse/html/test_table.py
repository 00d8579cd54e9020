"""Spans are repeated into every cell that they cover, and never beyond reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

from ingest.model.document import Span
from ingest.parse.html.table import Grid, expand, is_layout


def rows(markup: str) -> tuple[list[list[str]], int]:
    grid = expanded(markup)
    return grid.rows, grid.header_rows


def expanded(markup: str) -> Grid:
    table = html.fragment_fromstring(f"<table>{markup}</table>")
    return expand(table, lambda cell: "".join(map(str, cell.itertext())))


@pytest.mark.parametrize(
    ("markup", "expected", "header_rows"),
    [
        ("<tr><th>a<th>b<tr><td>1<td>2", [["a", "b"], ["1", "2"]], 1),
        ("<tr><td rowspan=2>a<td>b<tr><td>c", [["a", "b"], ["a", "c"]], 0),
        ("<tr><td colspan=2>a<tr><td>b<td>c", [["a", "a"], ["b", "c"]], 0),
        (
            "<tr><td rowspan=2 colspan=2>a<td>b<tr><td>c<tr><td>d<td>e<td>f",
            [["a", "a", "b"], ["a", "a", "c"], ["d", "e", "f"]],
            0,
        ),
        ("<tr><td rowspan=0>a<td>b<tr><td>c<tr><td>d", [["a", "b"], ["a", "c"], ["a", "d"]], 0),
        ("<tr><td>a<td rowspan=2>b<tr><td>c<tr><td>d", [["a", "b"], ["c", "b"], ["d", ""]], 0),
        ("<tr><td><b>a</b><td><strong>b</strong><tr><td>1<td>2", [["a", "b"], ["1", "2"]], 1),
        ("<tr><th>x<td>1<tr><th>y<td>2", [["x", "1"], ["y", "2"]], 0),
        ("<thead><tr><td>a<tr><td>b<tbody><tr><td>c", [["a"], ["b"], ["c"]], 2),
        ("<tr><td colspan=junk>a<td colspan=-1>b", [["a", "b"]], 0),
        ("<tr><th>only<th>header", [["only", "header"]], 0),
    ],
)
def test_cells_are_repeated_into_what_they_span(markup: str, expected: list[list[str]], header_rows: int) -> None:
    assert rows(markup) == (expected, header_rows)


def test_rows_of_a_table_inside_are_not_rows_of_this_one() -> None:
    found, _ = rows("<tr><td>a<td><table><tr><td>inner</table>")
    assert found == [["a", "inner"]]


def test_spans_stop_multiplying_at_a_limit_and_lose_no_cell() -> None:
    found, _ = rows("<tr><td rowspan=65000 colspan=1000>x</tr>" * 400 + "<tr><td>last</tr>")
    assert sum(map(len, found)) < 1_500_000
    assert "last" in found[-1]


@given(st.lists(st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), min_size=1, max_size=4), min_size=1, max_size=5))
def test_every_table_becomes_a_rectangle(shape: list[list[tuple[int, int]]]) -> None:
    markup = "".join("<tr>" + "".join(f"<td rowspan={h} colspan={w}>x</td>" for h, w in line) + "</tr>" for line in shape)
    found, _ = rows(markup)
    assert len(found) == len(shape)
    assert len({len(line) for line in found}) == 1


    for span in expanded(markup).spans:
        covered = [line[span.column : span.column + span.columns] for line in found[span.row : span.row + span.rows]]
        assert len(covered) == span.rows
        assert {cell for cells in covered for cell in cells} == {"x"}


def test_cells_that_are_one_are_told() -> None:
    found = expanded("<tr><th rowspan=2>a<th colspan=2>b<tr><th>c<th>d<tr><td rowspan=9>e<td>f<td>g<tr><td>h<td>i")
    assert found.spans == [Span(0, 0, 2, 1), Span(0, 1, 1, 2), Span(2, 0, 2, 1)]


@pytest.mark.parametrize(
    ("markup", "layout"),
    [
        ("<table role=none><tr><td>a<td>b</table>", True),
        ("<table><tr><td>a</table>", True),
        ("<table><tr><td><h1>a</h1><td>b</table>", True),
        ("<table><tr><td>a<td>b</table>", False),
        ("<table><caption>c</caption><tr><td>a</table>", False),
        ("<table><tr><td>a<td>b</tr>stray</table>", True),
        (f"<table><tr><td>menu<td>{'<p>Much is said here, at length.' * 9}</table>", True),
        (f"<table><tr><th>Key<th>Means<tr><td>a<td>{'<p>Much is said here, at length.' * 9}</table>", False),
        ("<table><tr><form>stray</form><td>a<td>b</table>", True),
    ],
)
def test_tables_that_only_arrange_are_told_apart(markup: str, layout: bool) -> None:
    assert is_layout(html.fragment_fromstring(markup)) is layout
