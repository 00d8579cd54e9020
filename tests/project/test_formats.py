"""docs/formats.md says of the catalog, the manifest and the caches what the code does."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from dataclasses import fields
from pathlib import Path

import pytest

from flows.candidates import CANDIDATES
from flows.gathered import CHUNKS, FOUND, MADE, PARSED
from flows.pipeline import Options, run
from indexes.generation.seal import sparse_sha256
from ingest.embed.batches import STAGE, TOKENS
from ingest.model.generation import Build, Manifest
from ingest.progress import Silent
from ingest.settings import load
from ingest.store.catalog import FACTS

PAGE = Path(__file__).parents[2] / "docs" / "formats.md"
BLOCK = 64 * 1024


def section(title: str) -> str:
    text = PAGE.read_text(encoding="utf-8")
    return text.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """The cells of every line of a table that begins with code."""
    lines = [line for line in text.splitlines() if line.startswith("| `")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def names(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A knowledge base of one document, published once."""
    folder = tmp_path_factory.mktemp("formats")
    (folder / "docs").mkdir()
    (folder / "docs" / "note.md").write_text("# 网关\n\n见 [limits](limits.md)。\n", encoding="utf-8")
    overrides = {"kb": str(folder / "kb"), "embed": {"engine": "hash"}, "execute": {"executor": "inline"}}
    run(load(overrides=overrides, environ={}), Options((folder / "docs",)), Silent())
    return folder / "kb"


def test_the_tables_of_the_catalog_and_their_columns_are_listed() -> None:
    listed = rows(section("Catalog"))
    shared = section("Catalog").partition("| table |")[0]
    of_facts = {name for row in rows(shared) for name in names(row[0])}
    assert of_facts == {column.name for column in FACTS["chunks"].columns}
    assert {row[0].strip("`") for row in listed if len(row) == 4} == set(FACTS)
    others = {names(row[0])[0]: names(row[1]) for row in listed if len(row) == 3}
    tables = {name: [column.name for column in table.columns] for name, table in FACTS["chunks"].metadata.tables.items()}
    assert others == {name: columns for name, columns in tables.items() if name not in FACTS}


def test_the_catalog_on_disk_has_these_tables(base: Path) -> None:
    with sqlite3.connect(base / "catalog.db") as db:
        tables = {name for (name,) in db.execute("select name from sqlite_master where type = 'table'")} - {"sqlite_sequence"}
        keys = {key for (key,) in db.execute("select key from meta")}
    db.close()
    assert tables == {*FACTS, "generations", "roots", "seen", "meta"}
    listed = {names(row[0])[0] for row in rows(section("Catalog").partition("key of `meta`")[2])}
    assert listed == {"format", "head", "token", "hold", "base"}
    assert keys <= listed


def test_the_keys_of_the_manifest_are_listed(base: Path) -> None:
    listed = [names(row[0])[0] for row in rows(section("Manifest and files.json"))]
    written = json.loads((base / "generations" / "1" / "manifest.json").read_bytes())
    assert sorted(listed) == sorted(written) == sorted(field.name for field in fields(Manifest))
    entry = next(row[1] for row in rows(section("Manifest and files.json")) if row[0] == "`builds`")
    assert re.findall(r'"(\w+)"', entry) == [field.name for field in fields(Build)]


def test_a_stamp_is_the_builds_entry_of_the_manifest(base: Path) -> None:
    for entry in json.loads((base / "generations" / "1" / "manifest.json").read_bytes())["builds"]:
        folder = base / "builds" / entry["kind"] / entry["id"]
        assert json.loads((folder / "stamp.json").read_bytes()) == entry


def test_files_json_lists_every_file_with_size_and_digest(base: Path) -> None:
    listed = json.loads((base / "generations" / "1" / "files.json").read_bytes())
    for build, entries in listed.items():
        folder = base / "builds" / build
        assert entries.keys() == {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        for name, entry in entries.items():
            assert entry == {"size": (folder / name).stat().st_size, "sparse_sha256": as_described((folder / name).read_bytes())}


def as_described(data: bytes) -> str:
    """`sparse_sha256`, written from the page alone."""
    digest = hashlib.sha256(len(data).to_bytes(8, "little"))
    for number, start in enumerate(range(0, len(data), BLOCK)):
        block = data[start : start + BLOCK]
        if any(block):
            digest.update(number.to_bytes(8, "little") + block)
    return digest.hexdigest()


@pytest.mark.parametrize("data", [
    b"", b"\0", b"x", b"\0" * BLOCK * 3, b"\0" * BLOCK + b"x", b"x" * BLOCK + b"\0" * BLOCK + b"y" * 9, b"x" * BLOCK + b"\0" * 9,
])
def test_sparse_digests_are_those_described_whether_zeros_are_holes_or_not(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "written").write_bytes(data)
    with (tmp_path / "sparse").open("wb") as file:
        for start in range(0, len(data), 4096):
            block = data[start : start + 4096]
            if any(block):
                file.seek(start)
                file.write(block)
        file.truncate(len(data))
    assert sparse_sha256(tmp_path / "written") == sparse_sha256(tmp_path / "sparse") == as_described(data)


def test_the_stages_of_the_cache_are_listed(base: Path) -> None:
    listed = {names(row[0])[0] for row in rows(section("Caches"))}
    identifiers = FOUND.partition(":")[0]
    by_fingerprint = {f"{STAGE}:<fingerprint>", f"{TOKENS}:<fingerprint>", f"{identifiers}:<version of the rules>"}
    assert listed == {PARSED, CHUNKS, MADE, CANDIDATES, *by_fingerprint}
    with sqlite3.connect(base / "cache" / "cache.db") as db:
        held = {stage.partition(":")[0] for (stage,) in db.execute("select distinct stage from entries")}
        columns = [row[1] for row in db.execute("pragma table_info(entries)")]
    db.close()
    assert held == {CHUNKS, MADE, STAGE, identifiers}
    assert f"`entries({', '.join(columns)})`" in section("Caches")


def test_nothing_lies_in_a_base_that_the_page_does_not_show(base: Path) -> None:
    tree = PAGE.read_text(encoding="utf-8").partition(".kb/\n")[2].partition("\n\n")[0]
    shown = {name.strip(",").partition("/")[0] for line in tree.splitlines() for name in re.split(r"\s{2,}|, ", line.strip())[:2]}
    present = {path.name.removesuffix("-wal").removesuffix("-shm") for path in base.iterdir()}
    assert present <= shown, present - shown
