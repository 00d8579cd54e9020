"""Which words find which text: every spelling that people use for one thing must meet in some term."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.bm25.codes import is_code
from indexes.bm25.format import TERMS
from indexes.bm25.terms import _ASCII_WORD, _WORD, LONGEST, MOST_QUERY_TERMS, query_terms, terms, tokens


def meet(written: str, asked: str) -> set[str]:
    return set(terms(written)) & set(query_terms(asked))


def test_han_is_indexed_by_characters_and_pairs() -> None:
    assert Counter(tokens("存储网关")) == Counter(["存", "储", "网", "关", "存储", "储网", "网关"])


def test_pairs_never_cross_punctuation_or_scripts() -> None:
    assert {"关发", "关H", "ix网"}.isdisjoint(terms("网关，发布 Helix网关"))


@pytest.mark.parametrize(
    ("written", "whole", "parts"),
    [
        ("GPT-4o", "gpt4o", {"gpt", "4o"}),
        ("ERR_1042", "err1042", {"err", "1042"}),
        ("E-1042", "e1042", {"1042"}),
        ("/api/v2/users", "api/v2/users", {"api", "v2", "user"}),
        ("v2.1", "v2.1", {"2.1", "v2"}),
        ("foo.bar()", "foo.bar", {"foo", "bar"}),
        ("X-Request-Id", "xrequestid", {"request", "id"}),
        ("maxRetryCount", "maxretrycount", {"max", "retri", "count"}),
        ("HTTPServer", "httpserver", {"http", "server"}),
        ("max_retry_count", "maxretrycount", {"max", "retri", "count"}),
        ("std::vector", "std::vector", {"std", "vector"}),
        ("ops@helix.example", "ops@helix.example", {"op", "helix", "exampl"}),
        ("C++", "c++", set()),
        ("C#", "c#", set()),
        ("2024-07-01", "2024-07-01", {"2024", "07", "01"}),
        ("10.0.0.1", "10.0.0.1", {"10.0"}),
        ("python3", "python3", {"python", "3"}),
    ],
)
def test_identifiers_are_kept_whole_as_well_as_split(written: str, whole: str, parts: set[str]) -> None:
    assert {whole, *parts} <= set(terms(f"见 {written}。"))
    assert whole in query_terms(written)


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("ERR_1042", "err-1042"), ("ERR_1042", "Err1042"), ("ERR_1042", "错误1042"), ("GPT‑4o", "gpt4o"), ("v2.1", "2.1"),
        ("2.1.3", "2.1"), ("X-Request-Id", "xRequestId"), ("e-mail", "Email"), ("running gateways", "gateway runs"),
        ("the user’s manual", "user"), ("1,024 nodes", "1024"), ("in the 1980s", "1980"), ("Café", "cafe"), ("STRASSE", "straße"),
        ("ＡＢＣ１２３", "abc123"), ("數據備份", "数据备份"), ("数据备份", "數據備份"), ("㈱海力", "海力"), ("IT 部门", "IT"),
        ("データベース", "データ"), ("데이터베이스", "데이터"), ("ฐานข้อมูล", "ข้อมูล"), ("डेटाबेस प्रणाली", "प्रणाली"),
        ("базы данных", "ДАННЫХ"), ("αβγ ΑΣ", "ας"),
    ],
)
def test_spellings_of_one_thing_meet(written: str, asked: str) -> None:
    assert meet(written, asked)


@pytest.mark.parametrize(("one", "other"), [("6½", "61"), ("10-20", "1020"), ("2024-07-01", "20240701"), ("哪吒", "什么")])
def test_different_things_do_not_meet(one: str, other: str) -> None:
    assert not meet(one, other)


def test_a_vowel_sign_does_not_end_a_word() -> None:
    assert terms("हिन्दी भाषा") == ["भाषा", "हिन्दी"]


def test_english_stems_are_those_that_bases_are_built_with() -> None:
    """`stems.txt`: stem and words, a line each. Where one of them differs, `format.TERMS` must."""
    lines = Path(__file__).with_name("stems.txt").read_text(encoding="utf-8").splitlines()
    pinned = {word: [stem] for stem, _, words in (line.partition(": ") for line in lines) for word in words.split()}
    assert len(pinned) > 250 and {word: terms(word) for word in pinned} == pinned


@given(st.text(st.sampled_from("abXY09 ,.:;-_/@&'>+#\n\t\x1c"), max_size=40) | st.text(st.characters(codec="ascii"), max_size=80))
def test_words_of_a_text_in_ascii_are_those_of_any_text(text: str) -> None:
    assert _ASCII_WORD.findall(text) == _WORD.findall(text)


def test_english_stop_words_are_dropped_unless_they_are_names() -> None:
    assert terms("the gateway is in it") == ["gateway"]
    assert terms("IT") == ["it"]


def test_words_that_only_ask_are_not_looked_for() -> None:
    assert query_terms("什么是网关？") == query_terms("是网关")
    assert query_terms("How does the gateway restart?") == query_terms("gateway restart")
    assert "如何" not in query_terms("如何重启网关")


def test_a_query_of_nothing_but_questions_keeps_them() -> None:
    assert query_terms("什么") == ["么", "什", "什么"]
    assert query_terms("who") == ["who"]


def test_question_words_inside_other_words_stay() -> None:
    assert "任何" in query_terms("任何人都可以访问")
    assert "吗啡" in query_terms("吗啡的剂量")
    assert "几何" in query_terms("几何图形")


def test_a_query_has_each_term_once_and_a_bounded_number() -> None:
    assert query_terms("网关 网关 网关") == ["关", "网", "网关"]
    assert len(query_terms(" ".join(f"w{number}x" for number in range(5000)))) == MOST_QUERY_TERMS


def test_a_long_run_of_letters_or_digits_is_read_once() -> None:
    """With a pattern that begins anew at each character this would take an hour."""
    for run in ("1" * 400_000, "a" * 400_000, "a1" * 200_000):
        assert len(query_terms(run)) <= MOST_QUERY_TERMS
        assert is_code(run) == ("1" in run)


def test_encoded_data_makes_no_giant_terms() -> None:
    assert max(map(len, terms("A" * 100_000 + " " + "aB3/" * 50_000))) <= LONGEST


@pytest.mark.parametrize("text", ["", " ", "\0", "\ud800", "。！？", "\"'(){}[]", "🚀", "\u200d\ufeff"])
def test_text_without_words_has_no_terms(text: str) -> None:
    assert terms(text) == query_terms(text) == []


@given(st.text(st.characters(codec=None), max_size=80))
def test_any_text_has_clean_terms(text: str) -> None:
    for term in [*terms(text), *query_terms(text)]:
        assert 0 < len(term) <= LONGEST
        assert not any(char.isspace() or char == "\0" for char in term)
        term.encode()


@given(st.text(st.sampled_from("网关GPTv2._-/4oàé数據ー한กिQ ，：½"), max_size=30))
def test_what_is_written_finds_itself(text: str) -> None:
    assert set(query_terms(text)) <= set(terms(text))


@given(st.text(max_size=60))
def test_terms_depend_on_the_text_only(text: str) -> None:
    assert terms(text) == sorted(tokens(text)) == terms(text)
    assert set(query_terms(text)) <= set(terms(text)) or not terms(text)


def test_importing_terms_loads_neither_converter_nor_stemmer() -> None:
    heavy = ("opencc", "Stemmer", "numpy")
    code = f"import sys, indexes.bm25.terms; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_fingerprint_names_what_shapes_terms() -> None:
    assert all(name in TERMS for name in ("terms=", "opencc=", "pystemmer=", "unicode="))


@pytest.mark.parametrize(("query", "held"), [
    ("when may the failover be started", False), ("who may only see it", False), ("released in may the last one", True),
    ("15 may the class", True), ("prices of may this year", True), ("May the programme", True),
])
def test_may_is_asked_for_where_it_is_a_month(query: str, held: bool) -> None:
    assert ("may" in query_terms(query)) == held
