"""What is written comes back, and compares as it did."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.qdrant.format import OPEN, Header, columns_of, header_of, instant, payload_of, point_id, received, sendable
from ingest.errors import BuildCorrupt
from ingest.model.instant import BEGIN, END
from ingest.model.predicate import filter_columns

TEXTS = st.text(st.characters(blacklist_categories=())) | st.sampled_from(["", "\x1a", "\x1a61", "\ud800", "网关\udfff"])
STORED = st.sampled_from([BEGIN, END]) | st.integers(-62135596800, 253402300799)


@given(TEXTS)
def test_any_text_goes_there_and_back(text: str) -> None:
    sendable(text).encode()
    assert received(sendable(text)) == text


@given(TEXTS, TEXTS)
def test_two_texts_are_never_one(one: str, other: str) -> None:
    assert (sendable(one) == sendable(other)) == (one == other)


@given(STORED, st.integers(BEGIN - 9, END + 9))
def test_instants_compare_as_they_did(stored: int, asked: int) -> None:
    one, other = float(instant(stored)), float(instant(asked))
    assert (one <= other, one > other, one < other) == (stored <= asked, stored > asked, stored < asked)


@given(st.data())
def test_filter_columns_come_back(some_rows: Any, data: st.DataObject) -> None:
    for row in data.draw(some_rows):
        assert columns_of(payload_of(filter_columns(row))) == filter_columns(row)


def test_points_of_a_chunk_differ_by_epoch_alone() -> None:
    assert point_id("urn:kb:chunk:1", 1) == point_id("urn:kb:chunk:1", 1)
    assert len({point_id(f"urn:kb:chunk:{chunk}", epoch) for chunk in range(3) for epoch in range(3)}) == 9
    point_id("\ud800", 1)


def test_a_header_comes_back_or_is_refused(tmp_path: Path, make_row: Callable[..., Any]) -> None:
    header = Header("bm25", "c-8", 3, 12, 8, 400, 60, 33.333333)
    header.write(tmp_path)
    assert header_of(tmp_path, "bm25") == header
    with pytest.raises(BuildCorrupt, match=r"server\.json is damaged \(of the bm25 index\)"):
        header_of(tmp_path, "vector")
    (tmp_path / "server.json").write_bytes(b"{")
    with pytest.raises(BuildCorrupt, match=r"server\.json"):
        header_of(tmp_path, "bm25")


def test_numbers_are_exact_in_double_precision() -> None:
    assert float(OPEN + 1) != float(OPEN) != float(OPEN - 1)
