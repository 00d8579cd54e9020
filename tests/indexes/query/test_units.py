"""The units that texts are compared by: Han characters, words, names."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indexes.query.units import common, is_han, units


@given(st.text(st.characters(max_codepoint=127)))
def test_units_of_ascii_are_those_that_any_text_has(text: str) -> None:
    assert [*units(text), "中"] == units(text + " 中")


def test_units_are_han_characters_and_whole_words() -> None:
    assert units("网关 YunGate-2.1 的 Straße, R&D_x") == ["网", "关", "yungate-2.1", "的", "strasse", "r&d_x"]


def test_a_text_is_chinese_by_its_han_characters_and_not_by_its_numbers() -> None:
    assert is_han("网关 3.6 20000 2026-11-30")
    assert is_han("网关 cluster node")
    assert not is_han("网 cluster node 7")
    assert not is_han("12 34")


def test_a_stretch_that_titles_share_is_as_long_as_it_can_be() -> None:
    assert common(["青", "鸟", "网", "关", "", "gateway"], ["云", "网", "关", "gateway"]) == [(2, 4), (5, 6)]
    assert common(["的", "了"], ["的", "了"]) == []
