"""Finding who comes into question: exact keys decide, rare grams propose, and frequent ones cost nothing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from entities.block import Grams, Table, grams_of
from entities.names import form_of

NAMES = ["杭州蓝鲸软件有限公司", "武汉蓝鲸商贸有限公司", "Inland Business Exchange", "Alibaba", "Contoso Ltd",
"广东能源集团股份有限公司"]


def nearest(query: str) -> list[str]:
    grams = Grams()
    for name in NAMES:
        grams.add(form_of(name, "organization"))
    return [NAMES[number] for number, _ in grams.near(form_of(query, "organization"), 3)]


def test_short_names_acronyms_sounds_and_misspellings_find_the_full_name() -> None:
    assert nearest("蓝鲸软件")[0] == NAMES[0] and nearest("IBE")[0] == NAMES[2] and nearest("阿里巴巴")[0] == NAMES[3]
    assert nearest("Contosso")[0] == NAMES[4] and nearest("粤能源")[0] == NAMES[5]
    assert nearest("zzz") == [] and nearest("") == []


def test_an_empty_index_finds_nothing() -> None:
    assert Grams().near(form_of("x", "organization"), 5) == []


@given(st.permutations(NAMES), st.sampled_from([*NAMES, "蓝鲸", "Business"]))
def test_what_is_found_does_not_depend_on_the_order_of_adding(names: list[str], query: str) -> None:
    def found(order: list[str]) -> dict[str, float]:
        grams = Grams()
        for name in order:
            grams.add(form_of(name, "organization"))
        return {order[number]: round(share, 4) for number, share in grams.near(form_of(query, "organization"), len(order))}

    assert found(names) == found(NAMES)


def test_a_table_keeps_numbers_once_and_no_empty_key() -> None:
    table = Table()
    for number in (1, 1, 2):
        table.add("k", number)
        table.add("", number)
    assert list(table.get("k")) == [1, 2] and not table.get("") and not table.get("other")
    assert len(grams_of(form_of("aaaa", "product"))) == len(set(grams_of(form_of("aaaa", "product"))))
