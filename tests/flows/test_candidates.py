"""Candidate mentions of a generation: read once a text, and asked about where they resemble somebody in the registry."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from entities.mentions.recogniser import Recogniser
from entities.registry import load_seeds
from entities.resolve import Resolver
from flows.candidates import candidate_mentions, questions
from ingest.store.cache import Cache
from ingest.store.catalog import Catalog

SEED = """
entities:
  - {id: "urn:kb:entity:firm", type: organization, names: [{text: 杭州澜石软件有限公司, kind: legal}]}
"""


@pytest.fixture
def filled(base: Any) -> Any:
    base.seed(SEED)
    base.write("a.md", "# 甲\n\n合同由杭州澜石软件股份有限公司签订，Redis 7.2.4除外。\n")
    base.write("b.md", "# 乙\n\n昨天杭州澜石软件股份有限公司来电，广州穗岭集团有限公司未到。\n")
    base.run()
    return base


def mentioned(base: Any) -> list[Any]:
    registry = load_seeds([base.kb.parent / seed for seed in base.settings.entities.seeds])
    with Catalog(base.kb / "catalog.db") as catalog:
        cache = Cache(base.kb / "cache" / "cache.db")
        try:
            return list(candidate_mentions(catalog, catalog.head(), Recogniser(registry), cache))
        finally:
            cache.close()


def test_every_chunk_gives_its_candidates(filled: Any) -> None:
    found = {(each.text, each.type, each.chunk_id in filled.chunks("a.md")) for each in mentioned(filled)}
    assert found == {
        ("杭州澜石软件股份有限公司", "organization", True), ("Redis", "product", True), ("7.2.4", "other", True),
        ("杭州澜石软件股份有限公司", "organization", False), ("广州穗岭集团有限公司", "organization", False),
    }


def test_text_is_read_once(filled: Any) -> None:
    first = mentioned(filled)
    with mock.patch.object(Recogniser, "candidates", side_effect=AssertionError("read again")):
        assert mentioned(filled) == first


def test_one_question_is_asked_of_a_name_however_often_it_stands_there(filled: Any) -> None:
    registry = load_seeds([filled.kb.parent / seed for seed in filled.settings.entities.seeds])
    (asked,) = questions(mentioned(filled), Resolver(registry))
    assert (asked.text, asked.type, len(asked.evidence)) == ("杭州澜石软件股份有限公司", "organization", 2)
    assert [proposal.entity_id for proposal in asked.proposals] == ["urn:kb:entity:firm"]
