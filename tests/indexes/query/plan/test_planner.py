"""What a plan promises whoever asks, whatever is asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from indexes.query.plan.names import Names, register_of
from indexes.query.plan.planner import planned
from indexes.query.request import Request, predicate_of
from indexes.query.visible import Visible
from ingest.model.access import Access, Principal
from ingest.model.canonical import plain
from ingest.model.entity import Entity, Name
from ingest.model.predicate import Predicate
from ingest.settings import SearchPart

GOLDEN = yaml.safe_load(Path(__file__).with_name("queries.yaml").read_text("utf-8"))
QUERIES = [query for asked in GOLDEN.values() for query in asked]
WORDS = (
    "海力网关", "海力网关专业版", "Helix Gateway", "Project Tern", "Saltmarsh Holdings", "盐沼控股", "Atlas", "Atlas Robotics",
    "王芳", "HG", "ERR_2099", "ERR_2098", "err 2099", "HX-999", "hx 999", "ERR_1024", "9.9", "V2.1", "2.0 版", "1.8", "2024 年的",
    "它", "it", "as of 2024-06-01", "谁开发了", "公司", "除了", "以外", '"', "《", "》", "的", "？", ",", "91320594MAQH5N1C4N",
)
SENTENCES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join) | st.lists(
    st.sampled_from(WORDS), min_size=1, max_size=6
).map("".join)


@pytest.mark.parametrize("query", QUERIES)
def test_a_plan_is_as_if_nothing_hidden_had_been_written(world: Any, open_world: Any, at_noon: str, query: str) -> None:
    assert world.plan(query) == open_world.plan(query)


@given(query=SENTENCES)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_company_of_words_tells_what_is_hidden(world: Any, open_world: Any, at_noon: str, query: str) -> None:
    assert world.plan(query) == open_world.plan(query)


def test_who_may_see_more_is_told_more(world: Any, cleared: Principal) -> None:
    def told(query: str, who: Principal) -> tuple[list[tuple[str, ...]], tuple[str, ...]]:
        plan = world.plan(query, who)
        return [each.entity_ids for each in plan.entities], plan.codes

    assert told("Saltmarsh Holdings", Principal()) == ([], ())
    assert told("Saltmarsh Holdings", cleared) == ([("urn:kb:entity:saltmarsh",)], ())
    assert told("Project Tern", cleared) == ([("urn:kb:entity:gateway",)], ())
    assert told("海力网关专业版", cleared) == ([("urn:kb:entity:gateway-pro",)], ())
    assert told("ERR_2098", Principal()) == ([], ("err2098",))
    assert len(told("Atlas", cleared)[0][0]) == 3 and len(told("Atlas", Principal())[0][0]) == 2
    assert world.plan("海力网关 9.9", cleared).editions and not world.plan("海力网关 9.9").editions


@pytest.mark.parametrize("who", [Principal(), Principal(level=2)], ids=["anybody", "cleared"])
def test_names_that_are_told_are_those_that_show(world: Any, who: Principal) -> None:
    """`Visible` reads all that mentions an entity; a plan, which reads as little as it can, tells the same."""
    predicate = predicate_of(Request("", principal=who), world.snapshot, "2026-11-30T08:00:00Z")
    names = Names(register_of(world.snapshot), world.snapshot, predicate)
    for fact in world.snapshot.catalog.facts("entities", world.snapshot.generation):
        members = Visible(world.snapshot, predicate).members(fact.id)
        assert set(names.of(fact.id)) == {name for each in members.values() for name in each.names}


ODD = (
    "", " ", "\0", "\ud800", "网关\ud83d", "\ue000 2024 年的", "🚀" * 50, "(" * 500, "[[[a-z", "(?P<x>", "\\", "\\1",
    "%s {number} $",
    "a" * 10_000, "网关 " * 3_300,
    "1.2.3 " * 1_600, "2024 年的" * 1_500, '"' * 10_000, "《" * 10_000, "它" * 10_000,
    "it " * 3_300,
    "ERR_1042 " * 1_100, "err 1 " * 1_600, "a-" * 5_000, "１２３" * 3_000, "\u202e2.0\u202c", "é̂̂" * 100, "' OR 1=1; --",
    "除了" * 3_000,
    "9" * 10_000, "٣٤٥ 年的", "between 2024 and between 2024 and", "\r\n\t", "0000-00-00", "9999 年的", "0001-01-01 以前",
    "9999-12-31 以后的年假", "截至 9999 年", "when it " * 1_200, "a b 1 " * 1_600, "do " * 3_300 + "it",
)


@pytest.mark.parametrize("query", ODD, ids=range(len(ODD)))
def test_whatever_is_pasted_is_a_query(world: Any, query: str) -> None:
    plan = world.plan(query)
    assert plan.keywords.startswith(query) and plan.meaning == query
    json.dumps(plain(plan))


AROUND = st.text(st.characters(), max_size=60).map(lambda text: f"截至 {text} 的 {text} 版 ERR_{text}")


@given(query=st.text(max_size=300) | AROUND)
@example("\ud800" * 20)
@settings(max_examples=400, deadline=None)
def test_any_text_is_a_query(world: Any, query: str) -> None:
    plan = world.plan(query)
    assert plan.keywords.startswith(query) and plan.meaning == query
    assert all(query[each.start : each.end] == each.text or "\ufffd" in each.text for each in plan.entities)
    assert all(each.rule for each in plan.fired)


def test_a_name_is_where_it_says(world: Any) -> None:
    query = "请问 ＨＥＬＩＸ　Gateway 和海力網關？"
    assert [query[each.start : each.end] for each in world.plan(query).entities] == ["ＨＥＬＩＸ　Gateway", "海力網關"]


def test_a_question_about_a_name_names_candidates_and_rewrites_nothing(world: Any) -> None:
    plan = world.plan("Atlas 的电话")
    asked = plan.clarification
    assert asked.reason == "ambiguous_name" and asked.text == "Atlas" and "Atlas Robotics" in asked.question
    assert {each.entity_id.rpartition(":")[2]: (each.name, each.type) for each in asked.candidates} == {
        "atlas-robot": ("Atlas 仓储机器人", "product"), "atlas-robotics": ("Atlas Robotics", "organization"),
    }
    assert plan.keywords == "Atlas 的电话" and plan.editions is None


def test_alike_candidates_are_told_apart(world: Any) -> None:
    told = [each.told for each in world.plan("王芳的邮箱").clarification.candidates]
    assert told == ["person, Wang Fang (Lab)", "person, Wang Fang (Sales)"]


def test_a_request_that_names_a_time_is_taken_at_its_word(world: Any, at_noon: str) -> None:
    assert world.plan("2024 年的年假有几天").during is not None
    assert world.plan("2024 年的年假有几天", as_of="2025-06-01T00:00:00Z").during is None
    during = ("2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z")
    assert world.plan("截至 2024-06-01 年假有几天", during=during).as_of is None


def test_a_date_that_no_window_tells_apart_narrows_nothing(make_snapshot: Any, make_row: Any) -> None:
    with make_snapshot([make_row(1, text="2024 年的年假是五天。")]) as snapshot:
        assert planned(snapshot, Request("2024 年的年假有几天"), Predicate(), SearchPart()).during is None


def test_an_empty_base_is_asked_all_the_same(make_snapshot: Any) -> None:
    with make_snapshot([]) as snapshot:
        plan = planned(snapshot, Request("海力网关 2.0 的 ERR_1042，截至 2024 年"), Predicate(), SearchPart())
    assert plan.codes == ("err1042",) and plan.entities == () and plan.editions is None


def test_ids_that_were_merged_mean_what_they_mean_now(make_snapshot: Any, make_row: Any, make_fact: Any) -> None:
    named = (("old", "Nordlys"), ("new", "Norrvik"))
    old, new = (Entity(f"urn:kb:entity:{id}", "organization", (Name(name),)) for id, name in named)
    rows = [make_row(1, text="Nordlys was here.", entity_ids=(old.entity_id,)),
            make_row(2, text="Norrvik is.", entity_ids=(new.entity_id,))]
    with make_snapshot(rows, entities=[make_fact(each, each.entity_id, "") for each in (old, new)]) as snapshot:
        snapshot.manifest = replace(snapshot.manifest, redirects={old.entity_id: new.entity_id})
        plan = planned(snapshot, Request("Who is Nordlys?"), Predicate(), SearchPart())
    assert plan.entities[0].entity_ids == (new.entity_id,)
    assert plan.keywords == "Who is Nordlys? Norrvik"


def test_a_name_that_texts_hardly_use_is_embedded_as_the_one_that_they_do(
    make_snapshot: Any, make_row: Any, make_fact: Any
) -> None:
    plover = Entity("urn:kb:entity:plover", "product", (Name("Plover Gateway", "preferred", "en"), Name("鸻网关", language="zh")))
    said = ("Plover Gateway (鸻网关) is a gateway.", "Plover Gateway costs ten.", "Plover Gateway 2.0", "Plover Gateway is grey.")
    rows = [make_row(number, text=text, entity_ids=(plover.entity_id,)) for number, text in enumerate(said)]
    hidden = make_row(9, text="鸻网关 鸻网关", entity_ids=(plover.entity_id,), access=Access(level=2))
    for more in ([], [hidden]):
        with make_snapshot([*rows, *more], entities=[make_fact(plover, plover.entity_id, "")]) as snapshot:
            plan = planned(snapshot, Request("请问鸻网关2.0多少钱"), Predicate(), SearchPart())
            other = planned(snapshot, Request("Plover Gateway 多少钱"), Predicate(), SearchPart())
        assert plan.meaning == "请问 Plover Gateway 2.0多少钱" and plan.keywords == "请问鸻网关2.0多少钱 Plover Gateway"
        assert other.meaning == "Plover Gateway 多少钱" and other.keywords == "Plover Gateway 多少钱 鸻网关"


def test_the_weight_leans_and_stays_a_weight(world: Any) -> None:
    assert world.plan("plain question").bm25_weight is None
    assert world.plan("ERR_1042").bm25_weight == 0.65
    assert world.plan("ERR_1042", settings=SearchPart(bm25_weight=0.95)).bm25_weight == 1.0


def test_a_year_in_the_name_of_a_product_is_no_time(make_snapshot: Any, make_row: Any, make_fact: Any) -> None:
    ledger = Entity("urn:kb:entity:ledger", "product", (Name("Plover Ledger 2024"),))
    since, said = "2025-01-01T00:00:00Z", "Plover Ledger 2024 backs up hourly."
    rows = [make_row(1, text=said, entity_ids=(ledger.entity_id,), valid_from=since),
            make_row(2, text="差旅制度 travel policy", valid_from="2015-01-01T00:00:00Z", valid_until=since)]
    with make_snapshot(rows, entities=[make_fact(ledger, ledger.entity_id, "")]) as snapshot:
        def during(query: str) -> Any:
            return planned(snapshot, Request(query), Predicate(), SearchPart()).during

        assert during("Plover Ledger 2024 的备份") is None and during("in Plover Ledger 2024") is None
        for query in ("Windows Server policy 2019", "SQL Server 2019 的备份", "Microsoft Office 2016 的安装手册"):
            assert during(query) is None, query
        for query in ("2024 年的差旅制度", "travel policy 2024", "travel policy in 2024"):
            assert during(query) is not None, query


def test_what_a_row_writes_as_one_code_is_one(make_snapshot: Any, make_row: Any) -> None:
    texts = ["The HX-200/300 series draws 40 W.", "HX-200 fan", "HX-300 fan"]
    for rows, codes, question in ((texts, ("hx200/300",), ""), (texts[1:], ("hx200", "hx300"), "HX-200 HX-300 power")):
        with make_snapshot([make_row(number, text=text) for number, text in enumerate(rows)]) as snapshot:
            plan = planned(snapshot, Request("HX-200/300 power"), Predicate(), SearchPart())
            assert plan.codes == codes and plan.question == question


def test_codes_with_one_stem_may_be_written_twice(make_snapshot: Any, make_row: Any) -> None:
    with make_snapshot([make_row(0, text="HX-200 fan"), make_row(1, text="HX-300 fan")]) as snapshot:
        plan = planned(snapshot, Request("HX-200/300 or hx-200/300, HX-200/300?"), Predicate(), SearchPart())
        assert plan.codes == ("hx200", "hx300")
