"""A changed name re-reads the texts that hold it, and no other."""

from __future__ import annotations

from typing import Any
from unittest import mock

import pytest

from entities.mentions.recogniser import Recogniser

SEED = """
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}%s]}
"""


@pytest.fixture
def filled(base: Any) -> Any:
    base.seed(SEED % "")
    base.write("gate.md", "# 网关\n\n云脉网关有限流。\n")
    base.write("alias.md", "# Alias\n\nThe ＹｕｎＧａｔｅ node is open.\n")
    base.write("other.md", "# Other\n\nNothing of the kind.\n")
    base.run()
    return base


def read_in(base: Any) -> list[str]:
    """Texts that were recognised in a run."""
    texts = []
    plain = Recogniser.mentions

    def noting(self: Recogniser, chunk_id: str, text: str, *read: Any) -> Any:
        texts.append(text)
        return plain(self, chunk_id, text, *read)

    with mock.patch.object(Recogniser, "mentions", noting):
        base.run()
    return texts


def test_added_alias_re_reads_only_texts_that_hold_it(filled: Any) -> None:
    filled.seed(SEED % ", {text: YunGate}")
    assert read_in(filled) == ["Alias\n\nThe ＹｕｎＧａｔｅ node is open."]
    (chunk,) = filled.chunks("alias.md")
    assert filled.show(chunk)["entity_ids"] == ["urn:kb:entity:gate"]
    assert filled.check().status == "fresh"


def test_added_and_taken_back_gives_the_same_snapshot(filled: Any) -> None:
    first = filled.search("node").snapshot
    filled.seed(SEED % ", {text: YunGate}")
    filled.run()
    filled.seed(SEED % "")
    filled.run()
    assert filled.search("node").snapshot == first


def test_renamed_base_holds_what_it_claims(filled: Any) -> None:
    filled.seed(SEED % ", {text: YunGate}, {text: kind}")
    filled.run()
    assert filled.verify() == []


def test_changed_rules_re_read_everything(filled: Any) -> None:
    with mock.patch("entities.mentions.recogniser.VERSION", "other"):
        assert len(read_in(filled)) == 3
