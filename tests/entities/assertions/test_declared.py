"""Documents assert what their metadata say, of entities that are there, and are the evidence of it."""

from __future__ import annotations

from typing import Any

import pytest

from entities.assertions.columns import rows
from entities.assertions.declared import Declarations
from entities.relations import bundled
from ingest.model.entity import Entity, Identifier, Name, Registry

GATE, MAKER, TWIN = "urn:kb:entity:gate", "urn:kb:entity:maker", "urn:kb:entity:twin"
REGISTRY = Registry((
    Entity(GATE, "product", (Name("云脉网关", "preferred"),)),
    Entity(MAKER, "organization", (Name("云脉科技", "preferred"), Name("双名")), (Identifier("uscc", "91440300MAYM7K2A69"),)),
    Entity(TWIN, "organization", (Name("Twin", "preferred"), Name("双名"))),
))
URI = "docs/手册.md"


def said(extra: dict[str, Any], *texts: str) -> tuple[set[tuple[str, str, str]], list[str]]:
    made, problems = Declarations(REGISTRY, bundled()).of(extra, URI, texts)
    assert all(each.evidence == URI for each in made)
    return {(each.subject, each.relation, each.object or each.value or "") for each in made}, [each.message for each in problems]


def test_front_matter_asserts_of_whom_the_document_is_about() -> None:
    made, problems = said({"about": GATE, "assertions": [
        {"relation": "版本号", "value": "2.0", "valid_from": "2025-07-01"},
        {"subject": GATE, "relation": "developer", "object": MAKER},
    ]})
    assert made == {(GATE, "softwareVersion", "2.0"), (GATE, "developer", MAKER)}
    assert problems == []


def test_embedded_json_ld_asserts_of_entities_that_are_there() -> None:
    code = {"@type": "PropertyValue", "propertyID": "uscc", "value": "91440300MAYM7K2A69"}
    page = {
        "@context": "https://schema.org", "@type": "Product", "@id": GATE, "name": "x", "softwareVersion": "2.0",
        "developer": {"@type": "Organization", "identifier": code},
    }
    made, problems = said({"jsonld": [page, {"@type": "BreadcrumbList"}]})
    assert made == {(GATE, "softwareVersion", "2.0"), (GATE, "developer", MAKER)}
    assert problems == []


def test_mapped_columns_assert_where_a_cell_is_the_name_of_exactly_one() -> None:
    table = "产品 | 版本 | 厂商\n云脉网关 | 2.0 | 云脉科技\n云脉网关 | 2.0 | 双名\n无名 | 3.0 | 云脉科技"
    columns = {"subject": "产品", "relations": {"版本": "softwareVersion", "厂商": "manufacturer"}}
    made, problems = said({"columns": columns}, table)
    assert made == {(GATE, "softwareVersion", "2.0"), (GATE, "manufacturer", MAKER)}
    assert len(problems) == 3  # a name of two, and what nobody knows


@pytest.mark.parametrize(("extra", "message"), [
    ({"assertions": [{"subject": "urn:nobody", "relation": "uses", "object": GATE}]}, "no entity of the registry"),
    ({"about": GATE, "assertions": [{"relation": "哪有", "value": "x"}]}, "no relation of the vocabulary"),
    ({"about": GATE, "assertions": [{"relation": "developer", "object": GATE}]}, "is organization or person"),
    ({"about": GATE, "assertions": [{"relation": "softwareVersion", "object": MAKER}]}, "leads to a value"),
    ({"about": GATE, "assertions": ["x"]}, "is no assertion"),
    ({"columns": {"subject": "x"}}, "names no relations"),
    ({"columns": 3}, "names no relations"),
])
def test_what_does_not_fit_is_left_out_and_told(extra: dict[str, Any], message: str) -> None:
    made, problems = said(extra, "x | y\n1 | 2")
    assert made == set()
    assert any(message in each for each in problems), problems


def test_odd_metadata_asserts_nothing() -> None:
    for extra in ({"assertions": 3}, {"assertions": None}, {"jsonld": [None, 3, "x", {"@graph": 3}]}, {"about": ["x"]}):
        assert said(extra)[0] == set()


def test_rows_of_pieces_of_a_table_and_of_labelled_lines() -> None:
    assert list(rows("表\n\n甲 | 乙\n1 | 2\n3 | 4\n\nx | y\n5 | 6")) == [
        {"甲": "1", "乙": "2"}, {"甲": "3", "乙": "4"}, {"x": "5", "y": "6"},
    ]
    assert list(rows("产品: 云脉网关\n版本： 2.0\n\n产品: 云脉总线\n版本: 3.2")) == [
        {"产品": "云脉网关", "版本": "2.0"}, {"产品": "云脉总线", "版本": "3.2"},
    ]
    assert list(rows("| a | b |\n|---|---|\n| 1 | 2 |")) == [{"a": "1", "b": "2"}]
    assert list(rows("no table")) == []
