"""Unified social credit codes: both check digits hold, however the code is written."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from entities.identifiers import find, normalised_uscc
from entities.identifiers.checked import normalised_isbn, normalised_lei, normalised_orcid

VALID = ("91320594MAQH5N1C4N", "91440300MAYM7K2A69", "11440300MB2D7Q1G2R", "52310000MJ5R8T2H8F")


@pytest.mark.parametrize("code", VALID)
def test_valid_code_is_itself(code: str) -> None:
    assert normalised_uscc(code) == code


@pytest.mark.parametrize(
    "written", ["91320594maqh5n1c4n", "９１３２０５９４ＭＡＱＨ５Ｎ１Ｃ４Ｎ", "91320594-MAQH5N1C-4N", " 91320594 MAQH5N1C4N "]
)
def test_the_ways_in_which_people_write_it_are_one_code(written: str) -> None:
    assert normalised_uscc(written) == VALID[0]


def test_what_is_no_code_is_none() -> None:
    for text in ("", "91320594MAQH5N1C4", VALID[0] + "0", "91320594MAQH5N1C4I", "八" * 18):
        assert normalised_uscc(text) is None


@given(st.sampled_from(VALID), st.integers(0, 17), st.sampled_from("0123456789ABCDEFGHJKLMNPQRTUWXY"))
def test_one_wrong_character_is_always_seen(code: str, place: int, character: str) -> None:
    changed = code[:place] + character + code[place + 1 :]
    assert (normalised_uscc(changed) == changed) is (changed == code)


@given(st.sampled_from(VALID), st.integers(0, 16))
def test_two_swapped_neighbours_are_always_seen(code: str, place: int) -> None:
    changed = code[:place] + code[place + 1] + code[place] + code[place + 2 :]
    assert (normalised_uscc(changed) is not None) is (changed == code)


def test_inner_check_digit_counts_too() -> None:
    """The outer digit of this code holds, that of the organisation code inside does not."""
    inner_wrong = "91320594MAQH5N1C3"
    alphabet = "0123456789ABCDEFGHJKLMNPQRTUWXY"
    weights = (1, 3, 9, 27, 19, 26, 16, 17, 20, 29, 25, 13, 8, 24, 10, 30, 28)
    total = sum(alphabet.index(character) * weight for character, weight in zip(inner_wrong, weights, strict=True))
    assert normalised_uscc(inner_wrong + alphabet[(31 - total % 31) % 31]) is None


def test_codes_are_found_where_they_stand_and_not_inside_longer_ones() -> None:
    text = f"信用代码：{VALID[0]}，又作９１３２０５９４ＭＡＱＨ５Ｎ１Ｃ４Ｎ。Not X{VALID[1]} nor {VALID[1]}9, 91320594MAQH5N1C4M."
    found = list(find(text))
    assert [(scheme, code) for _, _, scheme, code in found] == [("uscc", VALID[0])] * 2
    assert [text[start:end] for start, end, _, _ in found] == [VALID[0], "９１３２０５９４ＭＡＱＨ５Ｎ１Ｃ４Ｎ"]


LEI, ISBN, ORCID = "415400AJLCDBCQK1PS58", "9787806756911", "0000-0002-6374-7668"


@given(st.integers(0, 19), st.sampled_from("0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"))
def test_one_wrong_character_of_an_lei_is_seen(place: int, character: str) -> None:
    # A letter counts as two digits, so one for a digit shifts those before it, which ISO 7064 sees but for one time in 97.
    assume(character.isdigit() == LEI[place].isdigit())
    changed = LEI[:place] + character + LEI[place + 1 :]
    assert (normalised_lei(changed) == changed) is (changed == LEI)


@given(st.integers(0, 12), st.sampled_from("0123456789"))
def test_one_wrong_digit_of_an_isbn_is_seen(place: int, digit: str) -> None:
    changed = ISBN[:place] + digit + ISBN[place + 1 :]
    assert (normalised_isbn(changed) == changed) is (changed == ISBN)


@given(st.integers(0, 18).filter(lambda place: place not in (4, 9, 14)), st.sampled_from("0123456789"))
def test_one_wrong_digit_of_an_orcid_is_seen(place: int, digit: str) -> None:
    changed = ORCID[:place] + digit + ORCID[place + 1 :]
    assert (normalised_orcid(changed) == changed) is (changed == ORCID)


def test_both_forms_of_an_isbn_are_one_book_and_x_is_a_digit() -> None:
    assert normalised_isbn("7-329-15061-4") == normalised_isbn("978-7-329-15061-6") == "9787329150616"
    assert normalised_isbn("88-594-5266-x") == "9788859452669"


def test_orcid_outside_its_blocks_is_an_isni() -> None:
    assert normalised_orcid("https://orcid.org/0000-0002-6374-7668") == ORCID
    assert normalised_orcid("0000 0001 2103 2683") is None
