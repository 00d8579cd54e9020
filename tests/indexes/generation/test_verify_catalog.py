"""What is tampered with in the catalog is put down to the catalog, by the indexes that still hold what was published."""

from __future__ import annotations

from typing import Any

import pytest


def test_reworded_fact_is_altered_text(behind: Any) -> None:
    row = behind.row("cedar")
    behind.payload("chunks", row.chunk_id, lambda said: said.update(text=said["text"].replace("cedar", "larch")))
    found = behind.finding("altered text")
    assert (found.where, found.ids, found.sources) == ("catalog/chunks", (row.chunk_id,), ("docs/cedar.md",))
    assert behind.found() == {("altered text", "catalog/chunks")} == behind.found(deep=True)


@pytest.mark.parametrize(("change", "kind"), [
    ({"access": {"tenant": None, "users": None, "roles": None, "level": 0}}, "altered access rule"),
    ({"valid_until": "2099-01-01T00:00:00Z"}, "altered validity"),
    ({"status": "draft"}, "altered"),
    ({"subject": "firs"}, "altered"),
    ({"unheard": "of"}, "altered"),
])
def test_altered_fact_is_named_by_what_the_indexes_hold(behind: Any, change: dict[str, Any], kind: str) -> None:
    row = behind.row("QUOKKA")
    behind.payload("chunks", row.chunk_id, lambda said: said.update(change))
    assert behind.found() == {(kind, "catalog/chunks")}
    assert behind.finding(kind).ids == (row.chunk_id,)


def test_altered_fact_with_new_checksums_is_told_by_the_indexes(behind: Any) -> None:
    """The digest of the table gives it away, and what the indexes hold says which fact it is."""
    import orjson

    from ingest.model.row import resealed

    row = behind.row("cedar")
    other = resealed(row, valid_until=None)
    with behind.db() as db:
        db.execute(
            "update chunks set payload = ?, checksum = ? where id = ?", (orjson.dumps(other), other.row_checksum, row.chunk_id)
        )
    assert behind.found() == {("altered validity", "catalog/chunks")}


def test_lost_and_ghost_chunks_are_facts_of_the_catalog(behind: Any) -> None:
    row = behind.row("cedar")
    with behind.db() as db:
        db.execute("delete from chunks where id = ?", (row.chunk_id,))
    assert ("lost", "catalog/chunks") in behind.found()
    assert (behind.finding("lost").ids, behind.finding("lost").sources) == ((row.chunk_id,), ("docs/cedar.md",))
    with behind.db() as db:
        db.execute(
            "insert into chunks (id, source_id, checksum, gen_from, position, payload) "
            "select 'urn:kb:chunk:' || hex(randomblob(16)), source_id, checksum, gen_from, 99, payload from chunks limit 1"
        )
    assert {("lost", "catalog/chunks"), ("ghost", "catalog/chunks")} <= behind.found()


def test_fact_that_was_made_to_end_is_lost(behind: Any) -> None:
    with behind.db() as db:
        db.execute("update chunks set gen_to = 1 where id = ?", (behind.row("cedar").chunk_id,))
    assert ("lost", "catalog/chunks") in behind.found()


TABLES = ("parents", "mentions", "sources", "entities", "assertions", "edges")


def tables_of(behind: Any) -> set[tuple[str, str]]:
    """What is said of the catalog's tables, without any index being opened."""
    from indexes.generation.verify.facts import examined, explained
    from ingest.progress import Silent

    with behind.base.catalog() as catalog:
        tables = examined(catalog, behind.manifest, Silent())
        return {(item.kind, item.where) for item in explained(catalog, behind.manifest, tables)}


@pytest.mark.parametrize("table", TABLES[:-1])
def test_lost_fact_of_every_table_is_found(behind: Any, table: str) -> None:
    with behind.db() as db:
        db.execute(f"delete from {table} where serial = 1")
    (kind, where), = tables_of(behind)
    assert (kind, where) == ("catalog" if table == "assertions" else "lost", f"catalog/{table}")


def test_lost_edge_of_the_catalog_is_told_by_the_graph(behind: Any) -> None:
    with behind.db() as db:
        db.execute("delete from edges where serial = 1")
    assert behind.found() == {("lost", "catalog/edges")}


@pytest.mark.parametrize("table", TABLES)
def test_unreadable_fact_of_every_table_is_altered(behind: Any, table: str) -> None:
    from indexes.generation.verify.facts import examined
    from ingest.progress import Silent

    for payload in (b"", b"{}", b"[]", b"null", b"\xff", b'{"mentions": 1}', b'{"mentions": []}'):
        with behind.db() as db:
            db.execute(f"update {table} set payload = ? where serial = 1", (payload,))
        with behind.base.catalog() as catalog:
            assert len(examined(catalog, behind.manifest, Silent())[table].altered) == 1, payload


def test_parent_with_a_new_checksum_is_told_by_its_id(behind: Any) -> None:
    import json

    from ingest.model.canonical import digest_of

    with behind.db() as db:
        id, data = db.execute("select id, payload from parents where serial = 1").fetchone()
        said = {**json.loads(data), "text": "Something else."}
        db.execute("update parents set payload = ?, checksum = ? where id = ?", (json.dumps(said).encode(), digest_of(said), id))
    assert behind.found() == {("altered", "catalog/parents")}
    assert behind.finding("altered").ids == (id,)


def test_row_that_is_not_what_its_document_declares_is_found_deep(behind: Any) -> None:
    """Somebody opened a row everywhere and brought every checksum, digest and manifest in order."""
    import orjson

    from indexes.generation.publish import snapshot_digest
    from ingest.model.access import Access
    from ingest.model.canonical import SetDigest, canonical, plain
    from ingest.model.generation import build_id
    from ingest.model.row import resealed

    rows, row = behind.rows(), behind.row("QUOKKA")
    other = resealed(row, access=Access())
    with behind.db() as db:
        db.execute(
            "update chunks set payload = ?, checksum = ? where id = ?", (orjson.dumps(other), other.row_checksum, row.chunk_id)
        )
    changed = [other if one == row else one for one in rows.values()]
    for kind in ("vector", "bm25", "graph"):
        behind.rebuilt(kind, changed)
    manifest = plain(behind.manifest)
    digest = str(SetDigest.of((one.chunk_id, one.row_checksum) for one in changed))
    manifest["catalog"]["chunks"] = digest
    for build in manifest["builds"]:
        old = behind.base.kb / "builds" / build["kind"] / build["id"]
        build["rows"] = digest
        build["id"] = build_id(build["kind"], build["fingerprint"], digest, build["edges"])
        old.rename(old.with_name(build["id"]))
    manifest["snapshot"] = snapshot_digest(
        manifest["catalog"], manifest["registry"], manifest["settings"], manifest["fingerprints"]
    )
    with behind.db() as db:
        db.execute("update generations set manifest = ?", (orjson.dumps(manifest).decode(),))
    (behind.base.kb / "generations/1/manifest.json").write_bytes(canonical(manifest))
    (behind.base.kb / "generations/1/files.json").write_bytes(b"{}")
    for kind in ("vector", "bm25", "graph"):
        behind.vouch(kind)
    assert behind.found() == set()
    assert behind.found(deep=True) == {("altered access rule", "catalog/chunks")}


# The records of generations


def test_damaged_record_is_told_from_the_manifest_on_disk(behind: Any) -> None:
    with behind.db() as db:
        db.execute("update generations set manifest = replace(manifest, '\"registry\":\"', '\"registry\":\"0')")
    assert behind.found() == {("generation record", "generation 1")}


def test_damaged_manifest_is_told_from_the_record(behind: Any) -> None:
    path = behind.base.kb / "generations/1/manifest.json"
    path.write_text(path.read_text().replace('"registry":"', '"registry":"0'))
    assert behind.found() == {("manifest", "generations/1/manifest.json")}
    path.unlink()
    assert behind.found() == {("manifest", "generations/1/manifest.json")}


def test_generation_that_is_not_listed_any_more_is_found_while_it_is_the_head(behind: Any) -> None:
    with behind.db() as db:
        db.execute("delete from generations")
    assert behind.found() == {("generation record", "generation 1")}


@pytest.mark.parametrize("head", ["1", "7", "none", ""])
def test_head_that_was_moved_is_found(behind: Any, head: str) -> None:
    behind.base.write("more.md", "# More\n\nOne more birch.\n")
    behind.base.run()
    with behind.db() as db:
        db.execute("update meta set value = ? where key = 'head'", (head,))
    assert behind.found() == {("generation record", "head")}


def test_neither_copy_to_be_trusted_is_an_inconsistency(behind: Any) -> None:
    from ingest.errors import Inconsistent

    with behind.db() as db:
        db.execute("update generations set manifest = '{}'")
    (behind.base.kb / "generations/1/manifest.json").write_text("{}")
    with pytest.raises(Inconsistent, match="manifest"):
        behind.found()


def test_older_generation_that_cannot_be_read_is_named_with_the_head(behind: Any) -> None:
    behind.base.write("more.md", "# More\n\nOne more birch.\n")
    behind.base.run()
    with behind.db() as db:
        db.execute("update generations set manifest = '{}' where generation = 1")
    assert behind.found() == {("generation record", "generation 1")}


def test_file_that_is_no_database_any_more_is_torn(behind: Any) -> None:
    path = behind.base.kb / "catalog.db"
    with path.open("r+b") as file:
        file.seek(path.stat().st_size // 2)
        file.write(b"\x5a" * 20000)
    assert "torn file" in {kind for kind, _ in behind.found()}


@pytest.mark.parametrize("index", ["ix_chunks_id", "ix_chunks_source_id"])
def test_index_of_the_database_that_says_something_else_is_found_deep(behind: Any, index: str) -> None:
    row = behind.row("cedar")
    with behind.db() as db:
        (page,) = db.execute("select rootpage from sqlite_master where name = ?", (index,)).fetchone()
        (size,) = db.execute("pragma page_size").fetchone()
        db.execute("pragma wal_checkpoint(truncate)")
    path = behind.base.kb / "catalog.db"
    data = bytearray(path.read_bytes())
    said = row.row_checksum if index == "ix_chunks_id" else row.source_id
    at = data.index(said.encode(), (page - 1) * size, page * size)
    data[at + 20] ^= 1
    path.write_bytes(data)
    assert ("torn file", "catalog.db") in behind.found(deep=True)
