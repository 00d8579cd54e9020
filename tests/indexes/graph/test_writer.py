import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from indexes.graph import adjacency
from ingest.errors import BuildCorrupt
from ingest.model.edge import LINKS_TO, REGISTRY, Edge


def _hashes(path):
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(path.iterdir())}


def test_a_build_by_deltas_is_byte_identical_to_one_from_scratch(disk, some_histories, some_edges, rows_in_effect):
    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(some_histories, st.lists(some_edges, min_size=5, max_size=5))
    def check(history, added):
        path, edges = None, {}
        for step, more in zip(history, added, strict=False):
            path, _ = disk.build(path, step.added, step.removed, more)
            edges.update({edge.edge_id: edge for edge in more})
        held = rows_in_effect(history)
        scratch, _ = disk.build(None, list(held.values())[::-1], edges=list(edges.values())[::-1])
        assert _hashes(path) == _hashes(scratch)

    check()


@pytest.mark.parametrize("few", [10, 500])
def test_the_same_holds_over_several_row_groups_and_batches(disk, make_row, monkeypatch, few):
    monkeypatch.setattr("indexes.graph.tables._FEW", few)
    monkeypatch.setattr("indexes.graph.tables._ROW_GROUP", 100)
    monkeypatch.setattr("indexes.graph.tables._BATCH", 64)
    rows = [make_row(number) for number in range(1000)]
    edges = [Edge(row.source_id, LINKS_TO, row.parent_id, row.source_id, row.chunk_id) for row in rows]
    base, _ = disk.build(None, rows[:900], edges=edges)
    path, _ = disk.build(base, rows[850:], [row.chunk_id for row in rows[:30]])
    path, _ = disk.build(path, rows[:30])
    scratch, _ = disk.build(None, rows, edges=edges[::-1])
    assert _hashes(path) == _hashes(scratch)


def test_sorting_by_parts_equals_sorting_by_one_key(monkeypatch):
    import numpy as np

    random = np.random.default_rng(7)
    small = tuple(random.integers(0, 9, 500).astype(np.int32) for _ in range(3))
    wanted = np.lexsort(small[::-1])
    assert (adjacency._sorted(small) == wanted).all()
    huge = tuple(np.where(key == 8, 2**31 - 1, key).astype(np.int32) for key in small)
    assert (adjacency._sorted(huge) == wanted).all()


def test_a_base_is_never_modified(disk, make_row):
    rows = [make_row(number) for number in range(20)]
    base, _ = disk.build(None, rows, edges=[Edge("urn:kb:entity:a", "part_of", "urn:kb:entity:b", REGISTRY, REGISTRY)])
    before = _hashes(base)
    disk.build(base, [make_row(3, title="x"), make_row(40)], [rows[0].chunk_id])
    assert _hashes(base) == before


@pytest.mark.parametrize("name", ["graph.json", "chunks.parquet", "edges.parquet", "gates.json"])
def test_a_damaged_base_is_refused_and_named(disk, make_row, name):
    base, _ = disk.build(None, [make_row(0)])
    file = base / name
    file.write_bytes(b"x" * file.stat().st_size)
    with pytest.raises(BuildCorrupt, match=name):
        disk.build(base, [make_row(1)])


def test_of_rows_with_one_id_the_last_counts(disk, make_row):
    path, promised = disk.build(None, [make_row(0), make_row(1), make_row(0, title="last")])
    scratch, wanted = disk.build(None, [make_row(1), make_row(0, title="last")])
    assert promised == wanted
    assert _hashes(path) == _hashes(scratch)
