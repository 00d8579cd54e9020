"""Evidence packs: what an item carries, what is refused, what is said of versions, and how alike items may be."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import orjson
import pytest

from indexes.query.evidence import search
from indexes.query.plan.plan import Candidate, Clarification, Fired, Plan
from indexes.query.request import Request
from ingest.errors import Inconsistent
from ingest.model.access import Access, Principal
from ingest.model.evidence import Freshness
from ingest.model.predicate import Predicate
from ingest.protocols import Ranked
from ingest.settings import SearchPart

WHEN = "2026-01-01T00:00:00Z"


def ask(query: str, mode: Any = "bm25", **fields: Any) -> Request:
    return Request(query, mode, as_of=WHEN, **fields)


def test_an_item_carries_text_context_source_and_checksum(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    row = make_row(2, version="2.0", valid_from="2025-01-01T00:00:00Z")
    with make_snapshot([row, make_row(5)]) as snapshot:
        pack = search(snapshot, None, ask("ERR_1042", principal=Principal("alice")), SearchPart())
    item, = pack.evidence
    assert (item.citation, item.chunk_id, item.text) == ("K1", row.chunk_id, row.text)
    assert item.checksum == hashlib.sha256(item.text.encode()).hexdigest()
    assert item.context == f"context of {row.parent_id}"
    assert (item.uri, item.version, item.valid_from) == (f"docs/{row.source_id[-2:]}.md", "2.0", "2025-01-01T00:00:00Z")
    assert (item.scores.bm25, item.scores.vector) == (1.0, None)
    assert (pack.status, pack.as_of, pack.principal, pack.generation) == ("ok", WHEN, Principal("alice"), 1)


def test_scores_of_both_indexes_travel_with_an_item(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], embedder: Any
) -> None:
    rows = [make_row(number) for number in range(12)]
    with make_snapshot(rows) as snapshot:
        pack = search(snapshot, embedder, ask("storage gateway", "hybrid"), SearchPart())
    best = [item.scores.bm25 for item in pack.evidence if item.scores.bm25 is not None]
    assert max(best) == 1.0 and all(0 < score <= 1 for score in best)
    assert all(item.scores.vector is not None for item in pack.evidence)
    assert pack.trace["bm25_weight"] == 0.5 and 0 < pack.trace["bm25_match"] < 1


@pytest.mark.parametrize("query", ["zephyr", "", "?", "SALTMARSH"])
def test_nothing_found_is_said_so(make_snapshot: Callable[..., Any], make_row: Callable[..., Any], query: str) -> None:
    hidden = make_row(3, text="SALTMARSH", access=Access(level=2))
    with make_snapshot([make_row(1), hidden]) as snapshot:
        pack = search(snapshot, None, ask(query), SearchPart())
    assert (pack.status, pack.evidence, pack.conflicts) == ("insufficient_evidence", (), ())


# What does not fit what was published is never answered with


def changed(snapshot: Any, table: str, **values: Any) -> None:
    facts = snapshot.catalog.held[1][table]
    for place, fact in enumerate(facts):
        noun = orjson.loads(fact.payload)
        facts[place] = replace(fact, payload=orjson.dumps({**noun, **values}))


FORGED = hashlib.sha256(b"forged").hexdigest()


@pytest.mark.parametrize(("table", "values"), [
    ("chunks", {"text": "forged"}), ("chunks", {"text": "forged", "text_checksum": FORGED}), ("chunks", {"version": "9"}),
    ("chunks", {"access": {"tenant": None, "users": ["alice"], "roles": None, "level": 0}}), ("parents", {"text": "forged"}),
])
def test_a_changed_catalog_is_refused(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], table: str, values: dict[str, Any]
) -> None:
    with make_snapshot([make_row(2)]) as snapshot:
        changed(snapshot, table, **values)
        with pytest.raises(Inconsistent, match="verify"):
            search(snapshot, None, ask("ERR_1042"), SearchPart())


@pytest.mark.parametrize("table", ["chunks", "parents"])
def test_a_catalog_that_lacks_what_an_index_found_is_refused(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], table: str
) -> None:
    with make_snapshot([make_row(2)]) as snapshot:
        snapshot.catalog.held[1][table] = []
        with pytest.raises(Inconsistent, match="as published"):
            search(snapshot, None, ask("ERR_1042"), SearchPart())


class _Careless:
    """A BM25 index that forgets to filter."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def rank(self, query: str, predicate: Predicate, limit: int) -> Ranked:
        ranked: Ranked = self._reader.rank(query, Predicate(None, statuses=None), limit)
        return ranked

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)


def test_an_index_that_does_not_filter_is_refused(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    with make_snapshot([make_row(2, access=Access(level=2))]) as snapshot:
        snapshot._readers["bm25"] = _Careless(snapshot.bm25)
        with pytest.raises(Inconsistent, match="does not admit"):
            search(snapshot, None, ask("ERR_1042"), SearchPart())


# Versions


def conflicts(make_snapshot: Callable[..., Any], rows: list[Any], **fields: Any) -> list[tuple[str, tuple[str, ...]]]:
    with make_snapshot(rows) as snapshot:
        pack = search(snapshot, None, ask("gateway 429", **fields), SearchPart())
    assert all(conflict.citations for conflict in pack.conflicts)
    return [(conflict.kind, conflict.sources) for conflict in pack.conflicts]


def test_two_versions_of_a_family_are_a_conflict(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    old, new = make_row(0, family="handbook", version="1.0"), make_row(12, family="handbook", version="2.0")
    assert conflicts(make_snapshot, [old, new]) == [("versions", ("docs/00.md", "docs/03.md"))]
    assert conflicts(make_snapshot, [old, make_row(12, family="handbook")]) == [("versions", ("docs/00.md", "docs/03.md"))]


def test_versions_that_follow_one_another_are_no_conflict_during_both(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    new_year, during = "2025-01-01T00:00:00Z", ("2024-06-01T00:00:00Z", "2025-06-01T00:00:00Z")
    old = make_row(0, family="handbook", version="1.0", valid_until=new_year)
    new = make_row(12, family="handbook", version="2.0", valid_from=new_year)
    assert conflicts(make_snapshot, [old, new], during=during) == []
    both = make_row(12, family="handbook", version="2.0", valid_from="2024-12-01T00:00:00Z")
    assert conflicts(make_snapshot, [old, both], during=during) == [("versions", ("docs/00.md", "docs/03.md"))]


def test_one_version_in_two_languages_and_two_families_are_none(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    row = make_row(0, family="handbook", version="1.0")
    for other in ({"family": "handbook", "version": "1.0"}, {"family": "guide", "version": "2.0"}, {"version": "2.0"}):
        assert conflicts(make_snapshot, [row, make_row(12, **other)]) == []


def test_a_version_that_the_caller_may_not_see_is_no_conflict_to_him(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any]
) -> None:
    rows = [make_row(0, family="handbook", version="1.0"), make_row(12, family="handbook", version="2.0", access=Access(level=1))]
    assert conflicts(make_snapshot, rows) == []
    assert len(conflicts(make_snapshot, rows, principal=Principal(level=1))) == 1


# Diversity


def test_one_parent_does_not_fill_an_answer(make_snapshot: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    one = {"source_id": "urn:kb:source:one", "parent_id": "urn:kb:parent:one"}
    alike = [make_row(number, text=f"gateway gateway {number}", **one) for number in range(6)]
    others = [make_row(number, text=f"gateway and other things {number}") for number in (6, 8, 10)]
    with make_snapshot([*alike, *others]) as snapshot:
        parents = [
            [item.parent_id for item in search(snapshot, None, ask("gateway", top_k=most), SearchPart()).evidence]
            for most in (3, 5, 9)
        ]
    for found in parents:
        assert found[:2] == ["urn:kb:parent:one"] * 2
        assert "urn:kb:parent:one" not in found[2:5]
    assert parents[2][5:] == ["urn:kb:parent:one"] * 4, "what is left is filled with the rest"


# What was not settled, and when it was made


def test_what_a_pronoun_means_is_asked_and_nothing_is_answered(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = Clarification("pronoun", "它", "「它」指的是什么？")
    monkeypatch.setattr("indexes.query.evidence.planned", lambda *_: Plan("gateway", "gateway", clarification=asked))
    with make_snapshot([make_row(0)]) as snapshot:
        pack = search(snapshot, None, ask("它 gateway"), SearchPart())
    assert (pack.status, pack.evidence) == ("insufficient_evidence", ())
    assert pack.clarification == {"reason": "pronoun", "text": "它", "question": "「它」指的是什么？", "candidates": []}


def test_an_ambiguous_name_is_asked_and_answered(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = Candidate("urn:kb:entity:one", "Gateway One", "product", "made by Yunmai")
    asked = Clarification("ambiguous_name", "gateway", "Which gateway?", (one,))
    monkeypatch.setattr("indexes.query.evidence.planned", lambda *_: Plan("gateway", "gateway", clarification=asked))
    with make_snapshot([make_row(0)]) as snapshot:
        pack = search(snapshot, None, ask("gateway"), SearchPart())
    assert pack.evidence and pack.clarification is not None
    assert pack.clarification["candidates"] == [
        {"entity_id": "urn:kb:entity:one", "name": "Gateway One", "type": "product", "told": "made by Yunmai"}
    ]


def test_a_pack_tells_when_it_was_made_and_what_the_plan_said(
    make_snapshot: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "indexes.query.evidence.planned", lambda *_: Plan("gateway", "gateway", "en", fired=(Fired("language", "gateway"),))
    )
    with make_snapshot([make_row(0)]) as snapshot:
        pack = search(snapshot, None, ask("gateway"), SearchPart())
        plain = search(snapshot, None, ask("gateway", planned=False), SearchPart())
    assert pack.freshness == Freshness("2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z")
    assert pack.trace["plan"] == {
        "keywords": "gateway", "meaning": "gateway", "language": "en", "fired": [{"rule": "language", "text": "gateway"}]
    }
    assert plain.trace["plan"] == {"keywords": "gateway", "meaning": "gateway"}
