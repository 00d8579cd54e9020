"""The three searches: evidence with citations, context once, filters that only narrow."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError


def uris(answer: Any) -> set[str]:
    return {result["uri"] for result in answer["results"]}


def test_results_are_cited_in_order_with_checksums_that_hold(ask: Any) -> None:
    from ingest.model.canonical import sha256_hex

    answer = ask("knowledge_search", query="网关的限流是多少？")
    assert answer["status"] == "ok" and answer["pack"] == "P1"
    assert [each["citation"] for each in answer["results"]] == [f"K{number}" for number in range(1, len(answer["results"]) + 1)]
    assert all(each["checksum"] == sha256_hex(each["text"]) for each in answer["results"])
    assert answer["tokens"] > 0 and answer["answered_by"][0]["generation"] == 1


def test_words_find_codes_and_nothing_is_an_answer_that_says_what_to_do(ask: Any) -> None:
    assert "docs/en/limits.md" in uris(ask("keyword_search", query="ERR_1042"))
    nothing = ask("keyword_search", query="xylophone")
    assert nothing["status"] == "insufficient_evidence" and nothing["results"] == []
    assert "instead of guessing" in nothing["advice"]


def test_a_code_one_slip_away_is_asked_about_without_being_asked_to_explain(ask: Any) -> None:
    answer = ask("knowledge_search", query="What is ERR_1O42?")
    assert answer["status"] == "insufficient_evidence" and "docs/en/limits.md" in uris(answer)
    (asked,) = answer["clarifications"]
    assert asked["asked"]["reason"] == "unknown_code" and "ERR_1042" in asked["asked"]["question"]
    assert "clarifications" in answer["advice"] and answer["answered_by"][0]["trace"] == {}


def test_hidden_rows_show_in_no_search_and_the_word_means_nothing(ask: Any) -> None:
    for operation in ("knowledge_search", "keyword_search", "semantic_search"):
        answer = ask(operation, query="QUOKKA passphrase of the Blackthorn Vault", top_k=50)
        assert "docs/restricted/vault.md" not in uris(answer)
        assert "QUOKKA" not in str({**answer, "query": ""})
    assert "docs/restricted/vault.md" in uris(ask.also(roles=("sre",))("keyword_search", query="QUOKKA"))


def test_a_context_is_given_once(ask: Any) -> None:
    first = ask("knowledge_search", query="ERR_1042")
    given = [each["parent_id"] for each in first["results"] if each["context"]]
    assert len(given) == len(set(given))
    second = ask("knowledge_search", query="ERR_1042")
    assert all(each["context"] == "" for each in second["results"])
    assert all(each["context_given_before"] and each["given_before"] and each["text"] for each in second["results"])
    without = ask.also()("knowledge_search", query="ERR_1042", with_context=False)
    assert all(each["context"] == "" and not each["context_given_before"] for each in without["results"])


def test_a_context_stands_once_in_an_answer_of_a_caller_without_a_session(ask: Any) -> None:
    answer = ask.without_session()("knowledge_search", query="limits of the gateway", top_k=20)
    sections = [each["parent_id"] for each in answer["results"]]
    given = [each["parent_id"] for each in answer["results"] if each["context"]]
    assert len(given) == len(set(given)) < len(sections), "some section has two passages"
    again = [each for each in answer["results"] if each["context_given_before"]]
    assert again and all(each["context"] == "" and not each["given_before"] for each in again)


def test_a_section_that_was_cut_for_a_budget_is_given_whole_when_it_is_opened(ask: Any) -> None:
    narrow = {"documents": ["docs/en/procedure.md"], "query": "valve 4-1"}
    (cut,) = ask("keyword_search", **narrow, top_k=1, tokens=400)["results"]
    (opened,) = ask("document_open", id=cut["parent_id"])["results"]
    (section,) = opened["parts"]
    assert not section["given_before"] and cut["context"] != section["text"] and len(cut["context"]) < len(section["text"])
    (whole,) = ask("keyword_search", **narrow, top_k=1)["results"]
    assert whole["context"] == "" and whole["context_given_before"], "now it was given whole"


def test_an_answer_keeps_to_the_tokens_that_are_asked_for(ask: Any) -> None:
    for tokens in (200, 400, 800, 1600):
        answer = ask.also()("knowledge_search", query="valve 4-1 is checked", tokens=tokens)
        assert answer["results"] and answer["tokens"] <= tokens
        assert answer["tokens"] >= sum(len(each["text"] + each["context"]) for each in answer["results"]) // 4


@pytest.mark.parametrize("tokens", [800, 1200, 1600, 2000])
def test_what_is_called_given_with_an_earlier_result_stands_there(ask: Any, tokens: int) -> None:
    narrow = {"documents": ["docs/en/procedure.md"], "top_k": 8, "tokens": tokens}
    answer = ask("keyword_search", query="valve 4-1 valve 4-24", **narrow)
    for each in answer["results"]:
        said = " ".join(other["context"] for other in answer["results"] if other["parent_id"] == each["parent_id"])
        assert not each["context_given_before"] or each["text"].rpartition("they ")[2] in said, each["citation"]


def test_what_to_do_stands_before_the_results(ask: Any) -> None:
    keys = list(ask("knowledge_search", query="ERR_1042"))
    assert max(map(keys.index, ("status", "advice", "clarifications", "conflicts"))) < keys.index("results")


def test_filters_that_nothing_fits_are_named(ask: Any) -> None:
    answer = ask("knowledge_search", query="limits", languages=["english"], documents=["docs/en/limits.md"])
    assert answer["results"] == [] and "fits documents and languages: leave some out" in answer["advice"]


def test_arguments_narrow(ask: Any) -> None:
    assert uris(ask("keyword_search", query="ERR_1042", documents=["docs/en/limits.md"])) == {"docs/en/limits.md"}
    narrow = {"families": ["gateway-manual"], "versions": ["2.1"]}
    assert uris(ask("keyword_search", query="ERR_1042", **narrow)) == {"docs/zh/手册-草案.md"}
    assert uris(ask("keyword_search", query="QUOKKA", documents=["docs/restricted/vault.md"])) == set()
    assert len(ask("semantic_search", query="gateway", top_k=2)["results"]) == 2


@pytest.mark.parametrize("arguments", [
    {"query": ""}, {"query": "x" * 4001}, {"query": "x", "top_k": 0}, {"query": "x", "top_k": 51}, {"query": "x", "tokens": 10},
    {"query": "x", "as_of": "yesterday"}, {"query": "x", "holds_from": "2024-01-01"}, {"query": "x", "statuses": []},
    {"query": "x", "holds_from": "2025-01-01", "holds_until": "2024-01-01"}, {"query": "x", "principal": {"roles": ["sre"]}},
    {"query": "x", "roles": ["sre"]}, {"query": "x", "kb_ids": []},
])
def test_arguments_out_of_bounds_or_unknown_are_refused(ask: Any, arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        ask("knowledge_search", **arguments)


def test_a_text_that_gives_orders_is_quoted_and_changes_nothing(ask: Any) -> None:
    answer = ask("knowledge_search", query="What did the visitor note about developer mode?")
    (orders,) = [each for each in answer["results"] if each["uri"] == "docs/en/orders.md"]
    assert "/etc/passwd" in orders["text"] and "instruction_like" in orders["flags"]
    (opened,) = ask("document_open", id="docs/en/orders.md", again=True)["results"]
    assert "instruction_like" in opened["parts"][0]["flags"]
    (quoted,) = ask("evidence_get", chunk_id=orders["chunk_id"])["results"]
    assert "instruction_like" in quoted["flags"]
    assert "docs/restricted/vault.md" not in uris(answer)
    assert ask("knowledge_search", query=orders["text"], top_k=50)["status"] in ("ok", "insufficient_evidence")
    assert "QUOKKA" not in str(ask("knowledge_search", query=orders["text"], top_k=50))


def test_conflicts_of_an_answer_name_its_citations(ask: Any) -> None:
    answer = ask("knowledge_search", query="云脉网关 默认每秒 请求")
    versions = [each for each in answer["conflicts"] if each["kind"] == "versions"]
    assert versions and versions[0]["kb_id"] == "default"
    assert set(versions[0]["citations"]) <= {each["citation"] for each in answer["results"]}
