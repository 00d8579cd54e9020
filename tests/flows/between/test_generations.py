"""What lies between two generations is told document by document, and nothing else is looked at."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.between.generations import Difference, Tally, between, counted
from flows.between.nouns import DocumentChange
from flows.history import drop, go_back, let_go
from ingest.errors import KnowledgeBaseMissing, NotFound


def documents(difference: Difference) -> dict[str, DocumentChange]:
    return {change.uri.removeprefix("docs/"): change for change in difference.documents()}


@pytest.fixture(scope="module")
def found(changed: Any) -> dict[str, DocumentChange]:
    with between(changed.settings, None, None) as difference:
        return documents(difference)


def test_every_document_is_told_by_what_happened_to_it(found: dict[str, DocumentChange]) -> None:
    assert {name: change.what for name, change in found.items()} == {
        "limits.md": "changed", "gone.md": "removed", "新/moved.md": "renamed", "access.md": "changed", "until.md": "changed",
        "names.md": "rewritten", "v1.md": "rewritten", "v2.md": "added", "new.md": "added", "breaks.md": "changed",
    }
    assert list(found) == sorted(found), "by uri"


def test_an_edit_is_told_by_heading_with_the_words_that_differ(found: dict[str, DocumentChange]) -> None:
    change = found["limits.md"]
    assert set(change.fields) == {"content"}
    told = [(chunk.what, chunk.heading_path[-1], chunk.excerpt) for chunk in change.chunks if chunk.what != "rewritten"]
    assert [(what, heading) for what, heading, _ in told] == [
        ("removed", "安装"), ("added", "安装"), ("removed", "Limits"), ("added", "Limits")
    ]
    assert "两路电源" in told[0][2] and "三路电源" in told[1][2] and "20000" in told[2][2] and "30000" in told[3][2]


def test_the_words_that_differ_are_shown_wherever_in_a_long_text_they_are(base: Any) -> None:
    words = " ".join(f"word{number}" for number in range(120))
    base.write("long.md", f"# Long\n\n{words} amber at the end.\n")
    base.run()
    base.write("long.md", f"# Long\n\n{words} bronze at the end.\n")
    base.run()
    with between(base.settings, None, None) as difference:
        excerpts = [chunk.excerpt for chunk in documents(difference)["long.md"].chunks]
    assert ["amber" in excerpts[0], "bronze" in excerpts[1]] == [True, True]
    assert all(excerpt.startswith("…") and len(excerpt) <= 121 for excerpt in excerpts)


def test_a_renamed_document_has_its_old_name_and_no_chunk_is_told_as_new(found: dict[str, DocumentChange]) -> None:
    change = found["新/moved.md"]
    assert (change.was_uri, change.chunks, change.moved) == ("docs/旧/move.md", (), 2)
    assert change.was_id != change.id


def test_what_a_document_declares_is_told_with_both_values(found: dict[str, DocumentChange]) -> None:
    assert found["access.md"].fields["declared.access.roles"] == (None, ["sre"])
    assert found["until.md"].fields["declared.valid_until"] == (None, "2026-12-31T00:00:00Z")
    assert found["until.md"].fields["window.until"] == (None, "2027-01-01T00:00:00Z")
    (chunk,) = found["until.md"].chunks
    assert chunk.what == "rewritten" and "valid_until" in chunk.fields


def test_a_window_that_another_version_closed_is_no_change_of_the_document(found: dict[str, DocumentChange]) -> None:
    assert found["v1.md"].fields == {"window.until": (None, "2025-01-01T00:00:00Z")}
    assert [chunk.fields for chunk in found["v1.md"].chunks] == [("valid_until",)]


def test_rows_that_name_others_since_the_registry_changed_are_rewritten(found: dict[str, DocumentChange]) -> None:
    assert found["names.md"].fields == {}
    assert [chunk.fields for chunk in found["names.md"].chunks] == [("entity_ids",)]


def test_a_document_that_does_not_parse_any_more_says_so(found: dict[str, DocumentChange]) -> None:
    fields = found["breaks.md"].fields
    assert fields["state"] == ("served", "quarantined") and fields["failure"][0] is None


def test_entities_and_assertions_are_told_by_what_they_say(changed: Any) -> None:
    with between(changed.settings, None, None) as difference:
        entities = {change.id: change for change in difference.entities()}
        assertions = [(change.what, change.subject.rpartition(":")[2], change.relation) for change in difference.assertions()]
        fields = [change.fields for change in difference.assertions() if change.what == "changed"]
    minted = next(id for id in entities if not id.startswith(("urn:kb:entity:gate", "urn:kb:entity:old", "urn:kb:entity:new")))
    assert {id.rpartition(":")[2]: change.what for id, change in entities.items() if id != minted} == {
        "gate": "changed", "old": "removed", "new": "added"
    }
    assert (entities[minted].what, entities[minted].label) == ("added", "91320594MAQH5N1C4N")
    names = [[name["text"] for name in side] for side in entities["urn:kb:entity:gate"].fields["names"]]
    assert names == [["云脉网关", "YunGate"], ["云脉网关", "YunGateway"]]
    assert assertions == [("changed", "gate", "uses"), ("added", "new", "uses"), ("removed", "old", "replaced_by")]
    assert fields == [{"valid_from": (None, "2025-06-01T00:00:00Z")}]


def test_an_entity_that_another_document_still_mints_is_not_gone(base: Any) -> None:
    code = "统一社会信用代码 91320594MAQH5N1C4N。\n"
    base.write("one.md", f"# One\n\n{code}")
    base.write("two.md", f"# Two\n\n{code}")
    base.run()
    base.delete("two.md")
    base.run()
    with between(base.settings, None, None) as difference:
        assert list(difference.entities()) == []
        assert [change.what for change in difference.documents()] == ["removed"]


def test_the_other_way_round_is_the_other_way_round(changed: Any, found: dict[str, DocumentChange]) -> None:
    with between(changed.settings, 2, 1) as difference:
        back = documents(difference)
        counts = counted(difference)
    there = {"added": "removed", "removed": "added"}
    assert {name: there.get(change.what, change.what) for name, change in back.items() if change.what != "renamed"} == {
        name: change.what for name, change in found.items() if change.what != "renamed"
    }
    assert back["旧/move.md"].was_uri == "docs/新/moved.md"
    for name, change in found.items():
        if change.what != "renamed":
            assert back[name].fields == {field: (after, before) for field, (before, after) in change.fields.items()}
    with between(changed.settings, 1, 2) as difference:
        forth = counted(difference)
    assert (counts["chunks"]["added"], counts["chunks"]["removed"]) == (forth["chunks"]["removed"], forth["chunks"]["added"])


def test_counts_add_up_to_what_there_is(changed: Any) -> None:
    with between(changed.settings, None, None) as difference:
        counts = counted(difference)
        total = {table: int(difference.after.manifest.catalog[table].partition(":")[0]) for table in ("sources", "chunks")}
    assert counts["documents"] == {"added": 2, "removed": 1, "changed": 4, "renamed": 1, "rewritten": 2, "same": 1}
    for what, table in (("documents", "sources"), ("chunks", "chunks")):
        assert sum(count for name, count in counts[what].items() if name != "removed") == total[table]


def test_settings_and_seeds_that_differ_are_told_by_name(base: Any) -> None:
    base.write("one.md")
    base.run()
    base.set("chunk", child_max=120)
    base.seed("entities:\n  - {id: 'urn:kb:entity:a', type: product, names: [{text: Aa, kind: preferred}]}\n")
    base.run()
    with between(base.settings, None, None) as difference:
        shape = difference.shape()
    assert shape.settings == {"chunk": {"child_max": (300, 120)}}
    assert shape.registry and set(shape.fingerprints) == {"recognise"} and not shape.engines
    with between(base.settings, 2, 2) as difference:
        assert not difference.shape()


def test_nothing_lies_between_a_generation_and_itself_or_one_gone_back_to(new_base: Callable[..., Any]) -> None:
    base = new_base("back", generations={"keep": 9})
    base.write("one.md", "# One\n\nAMBER\n")
    base.run()
    base.write("one.md", "# One\n\nBRONZE\n")
    base.write("two.md", "# Two\n\nCOPPER\n")
    base.run()
    go_back(base.settings, 1)
    for before, after in ((1, 1), (3, 1), (1, 3)):
        with between(base.settings, before, after) as difference:
            assert counted(difference)["documents"] == {
                "added": 0, "removed": 0, "changed": 0, "renamed": 0, "rewritten": 0, "same": 1
            }
    with between(base.settings, 2, 3) as difference:
        assert {name: change.what for name, change in documents(difference).items()} == {"one.md": "changed", "two.md": "removed"}
    let_go(base.settings)
    base.run()
    with between(base.settings, 2, 4) as difference:
        assert list(difference.documents()) == []


def test_the_generation_before_is_the_one_that_is_kept(new_base: Callable[..., Any]) -> None:
    base = new_base("kept", generations={"keep": 9})
    for number in range(4):
        base.write("one.md", f"# One\n\nNumber {number}.\n")
        base.run()
    from flows.opening import reading

    with reading(base.settings, 1):
        drop(base.settings, 1)
    assert base.generations() == [4, 1]
    with between(base.settings, None, None) as difference:
        assert (difference.before.generation, difference.after.generation) == (1, 4)
        (change,) = difference.documents()
    assert {chunk.what for chunk in change.chunks} == {"added", "removed"}


def test_generations_that_are_not_there_are_told(base: Any) -> None:
    def compare(*generations: int | None) -> None:
        with between(base.settings, *generations):
            pass

    with pytest.raises(KnowledgeBaseMissing):
        compare(None, None)
    base.write("one.md")
    base.run()
    with pytest.raises(NotFound, match="no generation before 1 is kept"):
        compare(None, None)
    for generations in ((1, 9), (9, 1), (-1, 1)):
        with pytest.raises(NotFound, match="snapshots list"):
            compare(*generations)


def test_both_generations_are_kept_while_they_are_compared(base: Any) -> None:
    for number in range(3):
        base.write("one.md", f"# One\n\nNumber {number}.\n")
        base.run()
    with between(base.settings, 1, 2) as difference:
        assert drop(base.settings, 1) == []
        assert len(list(difference.documents())) == 1
    assert drop(base.settings, 1) == [2, 1]


def test_only_what_changed_is_read(changed: Any, base: Any) -> None:
    """Counted in payloads that SQLite hands over: of 60 documents, only the one that changed."""
    for number in range(60):
        base.write(f"{number:02}.md", f"# Document {number}\n\nIts text.\n")
    base.run()
    base.write("07.md", "# Document 7\n\nAnother text.\n")
    base.run()
    with between(base.settings, None, None) as difference:
        read = []
        stream = difference.catalog._stream
        difference.catalog._stream = lambda query: (read.append(fact.id) or fact for fact in stream(query))  # type: ignore[method-assign]
        tally = Tally(difference)
        assert [tally.document(change).uri for change in difference.documents()] == ["docs/07.md"]
        assert list(difference.entities()) == list(difference.assertions()) == []
    assert len(read) == 4, "two records, two chunks"
