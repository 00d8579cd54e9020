"""Refusal: features that speak for and against an answer, a chance made of them, and what is said when it is too low."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from indexes.query.evidence import search
from indexes.query.features import Features, Subject, features
from indexes.query.request import Request
from indexes.query.signals import Signals
from indexes.query.sufficiency import chance, columns, judged, set_for, weights_for
from ingest.model.evidence import Scores
from ingest.settings import SearchPart

WHEN = "2026-01-01T00:00:00Z"


def item(title: str, text: str, *headings: str, version: str | None = None, entities: Sequence[str] = ()) -> Any:
    return SimpleNamespace(
        title=title, text=text, context=text, heading_path=headings, version=version, entity_ids=tuple(entities),
        chunk_id=title, scores=Scores(),
    )


VAULT = item("Merlin Vault 3.0 Operations Manual", "By default a node accepts 20,000 connections at the same time.", "Capacity")
CABINET = item("磐石密钥柜 3.0 运维手册", "一个节点默认最多接受 20000 个并发连接。", "容量与限制")


def replaced(row: Any, sentence: float) -> Any:
    """The row with its best sentence's cosine."""
    return SimpleNamespace(**{**vars(row), "scores": Scores(sentence=sentence)})


def of(query: str, *rows: Any, **more: Any) -> Features:
    return features(query, rows, Signals(), **more)


# Features


@pytest.mark.parametrize(("query", "row"), [
    ("How many connections does Merlin Vault 3.0 accept", VAULT), ("磐石密钥柜 3.0 默认最多接受多少并发连接", CABINET),
    ("merlin vault 3.0 connections", VAULT), ("磐石密钥柜的连接上限", CABINET),
])
def test_nothing_speaks_against_a_row_that_holds_what_is_asked(query: str, row: Any) -> None:
    found = of(query, row)
    assert (found.numbers, found.keys, found.codes, found.contrast, found.split, found.across) == (0, 0, 0, 0, 0, 0)
    assert found.share > 0.4


def test_row_in_another_language_that_lacks_every_number_and_name_is_judged_too() -> None:
    found = of("Quokka Harbour 9.7.3 的重量是多少", VAULT)
    assert (found.numbers, found.keys, found.across) == (1, 1, 1)


@pytest.mark.parametrize(("query", "row"), [
    ("How many connections does Merlin Vault 4.1 accept", VAULT), ("磐石密钥柜 4.1 的并发连接数", CABINET),
    ("ERR_1042 of Merlin Vault 3.0", VAULT),
    ("How many connections does Kestrel Vault 3.0 accept", VAULT), ("How many connections does the Kestrel accept", VAULT),
    ("How many connections does 磐石网关 accept", VAULT),
])
def test_versions_codes_and_names_that_the_row_lacks_are_told(query: str, row: Any) -> None:
    found = of(query, row)
    assert found.numbers + found.keys + found.codes > 0


@pytest.mark.parametrize(("query", "text"), [
    ("What happens after 3 failed attempts", "After three failed attempts the account is locked."),
    ("输错 3 次会怎样", "连续输错三次，账号锁定。"),
    ("who signs above 20,000", "Above 20000 the board signs."), ("ports 80,443", "Open 80 and 443."),
    ("超过 20000 元谁签字", "超过 2 万元由董事会签字。"),
    ("the 120 seats", "There are one hundred and twenty seats."), ("120 个座位", "共有一百二十个座位。"),
])
def test_a_number_is_the_same_in_digits_and_in_words(query: str, text: str) -> None:
    assert of(query, item("Rules", text)).numbers == 0
    assert of(query.replace("3", "7").replace("20", "90"), item("Rules", text)).numbers > 0


def test_a_small_number_in_words_is_met_with_what_it_counts_only() -> None:
    assert of("支持 10 个 VLAN 吗", item("手册", "长按复位键十秒。")).numbers == 1
    assert of("支持 10 个 VLAN 吗", item("手册", "最多十个。")).numbers == 0


@pytest.mark.parametrize(("text", "keys"), [
    ("任命温以宁为首席运营官。", 0), ("任命温以宁为总经理。", 1), ("温以宁 becomes COO", 0),
])
def test_an_abbreviation_may_be_spelled_out_in_chinese(text: str, keys: int) -> None:
    row = item("岑屿董事会会议纪要", text, entities=["urn:kb:entity:cenyu"])
    subject = Subject("岑屿", frozenset({"urn:kb:entity:cenyu"}), ("岑屿",))
    assert of("岑屿的 COO 人选", row, subjects=[subject]).keys == keys


def test_a_row_in_another_language_that_lacks_every_number_and_name_is_judged_all_the_same():
    found = of("Versión 9.9 de Zephyr", CABINET)
    assert found.numbers == 1 and found.share == 0


@pytest.mark.parametrize("query", [
    "How many CPU cores does Merlin Vault 3.0 need", "units of Merlin Vault in service in May", "Merlin Vault 的 CPU 要几核",
])
def test_abbreviations_of_kinds_and_months_are_no_names_to_look_for(query: str) -> None:
    assert of(query, VAULT).keys == 0


def test_a_code_that_no_row_holds_is_told_however_much_else_one_holds() -> None:
    assert of("why does Merlin Vault 3.0 accept connections with KFV_3756", VAULT).codes == 1
    assert of("KFV_3756", item("Codes", "KFV_3756: the lease is over.")).codes == 0


def test_what_a_name_or_a_number_stands_beside_in_the_section_counts() -> None:
    row = SimpleNamespace(**{**vars(VAULT), "context": VAULT.text + " It was installed in Linz 45 times."})
    assert of("was Merlin Vault installed in Linz 45 times", VAULT).keys > 0
    found = of("was Merlin Vault installed in Linz 45 times", row)
    assert (found.keys, found.numbers) == (0, 0)


@pytest.mark.parametrize(("query", "row"), [("青鸾密钥柜的并发连接数", CABINET), ("给青鸾密钥柜扩容", CABINET),
("falcon vault connections", VAULT)])
def test_another_word_before_the_same_noun_is_a_contrast(query: str, row: Any) -> None:
    assert of(query, row).contrast == 1


@pytest.mark.parametrize(("query", "row"), [
    ("磐石密钥柜的并发连接数", CABINET), ("密钥柜的并发连接数", CABINET), ("并发连接数", CABINET),
    ("给磐石密钥柜扩容", CABINET), ("vault connections", VAULT),
    ("the Merlin Vault", VAULT),
])
def test_the_same_name_and_a_bare_noun_are_none(query: str, row: Any) -> None:
    assert of(query, row).contrast == 0


def test_a_name_whose_halves_never_meet_is_split() -> None:
    gate = item("青鸟网关 3.0 运维手册", "一个节点默认最多接受 5000 个并发连接。", "容量与限制")
    assert of("青鸟密钥柜的并发连接数", gate, CABINET).split == 1
    both = replace_title(CABINET, "青鸟密钥柜 3.0 运维手册")
    assert of("青鸟密钥柜的并发连接数", gate, CABINET, both).split == 0
    known = {"密钥", "钥柜"}
    assert of("青鸟密钥柜的并发连接数", gate, held=known.intersection).split == 1, "the collection has it, and no row does"
    assert of("青鸟密钥柜的并发连接数", gate).split == 0


def replace_title(row: Any, title: str) -> Any:
    return SimpleNamespace(**{**vars(row), "title": title})


ROCK, BIRD = (
    Subject("Rock Vault", frozenset(["urn:kb:entity:rock"]), ("磐石密钥柜", "Rock Vault")),
    Subject("Bird Gateway", frozenset(["urn:kb:entity:bird"]), ("青鸟网关", "Bird Gateway")),
)


def test_a_thing_that_is_known_is_held_by_what_mentions_it_or_calls_it_by_any_name() -> None:
    query = "Rock Vault 的并发连接数"
    mentioned = SimpleNamespace(**{**vars(item("手册", CABINET.text)), "entity_ids": ("urn:kb:entity:rock",)})
    for row in (CABINET, mentioned):
        found = of(query, row, subjects=[ROCK])
        assert (found.known, found.first, found.keys, found.contrast) == (1, 1, 0, 0)
    assert of(query, CABINET).keys == 1
    elsewhere = of(query, item("海棠总线手册", CABINET.text), subjects=[ROCK])
    assert (elsewhere.known, elsewhere.first) == (0, 0)


def test_of_a_known_thing_only_what_is_asked_about_it_is_looked_for() -> None:
    asked, absent = (of(f"Rock Vault 的{what}", CABINET, subjects=[ROCK]) for what in ("并发连接", "法定代表人"))
    assert asked.share > 0.7 and absent.share == 0


def test_what_no_row_of_a_known_thing_says_is_unheard_though_others_say_it() -> None:
    other = item("海棠总线手册", "机身尺寸是 40 厘米。")
    assert of("Rock Vault 的机身尺寸", CABINET, other, subjects=[ROCK]).unheard == 1
    assert of("Rock Vault 的机身尺寸", CABINET, other).unheard < 1


def test_a_kind_that_no_row_of_a_known_thing_tells_is_untold() -> None:
    plain, telling = item("磐石密钥柜说明", "由两部分组成。"), item("磐石密钥柜外观", "机身长 40 厘米。")
    found = [of("Rock Vault 的机身尺寸", *rows, subjects=[ROCK]).untold for rows in ([plain, telling], [plain])]
    assert found == [0, 1]


def test_what_is_asked_by_yes_or_no_is_told_by_what_says_it() -> None:
    told, other = (of(f"Rock Vault 能不能{what}", CABINET, subjects=[ROCK]).untold for what in ("接受并发连接", "热插拔硬盘"))
    assert (told, other) == (0, 1)


def test_an_abbreviation_that_no_row_of_a_known_thing_has_is_a_name_that_lacks() -> None:
    for query, keys in (("Rock Vault 要多少 RAM", 1), ("RAM of Rock Vault", 0)):
        assert of(query, CABINET, subjects=[ROCK]).keys == keys, "in Chinese an English one may be spelled out"


def test_two_things_that_are_compared_are_held_by_two_rows() -> None:
    gate = item("青鸟网关 3.0 运维手册", "一个节点默认最多接受 5000 个并发连接。", "容量与限制")
    both = of("Rock Vault 和 Bird Gateway 的并发连接数", CABINET, gate, subjects=[ROCK, BIRD])
    one = of("Rock Vault 和 Bird Gateway 的并发连接数", CABINET, subjects=[ROCK, BIRD])
    assert (both.known, one.known) == (1, 0)


@pytest.mark.parametrize(("query", "title"), [
    ("6 月 24 日的故障持续了多久", "故障复盘 2026-06-24"), ("6月24号的故障持续了多久", "2026 年 6 月 24 日故障复盘"),
    ("duration of the incident of 24 June", "Incident of June 24th, 2026"), ("incident of 2026-06-24", "Incident of 24 Jun 2026"),
    ("6 月 24 日的故障持续了多久", "Incident of 24 June 2026"),
])
def test_a_day_is_the_same_in_whatever_form(query: str, title: str) -> None:
    assert of(query, item(title, "服务中断。")).numbers == 0
    assert of(query, item(title.replace("24", "23"), "服务中断。")).numbers == 1


def test_several_days_may_be_told_by_several_rows() -> None:
    rows = [item(f"2026 年 5 月 {day} 日故障复盘", "服务中断 40 分钟。") for day in (3, 9)]
    assert of("5 月 3 日和 5 月 9 日的两次故障各持续了多久", *rows).numbers == 0
    assert of("5 月 3 日和 5 月 9 日的两次故障各持续了多久", rows[0]).numbers == 0.5


def test_a_question_whose_first_row_is_in_another_language_is_not_judged_by_words_that_others_share() -> None:
    shares = item("路由手册", "消息保留几天由管理员决定。")
    answers = item("Operator Guide", "Messages larger than 4 MB are rejected.")
    asked = "多大的消息会被拒收"
    assert (of(asked, answers, shares).across, of(asked, shares, answers).across) == (1, 0)
    assert (of(asked, answers).across, of(asked, shares).across) == (1, 0)


def test_a_row_that_is_first_only_by_what_other_languages_gain_does_not_decide_the_language() -> None:
    shares = item("路由手册", "消息保留几天由管理员决定。")
    answers = item("Operator Guide", "Messages larger than 4 MB are rejected.")
    answers.scores, shares.scores = Scores(fused=3.0), Scores(fused=2.5)
    for gained, across in ((0.0, 1), (0.4, 1), (0.6, 0)):
        assert features("多大的消息会被拒收", [answers, shares], Signals(gained=gained)).across == across


def test_the_best_sentence_counts_of_rows_that_have_what_is_named_and_picks_weights_of_its_own() -> None:
    merlin, other = replaced(VAULT, 0.4), replaced(CABINET, 0.9)
    subject = Subject("Merlin Vault", frozenset(), ("Merlin Vault",))
    found = of("How many connections does Merlin Vault accept", other, merlin, subjects=[subject])
    assert found.sentence == 0.4 and of("connections", other, merlin).sentence == 0.9
    assert of("connections", VAULT).sentence is None
    known = replace(found, apart=1.0, cosine=0.8)
    assert set_for("e5", known) == "named, sentences" and set_for("e5", replace(known, sentence=None)) == "named"
    assert set_for("e5", replace(known, apart=0.0)) == "meaning" and set_for("hash", known) == "terms"
    weights = weights_for("e5", known)
    assert weights["sentence"] > 0 and chance(known, weights) < chance(replace(known, sentence=0.8), weights)


def test_across_languages_words_are_not_asked_for_and_names_only_where_they_can_be() -> None:
    found = of("How many connections does Merlin Vault accept", CABINET)
    assert (found.across, found.keys, found.contrast) == (1, 0, 0)
    weighed = columns(replace(found, share=0.3, unheard=0.9, run=0.1))
    assert (weighed["share"], weighed["unheard"], weighed["run"]) == (0, 0, 0)
    assert of("3.6 版的并发连接数", VAULT).numbers == 1, "numbers are the same in every language"


# The chance


def test_each_feature_speaks_to_its_side() -> None:
    good = Features(share=0.6, unheard=0.3, run=0.3, match=0.3, cosine=0.83, margin=0.03, deviations=3.0)
    for engine, found in (("e5", good), ("hash", replace(good, cosine=None))):
        weights = weights_for(engine, found)
        best = chance(found, weights)
        assert best > 0.5
        against: list[dict[str, float]] = [{name: 1.0} for name in ("numbers", "keys", "codes", "contrast", "split")]
        for worse in (*against, {"share": 0.1, "unheard": 0.9}):
            assert chance(replace(found, **worse), weights) < best


def test_an_engine_without_meaning_is_judged_by_terms() -> None:
    found = Features(share=0.6, unheard=0.3, cosine=0.99, margin=0.5, deviations=9.0)
    assert "cosine" not in weights_for("hash", found) and "cosine" not in weights_for("endpoint", found)
    assert "cosine" in weights_for("e5", found)
    assert "cosine" not in weights_for("e5", replace(found, cosine=None)), "mode bm25 asks no vectors"


def test_without_evidence_there_is_no_chance() -> None:
    assert judged("anything", (), Signals(), "e5").chance is None


def test_a_code_is_held_by_the_row_that_has_it_in_whatever_language() -> None:
    chinese = item("错误代码", "E-2077 表示许可证已经过期，请在门户中续期。")
    assert of("E-2077", VAULT, chinese).share == 1 and of("E2077", VAULT, chinese).codes == 0


# What a pack says


def ask(make_snapshot: Callable[..., Any], rows: list[Any], query: str, **settings: Any) -> Any:
    with make_snapshot(rows) as snapshot:
        return search(snapshot, None, Request(query, "bm25", as_of=WHEN), SearchPart(**settings))


def test_a_neighbour_is_given_and_said_not_to_suffice(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    rows = [make_row(0, title=VAULT.title, heading_path=(VAULT.title,), text=VAULT.text, prefix=VAULT.title)]
    right = ask(make_snapshot, rows, "How many connections does Merlin Vault 3.0 accept at the same time")
    wrong = ask(make_snapshot, rows, "How many connections does Kestrel Vault 4.1 accept at the same time")
    assert right.status == "ok" and wrong.status == "insufficient_evidence"
    assert wrong.evidence and wrong.confidence < 0.5 < right.confidence
    assert wrong.trace["sufficiency"]["numbers"] > right.trace["sufficiency"]["numbers"] == 0


def test_the_threshold_is_a_setting(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    rows = [make_row(0, title=VAULT.title, heading_path=(VAULT.title,), text=VAULT.text, prefix=VAULT.title)]
    query = "How many connections does Kestrel Vault 4.1 accept"
    assert ask(make_snapshot, rows, query, sufficiency=0.0).status == "ok"
    assert ask(make_snapshot, rows, "Merlin Vault 3.0", sufficiency=1.0).status == "insufficient_evidence"


@pytest.mark.parametrize("query", ["ERR_1042", "429", "云脉网关", "storage gateway", "QUOKKA"])
def test_a_word_alone_suffices_where_a_row_has_it(
    query: str, make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    rows = [make_row(0, text=f"{query} and what is said of it"), make_row(5), make_row(9)]
    assert ask(make_snapshot, rows, query).status == "ok"


@pytest.mark.parametrize("query", ["", " \n", "?", "「」", "🎉🎉", "((((", "the", "to be or not", "\x00", "\u202e"])
def test_what_asks_nothing_has_no_answer(
    query: str, make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    assert ask(make_snapshot, [make_row(0), make_row(5), make_row(9)], query).status == "insufficient_evidence"
    nearest = features(query, [VAULT], Signals(cosine=0.75, margin=0.02, deviations=2.5))
    assert chance(nearest, weights_for("e5", nearest)) < 0.5
    assert not judged(query, [VAULT], Signals(cosine=0.9, margin=0.1, deviations=6.0), "e5").chance
