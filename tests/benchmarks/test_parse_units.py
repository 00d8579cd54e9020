"""The rules by which a page's unit tests pass, each with what just passes and what just does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from benchmarks.parse.markup import grids
from benchmarks.parse.units import Unit, normal, passes, starts, units

RESULTS = (
    '<table><tr><th rowspan="2">Year</th><th colspan="2">Income</th></tr><tr><td>gross</td><td>net</td></tr>'
    "<tr><td>2025</td><td>1,136</td><td>680</td></tr><tr><td>2024</td><td>876</td><td>600</td></tr></table>"
)


def asks(kind: str, **asked: Any) -> Unit:
    return Unit("one", kind, Path("page.pdf"), {"type": kind, **asked})


def test_a_text_is_present_whatever_its_emphasis_quotes_and_breaks() -> None:
    page = "The **term** “social\nresponsibility” – as it _is_ used."
    assert passes(asks("present", text='The term "social responsibility" - as it is used.'), page)
    assert not passes(asks("absent", text="social responsibility"), page)
    assert passes(asks("absent", text="Social responsibility"), page)
    assert passes(asks("present", text="SOCIAL", case_sensitive=False), page)


def test_a_text_may_differ_in_as_many_characters_as_the_test_says() -> None:
    assert passes(asks("present", text="abcdefgh", max_diffs=2), "xx abXdefYh xx")
    assert not passes(asks("present", text="abcdefgh", max_diffs=1), "xx abXdefYh xx")


def test_the_ends_of_a_page_can_be_asked_alone() -> None:
    page = "12 " + "word " * 50 + "end 34"
    assert passes(asks("absent", text="12", last_n=10), page)
    assert not passes(asks("absent", text="34", last_n=10), page)
    assert not passes(asks("absent", text="12", first_n=10), page)


def test_an_order_needs_both_texts_and_some_place_where_one_comes_first() -> None:
    assert passes(asks("order", before="one", after="two"), "two one two")
    assert not passes(asks("order", before="one", after="two"), "two one")
    assert not passes(asks("order", before="one", after="two"), "one")


@pytest.mark.parametrize(
    ("asked", "passing"),
    [
        ({"cell": "680", "left": "1,136"}, True),
        ({"cell": "680", "down": "600", "left_heading": "2025"}, True),
        ({"cell": "680", "top_heading": "Income"}, True),
        ({"cell": "680", "up": "net", "top_heading": "Year"}, False),
        ({"cell": "600", "up": "680", "right": "anything"}, False),
        ({"cell": "68"}, False),
    ],
)
def test_a_cell_is_known_by_what_stands_around_it(asked: dict[str, str], passing: bool) -> None:
    assert passes(asks("table", **asked), f"Text\n\n{RESULTS}\n\n| a |\n|---|\n| b |") is passing


def test_cells_that_span_are_in_every_place_they_cover() -> None:
    assert grids(RESULTS)[0][:2] == [["Year", "Income", "Income"], ["Year", "gross", "net"]]


def test_a_blank_page_has_no_letters_to_speak_of() -> None:
    assert passes(asks("baseline", max_length=3), "-- 12 --")
    assert not passes(asks("baseline", max_length=3), "some text")


@given(st.text("ab ", min_size=1, max_size=30), st.text("ab", min_size=3, max_size=6), st.integers(0, 2))
def test_a_text_is_found_exactly_where_some_part_differs_little_enough(text: str, wanted: str, most: int) -> None:
    parts = (text[i:j] for i in range(len(text) + 1) for j in range(i, len(text) + 1))
    near = any(Levenshtein.distance(part, wanted) <= most for part in parts)
    assert bool(starts(text, wanted, most)) is near


@given(st.text(max_size=60))
def test_a_text_that_was_made_comparable_stays_as_it_is_found(text: str) -> None:
    assert "  " not in normal(text) and normal(text) == normal(text).strip()


def test_tests_of_pages_that_are_not_there_and_of_formulas_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "here.pdf").write_bytes(b"%PDF-")
    lines = [
        {"id": "a", "type": "present", "pdf": "here.pdf", "text": "x"},
        {"id": "b", "type": "math", "pdf": "here.pdf", "math": "x"},
        {"id": "c", "type": "absent", "pdf": "gone.pdf", "text": "x"},
    ]
    (tmp_path / "tests.jsonl").write_text("\n\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert [unit.name for unit in units(tmp_path)] == ["a"]
