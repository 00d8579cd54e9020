"""Seeds: content decides, not the order of files or keys, and everything doubtful is an error that names the entry."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from entities.registry import load_seeds
from ingest.errors import SettingsInvalid
from ingest.model.entity import Identifier

GATE = """
entities:
  - id: urn:kb:entity:gate
    type: product
    names: [{text: 云脉网关, kind: preferred, language: zh}, {text: YunGate}]
  - id: urn:kb:entity:firm
    type: organization
    names: [{text: 云脉科技, kind: legal, valid_from: 2019-06-01}]
    identifiers: [{scheme: USCC, value: 91440300-MAYM7K2A69}, {scheme: domain, value: yunmai.example}]
assertions:
  - {subject: urn:kb:entity:firm, relation: makes, object: urn:kb:entity:gate, valid_from: 2020-01-01, evidence: a.md}
"""


def seeds(folder: Path, *texts: str) -> list[Path]:
    files = [folder / f"seed{number}.yaml" for number in range(len(texts))]
    for file, text in zip(files, texts, strict=True):
        file.write_text(text, encoding="utf-8")
    return files


def test_seed_becomes_entities_and_assertions(tmp_path: Path) -> None:
    registry = load_seeds(seeds(tmp_path, GATE))
    firm, gate = registry.entities
    assert (gate.type, gate.label, [name.text for name in gate.names]) == ("product", "云脉网关", ["云脉网关", "YunGate"])
    assert firm.identifiers == (Identifier("domain", "yunmai.example"), Identifier("uscc", "91440300MAYM7K2A69"))
    assert firm.names[0].valid_from == "2019-06-01T00:00:00Z"
    (makes,) = registry.assertions
    assert (makes.subject, makes.relation, makes.object, makes.evidence) == (
        "urn:kb:entity:firm", "makes", "urn:kb:entity:gate", "a.md"
    )


def test_no_seed_is_an_empty_registry() -> None:
    assert load_seeds([]).entities == ()


def test_order_of_files_entries_and_keys_does_not_matter(tmp_path: Path) -> None:
    whole = load_seeds(seeds(tmp_path, GATE))
    entities, assertions = GATE.split("assertions:")
    gate, firm = re.split(r"(?=  - id: urn:kb:entity:firm)", entities.removeprefix("\nentities:\n"))
    swapped = f"assertions:{assertions}\nentities:\n{firm}{gate}"
    parted = load_seeds(seeds(tmp_path, f"entities:\n{firm}", f"assertions:{assertions}", f"entities:\n{gate}"))
    assert whole == load_seeds(seeds(tmp_path, swapped)) == parted
    assert whole.digest() == parted.digest()


def test_digest_changes_with_the_content(tmp_path: Path) -> None:
    digests = {
        load_seeds(seeds(tmp_path, text)).digest()
        for text in (GATE, GATE.replace("YunGate", "Yungate"), GATE.replace("2020", "2021"), GATE.replace("makes", "sells"))
    }
    assert len(digests) == 4


ENTITY = "entities:\n  - {id: 'urn:kb:entity:x', type: product, names: [{text: X}]%s}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("entities: [", "not valid YAML"),
        ("- a\n- b\n", "entities and assertions"),
        ("entitys: []\n", "entities and assertions"),
        ("entities:\n  - {id: x, type: gadget, names: [{text: X}]}\n", "unknown type 'gadget'"),
        ("entities:\n  - {id: x, type: product, names: []}\n", "needs a name"),
        ("entities:\n  - {id: x, type: product}\n", "'names'"),
        ("entities:\n  - {id: x, type: product, names: [{text: X, kind: nickname}]}\n", "a kind among"),
        ("entities:\n  - {id: x, type: product, names: [{text: X, valid_from: soon}]}\n", "not a date"),
        (ENTITY % ", color: red", "unknown key 'color'"),
        (ENTITY % ", identifiers: [{scheme: uscc, value: 91440300MAYM7K2A68}]", "check digit"),
        ("entities:\n  - just text\n", r"entities\[0\]"),
        (ENTITY % "" + "assertions:\n  - {subject: 'urn:kb:entity:x', relation: r}\n", "an object .* or a value"),
        (ENTITY % "" + "assertions:\n  - {subject: 'urn:kb:entity:x', relation: r, object: o, value: v}\n", "not both"),
        (ENTITY % "" + "assertions:\n  - {subject: 'urn:kb:entity:x', relation: r, object: o}\n", "no seed describes"),
        (ENTITY % "" + ENTITY.removeprefix("entities:\n") % ", status: archived", "described twice"),
    ],
)
def test_doubtful_seed_is_refused_and_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(SettingsInvalid, match=said) as raised:
        load_seeds(seeds(tmp_path, text))
    assert raised.value.exit_code == 2
    assert "seed0.yaml" in str(raised.value) or "urn:kb:entity" in str(raised.value) or "speaks of" in str(raised.value)


def test_identifier_of_two_entities_is_refused(tmp_path: Path) -> None:
    twice = GATE.replace("type: product\n", "type: organization\n    identifiers: [{scheme: uscc, value: 91440300MAYM7K2A69}]\n")
    with pytest.raises(SettingsInvalid, match="one organisation only"):
        load_seeds(seeds(tmp_path, twice))


def test_missing_seed_says_which_setting_names_it(tmp_path: Path) -> None:
    with pytest.raises(SettingsInvalid, match=r"nowhere\.yaml.*entities\.seeds"):
        load_seeds([tmp_path / "nowhere.yaml"])


THING = "entities: [{id: a, type: product, names: [{text: X}]}]\n"


@pytest.mark.parametrize(
    "text", [
        "entities: 5\n", "entities: {a: 1}\n", "entities: [5]\n", "entities: [{id: a, type: product, names: 5}]\n",
        "entities: [{id: a, type: product, names: [{text: X, language: no}]}]\n",
        "entities: [{id: a, type: product, names: [{text: 1.10}]}]\n",
        "entities: [{id: a, type: product, names: [{text: [X]}]}]\n",
        'entities: [{id: a, type: product, names: [{text: "\\ud800"}]}]\n',
        "entities: [{id: a, type: product, names: [{text: X, valid_from: 2020}]}]\n",
        "entities: [{id: a, type: product, names: [{text: X, valid_from: '0001-01-01T00:00:00+08:00'}]}]\n",
        THING + "assertions: [{subject: a, relation: r, object: [a]}]\n",
        THING + "assertions: [{subject: {}, relation: r, object: a}]\n",
        THING + "assertions: [{subject: a, relation: r, value: x, confidence: .nan}]\n",
        THING + "assertions: [{subject: a, relation: r, value: x, confidence: high}]\n",
        THING + "assertions: [{subject: a, relation: r, value: x, evidence: [a.md]}]\n",
    ],
)
def test_value_of_another_kind_is_an_error_that_names_the_file(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsInvalid, match=r"seed0\.yaml"):
        load_seeds(seeds(tmp_path, text))
