"""Refusal: features that speak for and against an answer, a chance made of them, and what is said when it is too low."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from indexes.query.evidence import search
from indexes.query.features import Features, features
from indexes.query.plan.plan import Named
from indexes.query.request import Request
from indexes.query.signals import Signals
from indexes.query.sufficiency import chance, columns, judged, weights_for
from ingest.settings import SearchPart

WHEN = "2026-01-01T00:00:00Z"


def item(title: str, text: str, *headings: str, version: str | None = None, entities: Sequence[str] = ()) -> Any:
    return SimpleNamespace(title=title, text=text, heading_path=headings, version=version, entity_ids=tuple(entities))


VAULT = item("Merlin Vault 3.0 Operations Manual", "By default a node accepts 20,000 connections at the same time.", "Capacity")
CABINET = item("磐石密钥柜 3.0 运维手册", "一个节点默认最多接受 20000 个并发连接。", "容量与限制")


def of(query: str, *rows: Any, **more: Any) -> Features:
    return features(query, rows, Signals(), **more)


# Features


@pytest.mark.parametrize(("query", "row"), [
    ("How many connections does Merlin Vault 3.0 accept", VAULT), ("磐石密钥柜 3.0 默认最多接受多少并发连接", CABINET),
    ("merlin vault 3.0 connections", VAULT), ("磐石密钥柜的连接上限", CABINET),
])
def test_nothing_speaks_against_a_row_that_holds_what_is_asked(query: str, row: Any) -> None:
    found = of(query, row)
    assert (found.keys, found.contrast, found.split, found.across) == (0, 0, 0, 0)
    assert found.share > 0.4


@pytest.mark.parametrize(("query", "row"), [
    ("How many connections does Merlin Vault 4.1 accept", VAULT), ("磐石密钥柜 4.1 的并发连接数", CABINET),
    ("ERR_1042 of Merlin Vault 3.0", VAULT),
    ("How many connections does Kestrel Vault 3.0 accept", VAULT), ("How many connections does the Kestrel accept", VAULT),
    ("How many connections does 磐石网关 accept", VAULT),
])
def test_versions_codes_and_names_that_the_row_lacks_are_told(query: str, row: Any) -> None:
    assert of(query, row).keys > 0


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


def test_a_known_entity_holds_its_name_in_whatever_words() -> None:
    row = SimpleNamespace(**{**vars(CABINET), "entity_ids": ("urn:kb:entity:rock",)})
    query = "Rock Vault 的并发连接数"
    named = Named(0, 10, "Rock Vault", ("urn:kb:entity:rock",))
    assert (of(query, row).keys, of(query, row, named=[named]).keys) == (1, 0)
    other = Named(0, 10, "Rock Vault", ("urn:kb:entity:other",))
    assert of(query, row, named=[other]).keys == 1


def test_across_languages_words_are_not_asked_for_and_names_only_where_they_can_be() -> None:
    found = of("How many connections does Merlin Vault accept", CABINET)
    assert (found.across, found.keys, found.contrast) == (1, 0, 0)
    weighed = columns(replace(found, share=0.3, unheard=0.9, run=0.1))
    assert (weighed["share"], weighed["unheard"], weighed["run"]) == (0, 0, 0)
    assert of("3.6 版的并发连接数", VAULT).keys == 1, "numbers are the same in every language"


# The chance


def test_each_feature_speaks_to_its_side() -> None:
    good = Features(0.6, 0.3, 0.0, 0.0, 0.0, 0.3, 0.3, 0.83, 0.03, 3.0, 0.0)
    for engine, found in (("e5", good), ("hash", replace(good, cosine=None))):
        weights = weights_for(engine, found)
        best = chance(found, weights)
        assert best > 0.5
        for worse in ({"keys": 1.0}, {"contrast": 1.0}, {"split": 1.0}, {"share": 0.1, "unheard": 0.9}):
            assert chance(replace(found, **worse), weights) < best


def test_an_engine_without_meaning_is_judged_by_terms() -> None:
    found = Features(share=0.6, unheard=0.3, cosine=0.99, margin=0.5, deviations=9.0)
    assert "cosine" not in weights_for("hash", found) and "cosine" not in weights_for("endpoint", found)
    assert "cosine" in weights_for("e5", found)
    assert "cosine" not in weights_for("e5", replace(found, cosine=None)), "mode bm25 asks no vectors"


def test_without_evidence_there_is_no_chance() -> None:
    assert judged("anything", (), Signals(), "e5").chance is None


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
    assert wrong.trace["sufficiency"]["keys"] > right.trace["sufficiency"]["keys"] == 0


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
