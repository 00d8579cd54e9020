"""Whom a text names: each tier, its explanation, and the questions that are left."""

from __future__ import annotations

import pytest

from entities.judgements import Judgements, judged
from entities.registry_judged import judged_registry
from entities.resolve import Resolver
from ingest.model.entity import Entity, Identifier, Judgement, Name, Registry
from ingest.settings import EntitiesPart

USCC, OTHER = Identifier("uscc", "91350100M000100Y43"), Identifier("uscc", "91440300MAYM7K2A69")
LEI = Identifier("lei", "529900T8BM49AURSDO55")


def named(id: str, *names: Name, type: str = "organization", ids: tuple[Identifier, ...] = ()) -> Entity:
    return Entity(id, type, names, ids)


FIRMS = Registry((
    named("bank", Name("西安银行股份有限公司", "legal")),
    named("blue", Name("杭州蓝鲸软件有限公司", "legal"), Name("BlueWhale", valid_until="2020-01-01T00:00:00Z"), ids=(USCC,)),
    named("fund", Name("Vale Fund I LP", "legal")),
    named("harbor-1", Name("Harbor", "abbreviation")),
    named("harbor-2", Name("Harbor", "abbreviation")),
    named("inland", Name("Inland Business Exchange", "legal")),
    named("li", Name("李伟", "preferred"), type="person"),
    named("yun", Name("YunGate V2", "preferred"), type="product"),
))


def entry(kind: str, *ids: str, text: str | None = None) -> Judgement:
    return judged(
        kind, actor="lin", at="2026-01-01", reason="site", entities=ids, text=text,  # type: ignore[arg-type]
        type="organization" if text else None,
    )


def resolver(*entries: Judgement, registry: Registry = FIRMS, **settings: object) -> Resolver:
    log = Judgements.of(entries)
    return Resolver(judged_registry(registry, log).registry, log, EntitiesPart(**settings))


@pytest.mark.parametrize(("text", "type", "id", "tier"), [
    ("杭州蓝鲸软件有限公司", "organization", "blue", "dictionary"), ("bluewhale", "organization", "blue", "dictionary"),
    ("杭州 藍鯨 軟件 有限责任公司", "organization", "blue", "normal form"),
    ("VALE FUND I, L.P.", "organization", "fund", "normal form"),
    ("９１３５０１００Ｍ０００１００Ｙ４３", "organization", "blue", "identifier"),
    ("yungate-v2", "product", "yun", "normal form"),
])
def test_a_tier_accepts_and_says_why(text: str, type: str, id: str, tier: str) -> None:
    found = resolver().resolve(text, type)
    assert (found.outcome, found.entity_id, found.tier) == ("accept", id, tier) and found.reasons


@pytest.mark.parametrize(("text", "type", "first", "why"), [
    ("蓝鲸软件", "organization", "blue", "takes 100% of its characters in order"),
    ("IBE", "organization", "inland", "are the initials"),
    ("杭州蓝鲸软件", "organization", "blue", "spelt alike"), ("Harbor", "organization", "harbor-1", "Harbor is a name of it"),
    ("李伟", "person", "li", "李伟 is a name of it"),
])
def test_likeness_persons_and_shared_names_only_ask(text: str, type: str, first: str, why: str) -> None:
    question = resolver().candidate(text, type, evidence=["chunk-2", "chunk-1"])
    assert question is not None and question.proposals[0].entity_id == first
    assert any(why in reason for reason in question.proposals[0].reasons) and question.evidence == ("chunk-1", "chunk-2")
    assert question.candidate_id == resolver().candidate(text, type).candidate_id  # type: ignore[union-attr]


def test_who_differs_in_number_or_place_is_no_proposal() -> None:
    assert resolver().resolve("Vale Fund II LP", "organization").outcome == "none"
    assert resolver().resolve("贵阳银行", "organization").outcome == "none"
    assert resolver(guards=()).resolve("Vale Fund II LP", "organization").proposals[0].entity_id == "fund"


def test_types_never_mix_and_an_unknown_type_is_looked_up_by_name_only() -> None:
    assert resolver().resolve("YunGate V2", "organization").outcome == "none"
    assert resolver().resolve("YunGate V2").entity_id == "yun"
    assert resolver().resolve("yun-gate v2").outcome == "review"


def test_an_identifier_read_with_a_text_decides_or_blocks() -> None:
    assert resolver().resolve("随便什么", "organization", [USCC]).entity_id == "blue"
    assert resolver().resolve("杭州蓝鲸软件有限公司", "organization", [OTHER]).outcome == "none"
    both = Registry((*FIRMS.entities, named("zz", Name("Zz"), ids=(LEI,))))
    asked = resolver(registry=both).resolve("x", "organization", [USCC, LEI])
    assert asked.outcome == "review" and {proposal.entity_id for proposal in asked.proposals} == {"blue", "zz"}


def test_an_identifier_of_too_many_decides_nothing() -> None:
    many = Registry(tuple(named(id, Name(f"Firm {id * 4}"), ids=(LEI,)) for id in "abcd"))
    assert resolver(registry=many).resolve("q", "organization", [LEI]).outcome == "none"


def test_a_name_of_another_time_asks() -> None:
    assert resolver().resolve("BlueWhale", "organization", at="2019-01-01T00:00:00Z").outcome == "accept"
    later = resolver().resolve("BlueWhale", "organization", at="2024-01-01T00:00:00Z")
    assert later.outcome == "review" and later.reasons == ("BlueWhale was its name at another time",)


def test_judgements_hold_in_every_tier() -> None:
    assert resolver(entry("accept", "inland", text="内陆所")).resolve("内陆所", "organization").tier == "judgement"
    assert resolver(entry("accept", "harbor-2", text="Harbor")).resolve("harbor", "organization").entity_id == "harbor-2"
    assert resolver(entry("reject", "harbor-1", text="Harbor")).resolve("Harbor", "organization").entity_id == "harbor-2"
    refused = resolver(entry("reject", "blue", text="蓝鲸软件")).resolve("蓝鲸软件", "organization")
    assert all(proposal.entity_id != "blue" for proposal in refused.proposals)


def test_merged_entities_are_one_answer() -> None:
    merged = resolver(entry("merge", "harbor-1", "harbor-2"))
    assert merged.resolve("Harbor", "organization").entity_id == "harbor-1"


def test_twins_are_asked_about_once_and_not_after_a_judgement() -> None:
    twins = Registry((
        named("a", Name("蓝鲸软件", "legal")),
        named("b", Name("杭州蓝鲸软件有限公司", "legal")), named("c", Name("西安银行", "legal")),
    ))
    (question,) = resolver(registry=twins).twins()
    assert (question.entity_id, [proposal.entity_id for proposal in question.proposals]) == ("a", ["b"])
    assert not list(resolver(entry("pin", "a", "b"), registry=twins).twins())


def test_an_empty_registry_knows_nobody() -> None:
    assert Resolver(Registry()).resolve("蓝鲸").outcome == Resolver(Registry()).resolve("蓝鲸", "organization").outcome == "none"
