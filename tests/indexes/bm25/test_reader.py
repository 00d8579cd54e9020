"""What a reader says it holds comes from what it searches; damage beneath it is told, not answered with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from indexes.bm25.arrayfile import ArrayFile
from indexes.bm25.reader import open_reader
from indexes.bm25.segment import KIND
from ingest.errors import BuildCorrupt
from ingest.model.access import Access
from ingest.model.predicate import Predicate

ALL = Predicate(None, statuses=None)


def overwrite(segment: Path, array: str, value: int) -> None:
    """Set the last element of an array in place, as a failing disk might."""
    file = ArrayFile(segment, KIND)
    data = file[array]
    address = data.__array_interface__["data"][0] - np.frombuffer(file._map, np.uint8).__array_interface__["data"][0]
    raw = bytearray(segment.read_bytes())
    end = address + data.nbytes
    raw[end - data.itemsize : end] = value.to_bytes(data.itemsize, "little")
    segment.unlink()
    segment.write_bytes(raw)


SEARCHED = ("doc", "count", "length", "term.text", "level", "status.code", "acl.value.text", "valid_until")


@pytest.mark.parametrize("array", SEARCHED)
def test_contents_notice_a_change_in_whatever_searches_use(
    on_disk: Callable[..., Any], make_row: Callable[..., Any], array: str
) -> None:
    builds = on_disk()
    rows = [make_row(number, status="draft" if number == 3 else "active") for number in range(12)]
    path = builds.write(None, rows)
    segment, = path.glob("*.segment")
    overwrite(segment, array, 7)
    try:
        assert open_reader(path).contents([row.chunk_id for row in rows]) != builds.contents
    except BuildCorrupt:
        pass


def test_postings_that_point_nowhere_are_corrupt(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    rows = [make_row(number, text="网" * 3, prefix="", chunk_id=f"urn:kb:chunk:{number:032x}") for number in range(6)]
    path = builds.write(None, rows)
    segment, = path.glob("*.segment")
    overwrite(segment, "doc", 200)
    for use in (lambda: open_reader(path).search("网网", ALL, 5), lambda: open_reader(path).contents([rows[0].chunk_id])):
        with pytest.raises(BuildCorrupt, match=path.name):
            use()


def test_ties_across_segments_are_broken_by_id(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    same = [make_row(number, text="网关", prefix="", chunk_id=f"urn:kb:chunk:{number * 7919 % 97:032x}") for number in range(97)]
    path = builds.write(builds.write(None, same[:90]), same[90:])
    assert len(list(path.glob("*.segment"))) == 2
    expected = sorted(row.chunk_id for row in same)
    for limit in (1, 10, 50, 97):
        assert [hit.chunk_id for hit in open_reader(path).search("网关", ALL, limit)] == expected[:limit]


@pytest.mark.parametrize("formula", ["lucene", "okapi"])
@pytest.mark.parametrize("lanes", [1, 2, 7])
def test_rows_that_are_too_far_behind_are_left_out_and_no_other(
    on_disk: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, lanes: int, formula: str
) -> None:
    """In small builds nothing would be left out: so few rows go to a lane here that it happens."""
    builds = on_disk()
    rows = [
        make_row(number, text="网关 " * (number % 5) + "gateway " * (number % 3) + f"backup {number % 11}", prefix="",
                 access=Access(level=number % 4 // 3))
        for number in range(140)
    ]
    path = builds.write(builds.write(None, rows[:110]), rows[110:], [rows[3].chunk_id])
    reader = builds.open(path, formula=formula)
    for predicate in (ALL, Predicate(), replace(ALL, sources=(rows[0].source_id,))):
        every = {query: reader.search(query, predicate, 200) for query in ("网关", "gateway 网关", "backup 7", "a backup")}
        with monkeypatch.context() as patch:
            patch.setattr("indexes.bm25.reader._LANES", lanes)
            for query, hits in every.items():
                for limit in (1, 2, 9, 40, 69):
                    assert reader.search(query, predicate, limit) == hits[:limit]


def test_a_large_ask_for_contents_is_taken_in_turns(
    on_disk: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    builds = on_disk()
    rows = [make_row(number) for number in range(30)]
    reader = open_reader(builds.write(None, rows))
    monkeypatch.setattr("indexes.bm25.reader._POSTINGS_AT_ONCE", 50)
    assert reader.contents([row.chunk_id for row in rows]) == builds.contents
    monkeypatch.setattr("indexes.bm25.reader._ROWS_AT_ONCE", 1)
    assert reader.contents([row.chunk_id for row in rows]) == builds.contents


def test_what_was_closed_can_be_closed_again(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    reader = open_reader(builds.write(None, [make_row(1)]))
    assert reader.search("429", ALL, 1)
    reader.close()
    reader.close()
