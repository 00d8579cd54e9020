"""One set of rows makes one file, however it was gathered, spread and thinned out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexes.bm25 import merge
from indexes.bm25.gather import Gatherer
from indexes.bm25.merge import Part, write_segment
from indexes.bm25.segment import Segment, file_name, open_segment


def gathered(rows: Any) -> Segment:
    gatherer = Gatherer()
    for row in rows:
        gatherer.add(row)
    return gatherer.take()[0]


def written(folder: Path, parts: list[Part]) -> bytes:
    return (folder / file_name(write_segment(parts, folder))).read_bytes()


@settings(max_examples=40, deadline=None)
@given(data=st.data(), block=st.sampled_from([1, 7, 1 << 20]))
def test_any_spread_of_the_same_rows_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, some_rows: Any, data: st.DataObject, block: int
) -> None:
    folder = tmp_path_factory.mktemp("merge")
    rows = data.draw(some_rows.filter(bool))
    at = data.draw(st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows)))
    dead = data.draw(some_rows)
    parts = []
    for number in range(4):
        mine = [row for row, place in zip(rows, at, strict=True) if place == number]
        mixed = {row.chunk_id: row for row in [*dead, *mine]}
        segment = gathered(data.draw(st.permutations(list(mixed.values()))))
        alive = [chunk_id in {row.chunk_id for row in mine} for chunk_id in segment.chunk_ids.all()]
        if segment.rows:
            parts.append(Part(segment, merge.np.array(alive, dtype=bool)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "BLOCK", block)
        assert written(folder, parts) == written(folder, [Part(gathered(rows))])


def test_a_segment_written_and_read_is_the_same_segment(tmp_path: Path, make_row: Callable[..., Any]) -> None:
    segment = gathered([make_row(number) for number in range(12)])
    name = write_segment([Part(segment)], tmp_path)
    assert written(tmp_path, [Part(open_segment(tmp_path, name))]) == (tmp_path / file_name(name)).read_bytes()


def test_rows_without_any_term_are_rows(tmp_path: Path, make_row: Callable[..., Any]) -> None:
    void = [make_row(number, text="。" * number, prefix="") for number in range(1, 4)]
    segment = open_segment(tmp_path, write_segment([Part(gathered(void[:1])), Part(gathered(void[1:]))], tmp_path))
    assert segment.rows == 3 and len(segment.terms) == 0 and segment.lengths.tolist() == [0, 0, 0]


def test_one_id_twice_is_refused(tmp_path: Path, make_row: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="two rows"):
        write_segment([Part(gathered([make_row(1)])), Part(gathered([make_row(1)]))], tmp_path)
    with pytest.raises(ValueError, match="two rows"):
        write_segment([Part(gathered([make_row(1), make_row(1)]))], tmp_path)
