"""Pairs of names: what is the same, what is different, and what only a person can tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.compare import by_identifiers, compare, conflict, stated
from entities.guards import GUARDS, objections
from entities.names import form_of
from ingest.model.entity import Identifier
from ingest.settings import EntitiesPart

CODE, OTHER = Identifier("uscc", "91350100M000100Y43"), Identifier("uscc", "91440300MAYM7K2A69")

DIFFERENT = [
    ("number", "standard", "Annex 9 Amendment 3", "Annex 9 Amendment 4"),
    ("number", "organization", "Vale Fund I", "Vale Fund II"),
    ("number", "product", "蓝鲸一号", "蓝鲸二号"), ("number", "product", "Yun-4", "Yun-4.1"),
    ("number", "product", "Yun-4", "Yun-4o"),
    ("number", "standard", "GB/T 35273-2017", "GB/T 35273-2020"), ("number", "interface", "/v1/items", "/v2/items"),
    ("number", "standard", "SB-77 Rev A", "SB-77 Rev B"), ("number", "organization", "中铁第一工程局", "中铁第二工程局"),
    ("place", "organization", "河北省蓝鲸商贸有限公司", "湖北省蓝鲸商贸有限公司"),
    ("place", "organization", "西安银行", "贵阳银行股份有限公司"),
    ("place", "organization", "Vale (France) SARL", "Vale (Spain) SL"),
    ("place", "organization", "Bank of China (Hong Kong)", "Bank of China (Singapore)"),
    ("branch", "organization", "蓝鲸建设有限公司", "蓝鲸建设有限公司武汉分公司"),
    ("qualifier", "document", "Draft Final Report", "Final Report"), ("qualifier", "product", "Yun 15", "Yun 15 Pro"),
    ("qualifier", "product", "蓝鲸数据库企业版", "蓝鲸数据库社区版"), ("legal_form", "organization", "Vale AG", "Vale GmbH"),
    ("method", "interface", "GET /users/{id}", "DELETE /users/{id}"), ("continued", "product", "Cobol", "Cobolscript"),
    ("only_place", "organization", "长春燃料", "长春高新技术产业集团股份有限公司"),
]
REVIEW = [
    ("organization", "IBX", "Inland Business Exchange"), ("organization", "苹果", "Apple Inc."), ("person", "李伟", "李伟"),
    ("person", "Hans Peter", "Peter Hans"), ("standard", "ISO 9001", "ISO 9001:2015"),
    ("organization", "蓝鲸", "蓝鲸软件有限公司"),
    ("organization", "Vale", "Vale Brasil"), ("organization", "蓝鲸有限公司", "蓝鲸股份有限公司"),
    ("organization", "Vale JSC", "Vale OJSC"),
    ("organization", "深圳蓝鲸", "广东蓝鲸有限公司"), ("organization", "远东药业", "古汉医药"),
    ("organization", "Facelook Inc", "Mita Inc"),
    ("organization", "Vale Fund", "Vale Fund I"),
]


@pytest.mark.parametrize(("guard", "type", "one", "other"), DIFFERENT)
def test_a_guard_tells_two_names_apart_in_words(guard: str, type: str, one: str, other: str) -> None:
    verdict = compare(one, other, type)
    assert verdict.outcome == "different" and any(reason.startswith(f"{guard}: ") for reason in verdict.reasons), verdict
    assert compare(other, one, type).outcome == "different"


@pytest.mark.parametrize(("type", "one", "other"), REVIEW)
def test_what_only_a_person_can_tell_waits(type: str, one: str, other: str) -> None:
    assert compare(one, other, type).outcome == compare(other, one, type).outcome == "review"


def test_types_never_mix() -> None:
    assert compare("Oraculum", "Oraculum", "organization", "product").reasons == ("types differ: organization and product",)


@pytest.mark.parametrize(("one", "other", "outcome"), [
    ("ISBN 978-7-111-12806-9", "9787111128069", "same"), ("91350100M000100Y43", "９１３５０１００Ｍ０００１００Ｙ４３", "same"),
    ("统一社会信用代码：91350100M000100Y43", "91440300MAYM7K2A69", "different"),
])
def test_a_name_that_is_an_identifier_counts_as_one(one: str, other: str, outcome: str) -> None:
    assert compare(one, other, "organization").outcome == outcome
    assert stated("蓝鲸 2") == set() and stated("") == set()


def test_an_identifier_outweighs_names_and_a_conflict_outweighs_all() -> None:
    same = compare("Facelook", "Mita", "organization", identifiers=[CODE], other_identifiers=[CODE])
    assert same.outcome == "same" and same.reasons == ("identifier in common: uscc 91350100M000100Y43",)
    apart = compare("Vale Ltd", "Vale Limited", "organization", identifiers=[CODE], other_identifiers=[OTHER])
    assert apart.outcome == "different" and "identifiers conflict" in apart.reasons[0]
    lei = Identifier("lei", "529900T8BM49AURSDO55")
    assert by_identifiers({CODE, lei}, {OTHER, lei}) == by_identifiers({CODE}, {OTHER})


def test_what_several_may_share_decides_nothing() -> None:
    domain = Identifier("domain", "vale.example")
    assert by_identifiers({domain}, {domain}) is None
    assert conflict({domain}, {Identifier("domain", "other.example")}) is None


def test_the_settings_name_every_guard_and_a_guard_can_be_switched_off() -> None:
    assert EntitiesPart().guards == tuple(GUARDS)
    assert compare("Vale Fund I", "Vale Fund II", "organization", guards=[]).outcome == "review"
    assert all(guard.__doc__ for guard in GUARDS.values())


WORDS = st.lists(
    st.sampled_from(["Vale", "Harbor", "上海", "蓝鲸", "II", "2019", "Fund", "有限公司", "Ltd", "Bank", "Pro", "分公司", "v2"]),
    min_size=1, max_size=4,
).map(" ".join)


@given(WORDS, WORDS, st.sampled_from(["organization", "product", "person", "standard", "interface"]))
def test_verdicts_do_not_depend_on_the_side_and_likeness_never_accepts(one: str, other: str, type: str) -> None:
    there, back = compare(one, other, type), compare(other, one, type)
    assert (there.outcome, there.score) == (back.outcome, back.score)
    assert 0 <= there.score <= 1 and there.reasons
    if there.outcome == "same":
        assert form_of(one, type).key == form_of(other, type).key != ""
    assert bool(objections(form_of(one, type), form_of(other, type), GUARDS)) or there.outcome != "different"
