"""Numbers of lists are spelled as Word spells them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.office.number_words import _FORMATS, spelled


@pytest.mark.parametrize(
    ("number", "format", "text"),
    [
        (4, "upperRoman", "IV"),
        (28, "lowerLetter", "bb"),
        (12, "chineseCounting", "十二"),
        (20, "chineseCounting", "二十"),
        (105, "chineseCountingThousand", "一百零五"),
        (110, "chineseCounting", "一百一十"),
        (2, "ideographTraditional", "乙"),
        (11, "ideographTraditional", "11"),
        (2026, "ideographDigital", "二〇二六"),
        (21, "chineseLegalSimplified", "贰拾壹"),
        (10, "chineseLegalSimplified", "壹拾"),
        (22, "ordinal", "22nd"),
        (12, "ordinalText", "Twelfth"),
        (30, "ordinalText", "Thirtieth"),
        (101, "cardinalText", "One hundred one"),
        (25, "decimalEnclosedCircle", "㉕"),
        (15, "hebrew1", "טו"),
        (3, "ganada", "다"),
        (2, "numberInDash", "- 2 -"),
        (3, "decimalEnclosedCircle", "③"),
        (7, "decimalZero", "07"),
        (5, "somethingNew", "5"),
    ],
)
def test_numbers_are_spelled_in_their_format(number: int, format: str, text: str) -> None:
    assert spelled(number, format) == text


@given(number=st.integers(-10, 200_000), format=st.sampled_from(sorted(_FORMATS)))
def test_every_number_in_every_format_is_some_text(number: int, format: str) -> None:
    assert spelled(number, format)
