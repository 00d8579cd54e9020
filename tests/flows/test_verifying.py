"""`verify` names everything in a published generation that is not as published, whatever was done to it."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import Inconsistent


@pytest.fixture
def filled(base: Any) -> Any:
    base.seed('entities:\n  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}]}\n')
    base.write("手册.md")
    base.write("limits.md", "# Limits\n\nThe 云脉网关 has limits. See [the manual](手册.md).\n")
    base.run()
    return base


def edit_file(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(change(path.read_bytes())) and None


DELETE = Path.unlink
FLIP = edit_file(lambda data: data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :])
CUT = edit_file(lambda data: data[: len(data) // 2])
GROW = edit_file(lambda data: data + b"x")


def build(base: Any, kind: str) -> Path:
    (folder,) = (base.kb / "builds" / kind).iterdir()
    return folder


def victims(folder: Path) -> list[Path]:
    """Return every file of a build that has bytes: a sealed file is any of them. The engine's own settings are rewritten by
    the engine when it loads, so they are not sealed."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "edge_config.json")
    return sorted(path for path in files if path.stat().st_size)


@pytest.mark.parametrize("change", [DELETE, FLIP, CUT, GROW], ids=["deleted", "a bit flipped", "cut", "grown"])
@pytest.mark.parametrize("kind", ["vector", "bm25", "graph"])
def test_every_tampered_file_is_named(filled: Any, kind: str, change: Callable[[Path], None]) -> None:
    folder = build(filled, kind)
    sparse = [path for path in victims(folder) if path.stat().st_size < 2**20] if kind == "vector" else victims(folder)
    assert len(sparse) >= 3
    for path in sparse[:: max(1, len(sparse) // 5)]:
        kept = path.read_bytes()
        change(path)
        name = path.name.removesuffix(".json")
        assert any(kind in item.where and name in f"{item.where} {item.detail}" for item in filled.verify()), path
        path.write_bytes(kept)
    assert filled.verify() == [], "looking at a torn build has changed nothing in it"


def test_bit_flipped_in_the_vectors_is_named(filled: Any) -> None:
    (path,) = build(filled, "vector").rglob("chunk_0.mmap")
    with path.open("r+b") as file:
        first = file.read(1)
        file.seek(0)
        file.write(bytes([first[0] ^ 1]))
    assert any(item.where.endswith("chunk_0.mmap") for item in filled.verify())


def test_file_that_was_added_to_a_build_is_named(filled: Any) -> None:
    (build(filled, "bm25") / "extra.segment").write_bytes(b"x")
    assert [(item.kind, item.where.rpartition("/")[2]) for item in filled.verify()] == [("torn file", "extra.segment")]


def test_build_of_another_generation_is_a_wrong_build(filled: Any) -> None:
    first = build(filled, "graph")
    filled.write("limits.md", "# Limits\n\nOther limits.\n")
    filled.run()
    second = next(path for path in first.parent.iterdir() if path != first)
    shutil.rmtree(second)
    shutil.copytree(first, second)
    kinds = {item.kind for item in filled.verify()}
    assert "wrong build" in kinds
    with pytest.raises(Inconsistent) as raised:
        filled.search("limits")
    assert raised.value.exit_code == 5
    assert filled.verify(1) == []


@pytest.mark.parametrize("what", ["builds", "generation"])
def test_lost_folder_is_named_and_never_answered_from(filled: Any, what: str) -> None:
    shutil.rmtree(build(filled, "vector") if what == "builds" else filled.kb / "generations/1")
    assert filled.verify() != []
    with pytest.raises(Inconsistent) as raised:
        filled.search("limits")
    assert raised.value.exit_code == 5 and "verify" in str(raised.value)


def test_altered_manifest_is_named(filled: Any) -> None:
    path = filled.kb / "generations/1/manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["snapshot"] = "0" * 32
    path.write_text(json.dumps(manifest))
    assert [item.kind for item in filled.verify()] == ["manifest"]
    path.write_text("{")
    assert [item.kind for item in filled.verify()] == ["manifest"]
    with pytest.raises(Inconsistent):
        filled.search("limits")


def test_altered_stamp_is_named(filled: Any) -> None:
    path = build(filled, "bm25") / "stamp.json"
    path.write_bytes(path.read_bytes().replace(b'"kind":"bm25"', b'"kind":"bm26"'))
    assert {item.kind for item in filled.verify()} == {"wrong build"}
    with pytest.raises(Inconsistent):
        filled.search("limits")


def sql(base: Any, statement: str, *values: Any) -> int:
    with sqlite3.connect(base.kb / "catalog.db") as db:
        count = db.execute(statement, values).rowcount
    db.close()
    return count


TABLES = ("sources", "parents", "chunks", "mentions", "edges", "entities")


@pytest.mark.on_file
@pytest.mark.parametrize("table", TABLES)
def test_catalog_rows_deleted_behind_its_back_are_named(filled: Any, table: str) -> None:
    assert sql(filled, f"delete from {table} where serial = (select min(serial) from {table})") == 1
    assert ("lost", f"catalog/{table}") in [(item.kind, item.where) for item in filled.verify()]


@pytest.mark.on_file
@pytest.mark.parametrize("table", TABLES)
def test_catalog_payloads_altered_behind_its_back_are_named(filled: Any, table: str) -> None:
    statement = f"select id, payload from {table} where serial = (select min(serial) from {table})"
    with sqlite3.connect(filled.kb / "catalog.db") as db:
        id, payload = db.execute(statement).fetchone()
    db.close()
    altered = _altered(json.loads(payload))
    assert sql(filled, f"update {table} set payload = ? where id = ?", json.dumps(altered).encode(), id) >= 1
    (drift,) = filled.verify()
    assert (drift.where, drift.ids) == (f"catalog/{table}", (id,)) and drift.kind.startswith("altered")


def _altered(noun: Any) -> Any:
    """Change the first text of a noun."""
    for key, value in noun.items():
        if key in ("text", "title", "label", "subject") and isinstance(value, str):
            return {**noun, key: value + " altered"}
        if isinstance(value, list) and value and isinstance(value[0], dict):
            return {**noun, key: [{**value[0], "text": "altered"}, *value[1:]]}
    raise AssertionError(noun)


@pytest.mark.on_file
def test_checksum_altered_together_with_its_payload_is_named(filled: Any) -> None:
    """Who alters a row and its checksum alike still meets the manifest's digest, and the indexes'."""
    altered = "iif(checksum like 'f%', '0', 'f') || substr(checksum, 2)"
    assert sql(filled, f"update chunks set checksum = {altered} where serial = 1") == 1
    assert "catalog/chunks" in {item.where for item in filled.verify()}


@pytest.mark.on_file
def test_altered_text_is_never_answered_with(filled: Any) -> None:
    with sqlite3.connect(filled.kb / "catalog.db") as db:
        db.execute("update chunks set payload = cast(replace(cast(payload as text), 'limits', 'LIMITS') as blob)")
    db.close()
    with pytest.raises(Inconsistent, match="verify") as raised:
        filled.search("limits")
    assert raised.value.exit_code == 5


@pytest.mark.on_file
def test_payload_that_is_no_json_is_an_error_of_ours(filled: Any) -> None:
    sql(filled, "update chunks set payload = cast('{' as blob)")
    assert any(item.where == "catalog/chunks" for item in filled.verify())
    with pytest.raises(Inconsistent, match="verify"):
        filled.search("limits")


def test_verify_of_an_older_generation_says_only_what_is_wrong_there(filled: Any) -> None:
    filled.write("limits.md", "# Limits\n\nOther limits.\n")
    filled.run()
    only = [path for path in (filled.kb / "builds/bm25").iterdir() if path.name not in _builds(filled, 2)]
    (only[0] / "build.bm25").unlink()
    assert filled.verify() == []
    assert filled.verify(1) != []
    assert filled.found("other limits") != []


def _builds(base: Any, generation: int) -> set[str]:
    manifest = json.loads((base.kb / f"generations/{generation}/manifest.json").read_bytes())
    return {build["id"] for build in manifest["builds"]}
