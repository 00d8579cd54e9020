"""Plans at work: what a search returns because of what was read in its words."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexes.query.evidence import search
from indexes.query.plan.narrow import narrowed, timed
from indexes.query.request import Request, instant_of, predicate_of
from ingest.model.access import Access
from ingest.model.canonical import plain
from ingest.model.evidence import EvidencePack
from ingest.model.predicate import filter_columns
from ingest.model.row import ChunkRow
from ingest.settings import SearchPart

HIDDEN = (
    "Saltmarsh", "盐沼", "Tern", "专业版", "HX-999", "ERR_2099", "err2099", "hx999", "9.9", "atlas-secret", "gateway-pro",
)
QUERIES = (
    "海力网关 2.0 最多支持多少连接", "v1.8 的连接数", "2024 年的年假有几天", "截至 2024-06-01 年假有几天", "Atlas 的电话",
    "ERR_1024", "hx 200", "Helix Gateway in 2024", "谁开发了它", "错误 2098", "HX-998", "Project", "海力网关专业",
    "Saltmars Holding",
    "since 2020 version 2.1",
)


def ask(world: Any, query: str, **fields: Any) -> EvidencePack:
    request = Request(query, "bm25", **fields)
    return search(world.snapshot, None, request, SearchPart())


def texts(world: Any, query: str, **fields: Any) -> list[str]:
    return [item.text for item in ask(world, query, **fields).evidence]


def leave(world: Any, query: str, **fields: Any) -> list[str]:
    return [text for text in texts(world, query, **fields) if "年假" in text]


def test_of_a_document_that_has_the_version_no_other_edition_answers(world: Any, at_noon: str) -> None:
    def found(query: str) -> set[str | None]:
        return {item.version for item in ask(world, query).evidence if "网关" in item.text or "Gateway" in item.text}

    assert found("海力网关 连接") == {"2.0", "V2.1"}
    assert found("海力网关 2.0 连接") == {"2.0"}
    assert found("Helix Gateway v2.1 connections") == {"V2.1"}
    assert found("从 2.0 升级到 2.1 海力网关 连接") == {"2.0", "V2.1"}
    assert found("海力网关 7.7 连接") == {"2.0", "V2.1"}


def test_words_of_a_time_ask_for_what_held_then(world: Any, at_noon: str) -> None:
    old, new = "年假制度：每年五天。", "年假制度：每年十天。"
    assert leave(world, "年假有几天") == [new]
    assert leave(world, "2024 年的年假有几天") == [old]
    assert leave(world, "截至 2024-06-01 年假有几天") == [old]
    assert ask(world, "截至 2024-06-01 年假有几天").as_of == "2024-06-01T00:00:00Z"
    assert leave(world, "截至 2024-06-01 年假有几天", as_of="2025-06-01T00:00:00Z") == [new]
    assert leave(world, "截至 2024-06-01 年假有几天", planned=False) == [new]


def test_an_edition_that_holds_no_longer_is_asked_when_it_held(world: Any, at_noon: str) -> None:
    def first(query: str, **fields: Any) -> tuple[str, str]:
        pack = ask(world, query, **fields)
        return pack.evidence[0].text, pack.as_of

    assert first("海力网关 1.8 最多支持多少连接") == (
        "海力网关（Helix Gateway，HG）1.8 最多支持五千个连接。", "2025-06-30T23:59:59Z"
    )
    assert first("海力网关 1.8 最多支持多少连接", as_of="2026-01-01T00:00:00Z")[1] == "2026-01-01T00:00:00Z"
    assert first("2024 版年假制度") == ("年假制度：每年五天。", "2024-12-31T23:59:59Z")
    for query in ("Python 2024 版支持什么", "运维控制台 1.8 的安装步骤", "海力网关 2.0 最多支持多少连接", "从 1.8 升级海力网关"):
        assert world.plan(query).as_of is None, query


def test_years_that_are_compared_are_both_looked_at(world: Any, at_noon: str) -> None:
    for query in ("2024年年假和2025年年假的区别", "2025年的年假比2024年的多几天"):
        assert sorted(leave(world, query)) == ["年假制度：每年五天。", "年假制度：每年十天。"], query


def test_a_date_that_moves_the_question_is_not_looked_for_in_what_is_found(world: Any, at_noon: str) -> None:
    pack = ask(world, "截至 2024-06-01 年假有几天")
    assert pack.trace["sufficiency"]["numbers"] == 0 and pack.status == "ok"
    assert ask(world, "2024-06-01 发生的事故和年假").trace["sufficiency"]["numbers"] == 1


def test_nothing_is_left_in_the_question_of_a_time_that_moves_it(world: Any, at_noon: str) -> None:
    for query in ("年假规定 2025/3/1 之前", "2025/3/1 之前年假规定", "2025年3月起年假规定", "2024-2025 年的年假规定"):
        assert world.plan(query).question.removeprefix("的") == "年假规定", query
    assert world.plan("What was the 2024 leave policy?").question == "leave policy?"


def test_a_half_remembered_code_finds_its_row_first(world: Any, at_noon: str) -> None:
    for query in ("ERR1042", "err 1042", "错误 1042", "E-1042", "ERR_1024", "ERR_142", "ERR_1O42", "报错：1042"):
        assert texts(world, query)[0].startswith("ERR_1042"), query
    for query in ("YG ENT 20", "HX200 的价格", "hx 300", "ygent20", "605019"):
        assert texts(world, query)[0].startswith("Part YG-ENT-20"), query


@pytest.mark.parametrize(("query", "text", "near", "question"), [
    ("What is ERR_1O42?", "ERR_1O42", ["ERR_1042"],
     'No text that was looked at has "ERR_1O42"; looked for ERR_1042 instead, one slip away. Is that the one you mean?'),
    ("E2071 是什么", "E2071", ["E2017"], "查找的文本里没有“E2071”；找的是只差一处的 E2017。您指的是它吗？"),
    ("ERR_1024 or 605019", "605019, ERR_1024", ["600519", "ERR_1042"],
     'No text that was looked at has "605019, ERR_1024"; looked for 600519, ERR_1042 instead, one slip away. '
     "Which one do you mean?"),
])
def test_a_code_that_stands_nowhere_is_asked_about(
    world: Any, at_noon: str, query: str, text: str, near: list[str], question: str
) -> None:
    pack = ask(world, query)
    assert pack.status == "insufficient_evidence" and pack.evidence
    assert pack.clarification == {
        "reason": "unknown_code", "text": text, "question": question,
        "candidates": [{"entity_id": "", "name": name, "type": "code", "told": ""} for name in near],
    }


def test_a_code_one_slip_away_is_written_as_the_rows_that_show_write_it(
    make_snapshot: Any, make_row: Any, anybody: Any, cleared: Any
) -> None:
    rows = [make_row(0, text="Part YG-3391 fits."), make_row(1, text="YG_3391 " * 9, access=Access(level=2)),
            make_row(2, text="BX-ERR1042-Z")]
    with make_snapshot(rows) as snapshot:
        def near(query: str, who: Any) -> Any:
            asked = search(snapshot, None, Request(query, "bm25", principal=who), SearchPart()).clarification
            return asked and [each["name"] for each in asked["candidates"]]

        assert near("YG-3319", anybody) == ["YG-3391"]
        assert near("YG-3319", cleared) == ["YG_3391"]
        assert near("ERR1024", anybody) == ["err1042"]  # a part of a longer word


def test_other_codes_are_not_asked_about(world: Any, at_noon: str) -> None:
    for query in ("ERR_1042", "err 1042", "HX-400", "ERR_2098", "is ERR_1024 another error than ERR_1042?"):
        assert ask(world, query).clarification is None, query


def test_a_name_finds_what_calls_it_otherwise(world: Any, at_noon: str) -> None:
    assert any(text.startswith("Helix Gateway 2.1") for text in texts(world, "海力网关"))
    assert any(text.startswith("海力科技") for text in texts(world, "91320594-MAQH5N1C4N"))


def test_what_is_denied_is_not_asked(world: Any, at_noon: str) -> None:
    denials = ("不是海力网关，我问的是运维控制台：怎么安装", "How is the Ops Console installed? (I do not mean Helix Gateway)",
               "not Helix Gateway but Ops Console installation")
    for query in denials:
        plan = world.plan(query)
        assert "海力网关" not in plan.meaning and "Helix Gateway" not in plan.keywords, query
        assert texts(world, query)[0].startswith("运维控制台")
    assert world.plan("不是 Saltmarsh Holdings，是海力网关").excluded == ()


def test_what_something_leaves_out_is_asked_about_it(world: Any, at_noon: str) -> None:
    plan = world.plan("哪些人被排除在海力网关的制度之外")
    assert plan.excluded == () and [named.text for named in plan.entities] == ["海力网关"]
    assert world.plan("排除海力网关以外的产品").excluded == world.plan("除海力网关以外的产品").excluded == ("海力网关",)


def test_a_pronoun_is_asked_about_and_nothing_is_given(world: Any, at_noon: str) -> None:
    pack = ask(world, "它支持什么版本")
    assert pack.status == "insufficient_evidence" and pack.evidence == ()
    assert pack.clarification is not None and pack.clarification["reason"] == "pronoun"
    pack = ask(world, "Atlas 每小时搬运多少箱")
    assert pack.evidence and pack.clarification is not None and len(pack.clarification["candidates"]) == 2


def test_a_question_of_nothing_but_asking_words_is_asked_about_and_answered(world: Any, at_noon: str) -> None:
    for query, question in (("怎么安装？", "问的是什么？请说出名称再问一次。"),
                            ("How much?", "What is the question about? Please ask again with its name.")):
        asked = ask(world, query).clarification
        assert asked is not None and (asked["reason"], asked["question"]) == ("missing_subject", question)
    assert texts(world, "怎么安装？")[0].startswith("运维控制台")
    assert ask(world, "运维控制台怎么安装？").clarification is None


@pytest.mark.parametrize("query", [*QUERIES, *HIDDEN])
def test_a_pack_tells_nothing_hidden(world: Any, at_noon: str, query: str) -> None:
    told = json.dumps(plain(ask(world, query)), ensure_ascii=False).replace(json.dumps(query, ensure_ascii=False)[1:-1], "")
    said = set(filter(None, query.casefold().replace("_", "").replace("-", "").split()))
    for word in HIDDEN:
        if word.casefold().replace("_", "").replace("-", "") not in "".join(said):
            assert word not in told, word


@given(words=st.lists(st.sampled_from(QUERIES), min_size=1, max_size=3), level=st.sampled_from((0, 2)))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_row_is_one_that_the_request_admits(
    world: Any, at_noon: str, anybody: Any, cleared: Any, words: list[str], level: int
) -> None:
    who = cleared if level else anybody
    query = " ".join(words)
    request = Request(query, "bm25", principal=who)
    plan = world.plan(query, who)
    moved = timed(request, plan)
    predicate = predicate_of(moved, world.snapshot, instant_of(moved))
    only = narrowed(predicate, plan)
    chunks = [item.chunk_id for item in search(world.snapshot, None, request, SearchPart()).evidence]
    rows = [fact.noun(ChunkRow) for fact in world.snapshot.catalog.get("chunks", 1, chunks).values()]
    assert all(only.admits(filter_columns(row)) and predicate.admits(filter_columns(row)) for row in rows)


def test_the_v_of_a_version_is_not_asked_of_rows_that_leave_it_out(world: Any, at_noon: str) -> None:
    assert world.plan("海力网关 v2.0 最多支持多少连接").question == "海力网关 2.0 最多支持多少连接"
    assert world.plan("Helix Gateway V2.1版 connections").question == "Helix Gateway 2.1版 connections"
    for query in ("海力网关 2.0 最多支持多少连接", "Helix Gateway version 2.0", "GET /api/v2/users"):
        assert world.plan(query).question == "", query
    asked = ask(world, "海力网关 v2.0 最多支持多少连接")
    assert asked.status == "ok" and asked.trace["sufficiency"]["numbers"] == 0


def test_codes_with_a_slash_between_them_are_several(world: Any, at_noon: str) -> None:
    plan = world.plan("ERR_1042/E2017是什么")
    assert plan.codes == ("e2017", "err1042") and plan.question == "ERR_1042 E2017是什么"
    assert ask(world, "ERR_1042/E2017是什么").trace["sufficiency"]["codes"] == 0
    assert world.plan("HX-200/300").codes == ("hx200", "hx300")
    assert ask(world, "HX-200/300").trace["sufficiency"]["codes"] == 0
    for query in ("GET api/v2/users", "/api/v2/users", "YG/ENT/20", "data-2024/0601", "FY2024/2025", "TCP/IP",
                  "k8s.io/v1/e2", "http://a1/b2"):
        assert world.plan(query).question == "", query
