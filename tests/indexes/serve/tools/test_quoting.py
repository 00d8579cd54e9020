"""evidence_get: a citation is what it was, or says that it is not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from ingest.errors import NotFound


def test_a_citation_gives_its_passage_and_whether_it_holds(ask: Any) -> None:
    pack = ask("knowledge_search", query="ERR_1042")
    (quoted,) = ask("evidence_get", citation="K1", pack=pack["pack"])["results"]
    assert (quoted["text"], quoted["checksum"]) == (pack["results"][0]["text"], pack["results"][0]["checksum"])
    assert quoted["as_cited"] is True and quoted["cited_generation"] == quoted["generation"] == 1
    (by_id,) = ask("evidence_get", chunk_id=quoted["chunk_id"])["results"]
    assert by_id["as_cited"] is None
    (other,) = ask("evidence_get", chunk_id=quoted["chunk_id"], checksum="0" * 64)["results"]
    assert other["as_cited"] is False


def test_a_citation_means_its_own_pack(ask: Any) -> None:
    first = ask("keyword_search", query="valve 1-1", top_k=1)
    second = ask("keyword_search", query="电源", top_k=1)
    texts = [ask("evidence_get", citation="K1", pack=each["pack"])["results"][0]["text"] for each in (first, second)]
    assert texts == [first["results"][0]["text"], second["results"][0]["text"]]
    assert ask("evidence_get", citation="K1")["results"][0]["text"] == second["results"][0]["text"]


def test_citations_of_another_session_and_hidden_chunks_are_nothing(ask: Any, library: Any) -> None:
    ask.also(roles=("sre",))("keyword_search", query="QUOKKA")
    with pytest.raises(NotFound):
        ask("evidence_get", citation="K1")
    for id in (*library.chunks("restricted/vault.md"), "urn:kb:chunk:00000000000000000000000000000000", "/etc/passwd"):
        with pytest.raises(NotFound, match="you have nothing that is called"):
            ask("evidence_get", chunk_id=id)


def test_one_way_to_name_it_must_be_given(ask: Any) -> None:
    for arguments in ({}, {"citation": "K1", "chunk_id": "x"}, {"citation": "1"}):
        with pytest.raises(ValidationError):
            ask("evidence_get", **arguments)
