"""The vocabulary is consistent, findable in both languages, and may be extended by a file."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from entities.relations import VALUE_KINDS, bundled, read_relations, vocabulary
from ingest.errors import SettingsInvalid


def test_inverses_are_mutual_and_turn_domain_and_range_around() -> None:
    known = bundled()
    for name, relation in known.items():
        if relation.inverse is not None:
            other = known[relation.inverse]
            assert other.inverse == name
            assert set(relation.domain) & set(other.range) and set(relation.range) & set(other.domain)


def test_terms_are_schema_org_or_our_own_and_no_word_means_two_relations() -> None:
    known = bundled()
    assert all(relation.iri.startswith(("schema:", "kb:")) and relation.zh and relation.en for relation in known.values())
    words = Counter(word.casefold().replace(" ", "") for relation in known.values() for word in (relation.zh, *relation.also))
    assert [word for word, count in words.items() if count > 1] == []
    for relation in known.values():
        assert all(known.find(word) is relation for word in (relation.name, relation.zh, *relation.also))


def test_exclusive_relations_lead_to_one_value_at_a_time() -> None:
    assert {"softwareVersion", "maintainedUntil", "parentOrganization"} <= bundled().exclusive
    assert not bundled().exclusive & {"makes", "uses", "telephone"}


def test_words_of_people_are_found_and_others_named_to_them() -> None:
    assert [bundled().find(word).name for word in ("开发商", "Version", "https://schema.org/developer")] == [  # type: ignore[union-attr]
        "developer", "softwareVersion", "developer"]
    assert bundled().find("nonsense") is None
    assert bundled().nearest("develops") == "developer"


def test_file_adds_relations_and_may_describe_one_otherwise(tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text('[certifies]\ndomain = ["organization"]\nrange = ["product"]\nzh = "认证"\n[makes]\niri = "kb:makes"\n')
    known = vocabulary([file])
    assert known["certifies"].iri == "kb:certifies"
    assert known["makes"].domain == ()
    assert known.find("认证") is known["certifies"]


@pytest.mark.parametrize("text", [
    "x", "[a]\nnonsense = 1", '[a]\ndomain = ["planet"]', '[a]\nrange = ["text", "product"]', "a = 1", '[a]\ninverse = "nowhere"',
])
def test_doubtful_file_names_itself(tmp_path: Path, text: str) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(SettingsInvalid):
        vocabulary([file])
    with pytest.raises(SettingsInvalid, match=r"nowhere\.toml"):
        read_relations(tmp_path / "nowhere.toml")


def test_literal_relations_know_their_kind_of_value() -> None:
    assert all(relation.literal == bool(set(relation.range) & set(VALUE_KINDS)) for relation in bundled().values())
