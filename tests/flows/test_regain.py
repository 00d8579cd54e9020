"""What the catalog lost comes back from the sources, as the very same facts; what cannot is named, and the rest is mended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.repair import Mended, mend
from ingest.progress import Silent

QUESTIONS = ("cedar 云脉网关 机柜 电源 QUOKKA",)
TABLES = ("sources", "parents", "chunks", "mentions", "edges", "entities", "assertions")


def answers(base: Any) -> list[Any]:
    from ingest.model.access import Principal

    who = Principal(roles=("sre",))
    packs = [base.search(question, mode="hybrid", who=who) for question in QUESTIONS]
    return [(pack.snapshot, pack.evidence) for pack in packs]


def repaired(base: Any, **level: Any) -> Mended:
    from indexes.generation.verify import Level

    return mend(base.settings, Silent(), Level(**level))


def sql(behind: Any, *statements: str) -> None:
    with behind.db() as db:
        for statement in statements:
            assert db.execute(statement).rowcount > 0, statement


DAMAGES: dict[str, Callable[[Any], None]] = {
    **{f"lost {table}": (lambda behind, table=table: sql(behind, f"delete from {table} where serial = 1")) for table in TABLES},
    **{f"all {table} lost": (lambda behind, table=table: sql(behind, f"delete from {table}")) for table in TABLES},
    **{f"unreadable {table}": (
        lambda behind, table=table: sql(behind, f"update {table} set payload = x'ff' where serial = 1")
    ) for table in TABLES},
    **{f"{table} under a new checksum": (
        lambda behind, table=table: sql(behind, f"update {table} set checksum = '00' || substr(checksum, 3) where serial = 1")
    ) for table in TABLES},
    "chunks filed under another source": lambda behind: sql(
        behind, "update chunks set source_id = 'urn:kb:source:' || hex(randomblob(16)) where serial = 1"
    ),
    "an end that was made up": lambda behind: sql(behind, "update chunks set gen_to = 1 where serial = 1"),
    "a ghost": lambda behind: sql(
        behind, "insert into chunks (id, source_id, checksum, gen_from, position, payload) select 'urn:kb:chunk:' || "
        "lower(hex(randomblob(16))), source_id, checksum, gen_from, 9, payload from chunks limit 1"
    ),
    "a reworded text": lambda behind: behind.payload(
        "chunks", behind.row("cedar").chunk_id, lambda said: said.update(text="A larch stands there.")
    ),
    "an opened rule": lambda behind: behind.payload(
        "chunks", behind.row("QUOKKA").chunk_id, lambda said: said["access"].update(roles=None)
    ),
}


OFTEN = (
    "lost sources", "lost parents", "lost chunks", "lost edges", "lost assertions", "sources under a new checksum", "a ghost",
    "a reworded text",
)


@pytest.mark.parametrize(
    "damage", [pytest.param(damage, id=name, marks=() if name in OFTEN else pytest.mark.slow) for name, damage in DAMAGES.items()]
)
def test_facts_come_back_from_the_sources_as_the_same_snapshot(behind: Any, damage: Callable[[Any], None]) -> None:
    before, manifest = answers(behind.base), behind.manifest
    damage(behind)
    assert behind.found() != set()
    mended = repaired(behind.base)
    assert mended.repaired and not mended.left
    assert behind.found(deep=True) == set()
    assert answers(behind.base) == before
    assert (behind.manifest.snapshot, behind.manifest.catalog) == (manifest.snapshot, manifest.catalog)
    assert behind.base.head() == 2
    assert behind.base.run().published is False


def test_facts_come_back_though_the_cache_is_gone_and_indexes_are_torn(behind: Any) -> None:
    before = answers(behind.base)
    sql(behind, "delete from chunks where serial = 1", "update parents set payload = x'' where serial = 2")
    (behind.base.kb / "cache/cache.db").unlink()
    for kind in ("bm25", "graph"):
        (behind.build(kind) / "stamp.json").unlink()
    assert not repaired(behind.base).left
    assert behind.found(deep=True) == set()
    assert answers(behind.base) == before


def test_only_documents_that_drifted_are_read_again(behind: Any) -> None:
    (behind.base.docs / "secret.md").write_text("# Rewritten\n\nThis is for the next run.\n")
    before = answers(behind.base)
    sql(behind, f"delete from chunks where id = '{behind.row('cedar').chunk_id}'")
    assert not repaired(behind.base).left
    assert answers(behind.base) == before, "and nothing of what changed meanwhile"


# What cannot be given back


@pytest.mark.parametrize("lost", [True, pytest.param(False, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("what", "why"), [("gone", "gone"), ("changed", "changed"), ("away", "not there")])
def test_document_that_cannot_be_read_as_it_was_is_named_and_the_rest_is_mended(
    behind: Any, what: str, why: str, lost: bool
) -> None:
    row, file = behind.row("cedar"), behind.base.docs / "cedar.md"
    secret = behind.row("QUOKKA").chunk_id
    if lost:
        sql(behind, f"delete from chunks where id = '{row.chunk_id}'")
    else:
        sql(behind, f"update chunks set payload = x'00' where id = '{row.chunk_id}'")
    if what != "away":
        sql(behind, f"update chunks set payload = x'00' where id = '{secret}'")
    (behind.build("bm25") / "stamp.json").unlink()
    original = file.read_text()
    away = behind.base.docs.with_name("elsewhere")
    if what == "gone":
        file.unlink()
    elif what == "changed":
        file.write_text(original.replace("ERR_1042", "ERR_7"))
    else:
        behind.base.docs.rename(away)
    mended = repaired(behind.base)
    assert [(loss.what, why in loss.why, "ingest run" in loss.remedy) for loss in mended.left] == [("docs/cedar.md", True, True)]
    assert behind.found(deep=True) == set(), "what is left is consistent"
    assert row.chunk_id not in behind.rows()
    assert behind.base.found("ERR_1042") == ["cedar.md"], "its other chunk is served on"
    assert behind.base.found("cedar stands") == []
    assert behind.base.check().status != "fresh"
    if what == "away":
        away.rename(behind.base.docs)
    elif what == "gone":
        file.write_text(original)
    behind.base.run()
    assert behind.base.found("cedar stands") == ["cedar.md"]
    assert behind.found(deep=True) == set()


def test_chunks_go_with_a_parent_that_cannot_be_given_back(behind: Any) -> None:
    row = behind.row("cedar")
    sql(behind, f"delete from parents where id = '{row.parent_id}'")
    (behind.base.docs / "cedar.md").unlink()
    assert [loss.what for loss in repaired(behind.base).left] == ["docs/cedar.md"]
    assert behind.found(deep=True) == set()
    assert all(one.parent_id != row.parent_id for one in behind.rows().values())
    for question in QUESTIONS:
        behind.base.search(question, mode="hybrid")


@pytest.mark.parametrize("damage", ["delete from sources where cast(payload as text) like '%cedar.md%'",
                                    "update sources set payload = x'' where cast(payload as text) like '%cedar.md%'"])
def test_document_whose_record_is_lost_with_its_file_is_served_no_more(behind: Any, damage: str) -> None:
    sql(behind, damage)
    (behind.base.docs / "cedar.md").write_text("# Trees\n\nAnother text.\n")
    (loss,) = repaired(behind.base).left
    assert "record" in loss.why
    assert behind.found(deep=True) == set()
    assert behind.base.found("cedar stands") == []
    behind.base.run()
    assert behind.base.found("another text") == ["cedar.md"]


def test_quarantined_text_is_not_made_up_from_newer_bytes(behind: Any) -> None:
    behind.base.write("cedar.md", b"\x89PNG\r\n\x1a\n" + bytes(99))
    behind.base.run()
    assert behind.base.found("cedar stands") == ["cedar.md"]
    sql(behind, f"update chunks set payload = x'00' where id = '{behind.row('cedar').chunk_id}'")
    (loss,) = repaired(behind.base).left
    assert "older state" in loss.why
    assert behind.found(deep=True) == set()
    assert behind.base.found("cedar stands") == []


def test_registry_that_has_other_seeds_by_now_is_named(behind: Any) -> None:
    sql(behind, "update assertions set payload = x'00'")
    behind.base.seed("entities: []\n")
    assert [loss.what for loss in repaired(behind.base).left] == ["the registry"]
    assert behind.found() == set()
    assert behind.found(deep=True) == {("altered", "catalog/entities")}, "the registry is still not the reviewed one"
    behind.base.run()
    assert behind.found(deep=True) == set()


def test_parsers_of_another_version_cannot_give_the_same_facts_back(behind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sql(behind, f"delete from chunks where id = '{behind.row('cedar').chunk_id}'")
    monkeypatch.setattr("flows.stages.CHUNKER", "another version")
    (loss,) = repaired(behind.base).left
    assert "settings or parsers" in loss.why
    assert behind.found(deep=True) == set()


def test_facts_that_nobody_can_tell_apart_are_not_made_the_measure(behind: Any) -> None:
    """An entity was renamed under a new checksum, and the seeds that would tell are others by now."""
    import json

    from ingest.model.canonical import digest_of

    with behind.db() as db:
        (data,) = db.execute("select payload from entities where id = 'urn:kb:entity:gate'").fetchone()
        said = json.loads(data)
        said["names"][0]["text"] = "Gate of somebody else"
        db.execute(
            "update entities set payload = ?, checksum = ? where id = 'urn:kb:entity:gate'",
            (json.dumps(said).encode(), digest_of(said)),
        )
    behind.base.seed("entities: []\n")
    mended = repaired(behind.base)
    assert mended.left and "catalog/entities" in mended.left[-1].what
    assert behind.base.head() == 1
    assert behind.found() == {("catalog", "catalog/entities")}


def test_row_changed_together_with_every_manifest_is_set_right_by_its_document(behind: Any) -> None:
    import orjson

    from ingest.model.row import resealed

    row = behind.row("cedar")
    other = resealed(row, valid_until=None)
    with behind.db() as db:
        db.execute(
            "update chunks set payload = ?, checksum = ? where id = ?", (orjson.dumps(other), other.row_checksum, row.chunk_id)
        )
    before = behind.manifest.snapshot
    assert not repaired(behind.base).left
    assert (behind.manifest.snapshot, behind.row("cedar")) == (before, row)


def test_chunks_in_another_order_are_put_right(behind: Any) -> None:
    before = behind.base.chunks("cedar.md")
    sql(behind, f"update chunks set position = 9 where id = '{before[0]}'")
    assert behind.found() == set()
    assert behind.found(deep=True) == {("altered", "catalog/chunks")}
    assert not repaired(behind.base, deep=True).left
    assert behind.found(deep=True) == set()
    assert behind.base.chunks("cedar.md") == before


@pytest.mark.parametrize("damage", ["a fact and its digest", "the scoring"])
def test_where_no_manifest_is_a_measure_every_document_is_read_again(behind: Any, damage: str) -> None:
    """Somebody changed both manifests, and not everything that follows from them."""
    import json

    import orjson

    from ingest.model.canonical import SetDigest
    from ingest.model.row import resealed

    before, row, first = answers(behind.base), behind.row("QUOKKA"), behind.manifest
    path = behind.base.kb / "generations/1/manifest.json"
    manifest = json.loads(path.read_bytes())
    if damage == "the scoring":
        manifest["scoring"]["k1"] = 0.1
    else:
        other = resealed(row, text="The passphrase is WOMBAT.")
        sql(behind, f"update chunks set checksum = '{other.row_checksum}' where id = '{row.chunk_id}'")
        with behind.db() as db:
            db.execute("update chunks set payload = ? where id = ?", (orjson.dumps(other), row.chunk_id))
        rows = behind.rows().values()
        manifest["catalog"]["chunks"] = str(SetDigest.of((one.chunk_id, one.row_checksum) for one in rows))
    path.write_bytes(json.dumps(manifest).encode())
    with behind.db() as db:
        db.execute("update generations set manifest = ?", (json.dumps(manifest),))
    assert ("generation record", "generation 1") in behind.found()
    assert not repaired(behind.base).left
    assert behind.found(deep=True) == set()
    assert answers(behind.base) == before
    assert (behind.manifest.snapshot, behind.manifest.scoring) == (first.snapshot, first.scoring)


def test_where_no_manifest_is_a_measure_and_a_document_is_gone_nothing_is_published(behind: Any) -> None:
    import json

    path = behind.base.kb / "generations/1/manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["catalog"]["parents"] = "1:" + "0" * 32
    path.write_bytes(json.dumps(manifest).encode())
    with behind.db() as db:
        db.execute("update generations set manifest = ?", (json.dumps(manifest),))
    (behind.base.docs / "cedar.md").unlink()
    assert "record of generation 1" in repaired(behind.base).left[-1].what
    assert behind.base.head() == 1


def test_file_that_is_no_database_any_more_is_named(behind: Any) -> None:
    path = behind.base.kb / "catalog.db"
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert behind.found() == {("torn file", "catalog.db")}
    assert [loss.what for loss in repaired(behind.base).left] == ["catalog.db"]
