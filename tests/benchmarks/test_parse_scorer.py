"""What the parse benchmark says of a Markdown text: known distances, known similarities, and forms that must not matter."""

from __future__ import annotations

import functools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.parse.markup import headings, plain, tables, with_html_tables
from benchmarks.parse.scores import means, score
from benchmarks.parse.trees import Node, distance

PRICES = "| Item | Price |\n| --- | --- |\n| Apple | 10 |\n| Orange | 5 |"
PRICES_HTML = (
    "<table>\n <thead><tr><th>Item</th><th>Price</th></tr></thead>\n"
    "<tr><td>\n Apple</td><td>10 </td></tr><tr><td>Orange</td><td>5</td></tr></table>"
)


def by_tag(first: Sequence[Node], second: Sequence[Node]) -> NDArray[np.float64]:
    return np.array([[float(a.tag != b.tag) for b in second] for a in first])


def plainly(first: Node, second: Node) -> int:
    """The distance by its definition, for small trees: the rightmost root is deleted, inserted, or kept."""

    @functools.cache
    def between(a: tuple[Node, ...], b: tuple[Node, ...]) -> int:
        if not a or not b:
            return sum(node.size() for node in a + b)
        last, other = a[-1], b[-1]
        return min(
            between(a[:-1] + last.children, b) + 1,
            between(a, b[:-1] + other.children) + 1,
            between(a[:-1], b[:-1]) + between(last.children, other.children) + (last.tag != other.tag),
        )

    return between((first,), (second,))


TREES = st.recursive(
    st.sampled_from("ab").map(Node),
    lambda inner: st.builds(lambda tag, below: Node(tag, "", tuple(below)), st.sampled_from("ab"), st.lists(inner, max_size=3)),
    max_leaves=6,
)


@given(TREES, TREES)
def test_the_distance_of_trees_is_that_of_its_definition(first: Node, second: Node) -> None:
    assert distance(first, second, by_tag) == plainly(first, second)


@given(TREES, TREES)
def test_the_distance_of_trees_is_the_same_both_ways_and_nothing_to_itself(first: Node, second: Node) -> None:
    assert distance(first, second, by_tag) == distance(second, first, by_tag)
    assert distance(first, first, by_tag) == 0


CHAPTER = "# 第一章 总则\n\n本办法自公布之日起施行。"


@pytest.mark.parametrize("text", [PRICES, PRICES_HTML, CHAPTER, f"# A\n\nText\n\n## B\n\n{PRICES}"])
def test_a_text_that_equals_the_truth_gets_one(text: str) -> None:
    found = score(text, text)
    assert {one for one in (found.text, found.table, found.heading) if one is not None} == {1.0}
    assert found.overall == 1.0


def test_a_table_in_pipes_and_one_in_html_are_the_same_table() -> None:
    assert tables(PRICES) == tables(PRICES_HTML)
    assert score(PRICES_HTML, PRICES).table == 1.0


def test_what_the_truth_has_not_is_not_scored_and_what_it_has_and_was_not_found_is_nothing() -> None:
    assert (score("Only text.", PRICES).table, score("Only text.", "# A\n\ntext").heading) == (None, None)
    assert (score(PRICES, "Item Price").table, score("# A\n\ntext", "A\n\ntext").heading) == (0.0, 0.0)


def test_a_lost_row_costs_its_nodes_and_a_changed_cell_its_characters() -> None:
    lost = PRICES.rpartition("\n")[0]
    assert score(PRICES, lost).table == pytest.approx(1 - 3 / 10)
    changed = PRICES.replace("Orange", "Orangs")
    assert score(PRICES, changed).table == pytest.approx(1 - (1 / 6) / 10)


def test_a_table_missed_or_invented_costs_all_of_its_nodes() -> None:
    both = f"{PRICES}\n\nand\n\n{PRICES}"
    assert score(both, PRICES).table == score(PRICES, both).table == pytest.approx(1 - 10 / 20)


def test_a_cell_with_another_span_is_another_cell() -> None:
    wide = '<table><tr><td colspan="2">Prices</td></tr><tr><td>a</td><td>b</td></tr></table>'
    narrow = wide.replace(' colspan="2"', "")
    assert score(wide, narrow).table == pytest.approx(1 - 1 / 6)


def test_the_level_of_a_heading_does_not_count_but_what_stands_under_it_does() -> None:
    truth = "# A\n\nfirst\n\n## B\n\nsecond"
    assert score(truth, "### A\n\nfirst\n\n# B\n\nsecond").heading == 1.0
    assert score(truth, "# A\n\nfirst\n\nB\n\nsecond").heading == pytest.approx(1 - (1 + 1 + 9 / 14) / 5)


def test_headings_are_found_before_text_and_without_any() -> None:
    assert headings("no heading") is None
    found = headings("before\n# A\n\n## B\ntext\nmore")
    assert found is not None
    assert [(node.tag, node.text) for node in found.children] == [("content", "before"), ("heading", "A"), ("heading", "B")]
    assert [node.text for node in found.children[2].children] == ["text more"]


def test_emphasis_and_white_space_do_not_count() -> None:
    assert plain("**Bold**  and\n_italic_ and ***both***") == "Bold and italic and both"
    assert score("Bold and italic", "**Bold**\n*and* ~~italic~~").text == 1.0


def test_reading_order_is_insertions_and_deletions_over_both_lengths() -> None:
    assert score("abcd", "abXd").text == pytest.approx(1 - 2 / 8)
    assert score("甲乙丙丁", "丙丁甲乙").text == pytest.approx(1 - 4 / 8)


def test_an_escaped_bar_and_a_line_break_stay_inside_their_cell() -> None:
    found = tables("| a \\| b | c<br>d |\n|---|---|\n| 1 | 2 |")
    assert found is not None
    assert [cell.text for cell in found.children[0].children[0].children] == ["a | b", "c d"]


def test_rows_are_brought_to_the_width_of_their_table_and_an_empty_header_gives_way() -> None:
    assert with_html_tables("| a | b |\n|---|---|\n| 1 |\n| 1 | 2 | 3 |") == (
        "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td></td></tr><tr><td>1</td><td>2</td></tr></table>"
    )
    assert with_html_tables("| | |\n|---|---|\n| 1 | 2 |") == "<table><tr><th>1</th><th>2</th></tr></table>"


def test_a_line_with_bars_and_no_rule_under_it_is_text() -> None:
    assert with_html_tables("a | b\nc | d") == "a | b\nc | d"


def test_means_leave_out_what_a_document_has_not() -> None:
    found = means([score("text", "text"), score(PRICES, "nothing")])
    assert (found.documents, found.table) == (2, 0.0)
    assert found.overall == pytest.approx((1.0 + score(PRICES, "nothing").overall) / 2)
    assert np.isnan(found.heading)
