"""Damage on disk: it never enters what is published next, and the next run that has something to write heals it."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.history import go_back
from ingest.errors import BuildCorrupt, Inconsistent

KINDS = ("vector", "bm25", "graph")


@pytest.fixture
def two(base: Any) -> Any:
    """Generations 1 and 2 of one changing and one constant document."""
    base.write("constant.md", "# Constant\n\nNothing changes in ALDER.\n")
    for word in ("BIRCH", "CEDAR"):
        base.write("gate.md", f"# Gate\n\nThe gate is {word}.\n")
        base.run()
    return base


def build(base: Any, kind: str, generation: int) -> Path:
    with base.catalog() as catalog:
        named = catalog.published(generation).manifest.build(kind)
    return Path(base.kb / "builds" / kind / named.id)


def flip(folder: Path) -> None:
    """Turn some bits in the middle of where the rows are; size and times stay plausible."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    vectors = [path for path in files if path.name == "chunk_0.mmap"]
    held = vectors[0] if vectors else max(files, key=lambda path: path.stat().st_size)
    with held.open("r+b") as file:
        at = 64 if held.name == "chunk_0.mmap" else held.stat().st_size // 2
        file.seek(at)
        data = file.read(16)
        file.seek(at)
        file.write(bytes(byte ^ 0x10 for byte in data))


def remove(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder)


def misname(folder: Path) -> None:
    (folder / "stamp.json").write_bytes((folder / "stamp.json").read_bytes().replace(b"1:", b"2:").replace(b"2:", b"7:"))


DAMAGES = {"flipped bits": flip, "a folder that is gone": remove, "another stamp": misname}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_generation_is_not_gone_back_to(two: Any, kind: str, damage: Callable[[Path], None]) -> None:
    damage(build(two, kind, 1))
    with pytest.raises(BuildCorrupt, match="verify --generation 1"):
        go_back(two.settings, 1)
    assert two.head() == 2
    assert two.found("CEDAR") == ["gate.md"]
    assert two.run().published is False, "and no hold is set"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_run_takes_nothing_over_from_a_damaged_build(two: Any, kind: str, damage: Callable[[Path], None]) -> None:
    """Copied and sealed anew, damage would carry valid hashes."""
    damage(build(two, kind, 2))
    assert two.verify() != []
    two.write("gate.md", "# Gate\n\nThe gate is DOUGLAS.\n")
    report = two.run()
    assert (report.generation, report.embedded, report.builds[kind]["rows"]) == (3, 1, 2)
    assert two.verify() == []
    for mode in ("bm25", "vector", "hybrid"):
        assert two.found("gate constant", mode=mode) == ["constant.md", "gate.md"]
    clean = two.search("gate constant", mode="hybrid").evidence
    two.delete("gate.md")
    two.run()
    two.write("gate.md", "# Gate\n\nThe gate is DOUGLAS.\n")
    two.run()
    assert two.search("gate constant", mode="hybrid").evidence == clean


@pytest.mark.parametrize("kind", KINDS)
def test_content_of_an_older_generation_is_built_anew_where_its_build_is_damaged(two: Any, kind: str) -> None:
    flip(build(two, kind, 1))
    two.write("gate.md", "# Gate\n\nThe gate is BIRCH.\n")
    assert two.run().builds[kind]["reused"] is False
    assert two.verify() == []
    assert two.found("BIRCH") == ["gate.md"]


def test_vectors_that_neither_build_nor_cache_hold_are_embedded_again(two: Any) -> None:
    flip(build(two, "vector", 2))
    (two.kb / "cache/cache.db").unlink()
    two.write("gate.md", "# Gate\n\nThe gate is DOUGLAS.\n")
    assert two.run().embedded == 2
    assert two.verify() == []


# What may be lost at any time


def test_cache_of_another_format_costs_time_only(two: Any) -> None:
    from flows.work import pack
    from ingest.store.cache import Cache

    cache = Cache(two.kb / "cache/cache.db")
    with sqlite3.connect(two.kb / "cache/cache.db") as db:
        entries = db.execute("select stage, key from entries where stage not like 'embed:%'").fetchall()
    for number, (stage, key) in enumerate(entries):
        cache.put_many(stage, {key: (pack({"other": 1}), pack([]), b"no deflate", pack(None))[number % 4]})
    cache.close()
    two.delete("constant.md")
    two.run()
    two.write("constant.md", "# Constant\n\nNothing changes in ALDER.\n")
    assert two.run().embedded == 0
    assert two.found("ALDER") == ["constant.md"]


@pytest.mark.parametrize("value", ["{}", "", "null", "[1, 2]", '{"content": 1}'])
def test_signatures_that_cannot_be_read_are_files_to_read(two: Any, value: str) -> None:
    with sqlite3.connect(two.kb / "catalog.db") as db:
        db.execute("update seen set revision = ?, signature = ?", (value, value))
    assert two.check().status == "fresh"
    assert two.run().published is False


@pytest.mark.parametrize("value", ["{}", "", "null", "[]", '{"generation": 2}'])
def test_manifest_that_cannot_be_read_is_an_inconsistency(two: Any, value: str) -> None:
    with sqlite3.connect(two.kb / "catalog.db") as db:
        db.execute("update generations set manifest = ?", (value,))
    for call in (two.run, lambda: two.search("gate")):
        with pytest.raises(Inconsistent, match="manifest") as raised:
            call()
        assert raised.value.exit_code == 5
    assert two.check().status == "unknown"
    assert {drift.where for drift in two.verify() if drift.kind == "generation record"} == {"generation 1", "generation 2"}


@pytest.mark.parametrize("value", [b"", b"[]", b"null", b'{"bm25": 1}', b"\xff"])
def test_file_hashes_that_cannot_be_read_vouch_for_nothing(two: Any, value: bytes) -> None:
    (two.kb / "generations/2/files.json").write_bytes(value)
    assert {drift.kind for drift in two.verify()} == {"torn file"}
    two.write("gate.md", "# Gate\n\nThe gate is DOUGLAS.\n")
    two.run()
    assert two.verify() == []
    assert two.found("DOUGLAS") == ["gate.md"]


def test_text_that_no_worker_survives_is_told_and_publishes_nothing(two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingest.embed.batches import EmbedReport
    from ingest.errors import WorkFailed

    lost = {"Gate\nThe gate is DOUGLAS.": WorkFailed("the worker process died (signal SIGSEGV)", kind="crash")}
    monkeypatch.setattr("flows.commit.embed_missing", lambda *_: EmbedReport(0, 1, 0.0, lost))
    two.write("gate.md", "# Gate\n\nThe gate is DOUGLAS.\n")
    with pytest.raises(WorkFailed, match=r"The gate is DOUGLAS\..*SIGSEGV.*ingestignore"):
        two.run()
    assert (two.head(), two.found("CEDAR")) == (2, ["gate.md"])


# Beside a run that prunes


def test_verifying_an_older_generation_keeps_it_until_it_is_done(two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.history import drop
    from indexes.generation.verify import levels

    records = levels.check_records
    dropped: list[list[int]] = []

    def slow(*arguments: Any) -> Any:
        dropped.append(drop(two.settings, 1))
        return records(*arguments)

    monkeypatch.setattr(levels, "check_records", slow)
    assert two.verify(1) == []
    assert dropped == [[]]
    assert drop(two.settings, 1) == [1]


@pytest.mark.parametrize("value", [b"{}", b"", b"null", b"[]", b"\xff", b'{"source_id": "x"}'])
def test_record_of_a_source_that_cannot_be_read_is_an_inconsistency(two: Any, value: bytes) -> None:
    with sqlite3.connect(two.kb / "catalog.db") as db:
        db.execute("update sources set payload = ?", (value,))
    assert two.check().status == "unknown"
    for call in (two.run, lambda: two.search("gate"), lambda: two.search("gate", 1), lambda: two.show("docs/gate.md")):
        with pytest.raises(Inconsistent, match="ingest verify") as raised:
            call()
        assert raised.value.exit_code == 5
    assert {(drift.kind, drift.where) for drift in two.verify()} == {("altered", "catalog/sources")}
