"""Mentions: exact names on their boundaries, identifiers that prove themselves, and nothing where two could be meant."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.mentions.recogniser import Recogniser
from ingest.model.entity import Entity, Identifier, Name, Registry, minted_id

CODE = "91320594MAQH5N1C4N"


def entity(id: str, *names: str, type: str = "product", identifiers: tuple[Identifier, ...] = ()) -> Entity:
    return Entity(id, type, tuple(Name(name) for name in names), identifiers)


REGISTRY = Registry(
    (
        entity("gate", "云脉网关", "YunGate"),
        entity("firm", "云脉", "云脉科技（深圳）有限公司", type="organization"),
        entity("api", "YunGate Admin API", "管理接口"),
        entity("shared-1", "麦田"),
        entity("shared-2", "麦田", "麦田工单系统"),
        entity("card", "HX-200"),
        entity("short", "云"),
    )
)
RECOGNISER = Recogniser(REGISTRY)


def found(text: str, recogniser: Recogniser = RECOGNISER) -> list[tuple[str, str]]:
    return [(mention.text, mention.entity_id) for mention in recogniser.mentions("chunk", text)]


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("云脉网关由云脉制造", [("云脉网关", "gate"), ("云脉", "firm")]),
        ("The YunGate Admin API of YunGate", [("YunGate Admin API", "api"), ("YunGate", "gate")]),
        ("yungate, YUNGATE and ＹｕｎＧａｔｅ", [("yungate", "gate"), ("YUNGATE", "gate"), ("ＹｕｎＧａｔｅ", "gate")]),
        ("云脉科技(深圳)有限公司", [("云脉科技(深圳)有限公司", "firm")]),
        ("YunGates, MyYunGate, YunGate2 and YunGate_x", []),
        ("用YunGate接入", [("YunGate", "gate")]),
        ("HX-200 and HX-2000", [("HX-200", "card")]),
        ("麦田里的麦田工单系统", [("麦田工单系统", "shared-2")]),
        ("云", []),
        ("", []),
    ],
)
def test_names_are_found_whole_longest_first_and_never_guessed(text: str, mentions: list[tuple[str, str]]) -> None:
    assert found(text) == mentions


def test_spans_are_those_of_the_text_as_written() -> None:
    text = "见 ＹｕｎＧａｔｅ 与云脉网关。"
    for mention in RECOGNISER.mentions("chunk", text):
        assert text[mention.start : mention.end] == mention.text


@given(st.text(max_size=80))
def test_any_text_has_mentions_in_order_with_exact_spans(text: str) -> None:
    mentions = RECOGNISER.mentions("chunk", text + "YunGate" + text)
    assert [(mention.start, mention.end) for mention in mentions] == sorted((mention.start, mention.end) for mention in mentions)
    for mention in mentions:
        assert (text + "YunGate" + text)[mention.start : mention.end] == mention.text


def test_identifier_mints_an_entity_that_no_seed_claims() -> None:
    mentions = RECOGNISER.mentions("chunk", f"代码 {CODE} 见附件")
    (minted,) = RECOGNISER.minted(mentions)
    assert minted.entity_id == mentions[0].entity_id == minted_id("organization", "uscc", CODE)
    assert (minted.type, minted.label, minted.identifiers) == ("organization", CODE, (Identifier("uscc", CODE),))


def test_identifier_that_a_seed_claims_is_that_entity() -> None:
    registry = Registry((entity("owner", "栖衡智联", type="organization", identifiers=(Identifier("uscc", CODE),)),))
    recogniser = Recogniser(registry)
    mentions = recogniser.mentions("chunk", f"栖衡智联（{CODE}）")
    assert [mention.entity_id for mention in mentions] == ["owner", "owner"]
    assert list(recogniser.minted(mentions)) == []


def test_fingerprint_changes_with_names_and_identifiers_only() -> None:
    assert Recogniser(Registry(tuple(reversed(REGISTRY.entities)))).fingerprint == RECOGNISER.fingerprint
    renamed = Registry((*REGISTRY.entities, entity("new", "新产品")))
    claimed = Registry((*REGISTRY.entities, entity("new", identifiers=(Identifier("uscc", CODE),))))
    assert len({RECOGNISER.fingerprint, Recogniser(renamed).fingerprint, Recogniser(claimed).fingerprint}) == 3


def test_empty_registry_finds_identifiers_only() -> None:
    assert found(f"云脉 {CODE}", Recogniser(Registry())) == [(CODE, minted_id("organization", "uscc", CODE))]


@pytest.mark.parametrize(
    ("text", "mentions"),
    [
        ("雲脈網關", [("雲脈網關", "gate")]),
        ("Yun\u200bGate", [("Yun\u200bGate", "gate")]),
        ("深圳市云脉文具有限公司", []),
        ("云脉科技（深圳）有限公司上海分公司", []),
        ("mail.yungate.example and /api/yungate/x", []),
        ("HX-200 3.5, HX-200.", [("HX-200", "card")] * 2),
        ("云脉医药与云脉合作", [("云脉", "firm")]),
        ("由云脉制造，向云脉投资", [("云脉", "firm")] * 2),
        ("HX-200-3", []),
    ],
)
def test_known_name_is_not_a_part_of_another(text: str, mentions: list[tuple[str, str]]) -> None:
    assert found(text) == mentions


def test_abbreviation_is_found_in_capitals_only() -> None:
    recogniser = Recogniser(Registry((entity("it", "IT"), entity("who", "WHO", "World Health Organization"))))
    assert found("it is who we are", recogniser) == []
    assert found("IT and ＷＨＯ, the world health organization", recogniser) == [
        ("IT", "it"),
        ("ＷＨＯ", "who"),
        ("world health organization", "who"),
    ]


def proposed(text: str, recogniser: Recogniser = RECOGNISER) -> list[tuple[str, str, str, tuple[str, ...]]]:
    return [(one.text, one.type, one.method, one.entity_ids) for one in recogniser.candidates("chunk", text)]


def test_ambiguous_name_is_a_candidate_with_all_whom_it_may_mean() -> None:
    assert proposed("麦田上线了") == [("麦田", "product", "gazetteer", ("shared-1", "shared-2"))]


def test_what_nobody_claims_is_a_candidate_of_the_type_that_its_scheme_names() -> None:
    assert proposed("见 10.1000/abc 与 /api/v2/users/{id}") == [
        ("10.1000/abc", "document", "identifier:doi:10.1000/abc", ()),
        ("/api/v2/users/{id}", "interface", "identifier:api-path:/api/v2/users/{}", ()),
    ]


def test_host_below_a_claimed_domain_may_be_its_owners() -> None:
    claimed = Identifier("domain", "WWW.Example.org")
    recogniser = Recogniser(Registry((entity("owner", "Owner", type="organization", identifiers=(claimed,)),)))
    assert found("a@example.org and https://example.org/x", recogniser) == [("example.org", "owner")] * 2
    assert proposed("see https://docs.example.org", recogniser) == [
        ("docs.example.org", "organization", "identifier:domain:docs.example.org", ("owner",)),
    ]


def test_identifier_of_two_entities_names_neither_and_mints_nothing() -> None:
    code = Identifier("product-code", "hx－200")
    recogniser = Recogniser(
        Registry((entity("a", "A1 board", identifiers=(code,)), entity("b", "B1 board", identifiers=(code,))))
    )
    assert recogniser.mentions("chunk", "HX-200") == ()
    assert proposed("HX-200", recogniser) == [("HX-200", "product", "identifier:product-code:HX-200", ("a", "b"))]


def test_patterns_propose_and_known_names_stand_over_them() -> None:
    assert proposed("YunGate 2.0由杭州澜石软件有限公司按GB/T 22239-2019测评") == [
        ("2.0", "other", "identifier:version:2.0", ()),
        ("杭州澜石软件有限公司", "organization", "pattern:legal-form", ()),
        ("GB/T 22239-2019", "standard", "pattern:standard-chinese", ()),
    ]


@given(
    st.lists(
        st.sampled_from(
            [
                "云脉网关",
                "麦田",
                "ＨＸ－２００",
                "深圳市云脉文具有限公司",
                "Acme Inc.",
                " v2.0 ",
                "、",
                "\n",
                CODE,
                "http://a.example/api/v1 ",
                "ﬁ",
                "é",
            ]
        ),
        max_size=8,
    ).map("".join)
)
def test_mentions_and_candidates_are_in_order_with_exact_spans_and_apart(text: str) -> None:
    mentions, candidates = RECOGNISER.mentions("chunk", text), RECOGNISER.candidates("chunk", text)
    for one in (*mentions, *candidates):
        assert text[one.start : one.end] == one.text and one.start < one.end and one.chunk_id == "chunk"
    assert all(first.end <= second.start for first, second in itertools.pairwise(candidates))
    assert not any(one.start < other.end and other.start < one.end for one in candidates for other in mentions)


def test_candidates_do_not_enter_the_fingerprint_of_mentions() -> None:
    with_models = Recogniser(REGISTRY, ("lac-zh",))
    assert with_models.fingerprint == RECOGNISER.fingerprint
    assert with_models.proposing != RECOGNISER.proposing
