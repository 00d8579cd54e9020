"""What counts as a code, in the spellings of people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.bm25.codes import codes
from indexes.bm25.terms import query_terms, terms

CODES = {
    "ERR_1042": "err1042", "err-1042": "err1042", "ＥＲＲ＿１０４２": "err1042", "YG-3391": "yg3391", "YG-ENT-20": "ygent20",
    "GPT-4o": "gpt4o", "91320594MAQH5N1C4N": "91320594maqh5n1c4n", "/api/v2/users": "api/v2/users", "userName": "usernam",
    "config.yaml": "config.yaml", "v2.1": "2.1", "V2.1.3": "2.1.3", "2.1.3": "2.1.3", "10.0.0.1": "10.0.0.1", "600519": "600519",
    "a@b.com": "a@b.com", "std::vector": "std::vector", "2138009LARKFIELDQ793": "2138009larkfieldq793",
    "35273-2020": "35273-2020",
}
PROSE = (
    "5G", "19th", "1990s", "100kg", "20-year-old", "2024", "3.5", "20,000", "12,345,678", "his/her", "U.S.", "e.g.", "R&D",
    "long-term", "网关", "gateway", "RTO", "C++", "10:30", "don't", "",
)


@pytest.mark.parametrize("written", CODES)
def test_codes_are_found_in_a_question(written: str) -> None:
    for question in (written, f"{written} 是什么意思，怎么处理？", f"What does {written} mean?", f"什么是“{written}”"):
        assert codes(question) == {CODES[written]}, question


@pytest.mark.parametrize("written", PROSE)
def test_words_of_prose_are_no_codes(written: str) -> None:
    assert codes(f"what about {written} here") == frozenset()


def test_spellings_of_a_code_meet() -> None:
    for asked in ("ERR_1042", "err-1042", "ERR1042", "Err_1042"):
        assert codes(asked) <= set(terms("The message is ERR-1042 again."))


@given(st.text(st.characters(codec="utf-8") | st.sampled_from("aZ_09-./:@ 网"), max_size=40))
def test_every_code_is_a_term_that_is_looked_up(text: str) -> None:
    assert codes(text) <= set(query_terms(text)) | set(terms(text))
