"""What is tampered with in an index is named by what it is, though every hash that is written down fits."""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

KINDS = ("vector", "bm25", "graph")


def test_published_base_is_clean_at_every_level(behind: Any) -> None:
    assert behind.found() == set()
    assert behind.found(deep=True) == set()
    assert behind.found(deep=True, every=True) == set()


@pytest.mark.parametrize("kind", KINDS)
def test_lost_row_is_named_with_its_document(behind: Any, kind: str) -> None:
    row = behind.row("cedar")
    behind.without(kind, row)
    assert behind.found() == {("lost", kind)}
    lost = behind.finding("lost")
    assert (lost.ids, lost.sources) == ((row.chunk_id,), ("docs/cedar.md",))


@pytest.mark.parametrize("kind", ["vector", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("bm25", "graph"))])
def test_ghost_row_is_named(behind: Any, kind: str) -> None:
    ghost = replace(behind.row("cedar"), chunk_id="urn:kb:chunk:" + "0" * 32)
    behind.rebuilt(kind, [*behind.rows().values(), ghost])
    assert behind.found() == {("ghost", kind)}
    assert behind.finding("ghost").ids == (ghost.chunk_id,)


@pytest.mark.parametrize("kind", KINDS)
def test_opened_access_rule_is_found_deep(behind: Any, kind: str) -> None:
    from ingest.model.access import Access

    row = behind.row("QUOKKA")
    behind.replaced(kind, row, access=Access())
    assert behind.found(deep=True) == {("altered access rule", kind)}
    assert behind.finding("altered access rule", deep=True).ids == (row.chunk_id,)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_prolonged_validity_is_found_deep(behind: Any, kind: str) -> None:
    row = behind.row("cedar")
    behind.replaced(kind, row, valid_until=None)
    assert behind.found(deep=True) == {("altered validity", kind)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_other_metadata_are_named_by_field(behind: Any, kind: str) -> None:
    behind.replaced(kind, behind.row("cedar"), status="draft")
    assert behind.found(deep=True) == {("altered", kind)}
    assert behind.finding("altered", deep=True).detail == "1 row: status"


@pytest.mark.parametrize("kind", ["bm25", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("vector", "graph"))])
def test_row_of_another_checksum_is_told_apart_at_once(behind: Any, kind: str) -> None:
    from ingest.model.row import resealed

    row = behind.row("cedar")
    other = resealed(row, valid_until=None)
    behind.rebuilt(kind, [other if one == row else one for one in behind.rows().values()])
    assert behind.found() == {("altered validity", kind)}


@pytest.mark.parametrize("words", ["cedar", "机柜"])
def test_reworded_row_is_altered_text(behind: Any, words: str) -> None:
    row = behind.row(words)
    behind.replaced("bm25", row, text=row.text.replace(words, "冷杉 fir"))
    assert behind.found() == set()
    assert behind.found(deep=True) == {("altered text", "bm25")}
    assert behind.finding("altered text", deep=True).ids == (row.chunk_id,)


@pytest.mark.slow
def test_title_in_the_graph_is_named(behind: Any) -> None:
    behind.replaced("graph", behind.row("cedar"), title="Firs")
    assert behind.finding("altered", deep=True).detail == "1 row: title"


def test_swapped_vectors_are_altered_vectors(behind: Any) -> None:
    one, other = behind.row("cedar").chunk_id, behind.row("机柜").chunk_id
    held = behind.vectors()
    behind.rebuilt("vector", behind.rows().values(), vectors={one: held[other], other: held[one]})
    assert behind.found() == set()
    assert behind.finding("altered vector", deep=True).ids == tuple(sorted((one, other)))


def test_gates_that_were_opened_are_found_without_being_deep(behind: Any) -> None:
    import json

    for kind in ("vector", "graph"):
        path = behind.build(kind) / "gates.json"
        table = {gate: [value if value != ["r:sre"] else ["*"] for value in columns]
                 for gate, columns in json.loads(path.read_bytes()).items()}
        text = json.dumps(table, sort_keys=True, separators=(",", ":"))
        path.write_text(text + " " * (path.stat().st_size - len(text)))
        behind.vouch(kind)
        assert behind.found() >= {("altered access rule", kind)}


def test_point_that_only_the_engine_deleted_is_lost(behind: Any) -> None:
    from indexes.vector.format import point_id
    from indexes.vector.shard import Shard

    row = behind.row("cedar")
    shard = Shard.open(behind.build("vector") / "shard")
    shard.delete([point_id(row.chunk_id)])
    shard.seal()
    behind.vouch("vector")
    assert behind.finding("lost").ids == (row.chunk_id,)


def test_old_build_in_place_of_the_new_one_is_a_wrong_build(behind: Any, tmp_path: Any) -> None:
    old = {kind: tmp_path / kind for kind in KINDS}
    for kind, copy in old.items():
        shutil.copytree(behind.build(kind), copy)
    behind.base.write("more.md", "# More\n\nOne more birch.\n")
    behind.base.run()
    for kind, copy in old.items():
        shutil.rmtree(behind.build(kind))
        shutil.copytree(copy, behind.build(kind))
    found = behind.base.verify()
    assert {(item.kind, item.where.partition("/")[0]) for item in found} == {("wrong build", kind) for kind in KINDS}
    assert all("generation 1" in item.detail for item in found)
    for kind in KINDS:
        behind.vouch(kind)
    assert behind.found() >= {("wrong build", f"{kind}/{behind.build(kind).name}") for kind in KINDS}
    assert {item.kind for item in behind.base.verify()} == {"wrong build", "lost"}


def test_stamp_alone_is_a_wrong_build(behind: Any) -> None:
    stamp = behind.build("bm25") / "stamp.json"
    stamp.write_text(stamp.read_text().replace('"rows":"', '"rows":"9'))
    assert behind.found() == {("wrong build", f"bm25/{behind.build('bm25').name}")}


@pytest.mark.parametrize("kind", KINDS)
def test_torn_files_are_named_and_the_build_is_not_opened(behind: Any, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from indexes.generation.verify import levels

    monkeypatch.setattr(levels, "open_as_is", lambda *_: pytest.fail("opened") if _[0] == kind else levels_open(*_))
    from indexes.generation.kinds import open_as_is as levels_open

    file = max((path for path in behind.build(kind).rglob("*") if path.is_file()), key=lambda path: path.stat().st_blocks)
    with file.open("r+b") as opened:
        first = opened.read(1)
        opened.seek(0)
        opened.write(bytes([first[0] ^ 1]))
    name = file.relative_to(behind.build(kind)).as_posix()
    assert behind.found(deep=True) == {("torn file", f"{kind}/{behind.build(kind).name}/{name}")}


def test_verifying_changes_no_byte_even_of_a_damaged_build(behind: Any) -> None:
    """What the hashes vouch for is opened, and the engine mends what it finds."""
    from indexes.generation.seal import hash_files

    for name in ("page_0.dat", "tracker.dat", "mutable_id_tracker.mappings"):
        for path in behind.build("vector").rglob(name):
            with path.open("r+b") as opened:
                opened.seek(40)
                opened.write(b"\x55")
    behind.vouch("vector")
    before = hash_files(behind.base.kb / "builds")
    behind.base.verify(deep=True)
    assert hash_files(behind.base.kb / "builds") == before


def test_postings_changed_in_place_are_found_by_the_checksums_of_the_arrays(behind: Any) -> None:
    (segment,) = behind.build("bm25").glob("*.segment")
    data = bytearray(segment.read_bytes())
    data[-1] ^= 7
    segment.write_bytes(data)
    behind.vouch("bm25")
    assert ("torn file", f"bm25/{behind.build('bm25').name}") in behind.found()


# The graph's edges


def test_lost_and_ghost_edges_are_named_by_their_ids(behind: Any) -> None:
    edges = behind.edges()
    other = replace(edges[0], relation="part_of")
    behind.rebuilt("graph", behind.rows().values(), [*edges[1:], other])
    assert behind.found() == {("lost edge", "graph"), ("ghost edge", "graph")}
    assert behind.finding("lost edge").ids == (edges[0].edge_id,)
    assert behind.finding("ghost edge").ids == (other.edge_id,)


def test_edge_that_rests_on_nothing_is_an_orphan(behind: Any) -> None:
    orphan = replace(behind.edges()[0], evidence="urn:kb:chunk:" + "0" * 32)
    behind.rebuilt("graph", behind.rows().values(), [*behind.edges(), orphan])
    assert behind.found() == {("orphan edge", "graph")}
    assert behind.finding("orphan edge").ids == (orphan.edge_id,)


def _changed(behind: Any, name: str, change: Any) -> None:
    path = behind.build("graph") / f"{name}.npy"
    array = np.load(path)
    change(array)
    np.save(path, array)
    behind.vouch("graph")


@pytest.mark.parametrize("way", ["out", "in"])
def test_edges_that_lead_elsewhere_in_one_direction_are_found_deep(behind: Any, way: str) -> None:
    _changed(behind, f"{way}.ends", lambda array: array.__setitem__(0, (array[0] + 1) % 3))
    kinds = {kind for kind, _ in behind.found(deep=True)}
    assert kinds and kinds <= {"lost edge", "ghost edge", "altered"}


def test_edge_hidden_by_the_kind_of_its_end_is_found_deep(behind: Any) -> None:
    _changed(behind, "nodes.kinds", lambda array: array.__setitem__(np.flatnonzero(array == 4)[0], 0))
    assert ("altered", "graph") in behind.found(deep=True)


def test_mention_that_a_row_does_not_make_is_a_ghost_edge(behind: Any) -> None:
    row = behind.row("机柜")
    behind.replaced("graph", row, entity_ids=("urn:kb:entity:maker",))
    assert behind.found(deep=True) == {("altered", "graph"), ("ghost edge", "graph")}
