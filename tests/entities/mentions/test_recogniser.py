"""Mentions: exact names on their boundaries, identifiers that prove themselves, and nothing where two could be meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from entities.mentions.recogniser import Recogniser
from ingest.model.entity import Entity, Identifier, Name, Registry, minted_id

CODE = "91320594MAQH5N1C4N"


def entity(id: str, *names: str, type: str = "product", identifiers: tuple[Identifier, ...] = ()) -> Entity:
    return Entity(id, type, tuple(Name(name) for name in names), identifiers)


REGISTRY = Registry((
    entity("gate", "云脉网关", "YunGate"),
    entity("firm", "云脉", "云脉科技（深圳）有限公司", type="organization"),
    entity("api", "YunGate Admin API", "管理接口"),
    entity("shared-1", "麦田"),
    entity("shared-2", "麦田", "麦田工单系统"),
    entity("card", "HX-200"),
    entity("short", "云"),
))
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
