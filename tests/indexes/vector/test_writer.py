from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest

from indexes.vector import writer
from indexes.vector.reader import open_reader
from indexes.vector.shard import Shard
from ingest.errors import BuildCorrupt, StorageFailed
from ingest.model.gate import Gates
from ingest.model.predicate import Predicate
from ingest.progress import Silent
from ingest.protocols import RowVector, VectorDelta

_QUERY = np.array([1, 1, 1, 0, 0, 0, 0, 0], dtype=np.float32)


def _answer(path):
    with closing(open_reader(path)) as reader:
        return dict(reader.pairs()), reader.search(_QUERY, Predicate(None, statuses=None), 100)


def test_dead_slots_are_swept_and_answers_stay(disk, make_row, monkeypatch):
    monkeypatch.setattr(writer, "_SLACK", 4)
    rows = [make_row(number) for number in range(24)]
    path, _ = disk.build(None, rows)
    swept = []
    for turn in range(8):
        changed = [make_row(number, title=f"turn {turn}") for number in range(turn, turn + 3)]
        path, _ = disk.build(path, changed, [row.chunk_id for row in changed])
        swept.append(_dead(path))
        rows = [{row.chunk_id: row for row in changed}.get(row.chunk_id, row) for row in rows]
    scratch, _ = disk.build(None, rows)
    assert max(swept) <= 9
    assert 0 in swept
    assert _answer(path) == _answer(scratch)


def _dead(path):
    from indexes.header import read_header

    return read_header(path, "vector", 1)["dead"]


def test_only_gates_that_rows_stand_behind_are_kept(disk, make_row):
    base, _ = disk.build(None, [make_row(0), make_row(1, status="draft")])
    path, _ = disk.build(base, [], [make_row(1).chunk_id])
    assert b"draft" in (base / "gates.json").read_bytes()
    assert b"draft" not in (path / "gates.json").read_bytes()


def test_no_graph_is_built_and_no_optimiser_runs(disk, make_row):
    path, _ = disk.build(None, [make_row(number) for number in range(1500)])
    segments = list((path / "shard" / "segments").iterdir())
    assert len(segments) == 1
    assert not [file for file in segments[0].rglob("*") if "hnsw" in file.name or "graph" in file.name]
    with closing(Shard.open_sealed(path / "shard")) as shard:
        assert shard._engine.info().indexed_vectors_count == 0


def test_a_base_of_other_dimensions_is_refused(disk, make_row):
    base, _ = disk.build(None, [make_row(0)])
    delta = VectorDelta([], 0, frozenset(), 16)
    with pytest.raises(BuildCorrupt, match="8 dimensions"):
        disk.writer.write(base, delta, disk.folder / "other", Silent())


def test_a_vector_of_another_length_is_refused(disk, make_row):
    delta = VectorDelta([RowVector(make_row(0), np.ones(5, np.float32))], 1, frozenset(), 8)
    with pytest.raises(ValueError, match="shape"):
        disk.writer.write(None, delta, disk.folder / "bad", Silent())


def test_an_id_that_is_no_chunk_id_is_refused(disk, make_row):
    with pytest.raises(ValueError, match="not a chunk id"):
        disk.build(None, [make_row(0, chunk_id="urn:kb:chunk:12")])


def test_a_disk_that_would_not_hold_the_build_is_refused_before_writing(disk, make_row, monkeypatch):
    monkeypatch.setattr(writer.shutil, "disk_usage", lambda path: SimpleNamespace(free=10 << 20))
    with pytest.raises(StorageFailed, match="10 MB free"):
        disk.build(None, [make_row(0)])
    assert not list(disk.folder.iterdir())


def test_rows_are_streamed_and_few_wait_for_others_of_their_gate(disk, make_row, vector, monkeypatch):
    monkeypatch.setattr(writer, "_HELD", 1024)
    alive, most = 0, 0

    def rows():
        nonlocal alive, most
        for number in range(3000):
            alive += 1
            most = max(most, alive)
            yield RowVector(make_row(number), vector(make_row(number)))

    class Count(Silent):
        def advance(self, stage, amount=1):
            nonlocal alive
            alive -= amount

    disk.writer.write(None, VectorDelta(rows(), 3000, frozenset(), 8), disk.folder / "many", Count())
    assert most <= 2 * 1024
    assert alive == 0


def test_rows_are_put_a_gate_at_a_time_when_they_are_written_and_when_they_are_moved(disk, make_row, monkeypatch):
    put = []
    upsert = Shard.upsert

    def noted(shard, points):
        put.append([payload["gate"] for _, _, payload in points])
        upsert(shard, points)

    monkeypatch.setattr(Shard, "upsert", noted)
    monkeypatch.setattr(writer, "_SLACK", 4)
    rows = [make_row(number, status=("active", "draft")[number % 2]) for number in range(40)]
    base, _ = disk.build(None, rows)
    written, put[:] = list(put), []
    disk.build(base, [], [row.chunk_id for row in rows[:12]])
    for parts, count in ((written, 40), (put, 28)):
        assert sum(map(len, parts)) == count
        assert all(len(set(gates)) == 1 for gates in parts)
        assert len(parts) == len({gates[0] for gates in parts}) > 1


def test_a_row_that_waits_keeps_no_vectors_of_others(make_row, vector):
    items = [RowVector(make_row(number), vector(make_row(number))) for number in range(5)]
    points = list(writer._points(VectorDelta(items, 5, frozenset(), 8), Gates(), {}))
    assert len(points) == 5
    assert all(held.base is None for _, held, _ in points)


def test_progress_counts_every_row(disk, make_row, vector):
    calls = []
    watcher = SimpleNamespace(
        start=lambda stage, total, unit: calls.append((stage, total)), advance=lambda stage, amount: calls.append(amount),
        finish=lambda stage: calls.append(stage), note=calls.append,
    )
    items = [RowVector(make_row(number), vector(make_row(number))) for number in range(600)]
    disk.writer.write(None, VectorDelta(items, 600, frozenset(), 8), disk.folder / "watched", watcher)
    assert (calls[0], sum(calls[1:-1]), calls[-1]) == (("vector", 600), 600, "vector")
