"""The catalog: intervals, staging, the one commit point, recovery, restoring and forgetting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.errors import KnowledgeBaseMissing, NotFound, StorageFailed
from ingest.model.generation import Manifest
from ingest.model.source import Revision, Root
from ingest.store.catalog import FACTS, Catalog, Fact
from ingest.store.layout import Layout
from ingest.store.opening import open_catalog

State = dict[str, dict[str, str]]


@pytest.fixture
def catalog(new_layout: Callable[[], Layout]) -> Iterator[Catalog]:
    with open_catalog(new_layout(), create=True) as opened:
        opened.take("mine")
        yield opened


def fact(id: str, source: str, checksum: str) -> Fact:
    return Fact.of({"text": f"{id} 的内容"}, id=id, source_id=source, checksum=checksum)


def stage(catalog: Catalog, sources: State, generation: int | None = None) -> int:
    """Stage a generation in which each source has exactly the facts given: id -> checksum."""
    number = generation or catalog.head() + 1
    with catalog.staging(number) as staging:
        for source, wanted in sources.items():
            staging.replace("chunks", source, [fact(id, source, checksum) for id, checksum in wanted.items()])
    return number


def publish(catalog: Catalog, sources: State) -> int:
    number = stage(catalog, sources)
    catalog.publish(Manifest(number, f"snapshot-{number}", (), catalog.digests(number), "registry"))
    return number


def held(catalog: Catalog, generation: int) -> set[tuple[str, str]]:
    return set(catalog.pairs("chunks", generation))


def test_missing_base_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseMissing, match="ingest run"):
        Catalog(tmp_path / "catalog.db")
    assert not (tmp_path / "catalog.db").exists()


def test_staged_generation_is_invisible_until_published(catalog: Catalog) -> None:
    publish(catalog, {"s": {"a": "1"}})
    stage(catalog, {"s": {"a": "2", "b": "1"}})
    assert catalog.head() == 1
    assert held(catalog, 1) == {("a", "1")}
    with pytest.raises(NotFound, match="snapshots list"):
        catalog.published(2)


def test_recovery_discards_what_was_staged_and_is_idempotent(catalog: Catalog) -> None:
    publish(catalog, {"s": {"a": "1", "b": "1"}})
    before = catalog.digests(1)
    stage(catalog, {"s": {"a": "2"}, "t": {"c": "1"}})
    assert catalog.recover() is True
    assert catalog.recover() is False
    assert catalog.digests(1) == before
    assert publish(catalog, {"s": {"a": "3"}}) == 2
    assert held(catalog, 2) == {("a", "3")}


def test_discarded_stage_leaves_no_trace(catalog: Catalog) -> None:
    publish(catalog, {"s": {"a": "1"}})
    with catalog.staging(2) as staging:
        staging.replace("chunks", "s", [])
        staging.discard()
    assert catalog.recover() is False
    assert held(catalog, 1) == {("a", "1")}


def test_exception_while_staging_leaves_no_trace(catalog: Catalog) -> None:
    with pytest.raises(RuntimeError), catalog.staging(1) as staging:
        staging.replace("chunks", "s", [fact("a", "s", "1")])
        raise RuntimeError("worker of the caller failed")
    assert catalog.recover() is False


def test_unchanged_facts_are_not_rewritten(catalog: Catalog) -> None:
    publish(catalog, {"s": {"a": "1", "b": "1", "c": "1"}})
    publish(catalog, {"s": {"a": "1", "b": "2", "d": "1"}})
    assert {id for id, _ in catalog.begun("chunks", 2)} == {"b", "d"}
    assert catalog.removed("chunks", 2) == {"b", "c"}


def test_head_moves_only_from_the_generation_before_and_with_the_lease(catalog: Catalog) -> None:
    number = stage(catalog, {"s": {"a": "1"}})
    manifest = Manifest(number, "snapshot", (), catalog.digests(number), "registry")
    with Catalog(catalog.database) as theirs:
        theirs.take("somebody else's")
    with pytest.raises(StorageFailed, match="another run"):
        catalog.publish(manifest)
    assert catalog.head() == 0
    catalog.take("mine")
    catalog.publish(manifest)
    with pytest.raises(StorageFailed, match="another run"):
        catalog.publish(manifest)


def test_one_id_in_two_sources_is_two_facts(catalog: Catalog) -> None:
    publish(catalog, {"s": {"a": "1"}, "t": {"a": "1"}})
    publish(catalog, {"s": {}})
    assert list(catalog.pairs("chunks", 2)) == [("a", "1")]
    assert [fact.source_id for fact in catalog.facts("chunks", 2)] == ["t"]


def test_roots_and_seen_survive_and_are_replaced(catalog: Catalog) -> None:
    catalog.put_root(Root("文档", "/a"))
    catalog.put_root(Root("文档", "/b"))
    assert catalog.roots() == {"文档": Root("文档", "/b")}
    catalog.put_seen([("s", {"file": [1, 2, 3, 4]}, Revision("x", "", 1))])
    catalog.put_seen([("s", {"file": [1, 2, 3, 5]}, Revision("y", "", 1))])
    assert catalog.seen() == {"s": ({"file": [1, 2, 3, 5]}, Revision("y", "", 1))}


def test_file_that_is_no_database_is_a_storage_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "catalog.db").write_bytes(b"not a database" * 100)
    with pytest.raises(StorageFailed, match=r"catalog\.db"):
        Catalog(tmp_path / "catalog.db")


states = st.dictionaries(
    st.sampled_from("stuv"), st.dictionaries(st.sampled_from("abcdef"), st.sampled_from("123"), max_size=5), max_size=4
)


@given(st.lists(states, min_size=2, max_size=6), st.data())
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_restoring_gives_back_exactly_what_a_generation_held(
    new_layout: Callable[[], Layout], history: list[State], data: st.DataObject
) -> None:
    """Whatever was published, pruned or replaced in between, going back holds the same facts, and writes only what differs."""
    with open_catalog(new_layout(), create=True) as catalog:
        catalog.take("mine")
        for state in history:
            publish(catalog, {source: {f"{source}{id}": sum for id, sum in state.get(source, {}).items()} for source in "stuv"})
        head = catalog.head()
        expected = {number: catalog.digests(number) for number in range(1, head + 1)}
        target = data.draw(st.integers(1, head))
        dropped = data.draw(st.sets(st.integers(1, head - 1).filter(lambda number: number != target)))
        catalog.forget(sorted(dropped))
        with catalog.staging(head + 1) as staging:
            for table in FACTS:
                staging.restore(table, target)
        assert catalog.digests(head + 1) == expected[target]
        differing = held(catalog, head) ^ held(catalog, target)
        assert {id for id, _ in catalog.begun("chunks", head + 1)} <= {id for id, _ in differing}
        for number in set(expected) - dropped:
            assert catalog.digests(number) == expected[number]


@pytest.mark.parametrize(("was", "is_now"), [("checksum TEXT", "checksum TEXU"), ("ix_chunks_id", "ix_chUnks_id")])
def test_schema_with_a_flipped_bit_is_a_fault(tmp_path: Path, was: str, is_now: str) -> None:
    """SQLite reads such a file without a word; a column of another type would store what comes next otherwise."""
    path = tmp_path / "catalog.db"
    with Catalog(path, create=True) as catalog:
        assert catalog.faults() == []
    data = path.read_bytes()
    place = data.rindex(was.encode())
    path.write_bytes(data[:place] + is_now.encode() + data[place + len(was):])
    with Catalog(path) as catalog:
        assert [fault for fault in catalog.faults() if "not as it was made" in fault] != []


def test_index_that_lost_a_row_is_a_fault_until_it_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    with Catalog(path, create=True) as catalog, catalog.staging(1) as stage:
        stage.begin("edges", [Fact("QUOKKA", "source", "checksum", 0, b"{}")])
    data = bytearray(path.read_bytes())
    places = [place for place in range(len(data)) if data.startswith(b"QUOKKA", place)]
    with Catalog(path) as catalog:
        assert catalog.faults() == []
    assert len(places) == 2, "the row, and the index of ids"
    data[min(places)] ^= 1
    path.write_bytes(data)
    with Catalog(path) as catalog:
        assert any("missing from index" in fault for fault in catalog.faults())
        catalog.reindex()
        assert catalog.faults() == []
