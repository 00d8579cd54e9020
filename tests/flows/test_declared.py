"""What documents assert is published with them, shows to those who see them, and goes when they go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ingest.model.access import Principal
from ingest.model.entity import Assertion

GATE, MAKER = "urn:kb:entity:gate", "urn:kb:entity:maker"
SEED = f"""
entities:
  - {{id: "{GATE}", type: product, names: [{{text: 云脉网关, kind: preferred}}]}}
  - {{id: "{MAKER}", type: organization, names: [{{text: Yunmai, kind: preferred}}]}}
"""
SAYS = f"""---
about: {GATE}
assertions:
  - {{{{relation: developer, object: '{MAKER}'}}}}
{{access}}---
# 手册

云脉网关 by Yunmai.
"""


def said(base: Any, generation: int | None = None) -> list[tuple[str, str, str, str]]:
    with base.catalog() as catalog:
        facts = list(catalog.facts("assertions", generation or catalog.head()))
    made = [(fact.source_id, fact.noun(Assertion)) for fact in facts]
    return [(each.subject, each.relation, each.object or each.value or "", each.evidence) for _, each in made]


@pytest.fixture
def declaring(base: Any) -> Any:
    base.seed(SEED)
    base.write("手册.md", SAYS.format(access=""))
    base.write("open.md", "# Open\n\n云脉网关 and Yunmai.\n")
    base.run()
    return base


def test_document_asserts_and_is_the_evidence(declaring: Any) -> None:
    assert said(declaring) == [(GATE, "developer", MAKER, "docs/手册.md")]
    assert declaring.verify(deep=True) == []


def test_assertion_goes_with_its_document_and_comes_with_a_rename(declaring: Any) -> None:
    declaring.delete("手册.md")
    declaring.run(allow_mass_delete=True)
    assert said(declaring) == []
    declaring.write("sub/手册.md", SAYS.format(access=""))
    declaring.run()
    assert said(declaring) == [(GATE, "developer", MAKER, "docs/sub/手册.md")]


def test_assertion_shows_to_those_who_see_the_document(declaring: Any) -> None:
    from flows.listing import told

    declaring.write("手册.md", SAYS.format(access="allowed_roles: [sre]\n"))
    declaring.run()
    assert told(declaring.settings, GATE, Principal())["assertions"] == []
    assert len(told(declaring.settings, GATE, Principal(roles=("sre",)))["assertions"]) == 1


def test_entity_that_is_seeded_later_makes_the_assertion(base: Any, new_base: Any) -> None:
    base.write("手册.md", SAYS.format(access=""))
    base.run()
    assert said(base) == []
    base.seed(SEED)
    base.run()
    assert len(said(base)) == 1
    base.seed(SEED.replace("type: organization", "type: place"))  # no developer any more
    base.run()
    assert said(base) == []
    afresh = new_base("afresh", entities=base.parts["entities"])
    afresh.seed(SEED.replace("type: organization", "type: place"))
    afresh.write("手册.md", SAYS.format(access=""))
    afresh.run()
    with base.catalog() as one, afresh.catalog() as other:
        assert one.published(one.head()).manifest.snapshot == other.published(other.head()).manifest.snapshot


def test_links_stay_when_the_registry_changes(base: Any) -> None:
    from ingest.model.edge import LINKS_TO, Edge

    base.seed(SEED)
    base.write("other.md")
    base.write("手册.md", SAYS.format(access="") + "\nSee [the other](other.md).\n")
    base.run()
    base.seed(SEED + '  - {id: "urn:kb:entity:x", type: product, names: [{text: 无关}]}\n')
    base.run()
    with base.catalog() as catalog:
        relations = sorted(fact.noun(Edge).relation for fact in catalog.facts("edges", catalog.head()))
    assert relations == ["developer", LINKS_TO]
    assert base.verify(deep=True) == []


def test_lost_assertion_of_a_document_is_regained(declaring: Any) -> None:
    import sqlite3

    from flows.repair import mend
    from ingest.progress import Silent

    with sqlite3.connect(declaring.kb / "catalog.db") as connection:
        connection.execute("delete from assertions")
    connection.close()
    assert declaring.verify() != []
    mend(declaring.settings, Silent())
    assert said(declaring) == [(GATE, "developer", MAKER, "docs/手册.md")]
    assert declaring.verify(deep=True) == []


VOCABULARY = """[calibratedBy]
domain = ["product"]
range = ["organization"]
"""


def test_changed_vocabulary_reads_again_what_documents_assert(base: Any, tmp_path: Path) -> None:
    words = tmp_path / "words.toml"
    words.write_text("", "utf-8")
    base.parts["entities"] = {**base.parts.get("entities", {}), "vocabulary": [str(words)]}
    base.seed(SEED)
    base.write("手册.md", SAYS.format(access="").replace("developer", "calibratedBy"))
    base.run()
    assert said(base) == []
    words.write_text(VOCABULARY, "utf-8")
    report = base.check()
    assert report.status == "stale"
    assert "the vocabulary of relations changed" in report.settings
    base.run()
    assert said(base) == [(GATE, "calibratedBy", MAKER, "docs/手册.md")]
    assert base.check().status == "fresh"


def test_cells_of_mapped_columns_that_do_not_fit_are_told(base: Any) -> None:
    base.seed(SEED)
    base.write("表.md", """---
columns: {subject: 产品, relations: {厂商: developer}}
---
# 表

| 产品 | 厂商 |
| --- | --- |
| 云脉网关 | Yunmai |
| 云脉网关 | 无名公司 |
""")
    base.run()
    assert said(base) == [(GATE, "developer", MAKER, "docs/表.md")]
    (found,) = [remark for remark in base.check().remarks["warnings"] if remark.kind == "assertion"]
    assert "无名公司" in found.message
    assert found.uris == ("docs/表.md",)
