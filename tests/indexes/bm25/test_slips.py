"""What may have been meant where another code was written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.bm25.slips import slips

HELD = ("err1042", "err1043", "hx200", "hx300", "ygent20", "91320594maqh5n1c4n", "600519", "2.1.13", "100kg")


def near(written: str) -> list[str]:
    return [term for term in slips(written) if term in HELD]


@pytest.mark.parametrize(("written", "meant"), [
    ("err1024", ["err1042"]), ("err142", ["err1042"]), ("err10422", ["err1042"]), ("err1403", ["err1043"]),
    ("err1o42", ["err1042"]), ("errlo43", []), ("hx2o0", ["hx200"]), ("6oo519", []), ("60o519", ["600519"]),
    ("hx2000", ["hx200"]), ("91320594maqh5n1c4m", ["91320594maqh5n1c4n"]), ("605019", ["600519"]), ("2.1.31", ["2.1.13"]),
])
def test_one_slip_leads_to_the_code(written: str, meant: list[str]) -> None:
    assert near(written) == meant


@pytest.mark.parametrize("written", ["hx400", "err1042", "err2043x", "gatewya", "hx20", "err", "", "1024", "ygent21", "err-1024"])
def test_another_code_a_word_or_a_short_one_is_no_slip(written: str) -> None:
    assert near(written) == []


def test_places_come_before_what_is_missing() -> None:
    told = slips("ab1203")
    assert told.index("ab1230") < told.index("ab12034") < told.index("ab103")


@given(st.text(max_size=50))
def test_any_text_may_be_asked_for(code: str) -> None:
    assert code not in slips(code)
