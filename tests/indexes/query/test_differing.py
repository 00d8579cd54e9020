"""Differing numbers for one property of one thing: found in two languages, and never between different things."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.query import measures as measuring
from indexes.query.evidence import search
from indexes.query.measures import measures
from indexes.query.request import Request
from ingest.model.access import Access, Principal
from ingest.model.entity import Entity, Name
from ingest.settings import SearchPart

GATE, BUS = "urn:kb:entity:gate", "urn:kb:entity:bus"
NAMES = {GATE: "云脉网关", BUS: "云脉总线"}


# What a text states


@pytest.mark.parametrize(("text", "of", "number", "kind", "side"), [
    ("单节点默认最多接受 20000 个并发连接。", {"节点", "并发连接"}, 20000, "", "most"), ("连接数上限为 2 万。",
    {"连接"}, 20000, "", "most"),
    ("云脉网关最多承载两万个连接。", {"连接"}, 20000, "", "most"), ("并发连接数：5000", {"并发连接"}, 5000, "", ""),
    ("访问日志保存三十天。", {"访问日志保存"}, 30 * 86400, "time", ""), ("内存不低于 12 GB", {"内存"}, 12e9, "bytes", "least"),
    ("A node accepts up to 20,000 connections.", {"node", "connect"}, 20000, "", "most"),
    ("The connection limit is 5000 per node.", {"node", "connect"}, 5000, "", "most"),
    ("Tokens are valid for 2 hours.", {"token", "valid"}, 7200, "time", ""),
    ("Tokens are valid for thirty minutes.", {"token", "valid"}, 1800, "time", ""), ("The share is 12.5 %.",
    {"share"}, 12.5, "share", ""),
])
def test_a_plain_statement_is_read(text: str, of: set[str], number: float, kind: str, side: str) -> None:
    (found,) = measures(text, ["云脉网关"])
    assert (found.of, found.number, found.kind, found.side) == (of, number, kind, side)


@pytest.mark.parametrize("text", [
    "2025 年 3 月发布 3 个版本。", "连接数由 5000 提高到 20000。", "例如连接数为 5000。", "此前连接数为 5000。",
    "如果连接数是 5000，请扩容。", "支持 3.0 版本",
    "第 3 章", "10-20 个连接", "见 192.168.0.1", "ERR_1042", "| 连接数 | 5000 |", "previously 5000 connections",
    "For example, 5000 connections.",
    "It was published on 2025-03-01.", "between 10 and 20 connections", "not 5000 connections", "v2.1", "", "5000",
])
def test_what_is_no_plain_statement_is_passed_over(text: str) -> None:
    assert measures(text) == []


# Answers


_PARTS = [
    "单节点最多接受", "20000", "两万", "三十天", "①", "２０", "thirty minutes", "Ninety", "个连接",
    "limit is", "，", "。", ". ", "\n", " ", "Tokens",
]


@given(st.lists(st.sampled_from(_PARTS), max_size=12).map("".join))
def test_lines_without_numbers_are_left_out_and_nothing_else(text: str) -> None:
    every = [clause for line in text.splitlines() for clause in measuring._clauses_of(line)]
    assert list(measuring._stating(text)) == list(filter(measuring._states, every))


def test_clauses_are_remembered_whatever_names_are_asked_and_so_many_only() -> None:
    text = "云脉网关最多承载两万个连接。"
    (one,), (other,) = measures(text), measures(text, ["云脉网关"])
    assert one.of != other.of
    most = measuring._stating.cache_info().maxsize
    assert most is not None
    for number in range(most + 10):
        measures(f"A node accepts {number} connections.")
    assert measuring._stating.cache_info().currsize == most
    assert measures(text, ["云脉网关"]) == [other]



@pytest.fixture
def at_odds(make_snapshot: Callable[..., Any], make_row: Callable[..., Any], make_fact: Callable[..., Any]) -> Callable[..., Any]:
    """The conflicts of values in an answer from rows (text and fields), as a caller sees them."""

    def call(*said: tuple[str, dict[str, Any]], who: Principal = Principal()) -> list[tuple[str, ...]]:
        rows, mentions = [], []
        for number, (text, fields) in enumerate(said):
            fields = {"source_id": f"urn:kb:source:{number:032x}", **fields}
            about = fields.pop("about", (GATE,))
            told = {"text": f"Quartz. {text}", "title": "手册", "heading_path": ("手册",), "entity_ids": about}
            rows.append(make_row(2 * number, **told, **fields))
            found = [{"start": 0, "end": 1, "text": NAMES[id], "entity_id": id, "method": "gazetteer"} for id in about]
            mentions.append(make_fact({"mentions": found}, rows[-1].chunk_id, rows[-1].source_id))
        entities = [
            make_fact(Entity(id, "product", (Name(name),)), id, "urn:kb:registry") for id, name in NAMES.items()
        ]
        with make_snapshot(rows, entities=entities, mentions=mentions) as snapshot:
            request = Request("quartz", "bm25", as_of="2026-01-01T00:00:00Z", principal=who, planned=False)
            pack = search(snapshot, None, request, SearchPart())
        assert len({citation for each in pack.conflicts for citation in each.citations}) <= len(pack.evidence)
        return [each.citations for each in pack.conflicts if each.kind == "values"]

    return call


ZH = ("云脉网关单节点默认最大并发连接数为 5000。", "单节点最多接受 20000 个并发连接。")
EN = ("A node accepts up to 20,000 connections.", "The connection limit is 5000 per node.")


@pytest.mark.parametrize("said", [ZH, EN, ("令牌有效期为 2 小时。", "令牌的有效时间：90 分钟。"),
("Logs are kept for 30 days.", "Logs are kept 5 weeks.")])
def test_two_documents_that_differ_are_told_with_their_citations(said: tuple[str, str], at_odds: Callable[..., Any]) -> None:
    assert [set(each) for each in at_odds(*((text, {}) for text in said))] == [{"K1", "K2"}]


@pytest.mark.parametrize(("one", "other"), [
    ({}, {"about": (BUS,)}), ({"about": (GATE, BUS)}, {}), ({"about": ()}, {"about": ()}),
    ({"version": "1.0"}, {"version": "2.0"}),
    ({"source_id": "urn:kb:source:one"}, {"source_id": "urn:kb:source:one"}),
])
def test_other_things_editions_and_one_document_are_no_conflict(
    one: dict[str, Any], other: dict[str, Any], at_odds: Callable[..., Any]
) -> None:
    assert at_odds((ZH[0], dict(one)), (ZH[1], dict(other))) == []


@pytest.mark.parametrize(("one", "other"), [
    ("令牌有效期为 2 小时。", "令牌有效期为 120 分钟。"), ("The limit is 20,000 connections.",
    "The limit is 20000 connections."),
    ("企业版最多接受 5000 个连接。", "标准版最多接受 20000 个连接。"), ("至少需要 4 GB 内存。", "最多使用 8 GB 内存。"),
    ("访问日志保存 30 天。", "审计日志保存 90 天。"), ("API 密钥有效期 30 天。", "SSH 密钥有效期 90 天。"),
    ("YG-200 最多接受 5000 个连接。", "YG-300 最多接受 9000 个连接。"),
    ("Access logs are kept for 30 days.", "Audit logs are kept for 90 days."), ("日志保存 30 天。", "日志最大 30 MB。"),
    ("The Team plan includes 1,200 routes.", "The Free plan includes 20 routes."), ("连接数上限为 5000。",
    "例如连接数上限为 20000。"),
])
def test_equal_numbers_and_other_properties_are_no_conflict(one: str, other: str, at_odds: Callable[..., Any]) -> None:
    assert at_odds((one, {}), (other, {})) == []


def test_what_is_hidden_contradicts_nothing(at_odds: Callable[..., Any]) -> None:
    said = (ZH[0], {}), (ZH[1], {"access": Access(level=2)})
    assert at_odds(*((text, dict(fields)) for text, fields in said)) == []
    assert len(at_odds(*((text, dict(fields)) for text, fields in said), who=Principal(level=2))) == 1


def test_one_family_is_one_thing_without_a_registry(at_odds: Callable[..., Any]) -> None:
    fields = {"family": "handbook", "version": "1.0", "about": ()}
    assert len(at_odds((ZH[1], dict(fields)), ("单节点最多接受 5000 个并发连接。", dict(fields)))) == 1
    assert at_odds((ZH[1], dict(fields)), ("单节点最多接受 5000 个并发连接。", {**fields, "family": "guide"})) == []


# Measured on generated neighbours: different things, editions or properties never meet, the same nearly always do

_PROPERTIES = {
    "zh": ["单节点最多接受 {n} 个并发连接。", "访问日志默认保存 {n} 天。", "试用期为 {n} 天。",
    "管理控制台的会话有效期 {n} 分钟。", "每秒最多处理 {n} 个请求。", "证书的有效期为 {n} 天。"],
    "en": ["A node accepts up to {n} connections.", "Access logs are kept for {n} days.", "The trial lasts {n} days.",
    "Console sessions expire after {n} minutes.",
           "At most {n} requests per second are served.", "Certificates are valid for {n} days."],
}


def neighbours(language: str, count: int) -> Iterator[tuple[bool, tuple[str, dict[str, Any]], tuple[str, dict[str, Any]]]]:
    """Pairs of statements, and whether they are at odds."""
    draw = random.Random(language)  # noqa: S311  # no secret
    for _ in range(count):
        one, other = draw.sample(range(10, 900), 2)
        first, second = draw.sample(_PROPERTIES[language], 2)
        yield True, (first.format(n=one), {}), (first.format(n=other), {})
        yield False, (first.format(n=one), {}), (first.format(n=other), {"about": (BUS,)})
        yield False, (first.format(n=one), {}), (second.format(n=other), {})
        yield False, (first.format(n=one), {"version": "1"}), (first.format(n=other), {"version": "2"})
        yield False, (first.format(n=one), {}), (first.format(n=one), {})


@pytest.mark.parametrize("language", ["zh", "en"])
def test_of_neighbours_only_those_at_odds_are_told(language: str, at_odds: Callable[..., Any]) -> None:
    told = [(right, bool(at_odds(one, other))) for right, one, other in neighbours(language, 12)]
    assert [right for right, found in told if found and not right] == []
    assert [found for right, found in told if right].count(False) == 0
