"""Wherever in an answer something hidden could stand, it is seen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from flows.evaluation.leaks import Hidden
from flows.opening import reading
from ingest.model.access import Principal
from ingest.model.evidence import Conflict, EvidencePack
from ingest.model.source import source_id

PACK = EvidencePack(1, "0" * 32, "What of Kestrel?", "2026-01-01T00:00:00Z", Principal(), "insufficient_evidence", ())
NEVER = ("docs/order.md", "K-17 Kestrel")
URN = source_id("docs", "order.md")


@pytest.fixture
def hidden(small: Any) -> Iterator[Hidden]:
    with reading(small.settings) as snapshot:
        yield Hidden(snapshot)


@pytest.mark.parametrize("change", [
    {"trace": {"seen": [URN]}}, {"trace": {"docs/order.md": 3}}, {"clarification": {"candidates": [{"told": "k-17  KESTREL"}]}},
    {"conflicts": (Conflict("versions", "two of docs/order.md", ()),)}, {"conflicts": (Conflict("values", "", (URN,)),)},
    {"status": "k-17 kestrel"},
])
def test_leak_is_seen_in_every_part_of_a_pack(hidden: Hidden, change: dict[str, Any]) -> None:
    assert hidden.leaks(NEVER, PACK.query, PACK, "") == ()
    assert len(hidden.leaks(NEVER, PACK.query, replace(PACK, **change), "")) == 1


def test_leak_is_seen_in_an_error_and_by_the_id_of_a_chunk(small: Any, hidden: Hidden) -> None:
    assert hidden.leaks(NEVER, PACK.query, None, "Inconsistent: docs/order.md is not as published") == ("docs/order.md",)
    [chunk] = small.chunks("order.md")
    [told] = hidden.leaks(NEVER, PACK.query, replace(PACK, trace={"first": chunk}), "")
    assert told.startswith("docs/order.md (by ")


def test_words_of_the_caller_come_back_in_the_query_and_the_plan(hidden: Hidden) -> None:
    asked = replace(PACK, query="K-17 Kestrel?", trace={"plan": {"keywords": "K-17 Kestrel?"}})
    assert hidden.leaks(NEVER, asked.query, asked, "") == ()
    found = replace(asked, conflicts=(Conflict("values", "K-17 Kestrel costs", ()),))
    assert hidden.leaks(NEVER, found.query, found, "") == ("K-17 Kestrel",)


def test_two_texts_that_stand_side_by_side_make_no_third(hidden: Hidden) -> None:
    assert hidden.leaks(("ab cd",), "?", replace(PACK, trace={"list": ["ab", "cd"]}), "") == ()
