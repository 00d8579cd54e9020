"""Nodes have the shape that readers expect, and keep apart what an id was given and what was merged into it."""

from __future__ import annotations

from typing import Any

import pytest

from entities.jsonld.node import identifier_of, iri, node
from entities.jsonld.write import document
from entities.relations import bundled
from ingest.model.entity import Assertion, Entity, Identifier, Name, Registry

GATE = Entity("urn:kb:entity:gate", "product", (
    Name("云脉网关", "preferred", "zh"), Name("YunGate", "alternate", "en"), Name("云脉接入网关", "former", "zh", "旧.md", None,
                                                                            "2024-01-01T00:00:00Z"),
))
MAKER = Entity("urn:kb:entity:maker", "organization", (Name("云脉", "preferred", "zh"), Name("云脉科技有限公司", "legal", "zh")),
               (Identifier("uscc", "91440300MAYM7K2A69"), Identifier("url", "https://yunmai.example/")))
OTHER = Entity("urn:kb:entity:other", "organization", (Name("Yunmai Technology", "preferred", "en"),),
               (Identifier("lei", "2138009LARKFIELDQ793"),))
SAID = (
    Assertion(GATE.entity_id, "developer", MAKER.entity_id, None, "手册.md"),
    Assertion(GATE.entity_id, "softwareVersion", None, "1.8", "手册.md", "2024-01-01T00:00:00Z"),
    Assertion(GATE.entity_id, "softwareVersion", None, "2.0", "手册.md", "2025-07-01T00:00:00Z", confidence=0.9),
)
REGISTRY = Registry((GATE, MAKER, OTHER), SAID)


def made(describe: Any, id: str, redirects: dict[str, str] | None = None) -> dict[str, Any]:
    every, refer = describe(REGISTRY, redirects)
    return document(next(each for each in every if each.entity.entity_id == id), refer, bundled())


def test_software_has_name_version_and_its_developer_nested(describe: Any) -> None:
    gate = made(describe, GATE.entity_id)
    assert gate["@id"] == GATE.entity_id
    assert gate["@type"] == ["Product", "SoftwareApplication"]
    assert gate["name"] == "云脉网关"
    assert gate["developer"] == {"@id": MAKER.entity_id, "@type": "Organization", "name": "云脉"}
    assert {"@value": "YunGate", "@language": "en"} in gate["alternateName"]
    assert gate["source"] == ["手册.md", "旧.md"]
    assert gate["confidence"] == 0.9


def test_superseded_value_is_left_to_its_record(describe: Any) -> None:
    gate = made(describe, GATE.entity_id)
    assert gate["softwareVersion"] == "2.0"
    old, new = (each for each in gate["statement"] if each["predicate"] == "softwareVersion")
    assert (old["value"], old["supersededBy"]) == ("1.8", new["@id"])
    assert new["validFrom"] == "2025-07-01T00:00:00Z"


def test_identifiers_are_property_values_and_addresses_same_as(describe: Any) -> None:
    maker = made(describe, MAKER.entity_id)
    assert [(each["@type"], each["propertyID"], each["value"]) for each in maker["identifier"]] == [
        ("PropertyValue", "uscc", "91440300MAYM7K2A69"), ("PropertyValue", "url", "https://yunmai.example/"),
    ]
    assert maker["sameAs"] == ["https://yunmai.example/"]
    assert maker["legalName"] == [{"@value": "云脉科技有限公司", "@language": "zh"}]


def test_merged_entity_is_in_the_one_that_it_means_and_says_so_itself(describe: Any) -> None:
    maker = made(describe, MAKER.entity_id, {OTHER.entity_id: MAKER.entity_id})
    assert OTHER.entity_id in maker["sameAs"]
    assert {"@value": "Yunmai Technology", "@language": "en"} in maker["alternateName"]
    assert [each.get("holder") for each in maker["identifier"]] == [None, None, OTHER.entity_id]
    assert [each["value"] for each in maker["nameRecord"]] == [
        {"@value": "云脉", "@language": "zh"}, {"@value": "云脉科技有限公司", "@language": "zh"},
    ]
    (other,) = maker["redirectedFrom"]
    assert (other["redirectsTo"], other["@type"]) == (MAKER.entity_id, ["Organization", "Redirect"])


def test_reference_to_a_merged_entity_leads_to_the_one_that_it_means(describe: Any) -> None:
    gate = made(describe, GATE.entity_id, {MAKER.entity_id: OTHER.entity_id})
    assert gate["developer"]["@id"] == OTHER.entity_id
    assert next(each for each in gate["statement"] if each["predicate"] == "developer")["object"] == MAKER.entity_id


def test_what_a_caller_may_not_know_of_is_not_referred_to(describe: Any) -> None:
    every, _ = describe(REGISTRY)
    gate = node(next(each for each in every if each.entity == GATE), lambda id: None, bundled())
    assert "developer" not in gate


@pytest.mark.parametrize("id", ["yunmai", "云脉 网关", "urn:kb:id:x", "http://example.org/a b", "urn:kb:entity:ok"])
def test_any_id_survives_as_an_iri(id: str) -> None:
    assert identifier_of(iri(id)) == id
    assert ":" in iri(id) and " " not in iri(id)
