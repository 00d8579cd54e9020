"""Names: what is spelling gives one key, what tells things apart never does, and folding can be repeated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities import names_lexicon as lexicon
from entities.names import folded, form_of
from entities.names_numbers import differ_in_numerals_only

SAME = [
    ("organization", "蓝鲸软件（杭州）有限公司", "蓝鲸软件(杭州)有限公司"),
    ("organization", "藍鯨軟件有限公司", "蓝鲸软件有限责任公司"),
    ("organization", "杭州 蓝鲸 软件 有限公司", "杭州蓝鲸软件有限公司"),
    ("organization", "蓝鲸(集团)股份有限公司", "蓝鲸集团股份公司"),
    ("organization", "Contoso Ltd.", "CONTOSO LIMITED"), ("organization", "Contoso G.m.b.H.", "Contoso GmbH"),
    ("organization", "The Contoso Company", "Contoso Co."),
    ("organization", "Fourth & Main, Inc.", "Fourth and Main Incorporated"),
    ("organization", "J. P. Harlow & Co.", "JP Harlow and Co"), ("organization", "Société Éolienne S.A.", "Societe Eolienne SA"),
    ("organization", "ООО «Ромашка»", "ромашка ООО"), ("organization", "ContosoAG", "Contoso AG"),
    ("organization", "World Metals Organisation", "World Metals Organization"), ("organization", "Van der Dale", "Vanderdale"),
    ("organization", "Squadron Twenty-One", "Squadron 21"), ("organization", "1st Harbour Bank", "First Harbor Bank"),
    ("product", "YunGate V2", "yungate v2"), ("product", "云脉網關", "云脉网关"), ("product", "Node.js", "NodeJS"),
    ("standard", "GB/T 35273-2020", "GB／T35273—2020"), ("standard", "ISO/IEC 9126:2001", "iso/iec 9126 : 2001"),
    ("other", "ERR-0042", "err-0042"), ("interface", "get /V1/Items/", "GET /v1/items"),
]
OTHER = [
    ("organization", "Contoso GmbH", "Contoso AG"), ("organization", "Contoso", "Contoso Ltd"),
    ("organization", "一方科技", "二方科技"),
    ("organization", "蓝鲸有限公司", "蓝鲸股份有限公司"), ("organization", "Trust 2004-1", "Trust 20041"),
    ("product", "C", "C++"),
    ("product", "C#", "C"), ("product", ".NET", "NET"), ("product", "10.1", "101"), ("product", "Model 4.1", "Model 41"),
    ("standard", "Annex 1 3", "Annex 13"), ("standard", "ISO 1:2001", "ISO 12001"), ("interface", "/a/b", "/ab"),
]


@pytest.mark.parametrize(("type", "one", "other"), SAME)
def test_spelling_gives_one_key(type: str, one: str, other: str) -> None:
    assert form_of(one, type).key == form_of(other, type).key != ""


@pytest.mark.parametrize(("type", "one", "other"), OTHER)
def test_what_tells_things_apart_is_in_the_key(type: str, one: str, other: str) -> None:
    assert form_of(one, type).key != form_of(other, type).key


def test_names_of_persons_have_no_key() -> None:
    assert form_of("李伟", "person").key == form_of("Ann Lee", "person").key == ""


@pytest.mark.parametrize(("text", "type", "numbers"), [
    ("Fund IV L.P.", "organization", {"4"}), ("Vitamin", "organization", set()), ("Plan V2.0", "product", {"2"}),
    ("Plan 2.10", "product", {"2.10"}), ("GPT-9o", "product", {"9o"}), ("Bulletin Rev C", "standard", {"rev:c"}),
    ("第十二研究院", "organization", {"12"}), ("蓝鲸三号", "product", {"3"}), ("三一重工", "organization", set()),
    ("Disk 24GB", "product", {"24"}), ("Trust 2004-02", "organization", {"2004", "2"}), ("李一", "person", set()),
])
def test_numbers_are_read_as_numbers(text: str, type: str, numbers: set[str]) -> None:
    assert form_of(text, type).numbers == numbers


def test_numerals_alone_are_told_from_other_differences() -> None:
    assert differ_in_numerals_only("星河一号", "星河二号") and not differ_in_numerals_only("星河一号", "银河一号")


def test_places_are_read_in_both_languages_with_what_they_lie_in() -> None:
    assert form_of("广东省深圳市蓝鲸有限公司", "organization").places == {("中国", "广东"), ("中国", "广东", "深圳")}
    assert form_of("Contoso (Hong Kong) Limited", "organization").places == {("中国", "香港")}
    assert form_of("Contoso New York Inc", "organization").places == {("united states", "new york")}
    assert form_of("无名县蓝鲸商店", "organization").places == {("中国", "", "无名")}


def test_branches_and_qualifiers_are_read() -> None:
    assert form_of("蓝鲸银行杭州分行", "organization").branch and form_of("Contoso Branch Office", "organization").branch
    assert not form_of("蓝鲸银行", "organization").branch
    assert form_of("Draft Safety Report", "document").qualifiers == {"draft"}
    assert form_of("蓝鲸数据库 企业版", "product").qualifiers == {"企业版"}


def test_tables_hold_folded_words_only_so_that_they_are_found() -> None:
    for phrase in lexicon.legal_phrases():
        assert lexicon.plain_latin(" ".join(phrase)).casefold() == " ".join(phrase)
    assert all(folded(name) == name for name in lexicon.chinese_places())
    assert lexicon.leading_forms() <= {*lexicon.legal_phrases().values(), *(form for _, form in lexicon.chinese_legal())}


@given(st.text(max_size=40), st.sampled_from(["organization", "product", "person", "interface", "standard"]))
def test_any_text_has_a_form_and_width_and_case_never_matter(text: str, type: str) -> None:
    form = form_of(text, type)
    assert form_of(f"  {text} ", type).key == form.key
    assert form_of(form.text, type).numbers == form.numbers or type == "organization"
    assert folded(folded(text)) == folded(text)
