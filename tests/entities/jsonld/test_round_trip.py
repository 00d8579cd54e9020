"""What was exported is imported as it was: exactly for our own documents, by what the vocabulary knows for others."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from entities.jsonld.rdf import nquads
from entities.jsonld.read import entries
from entities.jsonld.write import document, graph, nodes
from entities.relations import bundled
from entities.seeds.entry import SeedEntry, SeedProblem
from entities.seeds.validating import Imported, joined, validated
from ingest.model.entity import ENTITY_TYPES, Assertion, Entity, Identifier, Name, Registry


def exported(describe: Any, registry: Registry, redirects: dict[str, str] | None = None) -> bytes:
    every, refer = describe(registry, redirects)
    return b"".join(graph(nodes(every, refer, bundled(), registry.exclusive), bundled()))


def imported(data: Any, known: Registry | None = None) -> Imported:
    said = json.loads(data) if isinstance(data, bytes | str) else data
    return validated(entries(said, "x.jsonld", bundled()), known or Registry(), bundled())


def test_fixture_registry_comes_back_as_it_was(describe: Any, fixtures_registry: Registry) -> None:
    found = imported(exported(describe, fixtures_registry))
    assert found.problems == ()
    assert joined(Registry(), found) == fixtures_registry


def test_document_of_one_entity_adds_nothing_to_the_registry_that_it_came_of(describe: Any, fixtures_registry: Registry) -> None:
    every, refer = describe(fixtures_registry)
    for each in every:
        found = imported(document(each, refer, bundled()), fixtures_registry)
        assert (found.problems, found.entities, found.assertions) == ((), (), ())


def test_merged_ids_come_back_as_redirects(describe: Any, fixtures_registry: Registry) -> None:
    one, other = "urn:kb:entity:norrvik", "urn:kb:entity:larkfield"
    found = imported(exported(describe, fixtures_registry, {one: other}))
    assert found.redirects == {one: other}
    assert joined(Registry(), found) == fixtures_registry


TEXT = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1, max_size=12).map(str.strip).filter(bool)
LANGUAGE = st.sampled_from([None, "zh", "en", "zh-Hant", "not a tag"])
INSTANT = st.sampled_from([None, "2024-01-01T00:00:00Z", "2025-07-01T08:00:00Z"])
NAME = st.builds(Name, TEXT, st.sampled_from(["preferred", "legal", "alternate", "former", "abbreviation"]), LANGUAGE,
                 st.sampled_from([None, "手册.md"]), INSTANT, st.none())
IDENTIFIER = st.builds(Identifier, st.sampled_from(["domain", "url", "名"]), TEXT)


@st.composite
def registries(draw: st.DrawFn) -> Registry:
    ids = draw(st.lists(st.sampled_from(["urn:kb:entity:a", "urn:kb:entity:b", "云脉", "plain"]), min_size=1, unique=True))
    entities = [
        Entity(id, draw(st.sampled_from(ENTITY_TYPES)), tuple(draw(st.lists(NAME, min_size=1, max_size=4))),
               tuple(sorted(draw(st.sets(IDENTIFIER, max_size=2)), key=lambda item: (item.scheme, item.value))),
               draw(st.sampled_from(["active", "retired"])))
        for id in sorted(ids)
    ]
    assertion = st.builds(
        Assertion, st.sampled_from(ids), st.just("description"), st.none(), TEXT, st.sampled_from(["", "手册.md"]), INSTANT,
        st.none(), st.sampled_from([0.25, 1.0]),
    )
    made = {one.assertion_id: one for one in draw(st.lists(assertion, max_size=3))}
    return Registry(tuple(entities), tuple(made[id] for id in sorted(made)), tuple(draw(st.sampled_from([(), ("worksFor",)]))))


@settings(deadline=None, max_examples=60)
@given(registry=registries())
def test_any_registry_comes_back_as_it_was(describe: Any, registry: Registry) -> None:
    found = imported(exported(describe, registry))
    assert [problem.message for problem in found.problems] == []
    assert joined(Registry(), found) == registry


@settings(deadline=None, max_examples=25)
@given(registry=registries())
def test_n_quads_have_no_blank_node_and_no_line_twice(describe: Any, registry: Registry) -> None:
    every, refer = describe(registry)
    lines = b"".join(nquads(nodes(every, refer, bundled()), bundled())).splitlines()
    assert b"_:" not in b" ".join(line.partition(b'"')[0] for line in lines)
    per_node = [b"".join(nquads([each], bundled())).splitlines() for each in nodes(every, refer, bundled())]
    assert all(len(set(part)) == len(part) for part in per_node)


FOREIGN = {
    "@context": "https://schema.org",
    "@type": "SoftwareApplication", "@id": "https://example.org/yunkey", "name": "云脉密钥", "alternateName": ["YunKey", "密钥"],
    "softwareVersion": "4.2", "sameAs": "https://other.example/yunkey",
    "developer": {
        "@type": "Corporation", "name": "云脉",
        "identifier": {"@type": "PropertyValue", "propertyID": "uscc", "value": "91440300MAYM7K2A69"},
    },
}


def test_foreign_document_is_read_by_what_the_vocabulary_knows() -> None:
    found = imported(FOREIGN)
    assert found.problems == ()
    key, maker = sorted(found.entities, key=lambda entity: entity.type, reverse=True)
    assert (key.type, key.label, [name.text for name in key.names]) == ("product", "云脉密钥", ["云脉密钥", "YunKey", "密钥"])
    assert key.identifiers == (Identifier("url", "https://other.example/yunkey"),)
    assert maker.type == "organization" and maker.entity_id.startswith("urn:kb:entity:")
    assert {(each.relation, each.object or each.value) for each in found.assertions} == {
        ("softwareVersion", "4.2"), ("developer", maker.entity_id),
    }


def test_nothing_is_fetched_for_a_context(monkeypatch: Any) -> None:
    import socket

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("something was opened")

    monkeypatch.setattr(socket, "socket", refuse)
    found = list(entries({"@context": "https://evil.example/context.jsonld", "name": "x"}, "x.jsonld", bundled()))
    (problem,) = found
    assert isinstance(problem, SeedProblem)
    assert "contexts are not fetched: https://evil.example/context.jsonld" in problem.message
    assert "https://schema.org" in problem.remedy


def test_what_is_no_json_ld_is_a_problem_with_its_place() -> None:
    odd: list[Any] = [{"@id": 3}, {"@type": []}, {"@context": {"@version": 9}}, {"@graph": [{"@value": {}}]}, 7, "text", None]
    for said in odd:
        found = list(entries(said, "x.jsonld", bundled()))
        assert not [each for each in found if isinstance(each, SeedEntry)], said
        assert all(each.place.startswith("x.jsonld") for each in found)


def test_deep_nesting_ends() -> None:
    said: dict[str, Any] = {"@context": "https://schema.org", "@type": "Organization", "name": "x"}
    for _ in range(40):
        said = {"@context": "https://schema.org", "@type": "Organization", "name": "x", "parentOrganization": said}
    found = list(entries(said, "x.jsonld", bundled()))
    assert any(isinstance(each, SeedProblem) and "nested too deep" in each.message for each in found)


def test_shipped_files_are_in_the_package() -> None:
    root = Path(__file__).parents[3] / "entities"
    assert (root / "jsonld" / "shapes.ttl").exists() and (root / "relations.toml").exists()
