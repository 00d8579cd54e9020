"""Each kind of tampering is mended into the same snapshot and the same answers, and nothing else is built anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from flows.repair import mend
from indexes.generation.verify import Level
from ingest.progress import Silent

KINDS = ("vector", "bm25", "graph")


def tampered_vectors(behind: Any) -> None:
    one, other = behind.row("cedar").chunk_id, behind.row("机柜").chunk_id
    held = behind.vectors()
    behind.rebuilt("vector", behind.rows().values(), vectors={one: held[other], other: held[one]})


def tampered_vectors_and_cache(behind: Any) -> None:
    import hashlib

    from ingest.store.cache import checksum_of

    row, other = behind.row("cedar"), behind.row("机柜")
    value = behind.vectors()[other.chunk_id].tobytes()
    key = hashlib.sha256(row.embed_text.encode()).hexdigest()
    with behind.cache() as db:
        db.execute(
            "update entries set value = ?, checksum = ? where key = ?",
            (value, checksum_of("embed:hash-256-1", key, value), key),
        )
    tampered_vectors(behind)


def orphaned_edge(behind: Any) -> None:
    orphan = replace(behind.edges()[0], evidence="urn:kb:chunk:" + "0" * 32)
    behind.rebuilt("graph", behind.rows().values(), [*behind.edges(), orphan])


def opened(kind: str) -> Callable[[Any], None]:
    from ingest.model.access import Access

    return lambda behind: behind.replaced(kind, behind.row("QUOKKA"), access=Access())


def halved(kind: str) -> Callable[[Any], None]:
    def cut(behind: Any) -> None:
        file = max((path for path in behind.build(kind).rglob("*") if path.is_file()), key=lambda path: path.stat().st_blocks)
        file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])

    return cut


TAMPERINGS: dict[str, Callable[[Any], None]] = {
    **{f"lost in {kind}": (lambda behind, kind=kind: behind.without(kind, behind.row("cedar"))) for kind in KINDS},
    **{f"opened in {kind}": opened(kind) for kind in KINDS},
    **{f"prolonged in {kind}": (
        lambda behind, kind=kind: behind.replaced(kind, behind.row("cedar"), valid_until=None)
    ) for kind in KINDS},
    **{f"cut {kind}": halved(kind) for kind in KINDS},
    "reworded": lambda behind: behind.replaced("bm25", behind.row("机柜"), text="安装前不必确认。"),
    "swapped vectors": tampered_vectors,
    "wrong vectors in the cache too": tampered_vectors_and_cache,
    "orphan edge": orphaned_edge,
}


OFTEN = (
    "lost in vector", "opened in bm25", "cut vector", "wrong vectors in the cache too", "orphan edge",
)


@pytest.mark.parametrize("tampering", [
    pytest.param(act, id=name, marks=() if name in OFTEN else pytest.mark.slow) for name, act in TAMPERINGS.items()
])
def test_tampered_index_is_built_anew_with_the_same_snapshot_and_answers(behind: Any, tampering: Callable[[Any], None]) -> None:
    from ingest.model.access import Principal

    def answers() -> list[Any]:
        who = Principal(roles=("sre",))
        pack = behind.base.search("cedar 云脉网关 机柜 电源 QUOKKA", mode="hybrid", who=who)
        return [pack.snapshot, pack.evidence]

    before = answers()
    tampering(behind)
    mended = mend(behind.base.settings, Silent(), Level(deep=True))
    assert mended.repaired and not mended.left
    assert behind.found(deep=True, every=True) == set()
    assert answers() == before
    assert behind.base.run().published is False


def test_only_what_drifted_is_built_anew(behind: Any) -> None:
    before = {kind: behind.build(kind) for kind in KINDS}
    behind.without("bm25", behind.row("cedar"))
    mend(behind.base.settings, Silent())
    assert {kind for kind in KINDS if behind.build(kind) != before[kind]} == {"bm25"}


def test_damaged_cache_entries_are_dropped_and_nothing_is_published(behind: Any) -> None:
    with behind.cache() as db:
        db.execute("update entries set value = cast('x' || value as blob)")
        (count,) = db.execute("select count(*) from entries").fetchone()
    assert {item.kind for item in mend(behind.base.settings, Silent()).repaired} == set(), "by default nobody looks"
    mended = mend(behind.base.settings, Silent(), Level(deep=True, sample=0))
    assert {item.kind for item in mended.repaired} == {"cache entry"} and not mended.left
    with behind.cache() as db:
        assert count and db.execute("select count(*) from entries").fetchone() == (0,)
    assert behind.base.head() == 1
    assert behind.found(deep=True, every=True) == set()


def test_cache_that_cannot_be_opened_is_deleted(behind: Any) -> None:
    for path in (behind.base.kb / "cache").glob("cache.db*"):
        path.unlink()
    (behind.base.kb / "cache/cache.db").write_bytes(b"no database" * 100)
    assert {item.kind for item in mend(behind.base.settings, Silent()).repaired} == {"cache entry"}
    assert behind.base.head() == 1
    behind.base.write("more.md", "# More\n\nA birch.\n")
    assert behind.base.run().published


@pytest.mark.parametrize("statement", [
    "update generations set manifest = '{}'", "delete from generations",
    "update generations set manifest = replace(manifest, 'registry\":\"', 'registry\":\"0')",
    "update meta set value = '9' where key = 'head'", "delete from meta where key = 'head'",
    "update meta set value = 'x' where key = 'head'",
])
def test_records_come_back_from_the_manifest_on_disk_without_a_new_generation(behind: Any, statement: str) -> None:
    before = behind.manifest
    with behind.db() as db:
        db.execute(statement)
    mended = mend(behind.base.settings, Silent())
    assert {item.kind for item in mended.repaired} == {"generation record"} and not mended.left
    assert behind.found(deep=True) == set()
    assert behind.manifest == before
    assert behind.base.run().published is False


def test_head_that_was_moved_back_loses_nothing(behind: Any) -> None:
    behind.base.write("more.md", "# More\n\nOne more birch.\n")
    behind.base.run()
    with behind.db() as db:
        db.execute("update meta set value = '1' where key = 'head'")
    mend(behind.base.settings, Silent())
    assert behind.base.head() == 2
    assert behind.base.found("birch") == ["more.md"]
    assert behind.found(deep=True) == set()


def test_older_generation_that_nobody_can_tell_any_more_is_dropped_and_named(behind: Any) -> None:
    behind.base.write("more.md", "# More\n\nOne more birch.\n")
    behind.base.run()
    with behind.db() as db:
        db.execute("update generations set manifest = '{}' where generation = 1")
    (behind.base.kb / "generations/1/manifest.json").unlink()
    assert [loss.what for loss in mend(behind.base.settings, Silent()).left] == ["generation 1"]
    assert behind.base.generations() == [2]
    assert behind.found(deep=True) == set()


def test_damaged_older_generation_is_named_when_asked_and_can_be_dropped(behind: Any) -> None:
    from flows.history import drop

    old = behind.build("bm25")
    behind.base.write("more.md", "# More\n\nOne more birch.\n")
    behind.base.run()
    (old / "stamp.json").unlink()
    assert behind.found() == set()
    assert {item.kind for item in behind.base.verify(1)} == {"wrong build"}
    drop(behind.base.settings, 1)
    assert behind.base.generations() == [2]


def test_repair_of_words_needs_no_embedding_engine(behind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    behind.without("bm25", behind.row("cedar"))
    monkeypatch.setattr("ingest.embed.hash.fingerprint", lambda dimensions: "hash of another version")
    assert not mend(behind.base.settings, Silent()).left
    assert behind.found() == set()


def test_database_index_that_says_something_else_is_made_anew(behind: Any) -> None:
    row = behind.row("cedar")
    with behind.db() as db:
        (page,) = db.execute("select rootpage from sqlite_master where name = 'ix_chunks_source_id'").fetchone()
        (size,) = db.execute("pragma page_size").fetchone()
        db.execute("pragma wal_checkpoint(truncate)")
    path = behind.base.kb / "catalog.db"
    data = bytearray(path.read_bytes())
    data[data.index(row.source_id.encode(), (page - 1) * size, page * size) + 20] ^= 1
    path.write_bytes(data)
    assert not mend(behind.base.settings, Silent(), Level(deep=True)).left
    assert behind.found(deep=True) == set()
