"""Numbers that count on are told from those that do not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.numbering import numbered
from ingest.parse.pdf.sequence import counting, number_of


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("第十二章 罚则", (12,)),
        ("第一百零三条 附则", (103,)),
        ("二十一、其他", (21,)),
        ("2.10.3 Limits", (2, 10, 3)),
        ("Part IV Rules", (4,)),
        ("Appendix B Machines", (2,)),
    ],
)
def test_numbers_of_several_scripts_are_told(text: str, number: tuple[int, ...]) -> None:
    found = numbered(text)
    assert found is not None and number_of(found) == number


def test_sections_count_on_and_quantities_do_not() -> None:
    numbers = [(1,), (1, 1), (1, 2), (230, 5), (2,), (2, 1), (3, 14), (2, 2), (2026,), (3,)]
    assert counting(numbers) == [True, True, True, False, True, True, False, True, False, True]


def test_a_few_may_be_missing() -> None:
    assert counting([(1,), (4,), (4, 2)]) == [True, True, True]


def test_each_part_may_begin_again() -> None:
    assert counting([(1,), (2,), (1,), (2,), (3,)]) == [True] * 5


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=20))
def test_every_number_gets_an_answer(numbers: list[tuple[int, ...]]) -> None:
    assert len(counting(numbers)) == len(numbers)
