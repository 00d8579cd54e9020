"""A file of arrays gives back what was written, and notices every way of losing it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexes.bm25.arrayfile import ArrayFile, ArrayWriter, narrowed, write_arrays
from ingest.errors import BuildCorrupt

ARRAYS = {"few": narrowed([1, 2, 3]), "none": narrowed([]), "large": narrowed([0, 70_000]), "signed": narrowed([-(1 << 62), 1
<< 62])}


def written(folder: Path) -> Path:
    path = folder / "some.arrays"
    write_arrays(path, "test", {"note": "你好"}, ARRAYS)
    return path


def test_what_is_written_is_read(tmp_path: Path) -> None:
    file = ArrayFile(written(tmp_path), "test")
    assert file.meta == {"note": "你好"}
    for name, array in ARRAYS.items():
        assert file[name].dtype == array.dtype and file[name].tolist() == array.tolist()
    file.check()


def test_the_digest_names_the_content(tmp_path: Path) -> None:
    one = write_arrays(tmp_path / "1", "test", {}, ARRAYS)
    assert one == write_arrays(tmp_path / "2", "test", {}, ARRAYS) == ArrayFile(tmp_path / "1", "test").digest
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()
    assert one != write_arrays(tmp_path / "3", "test", {}, {**ARRAYS, "few": narrowed([1, 2, 4])})


def test_arrays_may_be_written_in_turns(tmp_path: Path) -> None:
    writer = ArrayWriter(tmp_path / "turns", "test", {}, [("a", "u1", 3), ("b", "<u2", 2)])
    for name, values in (("a", [1]), ("b", [1000]), ("a", [2, 3]), ("b", [2000])):
        writer.put(name, np.array(values))
    whole = write_arrays(tmp_path / "whole", "test", {}, {"a": narrowed([1, 2, 3]), "b": narrowed([1000, 2000])})
    assert writer.close() == whole


def test_an_array_that_was_not_filled_is_refused(tmp_path: Path) -> None:
    writer = ArrayWriter(tmp_path / "short", "test", {}, [("a", "u1", 3)])
    with pytest.raises(ValueError, match="a"):
        writer.close()
    writer.abandon()


@pytest.mark.parametrize("left", [0, 1, 27, 60, -1, -64])
def test_a_cut_file_is_corrupt_and_named(tmp_path: Path, left: int) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes()[:left])
    with pytest.raises(BuildCorrupt, match=r"some\.arrays"):
        ArrayFile(path, "test")


@pytest.mark.parametrize("data", [b"", b"\0" * 4096, b"PK\x03\x04" * 100, "不是".encode() * 500])
def test_a_foreign_file_is_corrupt(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "some.arrays"
    path.write_bytes(data)
    with pytest.raises(BuildCorrupt, match=r"some\.arrays"):
        ArrayFile(path, "test")


def test_a_missing_file_a_longer_file_and_another_kind_are_corrupt(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(BuildCorrupt, match="missing"):
        ArrayFile(tmp_path / "absent", "test")
    with pytest.raises(BuildCorrupt, match="instead of other"):
        ArrayFile(path, "other")
    path.write_bytes(path.read_bytes() + b"\0")
    with pytest.raises(BuildCorrupt, match="bytes instead of"):
        ArrayFile(path, "test")


@given(at=st.integers(0, 10_000), bit=st.integers(0, 7))
def test_every_flipped_bit_that_means_something_is_noticed(tmp_path_factory: pytest.TempPathFactory, at: int, bit: int) -> None:
    path = written(tmp_path_factory.mktemp("flip"))
    data = bytearray(path.read_bytes())
    data[at % len(data)] ^= 1 << bit
    path.write_bytes(data)
    try:
        file = ArrayFile(path, "test")
        file.check()
    except BuildCorrupt:
        return
    assert {name: file[name].tolist() for name in ARRAYS} == {name: array.tolist() for name, array in ARRAYS.items()}


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1)))
def test_narrowing_keeps_every_number(values: list[int]) -> None:
    assert narrowed(values).tolist() == values
