from __future__ import annotations

import pytest

from ingest.parse.pdf.paragraphs import marker_of


@pytest.mark.parametrize("line", ["e.g. rain or hail", "i.e. the second one", "a.m. and p.m. are told apart", "U.S. law holds"])
def test_an_abbreviation_is_no_list_marker(line: str) -> None:
    assert marker_of(line) == ""


@pytest.mark.parametrize(
    ("line", "marker"),
    [
        ("a. rain", "a."), ("b) snow", "b)"), ("3. hail", "3."), ("iv. fog", "iv."), ("（二）雾", "（二）"), ("• dew", "•"),
        ("c.Frost", "c."),
    ],
)
def test_a_letter_or_number_before_an_item_is(line: str, marker: str) -> None:
    assert marker_of(line) == marker
