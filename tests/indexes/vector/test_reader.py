"""What the build on disk promises besides: it never changes, says what is broken, and is read by many at once."""

import hashlib
import json
import multiprocessing
import threading
from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexes.header import write_header
from indexes.vector import reader as reading
from indexes.vector import shard
from indexes.vector.memory import MemoryVectors
from indexes.vector.reader import FEW, open_reader
from ingest.errors import BuildCorrupt
from ingest.model.access import Access, Principal
from ingest.model.predicate import Predicate
from ingest.progress import Silent
from ingest.protocols import RowVector, VectorDelta

_QUERY = np.array([1, 1, 1, 0, 0, 0, 0, 0], dtype=np.float32)
_ENGINES = ["edge_config.json", "segment.json", "chunk_0.mmap", "flags_a.dat", "page_0.dat", "tracker.dat"]
EVERYTHING = Predicate(None, statuses=None)


def _hashes(path):
    return {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in path.rglob("*") if file.is_file()}


def _found(path):
    with closing(open_reader(path)) as reader:
        return [(hit.chunk_id, hit.score) for hit in reader.search(_QUERY, EVERYTHING, 10)]


def test_a_base_is_never_modified(disk, make_row):
    rows = [make_row(number) for number in range(20)]
    base, _ = disk.build(None, rows)
    before = _hashes(base)
    found = _found(base)
    disk.build(base, [make_row(3, title="x"), make_row(40)], [rows[0].chunk_id, rows[3].chunk_id])
    assert _found(base) == found
    assert _hashes(base) == before


def test_reading_changes_no_byte(disk, make_row):
    path, contents = disk.build(None, [make_row(number) for number in range(20)])
    before = _hashes(path)
    with closing(open_reader(path)) as reader:
        reader.search(_QUERY, Predicate(), 3)
        list(reader.pairs())
        reader.contents(list(contents))
    assert _hashes(path) == before


def test_a_build_may_be_renamed_after_writing_and_while_open(disk, make_row):
    path, _ = disk.build(None, [make_row(number) for number in range(5)])
    with closing(open_reader(path)) as reader:
        wanted = reader.search(_QUERY, EVERYTHING, 9)
        moved = path.rename(path.with_name("published"))
        assert reader.search(_QUERY, EVERYTHING, 9) == wanted
    assert _found(moved) == [(hit.chunk_id, hit.score) for hit in wanted]


@pytest.mark.parametrize("tied", [1, 8])
def test_gates_listed_singly_as_a_set_or_excluded_find_the_same(disk, make_row, monkeypatch, tied):
    roles = [f"role{number}" for number in range(12)]
    rows = [make_row(number, access=Access(roles=(roles[number % 12],))) for number in range(60)]
    path, _ = disk.build(None, rows)
    monkeypatch.setattr(reading, "_TIES", tied)
    for held in (1, 3, 7, 9, 11):
        predicate = Predicate(Principal("alice", tuple(roles[:held])), statuses=None)
        found = []
        for few, many in ((0, 2), (0, 0), (FEW, 0), (100, 0)):
            monkeypatch.setattr(reading, "FEW", few)
            monkeypatch.setattr(shard, "FEW", few)
            monkeypatch.setattr(reading, "_MANY", many)
            with closing(open_reader(path)) as reader:
                found.append(reader.search(_QUERY, predicate, 10))
        assert all(each == found[0] for each in found)
        assert len(found[0]) == min(10, 5 * held)


@given(st.data())
@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
def test_languages_searched_by_themselves_find_what_one_search_does(disk, make_row, vector, data):
    tags = st.sampled_from(["zh", "zh-CN", "en", None])
    roles = st.sampled_from([None, ("sre",), ("ops",)])
    kinds = data.draw(st.lists(st.tuples(tags, roles), min_size=1, max_size=60))
    rows = [make_row(number, language=tag, access=Access(roles=role)) for number, (tag, role) in enumerate(kinds)]
    path, _ = disk.build(None, rows)
    oracle = MemoryVectors()
    oracle.write(None, VectorDelta((RowVector(row, vector(row)) for row in rows), len(rows), frozenset(), 8), path, Silent())
    with closing(open_reader(path)) as reader, closing(oracle.open_reader(path)) as exact:
        for who in (Principal(), Principal("a", ("sre",)), Principal("a", ("sre", "ops"))):
            predicate, limit = Predicate(who, statuses=None), data.draw(st.integers(1, 20))
            wanted = [(hit.chunk_id, pytest.approx(hit.score, abs=1e-5)) for hit in exact.search(_QUERY, predicate, limit)]
            assert [(hit.chunk_id, hit.score) for hit in reader.search(_QUERY, predicate, limit)] == wanted
            by_language = reader.by_language(_QUERY, predicate, limit)
            assert {k: [h.chunk_id for h in v] for k, v in by_language.items()} == {
                k: [h.chunk_id for h in v] for k, v in exact.by_language(_QUERY, predicate, limit).items()
            }


@pytest.mark.parametrize("how", ["missing", "cut", "longer"])
@pytest.mark.parametrize("name", ["vector.json", "gates.json", *_ENGINES])
def test_a_damaged_file_is_named(disk, make_row, name, how):
    path, _ = disk.build(None, [make_row(number) for number in range(5)])
    file = next(found for found in sorted(path.rglob(name)))
    if how == "missing":
        file.unlink()
    else:
        data = file.read_bytes()
        file.write_bytes(data + b"0" if how == "longer" else data[: len(data) // 2])
    with pytest.raises(BuildCorrupt, match=name):
        open_reader(path)


def test_what_is_no_build_is_refused(tmp_path):
    with pytest.raises(BuildCorrupt, match=r"vector\.json"):
        open_reader(tmp_path / "nowhere")


def test_another_format_is_refused(disk, make_row):
    path, _ = disk.build(None, [make_row(0)])
    (path / "vector.json").unlink()
    write_header(path, "vector", 99, {"dimensions": 8, "points": 1, "dead": 0})
    with pytest.raises(BuildCorrupt, match="another kind or format"):
        open_reader(path)


def test_junk_of_the_right_size_in_the_engines_files_is_refused(disk, make_row):
    path, _ = disk.build(None, [make_row(0)])
    file = next(path.rglob("segment.json"))
    file.write_bytes(b"x" * file.stat().st_size)
    with pytest.raises(BuildCorrupt, match="shard"):
        open_reader(path)


def test_a_gate_that_is_gone_or_foreign_is_refused(disk, make_row):
    path, _ = disk.build(None, [make_row(0), make_row(1, status="draft")])
    table = json.loads((path / "gates.json").read_bytes())
    table.pop(sorted(table)[0])
    _rewrite(path, table)
    with pytest.raises(BuildCorrupt, match=r"gates\.json"):
        open_reader(path)


def test_a_gate_with_other_columns_is_seen_in_the_contents(disk, make_row):
    row = make_row(0, status="draft")
    path, promised = disk.build(None, [row])
    table = json.loads((path / "gates.json").read_bytes())
    for columns in table.values():
        columns[3] = "active"
    _rewrite(path, table)
    with closing(open_reader(path)) as reader:
        assert reader.contents([row.chunk_id]) != promised


def test_a_changed_vector_is_seen_in_the_contents(disk, make_row):
    rows = [make_row(number) for number in range(3)]
    path, promised = disk.build(None, rows)
    file = next(path.rglob("chunk_0.mmap"))
    with file.open("r+b") as handle:
        handle.seek(2)
        handle.write(b"\x01")
    with closing(open_reader(path)) as reader:
        assert dict(reader.pairs()) == {row.chunk_id: row.row_checksum for row in rows}
        found = reader.contents(list(promised))
    assert sum(found[chunk_id] != promised[chunk_id] for chunk_id in promised) == 1


def _rewrite(path, table):
    (path / "gates.json").write_bytes(json.dumps(table).encode())
    header = json.loads((path / "vector.json").read_bytes())
    (path / "vector.json").unlink()
    write_header(path, "vector", 1, {name: header[name] for name in ("dimensions", "points", "dead")})


def _answers(path, queue):
    for _ in range(5):
        queue.put(_found(path))


def test_processes_and_threads_may_open_and_read_at_once(disk, make_row):
    path, _ = disk.build(None, [make_row(number) for number in range(20)])
    before, wanted = _hashes(path), _found(path)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    processes = [context.Process(target=_answers, args=(path, queue)) for _ in range(4)]
    for process in processes:
        process.start()
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(_found(path))) for _ in range(20)]
    for thread in threads:
        thread.start()
    answers = [queue.get(timeout=30) for _ in range(20)]
    for each in (*processes, *threads):
        each.join()
    assert all(answer == wanted for answer in (*answers, *found))
    assert len(found) == 20
    assert _hashes(path) == before


def test_threads_may_share_one_reader(disk, make_row):
    path, _ = disk.build(None, [make_row(number) for number in range(20)])
    with closing(open_reader(path)) as reader:
        wanted = [reader.search(_QUERY, EVERYTHING, limit) for limit in range(1, 21)]
        found = [None] * 20

        def search(limit):
            for _ in range(20):
                found[limit - 1] = reader.search(_QUERY, EVERYTHING, limit)

        threads = [threading.Thread(target=search, args=(limit,)) for limit in range(1, 21)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == wanted


def test_a_query_of_another_length_is_refused(disk, make_row):
    path, _ = disk.build(None, [make_row(0)])
    with closing(open_reader(path)) as reader, pytest.raises(ValueError, match="shape"):
        reader.search(np.zeros(3, np.float32), EVERYTHING, 5)
