"""Every operation: counted, recorded, bounded, and open about nothing that is hidden."""

from __future__ import annotations

from typing import Any

import pytest

from indexes.serve.budget import Amounts, Budget
from indexes.serve.operations import READ, told_to_caller
from indexes.serve.session import Session
from ingest.errors import BudgetExhausted, Inconsistent, NotFound, SettingsInvalid, StorageFailed

CALLS: dict[str, dict[str, Any]] = {
    "knowledge_list": {}, "knowledge_search": {"query": "ERR_1042"}, "keyword_search": {"query": "ERR_1042"},
    "semantic_search": {"query": "logs"}, "document_find": {"glob": "docs/*"}, "document_open": {"id": "docs/en/limits.md"},
    "entity_resolve": {"name": "Apollo"}, "entity_get": {"entity_id": "urn:kb:entity:gate"}, "evidence_get": {"citation": "K1"},
    "verify_citations": {"answer": "ERR_1042 [K1]."}, "graph_neighbors": {"ids": ["urn:kb:entity:gate"]}, "conflicts_list": {},
}


def test_every_operation_is_tried_here_and_described() -> None:
    assert set(CALLS) == {operation.name for operation in READ}
    for operation in READ:
        assert len(operation.description) > 40 and operation.title.count(".") == 1 and not operation.writes
        assert all(field.description for field in operation.arguments.model_fields.values()), operation.name


def test_what_an_answer_shows_is_recorded_and_nothing_hidden_is_in_any(ask: Any, audit: Any, library: Any) -> None:
    hidden = {*library.chunks("restricted/vault.md"), "urn:kb:entity:vault"}
    for name, arguments in CALLS.items():
        answer = ask(name, **arguments)
        told = str(answer)
        assert "QUOKKA" not in told and "restricted" not in told and not any(id in told for id in hidden), name
        entry = audit.entries[-1]
        assert (entry["caller"], entry["operation"], entry["refused"]) == ("me", name, None)
        (seen,) = entry["seen"]
        assert (seen.kb_id, seen.generation) == ("default", 1) and not hidden & set(seen.rows)
        shown = {each["chunk_id"] for each in answer["results"] if each.get("chunk_id")}
        assert name == "verify_citations" or shown <= set(seen.rows)
    assert audit.entries[1]["arguments"] == {"query": "ERR_1042"}


def test_refusals_are_recorded_by_kind(ask: Any, audit: Any) -> None:
    for name, arguments, kind in (
        ("document_open", {"id": "docs/none.md"}, "NotFound"),
        ("keyword_search", {"query": "xylophone"}, "insufficient_evidence"),
        ("knowledge_list", {"kb_ids": ["other"]}, "NotGranted"),
    ):
        try:
            ask(name, **arguments)
        except Exception as error:
            assert type(error).__name__ == kind
        assert audit.entries[-1]["refused"] == kind


@pytest.mark.parametrize(("limits", "calls", "name"), [
    (Amounts(calls=2), 2, "knowledge_list"), (Amounts(opened=2), 2, "document_open"), (Amounts(tokens=1), 1, "knowledge_search"),
])
def test_a_budget_that_is_used_up_is_refused_in_words_and_nothing_is_read(
    ask: Any, audit: Any, limits: Amounts, calls: int, name: str
) -> None:
    ask.session = Session("small", Budget(limits))
    for _ in range(calls):
        ask(name, **CALLS[name])
    with pytest.raises(BudgetExhausted, match="used up: answer from"):
        ask(name, **CALLS[name])
    assert audit.entries[-1]["refused"] == "BudgetExhausted" and audit.entries[-1]["seen"] == ()


def test_an_answer_can_be_checked_when_the_tokens_are_used_up(ask: Any) -> None:
    ask.session = Session("small", Budget(Amounts(tokens=1)))
    ask("knowledge_search", query="ERR_1042")
    for name in ("knowledge_search", "keyword_search", "semantic_search", "document_open", "evidence_get"):
        with pytest.raises(BudgetExhausted, match="tokens of evidence"):
            ask(name, **CALLS[name])
    assert ask("verify_citations", **CALLS["verify_citations"])["results"]
    assert ask("knowledge_list")["budget"]["evidence_tokens"] == 0


def test_the_list_of_bases_tells_what_is_left(ask: Any) -> None:
    ask.session = Session("small", Budget(Amounts(calls=5, tokens=1000)))
    assert ask("knowledge_list")["budget"] == {"calls": 4, "evidence_tokens": 1000, "opened": None}


def test_what_is_wrong_with_the_server_is_not_told(tmp_path: Any) -> None:
    for error in (StorageFailed(f"{tmp_path} is full"), Inconsistent("docs/secret.md differs"), SettingsInvalid(f"{tmp_path}")):
        told = told_to_caller(error)
        assert told.startswith("no answer: ") and str(tmp_path) not in told and "secret" not in told
    assert told_to_caller(NotFound("you have nothing")) == "you have nothing"
