"""A list of texts in two arrays behaves like the list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexes.bm25.texts import Texts, encode

ANY = st.lists(st.text(st.characters(codec=None), max_size=6), max_size=40)


@given(ANY)
def test_texts_come_back(texts: list[str]) -> None:
    made = Texts.of(texts)
    assert made.all() == texts == [made[at] for at in range(len(made))]
    assert list(made.all_raw()) == [encode(text) for text in texts]


@given(ANY, ANY)
def test_a_sorted_list_is_searched_alike_one_by_one_and_at_once(texts: list[str], others: list[str]) -> None:
    held = sorted(set(texts))
    made = Texts.of(held)
    expected = [held.index(text) if text in held else -1 for text in texts + others]
    assert [made.find(text) for text in texts + others] == expected == made.find_many(texts + others)


def test_few_wanted_of_many_are_found_by_binary_search() -> None:
    made = Texts.of(f"{number:06}" for number in range(5000))
    assert made.find_many(["004999", "000000", "absent", "002500"]) == [4999, 0, -1, 2500]
