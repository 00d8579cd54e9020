"""Likeness: the ways in which people write one name differently, told in words and numbers."""

from __future__ import annotations

import pytest

from entities.names import form_of
from entities.score import likeness, pinyin, score_of, written_out
from entities.score_described import Rarity, described, words_of


@pytest.mark.parametrize(("one", "other", "told"), [
    ("蓝鲸软件", "杭州蓝鲸软件有限公司", "takes 100% of its characters in order"),
    ("粤能源", "广东能源集团", "广东能源 takes 100%"),
    ("IBE", "Inland Business Exchange", "IBE are the initials of inland business exchange"),
    ("阿里巴巴", "Alibaba", "is read alibaba"), ("Contoso", "Contosso", "spelt alike (0.9"),
])
def test_each_way_is_told(one: str, other: str, told: str) -> None:
    found = likeness(form_of(one, "organization"), form_of(other, "organization"))
    assert any(told in reason for reason in found.reasons), found
    assert found.score > 0.7 and found.score == score_of(form_of(one, "organization"), form_of(other, "organization"))


def test_names_without_anything_in_common_score_nothing() -> None:
    assert likeness(form_of("苹果", "organization"), form_of("Zebra", "organization")).score == 0
    assert likeness(form_of("", "organization"), form_of("", "organization")) == (0.0, ())


def test_characters_that_stand_for_places_are_written_out() -> None:
    assert written_out("粤电力") == ("粤电力", "广东电力") and written_out("蓝鲸") == ("蓝鲸",)
    assert pinyin("云脉1") == "yunmai1"


def test_rare_words_and_codes_weigh_more_than_brands() -> None:
    listing = "Yun Pad tablet 64 GB YP-2231B"
    same, size, other = "yun pad YP2231B 64GB black tablet", "Yun Pad tablet 128 GB YP-2231C", "Yun case for tablets"
    forms = {text: form_of(text, "product") for text in (listing, same, size, other)}
    rarity = Rarity(forms.values())
    scores = [described(forms[listing], forms[text], rarity) for text in (same, size, other)]
    assert scores[0] > 2 * max(scores[1:])
    assert described(forms[listing], form_of("", "product"), rarity) == 0
    assert words_of("24in 1.50 yp-22b a/b") == {"24", "1.5", "yp22b", "a", "b"}
