"""How builds are made from one another on disk: what is linked, merged, refused, and left alone."""

from __future__ import annotations

import hashlib
import multiprocessing
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from indexes.bm25.format import TERMS
from indexes.bm25.reader import open_reader
from indexes.bm25.writer import Bm25Writer
from ingest.errors import BuildCorrupt, StorageFailed
from ingest.model.predicate import Predicate

ALL = Predicate(None, statuses=None)


def state(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def segments(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.segment")}


def test_the_order_of_arrival_leaves_no_trace(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    rows = [make_row(number) for number in range(60)]
    builds, thrifty = on_disk(), on_disk(most_tokens=100)
    one = state(builds.write(None, rows))
    assert one == state(builds.write(None, rows[::-1])) == state(thrifty.write(None, rows[30:] + rows[:30]))
    assert builds.contents == thrifty.contents


def test_the_base_is_never_touched(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    base = builds.write(None, [make_row(number) for number in range(40)])
    before, times = state(base), [path.stat().st_mtime_ns for path in sorted(base.iterdir())]
    builds.write(base, [make_row(50), make_row(3)], [make_row(7).chunk_id])
    builds.write(base, [], [make_row(number).chunk_id for number in range(30)])
    assert state(base) == before
    assert [path.stat().st_mtime_ns for path in sorted(base.iterdir())] == times


def test_a_small_change_links_the_large_segment(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    base = builds.write(None, [make_row(number) for number in range(40)])
    large, = segments(base)
    new = builds.write(base, [make_row(50)], [make_row(7).chunk_id])
    assert (new / large).samefile(base / large)
    assert len(segments(new)) == 2


def test_segments_stay_few_over_many_small_changes(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    path = builds.write(None, [make_row(number) for number in range(200)])
    for number in range(200, 260):
        path = builds.write(path, [make_row(number)], [make_row(number - 200).chunk_id])
        assert len(segments(path)) <= 5
    assert len(dict(open_reader(path).pairs())) == 200


def test_a_segment_that_is_largely_dead_is_rewritten(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    rows = [make_row(number) for number in range(40)]
    base = builds.write(None, rows)
    few = builds.write(base, [], [row.chunk_id for row in rows[:10]])
    assert segments(few) == segments(base)
    many = builds.write(few, [], [rows[10].chunk_id])
    assert state(many) == state(builds.write(None, rows[11:]))


def test_removing_everything_leaves_an_empty_build(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    rows = [make_row(number) for number in range(5)]
    gone = builds.write(builds.write(None, rows), [], [row.chunk_id for row in rows])
    assert state(gone) == state(builds.write(None, []))


def test_without_hard_links_segments_are_copied(
    on_disk: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refused)
    builds = on_disk()
    base = builds.write(None, [make_row(number) for number in range(40)])
    new = builds.write(base, [make_row(50)])
    assert segments(base) < segments(new) and len(dict(open_reader(new).pairs())) == 41


def test_files_of_others_in_the_base_are_not_taken_over(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    base = builds.write(None, [make_row(number) for number in range(40)])
    (base / "stamp.json").write_text("{}")
    assert {path.suffix for path in builds.write(base, [make_row(50)]).iterdir()} == {".segment", ".bm25"}


def test_a_full_disk_is_an_error_that_names_the_folder(
    on_disk: Callable[..., Any], make_row: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    builds = on_disk()
    monkeypatch.setattr("indexes.bm25.arrayfile.ArrayWriter.put", full)
    with pytest.raises(StorageFailed, match=r"No space left.*free space"):
        builds.write(None, [make_row(1)])


@pytest.mark.parametrize("kind", ["segment", "bm25"])
@pytest.mark.parametrize("harm", ["missing", "empty", "cut", "longer", "garbled", "swapped"])
def test_a_damaged_build_is_refused_by_reader_and_writer(
    on_disk: Callable[..., Any], make_row: Callable[..., Any], kind: str, harm: str
) -> None:
    builds = on_disk()
    path = builds.write(None, [make_row(number) for number in range(40)])
    other = builds.write(None, [make_row(number) for number in range(41)])
    victim, = path.glob(f"*.{kind}")
    data = victim.read_bytes()
    victim.unlink()
    if harm == "swapped":
        foreign, = other.glob("*.segment")
        victim.write_bytes(foreign.read_bytes())
    elif harm != "missing":
        ruined = {"empty": b"", "cut": data[:-1], "longer": data + b"\0", "garbled": bytes(byte ^ 0x5A for byte in data)}[harm]
        victim.write_bytes(ruined)
    with pytest.raises(BuildCorrupt, match=re.escape(victim.name)):
        builds.open(path)
    with pytest.raises(BuildCorrupt, match=re.escape(victim.name)):
        builds.write(path, [make_row(50)])


def test_damage_is_not_merged_under_a_fresh_checksum(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    path = builds.write(None, [make_row(number) for number in range(4)])
    victim, = path.glob("*.segment")
    data = bytearray(victim.read_bytes())
    data[-1] ^= 1
    victim.write_bytes(data)
    with pytest.raises(BuildCorrupt, match=re.escape(victim.name)):
        builds.write(path, [make_row(number) for number in range(10, 14)])
    with pytest.raises(BuildCorrupt, match=re.escape(victim.name)):
        open_reader(path).check()


def _answers(path: Path) -> list[tuple[str, float]]:
    reader = open_reader(path)
    return [(hit.chunk_id, hit.score) for _ in range(20) for hit in reader.search("gateway 网关 ERR_1042", ALL, 10)]


def test_several_processes_read_while_the_next_build_is_made(on_disk: Callable[..., Any], make_row: Callable[..., Any]) -> None:
    builds = on_disk()
    path = builds.write(None, [make_row(number) for number in range(60)])
    with multiprocessing.get_context("spawn").Pool(3) as pool:
        running = [pool.apply_async(_answers, (path,)) for _ in range(3)]
        new = path
        for number in range(60, 66):
            new = builds.write(new, [make_row(number)], [make_row(number - 60).chunk_id])
        found = [result.get(60) for result in running]
    assert found == [_answers(path)] * 3


def test_fingerprint_covers_format_and_terms() -> None:
    assert TERMS in Bm25Writer.fingerprint and "format=1" in Bm25Writer.fingerprint
