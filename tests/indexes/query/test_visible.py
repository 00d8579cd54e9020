"""What `show` tells: nothing that rests on what the caller may not see."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from indexes.query.visible import Visible
from ingest.errors import NotFound
from ingest.model.access import Access, Principal
from ingest.model.entity import Assertion, Entity, Identifier, Mention, Name, minted_id
from ingest.model.predicate import Predicate
from ingest.model.source import source_id

NOBODY, CLEARED = (Predicate(Principal(level=level), statuses=None) for level in (0, 2))
CODE = "91320594MAQH5N1C4N"
HELIX, PARTNER, MINTED = "urn:kb:entity:helix", "urn:kb:entity:partner", minted_id("organization", "uscc", CODE)
OPEN, SECRET = source_id("docs", "open.md"), source_id("docs", "secret.md")


@pytest.fixture(scope="module")
def things(make_snapshot: Callable[..., Any], make_row: Callable[..., Any], make_fact: Callable[..., Any]) -> Any:
    """An open document that mentions Helix as `Helix Storage` and by its tax number; a secret one with all the rest."""
    shown = make_row(1, text=f"Helix Storage, no. {CODE[:9]}-{CODE[9:]}.", source_id=OPEN, entity_ids=(HELIX,))
    shared = make_row(2, text="An appendix.", source_id=OPEN, entity_ids=())
    hidden = make_row(
        3, text=f"Project Saltmarsh is Helix Storage, helix.example; {CODE} is Norrvik.", source_id=SECRET,
        entity_ids=(HELIX, PARTNER, MINTED), access=Access(level=2),
    )
    entities = [
        Entity(HELIX, "organization", (
            Name("Helix Storage", "preferred"), Name("Project Saltmarsh"), Name("Never Written"),
            Name("Hx", source="open.md"), Name("Zx", source="docs/secret.md"), Name("Qx", source="gone.md"),
        ), (Identifier("domain", "helix.example"), Identifier("uscc", CODE))),
        Entity(PARTNER, "organization", (Name("Norrvik"),)),
        Entity(MINTED, "organization", (Name(CODE, "preferred"),), (Identifier("uscc", CODE),)),
    ]
    assertions = [
        Assertion(HELIX, "located", None, "Leeds", ""), Assertion(HELIX, "rated", None, "A", "open.md"),
        Assertion(HELIX, "owes", None, "9", "docs/secret.md"), Assertion(HELIX, "lost", None, "8", "gone.md"),
        Assertion(HELIX, "buys", PARTNER, None, "open.md"), Assertion(PARTNER, "sells", HELIX, None, ""),
    ]
    mention = Mention(shown.chunk_id, 15, 35, f"{CODE[:9]}-{CODE[9:]}", HELIX, f"identifier:uscc:{CODE}")
    snapshot = make_snapshot(
        [shown, shared, hidden],
        entities=[make_fact(entity, entity.entity_id, "") for entity in entities],
        assertions=[make_fact(assertion, assertion.assertion_id, "") for assertion in assertions],
        mentions=[make_fact({"mentions": [mention]}, shown.chunk_id, OPEN)],
    )
    yield {"snapshot": snapshot, "shown": shown, "hidden": hidden, "shared": shared,
           "assertions": {each.relation: each.assertion_id for each in assertions}}
    snapshot.close()


def show(things: Any, id: str, predicate: Predicate = NOBODY) -> dict[str, Any]:
    return Visible(things["snapshot"], predicate).show(id)


def test_documents_parents_and_chunks_show_through_their_rows(things: Any) -> None:
    shown, shared = things["shown"], things["shared"]
    assert show(things, shown.chunk_id)["kind"] == "chunk"
    assert show(things, shown.parent_id)["children"] == [shown.chunk_id]
    document = show(things, OPEN)
    assert document["children"] == [shown.chunk_id, shared.chunk_id]
    assert [parent["parent_id"] for parent in document["parents"]] == [shown.parent_id, shared.parent_id]
    assert show(things, "docs/open.md") == document


def test_a_parent_of_rows_that_do_not_show_is_no_part_of_a_document(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    rows = [make_row(1, source_id=OPEN), make_row(2, source_id=OPEN, access=Access(level=2))]
    with make_snapshot(rows) as snapshot:
        document = Visible(snapshot, NOBODY).show(OPEN)
    assert [parent["parent_id"] for parent in document["parents"]] == [rows[0].parent_id]
    assert document["children"] == [rows[0].chunk_id]


def test_hidden_and_absent_are_told_alike(things: Any) -> None:
    hidden = things["hidden"]
    absent = ["urn:kb:chunk:none", "urn:kb:parent:none", "urn:kb:source:none", "docs/none.md", "urn:kb:entity:none", "", "/"]
    closed = [hidden.chunk_id, hidden.parent_id, SECRET, "docs/secret.md", PARTNER, MINTED, things["assertions"]["owes"]]
    for id in closed:
        assert show(things, id, CLEARED)
    said = set()
    for id in (*absent, *closed):
        with pytest.raises(NotFound) as error:
            show(things, id)
        said.add(str(error.value).replace(f" {id} ", " X ", 1))
    assert len(said) == 1


def test_names_and_identifiers_show_where_they_are_read(things: Any) -> None:
    open_view, full_view = show(things, HELIX), show(things, HELIX, CLEARED)
    assert [name["text"] for name in open_view["names"]] == ["Helix Storage", "Hx"]
    assert [item["scheme"] for item in open_view["identifiers"]] == ["uscc"]
    assert [name["text"] for name in full_view["names"]] == ["Helix Storage", "Project Saltmarsh", "Hx", "Zx"]
    assert [item["scheme"] for item in full_view["identifiers"]] == ["domain", "uscc"]


def test_mentions_are_counted_where_they_show(things: Any) -> None:
    assert show(things, HELIX)["mentioned_in"] == [things["shown"].chunk_id]
    both = {things["shown"].chunk_id, things["hidden"].chunk_id}
    assert set(show(things, HELIX, CLEARED)["mentioned_in"]) == both
    assert [each["text"] for each in show(things, things["shown"].chunk_id)["mentions"]] == [f"{CODE[:9]}-{CODE[9:]}"]


def test_assertions_show_through_their_evidence_and_both_ends(things: Any) -> None:
    def relations(predicate: Predicate) -> set[str]:
        found = set()
        for relation, id in things["assertions"].items():
            try:
                found.add(relation if show(things, id, predicate)["kind"] == "assertion" else "")
            except NotFound:
                pass
        return found

    assert relations(NOBODY) == {"located", "rated"}
    assert relations(CLEARED) == {"located", "rated", "owes", "buys", "sells"}


def test_no_view_of_what_is_open_holds_a_word_of_what_is_not(things: Any) -> None:
    ids = [things["shown"].chunk_id, things["shown"].parent_id, OPEN, HELIX, *things["assertions"].values()]
    told = []
    for id in ids:
        try:
            told.append(json.dumps(show(things, id), ensure_ascii=False))
        except NotFound:
            pass
    for word in ("Saltmarsh", "Norrvik", "helix.example", "Zx", "secret", PARTNER, MINTED, things["hidden"].chunk_id):
        assert not [text for text in told if word in text]


def test_nothing_at_all_shows_where_no_row_does(things: Any) -> None:
    nowhere = Predicate(None, statuses=None, sources=())
    for id in (things["shown"].chunk_id, things["shown"].parent_id, OPEN, HELIX, *things["assertions"].values()):
        with pytest.raises(NotFound):
            show(things, id, nowhere)


def test_a_merge_is_followed_when_read_and_shows_no_more_than_its_parts(things: Any) -> None:
    snapshot = things["snapshot"]
    apart = snapshot.manifest
    try:
        snapshot.manifest = replace(apart, redirects={HELIX: PARTNER})
        told = show(things, PARTNER)
        assert told["entity_id"] == PARTNER and told["merged"] == [HELIX] and show(things, HELIX) == told
        assert "Norrvik" not in {name["text"] for name in told["names"]}, "its other name is in a secret document"
        assert told["mentioned_in"] == [things["shown"].chunk_id]
        assert "Norrvik" in {name["text"] for name in show(things, HELIX, CLEARED)["names"]}
        assert {each["entity_id"] for each in show(things, things["shown"].chunk_id)["mentions"]} == {PARTNER}
        snapshot.manifest = replace(apart, redirects={PARTNER: HELIX})
        assert "merged" not in show(things, HELIX)
        with pytest.raises(NotFound):
            show(things, PARTNER)  # it would tell what only the secret document knows
    finally:
        snapshot.manifest = apart
    assert show(things, HELIX)["entity_id"] == HELIX
