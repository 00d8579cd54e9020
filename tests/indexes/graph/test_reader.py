import hashlib
import multiprocessing
import threading
from contextlib import closing

import numpy as np
import pytest

from indexes.graph.reader import open_reader
from ingest.errors import BuildCorrupt
from ingest.model.edge import LINKS_TO, Edge
from ingest.model.predicate import Predicate

EVERYTHING = Predicate(None, statuses=None)
_FILES = [
    "graph.json", "gates.json", "chunks.parquet", "edges.parquet", "nodes.ids.npy", "nodes.offsets.npy", "nodes.kinds.npy",
    *(f"{way}.{column}.npy" for way in ("out", "in") for column in ("starts", "ends", "relations", "evidence", "records")),
]


@pytest.fixture
def built(disk, make_row):
    """A build, its rows and the promised contents."""
    rows = [make_row(number) for number in range(20)]
    link = Edge(rows[0].source_id, LINKS_TO, rows[8].source_id, rows[0].source_id, rows[0].chunk_id)
    path, promised = disk.build(None, rows, edges=[link])
    return path, rows, promised


def _answers(path, nodes):
    with closing(open_reader(path)) as reader:
        return [reader.neighbors(nodes, None, EVERYTHING, 50, reverse) for reverse in (False, True)]


@pytest.mark.parametrize("how", ["missing", "cut", "longer"])
@pytest.mark.parametrize("name", _FILES)
def test_a_damaged_file_is_named(built, name, how):
    file = built[0] / name
    data = file.read_bytes()
    file.unlink()
    if how != "missing":
        file.write_bytes(data + b"0" if how == "longer" else data[: len(data) // 2])
    with pytest.raises(BuildCorrupt, match=name):
        open_reader(built[0])


@pytest.mark.parametrize("name", [name for name in _FILES if name != "graph.json"])
def test_junk_of_the_right_size_is_named(built, name):
    file = built[0] / name
    file.write_bytes(b"x" * file.stat().st_size)
    with pytest.raises(BuildCorrupt, match=name), closing(open_reader(built[0])) as reader:
        list(reader.pairs())
        list(reader.edges())
        reader.neighbors([], None, EVERYTHING, 1)


def test_what_is_no_build_is_refused(tmp_path):
    with pytest.raises(BuildCorrupt, match=r"graph\.json"):
        open_reader(tmp_path)


@pytest.mark.parametrize("name", ["out.ends", "in.ends", "out.relations", "in.relations", "out.evidence", "in.evidence"])
def test_an_edge_that_leads_elsewhere_is_seen_in_the_contents(built, name):
    path, _, promised = built
    file = path / f"{name}.npy"
    values = np.load(file)
    made = np.flatnonzero(np.load(path / f"{name.split('.')[0]}.records.npy") < 0)
    values[made[0]] = values[made[-1]] if values[made[0]] != values[made[-1]] else values[made[len(made) // 2]]
    np.save(file, values)
    with closing(open_reader(path)) as reader:
        assert reader.contents(list(promised)) != promised


def test_a_changed_end_of_a_link_is_seen_in_the_edges(built):
    path, _, _ = built
    ends, records = (np.load(path / f"out.{name}.npy") for name in ("ends", "records"))
    ends[np.flatnonzero(records >= 0)] = 0
    np.save(path / "out.ends.npy", ends)
    with closing(open_reader(path)) as reader:
        assert {edge.edge_id for edge in reader.edges()} != set(reader.edge_ids())


def test_reading_changes_no_byte(built):
    path, rows, promised = built
    before = {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in path.iterdir()}
    _answers(path, [row.source_id for row in rows])
    with closing(open_reader(path)) as reader:
        reader.contents(list(promised))
    assert {file: hashlib.sha256(file.read_bytes()).hexdigest() for file in path.iterdir()} == before


def _repeat(path, nodes, queue):
    for _ in range(3):
        queue.put(_answers(path, nodes))


def test_processes_and_threads_may_open_and_read_at_once(built):
    path, rows, _ = built
    nodes = [row.source_id for row in rows]
    wanted = _answers(path, nodes)
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=_repeat, args=(path, nodes, queue))
    process.start()
    found: list[object] = []
    threads = [threading.Thread(target=lambda: found.append(_answers(path, nodes))) for _ in range(20)]
    for thread in threads:
        thread.start()
    answers = [queue.get(timeout=60) for _ in range(3)]
    for each in (process, *threads):
        each.join()
    assert len(found) == 20
    assert all(answer == wanted for answer in (*answers, *found))


def test_threads_may_share_one_reader_and_ask_with_different_predicates(built):
    path, rows, _ = built
    nodes = [row.source_id for row in rows]
    predicates = [Predicate(None, statuses=None, sources=(source,)) for source in sorted(set(nodes))] * 4
    with closing(open_reader(path)) as reader:
        wanted = [reader.neighbors(nodes, None, predicate, 50) for predicate in predicates]
        found = [None] * len(predicates)

        def ask(place):
            for _ in range(20):
                found[place] = reader.neighbors(nodes, None, predicates[place], 50)

        threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(predicates))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == wanted
