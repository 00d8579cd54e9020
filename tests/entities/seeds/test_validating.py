"""Everything that is wrong is told with its line, row or node and a remedy; what is right is taken as it stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from entities.registry import load_seeds
from entities.relations import bundled
from entities.seeds.reading import entries
from entities.seeds.validating import Imported, joined, validated
from ingest.errors import UsageError
from ingest.model.entity import Entity, Identifier, Name, Registry

GATE = Entity("urn:kb:entity:gate", "product", (Name("云脉网关", "preferred"),))
MAKER = Entity("urn:kb:entity:maker", "organization", (Name("云脉", "preferred"),), (Identifier("uscc", "91440300MAYM7K2A69"),))
KNOWN = Registry((GATE, MAKER))


def read(tmp_path: Path, name: str, content: str | bytes, replaceable: frozenset[str] = frozenset()) -> Imported:
    file = tmp_path / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return validated(entries(file, bundled()), KNOWN, bundled(), replaceable)


def told(found: Imported) -> list[tuple[str, str]]:
    assert all(problem.remedy for problem in found.problems)
    return [(problem.place, problem.message) for problem in found.problems]


def test_yaml_seed_is_read_as_the_registry_reads_it() -> None:
    seed = Path(__file__).parents[3] / "fixtures" / "registry.yaml"
    found = validated(entries(seed, bundled()), Registry(), bundled())
    assert found.problems == ()
    assert joined(Registry(), found) == load_seeds([seed])


CSV = """编号,类型,名称,法定名称,别名,曾用名,统一社会信用代码,标识,语言
urn:kb:entity:lansong,organization,岚松,成都岚松信息技术有限公司,Lansong|岚松信息,成都岚松软件有限公司,91510100MALT2W6E21,domain:lansong.example,zh
,organization,,深圳市智莱科技股份有限公司,,,91440300708461136T,,zh
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16"])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_table_of_a_spreadsheet_is_read_in_whatever_way_it_was_saved(tmp_path: Path, encoding: str, delimiter: str) -> None:
    found = read(tmp_path, "partners.csv", CSV.replace(",", delimiter).encode(encoding))
    assert found.problems == ()
    minted, lansong = found.entities
    assert lansong.names == (
        Name("岚松", "preferred", "zh"), Name("成都岚松信息技术有限公司", "legal", "zh"), Name("Lansong"),
        Name("岚松信息", "alternate", "zh"), Name("成都岚松软件有限公司", "former", "zh"),
    )
    assert lansong.identifiers == (Identifier("domain", "lansong.example"), Identifier("uscc", "91510100MALT2W6E21"))
    assert minted.entity_id.startswith("urn:kb:entity:") and minted.label == "深圳市智莱科技股份有限公司"


def test_table_of_assertions_takes_words_of_people_and_identifiers_that_prove_themselves(tmp_path: Path) -> None:
    found = read(tmp_path, "rel.csv", (
        "主体,关系,客体,取值,生效日期,来源,置信度\n"
        "urn:kb:entity:gate,开发商,uscc:91440300MAYM7K2A69,,,手册.md,90%\n"
        "urn:kb:entity:gate,维护至,,2028/6/30,,手册.md,\n"
    ))
    assert found.problems == ()
    developer, until = sorted(found.assertions, key=lambda each: each.relation)
    assert (developer.relation, developer.object, developer.confidence) == ("developer", MAKER.entity_id, 0.9)
    assert (until.relation, until.value) == ("maintainedUntil", "2028-06-30")


@pytest.mark.parametrize(("name", "content", "place", "message"), [
    ("a.csv", "", "a.csv", "empty"),
    ("a.csv", "x,y\n1,2\n", "a.csv row 1", "neither entities nor assertions"),
    ("a.csv", "type,name,名称\nproduct,x,y\n", "a.csv row 1", "two columns are name"),
    ("a.csv", "id,type,name\nurn:x,product,x\nurn:y,planet,y\n", "a.csv row 3", "unknown type 'planet'"),
    ("a.csv", "id,type,name\nurn:x,product,\n", "a.csv row 2", "needs a name"),
    ("a.csv", "id,type,name\n,product,x\n", "a.csv row 2", "no identifier that proves itself"),
    ("a.csv", "id,type,name\na b,product,x\n", "a.csv row 2", "has spaces"),
    ("a.csv", "type,name,uscc\norganization,x,913300002609105X27\n", "a.csv row 2", "not a valid uscc"),
    ("a.csv", "id,type,name,uscc\nurn:x,organization,x,91440300MAYM7K2A69\n", "a.csv row 2", "belongs to urn:kb:entity:maker"),
    ("a.csv", "id,type,name\nurn:kb:entity:gate,product,other\n", "a.csv row 2", "described otherwise by a seed file (names)"),
    ("a.csv", "id,type,name\nurn:x,product,x\nurn:x,product,y\n", "a.csv row 3", "described twice"),
    ("a.csv", "subject,relation,object\nurn:kb:entity:gate,develops,urn:kb:entity:maker\n", "a.csv row 2", "no relation"),
    ("a.csv", "subject,relation,object\n云脉网关,developer,urn:kb:entity:maker\n", "a.csv row 2", "no entity of the registry"),
    ("a.csv", "subject,relation,object\nurn:kb:entity:maker,developer,urn:kb:entity:gate\n", "a.csv row 2",
     "is product or system"),
    ("a.csv", "subject,relation,value\nurn:kb:entity:gate,developer,云脉\n", "a.csv row 2", "leads to an entity"),
    ("a.csv", "subject,relation,value\nurn:kb:entity:gate,maintainedUntil,soon\n", "a.csv row 2", "not a date"),
    ("a.csv", "subject,relation,value,confidence\nurn:kb:entity:gate,softwareVersion,1,high\n", "a.csv row 2", "float"),
    ("a.csv", 'id,type,name\n"urn:x,product', "a.csv row", "not a table"),
    ("a.csv", "subject,relation,value,valid_from,valid_until\nurn:kb:entity:gate,model,x,2025-01-01,2024-01-01\n", "a.csv row 2",
     "before it begins"),
    ("a.yaml", "", "a.yaml", "empty"),
    ("a.yaml", "entities:\n  - {id: urn:x, type: product, names: [}\n", "a.yaml line 2", "not valid YAML"),
    ("a.yaml", "entities:\n  - id: urn:x\n    type: product\n  - id: urn:y\n    names: [{text: y}]\n", "a.yaml line 2",
     "needs a name"),
    ("a.yaml", "entities: 3\n", "a.yaml line 1", "must be a list"),
    ("a.yaml", "persons: []\n", "a.yaml line 1", "unknown key 'persons'"),
    ("a.yaml", "- x\n", "a.yaml line 1", "is a mapping"),
    ("a.yaml", "\n\nassertions:\n  - {subject: urn:kb:entity:gate, relation: model}\n", "a.yaml line 4",
     "object (an entity id) or a value"),
    ("a.yaml", "entities:\n  - {id: urn:x, type: product, names: [{text: 1.10}]}\n", "a.yaml line 2", "put quotes"),
    ("a.yaml", "exclusive: [nonsense]\n", "a.yaml line 1", "no relation"),
    ("a.json", '{"@graph": [\n{]}', "a.json line 2", "not valid JSON"),
    ("a.jsonld", '{"@context": "https://schema.org", "@graph": [{"@type": "Organization", "name": "x"}]}', "a.jsonld @graph[0]",
     "no id"),
    ("a.jsonld", '{"@context": "https://schema.org", "@graph": [{"@id": "urn:x", "name": "x"}]}', "a.jsonld @graph[0] (urn:x)",
     "needs a type"),
])
def test_what_is_wrong_is_told_with_its_place(tmp_path: Path, name: str, content: str, place: str, message: str) -> None:
    found = read(tmp_path, name, content)
    assert found.fatal
    assert any(where.startswith(place) and message in said for where, said in told(found)), told(found)


def test_name_instead_of_an_id_is_answered_with_the_ids_that_have_it(tmp_path: Path) -> None:
    found = read(tmp_path, "a.csv", "subject,relation,object\n云脉网关,developer,urn:kb:entity:maker\n")
    assert "urn:kb:entity:gate" in found.problems[0].remedy


def test_unknown_column_is_a_note_and_the_rest_is_taken(tmp_path: Path) -> None:
    found = read(tmp_path, "a.csv", "id,type,name,favourite colour\nurn:x,product,x,blue\n")
    assert not found.fatal and len(found.entities) == 1
    assert "favourite colour" in found.problems[0].message


def test_what_the_registry_has_already_is_counted_and_not_taken_again(tmp_path: Path) -> None:
    found = read(tmp_path, "a.csv", "id,type,name\nurn:kb:entity:gate,product,云脉网关\n")
    assert (found.new, found.same, found.entities, found.problems) == (0, 1, (), ())


def test_imported_entity_may_be_described_anew_but_never_change_its_type(tmp_path: Path) -> None:
    mine = frozenset({GATE.entity_id})
    found = read(tmp_path, "a.csv", "id,type,name\nurn:kb:entity:gate,product,网关\n", replaceable=mine)
    assert (found.changed, found.entities[0].label) == (1, "网关")
    found = read(tmp_path, "b.csv", "id,type,name\nurn:kb:entity:gate,system,网关\n", replaceable=mine)
    assert "types never change" in found.problems[0].remedy


@pytest.mark.parametrize("name", ["a.txt", "a.xlsx", "nowhere.csv"])
def test_file_that_cannot_be_opened_is_a_usage_error(tmp_path: Path, name: str) -> None:
    if not name.startswith("nowhere"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.raises(UsageError):
        list(entries(tmp_path / name, bundled()))
