"""document_open: what is given, once; pages; neighbours; and nothing that is hidden or outside."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import NotFound, UsageError


def opened(answer: Any) -> Any:
    (found,) = answer["results"]
    return found


def test_a_document_is_read_page_by_page_without_a_gap_or_a_repetition(ask: Any) -> None:
    pages = []
    first = opened(ask("document_open", id="docs/en/procedure.md", page_tokens=600))
    pages.append(first)
    for page in range(2, first["pages"] + 1):
        pages.append(opened(ask("document_open", id="docs/en/procedure.md", page_tokens=600, page=page)))
    assert first["pages"] > 2
    text = "".join(part["text"] for page in pages for part in page["parts"])
    assert all(text.count(f"valve {step}-{valve} ") == 1 for step in range(1, 9) for valve in range(1, 25))
    assert [(page["before"], page["after"]) for page in pages] == [
        (number > 0, number < len(pages) - 1) for number in range(len(pages))
    ]


def test_what_the_session_has_is_marked_and_repeated_only_when_asked(ask: Any) -> None:
    once = opened(ask("document_open", id="docs/en/limits.md"))
    assert all(part["text"] and not part["given_before"] for part in once["parts"])
    twice = opened(ask("document_open", id="docs/en/limits.md"))
    assert all(part["text"] == "" and part["given_before"] for part in twice["parts"])
    assert [part["checksum"] for part in twice["parts"]] == [part["checksum"] for part in once["parts"]]
    again = opened(ask("document_open", id="docs/en/limits.md", again=True))
    assert [part["text"] for part in again["parts"]] == [part["text"] for part in once["parts"]]
    other = opened(ask.also()("document_open", id="docs/en/limits.md"))
    assert [part["text"] for part in other["parts"]] == [part["text"] for part in once["parts"]]


def test_neighbours_stand_around_what_was_asked_for(ask: Any) -> None:
    found = ask("keyword_search", query="valve 4-1", documents=["docs/en/procedure.md"], with_context=False)["results"][0]
    near = opened(ask("document_open", id=found["chunk_id"], before=1, after=2, again=True))
    assert [part["asked"] for part in near["parts"]] == [False, True, False, False]
    assert near["parts"][1]["id"] == found["chunk_id"]
    assert near["before"] and near["after"]


def test_a_section_is_all_of_it_and_a_parent_is_the_context(ask: Any) -> None:
    found = ask("keyword_search", query="ERR_1042 默认每秒 500", with_context=False)["results"][0]
    parent = opened(ask("document_open", id=found["chunk_id"], part="parent"))
    assert parent["part"] == "parent" and found["text"].split("\n")[-1] in parent["parts"][0]["text"]
    section = opened(ask("document_open", id=found["chunk_id"], part="section", again=True))
    assert section["part"] == "section" and section["parts"][0]["id"] == found["parent_id"]


def test_a_citation_of_this_session_opens_what_it_stands_for(ask: Any) -> None:
    pack = ask("knowledge_search", query="ERR_1042")
    part = next(part for part in opened(ask("document_open", id="K1", again=True))["parts"] if part["asked"])
    assert part["checksum"] == pack["results"][0]["checksum"] and part["text"] == pack["results"][0]["text"]
    with pytest.raises(NotFound, match="no citation K40"):
        ask("document_open", id="K40")
    with pytest.raises(NotFound, match="no pack P99"):
        ask("document_open", id="K1", pack="P99")
    with pytest.raises(NotFound, match="search again"):
        ask.also()("document_open", id="K1")


@pytest.mark.parametrize("id", [
    "docs/restricted/vault.md", "docs/restricted/nothing.md", "/etc/passwd", "docs/../../etc/passwd", "file:///etc/passwd",
    "docs/en/../restricted/vault.md", "../kb/catalog.db", "urn:kb:source:00000000000000000000000000000000", "urn:kb:entity:gate",
    "K", "%2e%2e/x", "docs/en/limits.md\x00", "docs\\en\\limits.md",
])
def test_what_is_hidden_and_what_does_not_exist_are_answered_alike(ask: Any, id: str) -> None:
    with pytest.raises(NotFound) as refused:
        ask("document_open", id=id)
    with pytest.raises(NotFound) as nothing:
        ask("document_open", id="docs/no/such.md")
    assert str(refused.value).replace(repr(id), "") == str(nothing.value).replace("'docs/no/such.md'", "")


def test_every_id_of_a_hidden_document_is_nothing(ask: Any, library: Any) -> None:
    assert opened(ask.also(roles=("sre",))("document_open", id="docs/restricted/vault.md"))["parts"]
    for chunk in library.chunks("restricted/vault.md"):
        for id in (chunk, library.parent_of(chunk)):
            for part in (None, "chunk", "parent", "section", "document"):
                with pytest.raises(NotFound):
                    ask("document_open", id=id, part=part)


def test_what_cannot_be_opened_so_says_what_can(ask: Any) -> None:
    with pytest.raises(UsageError, match="it has 1 pages"):
        ask("document_open", id="docs/en/limits.md", page=2)
    with pytest.raises(UsageError, match="leave `part` out"):
        ask("document_open", id="docs/en/limits.md", part="chunk")
