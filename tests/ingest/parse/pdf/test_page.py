"""Turning a page back and forth is lossless."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.parse.pdf.page import Item, as_shown, turned_item


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@given(x=st.floats(0, 500), y=st.floats(0, 700), width=st.floats(1, 90), height=st.floats(1, 90))
def test_an_item_turned_back_stands_where_it_was_shown(turn: int, x: float, y: float, width: float, height: float) -> None:
    item = Item("text", x, y, x + width, y + height, 10)
    there = turned_item(item, turn, 595, 842)
    assert as_shown(there, turn, 595, 842) == pytest.approx((item.x0, item.y0, item.x1, item.y1))
