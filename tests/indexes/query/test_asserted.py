"""Contradicting assertions about what an answer speaks of: told with citations, and only where both sides show."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from indexes.query.asserted import at_odds
from indexes.query.evidence import search
from indexes.query.request import Request
from indexes.query.visible import Visible
from ingest.model.access import Access, Principal
from ingest.model.entity import Assertion, Entity, Name
from ingest.model.evidence import Conflict
from ingest.model.predicate import Predicate
from ingest.settings import SearchPart

GATE, ONE, TWO = (f"urn:kb:entity:{name}" for name in ("gate", "one", "two"))
NAMES = {GATE: "云脉网关", ONE: "栖衡智联", TWO: "Norrvik"}
TEXTS = (
    "Quartz 0: 云脉网关 栖衡智联", "Quartz 1: 云脉网关 Norrvik", "Quartz 2, version 12.0, feldspar: 云脉网关",
)
ZH = (
    "云脉网关由栖衡智联研发,日常运维也由其承担。", "自 2024 年起,云脉网关归 Norrvik 所有。",
    "云脉网关单节点默认最大并发连接数为 5000。",
)
EN = (
    "The gateway 云脉网关 is built and maintained by 栖衡智联.", "Since 2024, 云脉网关 has been owned by Norrvik.",
    "By default a node of 云脉网关 accepts at most 5000 concurrent connections.",
)


@pytest.fixture
def told(make_snapshot: Callable[..., Any], make_row: Callable[..., Any], make_fact: Callable[..., Any]) -> Callable[..., Any]:
    """The contradictions in an answer from three documents, each of which names the gateway, and two of which a parent; the
    third tells a version."""

    def call(
        *assertions: Assertion, who: Principal = Principal(), hidden: tuple[int, ...] = (), query: str = "quartz",
        texts: tuple[str, ...] = TEXTS, **request: Any,
    ) -> list[Conflict]:
        about = ((GATE, ONE), (GATE, TWO), (GATE,))
        rows = [
            make_row(
                0, text=texts[number], source_id=f"urn:kb:source:{number:032x}",
                entity_ids=ids, access=Access(level=2 if number in hidden else 0), heading_path=(str(number),),
            ) for number, ids in enumerate(about)
        ]
        tables = {
            "entities": [make_fact(Entity(id, "product", (Name(name),)), id, "urn:kb:registry") for id, name in NAMES.items()],
            "assertions": [make_fact(each, each.assertion_id, "urn:kb:registry") for each in assertions],
        }
        with make_snapshot(rows, **tables) as snapshot:
            asked = Request(query, "bm25", **{"as_of": "2026-01-01T00:00:00Z", "principal": who, "planned": False, **request})
            return [each for each in search(snapshot, None, asked, SearchPart()).conflicts if each.kind == "assertions"]

    return call


def by(maker: str, **fields: Any) -> Assertion:
    return Assertion(GATE, "parentOrganization", maker, None, "", **fields)


def test_two_parents_at_one_time_are_told_with_what_names_them(told: Callable[..., Any]) -> None:
    (conflict,) = told(by(ONE), by(TWO))
    assert conflict.message == "云脉网关 parentOrganization: Norrvik and 栖衡智联 hold at the same time"
    assert len(conflict.citations) == 2


def test_what_agrees_or_follows_or_may_be_many_is_none(told: Callable[..., Any]) -> None:
    assert told(by(ONE)) == told(by(ONE), by(ONE, confidence=0.5)) == []
    assert told(by(ONE, valid_until="2025-01-01T00:00:00Z"), by(TWO, valid_from="2025-01-01T00:00:00Z")) == []
    assert told(by(ONE), by(TWO, valid_from="2025-01-01T00:00:00Z")) == [], "a later one takes the place of one left open"
    assert told(Assertion(GATE, "manufacturer", ONE, None, ""), Assertion(GATE, "manufacturer", TWO, None, "")) == []


def test_it_must_hold_at_the_instant_that_is_asked_about(told: Callable[..., Any]) -> None:
    past = {"valid_from": "2020-01-01T00:00:00Z", "valid_until": "2021-01-01T00:00:00Z"}
    assert told(by(ONE, **past), by(TWO, **past)) == []
    assert len(told(by(ONE, **past), by(TWO, **past), as_of="2020-06-01T00:00:00Z")) == 1
    assert len(told(by(ONE, **past), by(TWO, **past), during=("2020-01-01T00:00:00Z", "2022-01-01T00:00:00Z"))) == 1


@pytest.mark.parametrize("hidden", [(0,), (1,)])
def test_of_what_is_hidden_nothing_is_told(hidden: tuple[int, ...], told: Callable[..., Any]) -> None:
    assert told(by(ONE), by(TWO), hidden=hidden) == []
    assert len(told(by(ONE), by(TWO), hidden=hidden, who=Principal(level=2))) == 1


def test_evidence_that_is_hidden_hides_its_assertion(told: Callable[..., Any]) -> None:
    secret = Assertion(GATE, "parentOrganization", TWO, None, "urn:kb:source:" + f"{2:032x}")
    assert told(by(ONE), secret, hidden=(2,)) == []
    assert len(told(by(ONE), secret, hidden=(2,), who=Principal(level=2))) == 1


def test_what_the_answer_does_not_speak_of_is_not_looked_at(told: Callable[..., Any]) -> None:
    assert told(by(ONE), by(TWO), query="zephyr") == []


@pytest.mark.parametrize(("query", "cited"), [("quartz", 2), ("0", 1), ("feldspar", 0)])
def test_what_no_evidence_says_a_side_of_does_not_concern_the_answer(
    query: str, cited: int, told: Callable[..., Any]
) -> None:
    """A passage about the gateway that names no parent is answered without a word of who its parent is."""
    assert [len(conflict.citations) for conflict in told(by(ONE), by(TWO), query=query)] == [cited] * bool(cited)


def test_a_value_is_said_by_what_states_it_and_by_the_document_that_it_rests_on(told: Callable[..., Any]) -> None:
    of = [Assertion(GATE, "softwareVersion", None, value, "") for value in ("12.0", "13.0")]
    (conflict,) = told(*of, query="feldspar")
    assert conflict.message == "云脉网关 softwareVersion: 12.0 and 13.0 hold at the same time" and len(conflict.citations) == 1
    assert told(*(replace(each, value=value) for each, value in zip(of, ("2.0", "3.0"), strict=True)), query="feldspar") == []
    first = replace(of[0], value="11.0", evidence="urn:kb:source:" + f"{2:032x}")
    assert len(told(first, of[1], query="feldspar")) == 1
    assert told(first, of[1], query="0") == []


@pytest.mark.parametrize(("texts", "query", "cited"), [
    (ZH, "云脉网关归谁所有", 2), (ZH, "运维由谁承担", 1), (ZH, "默认最大连接数", 0),
    (EN, "who owns 云脉网关", 2), (EN, "maintained", 1), (EN, "concurrent connections", 0),
])
def test_it_is_told_with_what_says_a_side_in_either_language(
    texts: tuple[str, ...], query: str, cited: int, told: Callable[..., Any]
) -> None:
    """Also where only one side is in the evidence; who asks how many connections it takes is not told of its parents."""
    message = "云脉网关 parentOrganization: Norrvik and 栖衡智联 hold at the same time"
    found = told(by(ONE), by(TWO), texts=texts, query=query)
    assert [(each.message, len(each.citations)) for each in found] == [(message, cited)] * bool(cited)


def test_a_single_digit_is_no_side_that_a_passage_says(told: Callable[..., Any]) -> None:
    """`Quartz 2` is about no version 2."""
    assert told(*(Assertion(GATE, "softwareVersion", None, value, "") for value in ("2", "3")), query="feldspar") == []


def test_conflicts_list_compares_however_many_there_are(make_snapshot: Callable[..., Any], make_row: Callable[..., Any],
                                                        make_fact: Callable[..., Any]) -> None:
    ids = (GATE, ONE, TWO)
    rows = [make_row(0, text=" ".join(NAMES.values()), entity_ids=ids)]
    old = [by(ONE, valid_from=f"{year}-01-01T00:00:00Z", valid_until=f"{year}-06-01T00:00:00Z") for year in range(1600, 2000)]
    now = [by(maker, valid_from="2001-01-01T00:00:00Z") for maker in (ONE, TWO)]
    tables = {
        "entities": [make_fact(Entity(id, "product", (Name(name),)), id, "urn:kb:registry") for id, name in NAMES.items()],
        "assertions": [make_fact(each, each.assertion_id, "urn:kb:registry") for each in (*old, *now)],
    }
    with make_snapshot(rows, **tables) as snapshot:
        found = list(at_odds(snapshot, Visible(snapshot, Predicate()), "2026-01-01T00:00:00Z"))
    assert [each.message for each in found] == ["云脉网关 parentOrganization: Norrvik and 栖衡智联 hold at the same time"]
