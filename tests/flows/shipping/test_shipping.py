"""A generation shipped to another machine is the same generation there."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from flows.history import go_back, listed
from flows.pipeline import Options, run
from flows.shipping import receive as receive_
from flows.shipping import send
from ingest.errors import KnowledgeBaseMissing, LeaseHeld, NotFound, RootUnavailable, UsageError
from ingest.model.access import Principal
from ingest.model.canonical import plain
from ingest.progress import Silent
from ingest.store.layout import layout_of


def answers(base: Any, questions: tuple[str, ...]) -> list[Any]:
    packs = [
        plain(base.search(question, mode=mode, who=Principal(roles=roles), as_of="2026-01-01T00:00:00Z"))
        for question in questions for mode in ("bm25", "vector", "hybrid") for roles in ((), ("sre",))
    ]
    for pack in packs:
        pack["trace"].pop("milliseconds", None)
    return packs


def test_imported_base_gives_the_same_answers_and_scores_under_the_same_number(shipped: Any, receive: Any, hands: Any) -> None:
    there, imported = receive(shipped.base, shipped.file)
    assert (imported.generation, imported.snapshot) == (2, shipped.exported.snapshot)
    assert (imported.documents, imported.roots, imported.warnings) == (5, ("docs",), ())
    assert imported.chunks == shipped.exported.chunks == len(shipped.base.chunks())
    assert answers(there, hands.QUESTIONS) == answers(shipped.base, hands.QUESTIONS)
    assert there.verify() == []
    assert there.held() == shipped.base.held()


def test_imported_generation_is_listed_with_the_times_it_came_with(shipped: Any, receive: Any) -> None:
    there, _ = receive(shipped.base, shipped.file)
    here, others = listed(shipped.base.settings)[0][0], listed(there.settings)[0]
    assert [(item.generation, item.origin) for item in others] == [(2, "import")]
    assert (others[0].published_at, others[0].confirmed_at) == (here.published_at, here.confirmed_at)


def test_the_same_documents_elsewhere_are_fresh_and_a_run_has_nothing_to_do(shipped: Any, receive: Any, hands: Any) -> None:
    there, _ = receive(shipped.base, shipped.file)
    hands.fill(there)
    there.write("limits.en.md", (shipped.base.docs / "limits.en.md").read_bytes())
    assert there.check(there.docs).status == "fresh"
    report = there.run()
    assert (report.published, report.generation, report.embedded) == (False, 2, 0)
    assert there.check().status == "fresh", "the root has its place by now"


def test_a_run_goes_on_from_an_imported_base_and_embeds_what_is_new(shipped: Any, receive: Any, hands: Any) -> None:
    there, _ = receive(shipped.base, shipped.file)
    hands.fill(there)
    there.write("new.md", "# New\n\nThe QUOKKA is new.\n")
    report = there.run()
    assert (report.generation, report.sources["added"], report.sources["changed"]) == (3, 1, 1)
    assert there.found("QUOKKA") == ["new.md"]
    assert there.verify() == there.verify(2) == []
    assert go_back(there.settings, 2).snapshot == shipped.exported.snapshot


@pytest.mark.on_file
def test_with_its_vectors_texts_that_are_written_again_are_not_embedded(
    base: Any, receive: Any, hands: Any, tmp_path: Path
) -> None:
    hands.fill(base).run()
    embedded = {}
    for with_cache in (True, False):
        file = tmp_path / f"{with_cache}.tar.zst"
        sent = send(base.settings, file, None, Silent(), with_cache=with_cache)
        there, imported = receive(base, file, f"there-{with_cache}")
        assert imported.vectors == sent.vectors == (len(base.chunks()) if with_cache else 0)
        hands.fill(there)
        (there.docs / "page.html").rename(there.docs / "trial.html")
        embedded[with_cache] = there.run().embedded
    assert embedded[True] == 0 < embedded[False]


def test_a_folder_that_is_called_otherwise_must_be_named(shipped: Any, receive: Any, hands: Any) -> None:
    there, _ = receive(shipped.base, shipped.file)
    elsewhere = type(there)(there.folder, "handbook", **there.parts)
    hands.fill(elsewhere)
    elsewhere.write("limits.en.md", (shipped.base.docs / "limits.en.md").read_bytes())
    with pytest.raises(UsageError, match="--name docs"):
        elsewhere.run()
    with pytest.raises(RootUnavailable, match="--name docs"):
        run(there.settings, Options(), Silent())
    assert there.check().status == "unknown"
    assert elsewhere.run(name="docs").published is False
    assert elsewhere.check().status == "fresh"


def test_a_new_root_beside_one_without_a_place_is_taken_by_name(shipped: Any, receive: Any) -> None:
    there, _ = receive(shipped.base, shipped.file)
    other = type(there)(there.folder, "extra", **there.parts)
    other.write("more.md", "# More\n\nThe MAGPIE is more.\n")
    assert other.run(name="extra").sources["added"] == 1
    assert len(there.search("MAGPIE").evidence) == 1 and there.found("91320594MAQH5N1C4N") == ["hotline.txt"]


def test_one_generation_is_always_the_same_bytes(shipped: Any, tmp_path: Path) -> None:
    for name in ("one", "two"):
        send(shipped.base.settings, tmp_path / name, 2, Silent(), with_cache=True)
        os.utime(tmp_path / name, (0, 0))
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes() == shipped.file.read_bytes()


def test_exporting_what_was_imported_gives_the_same_bytes(shipped: Any, receive: Any, tmp_path: Path) -> None:
    there, _ = receive(shipped.base, shipped.file)
    again = send(there.settings, tmp_path / "again", None, Silent(), with_cache=True)
    assert again.sha256 == shipped.exported.sha256


def test_an_archive_says_nothing_of_the_machine(shipped: Any, hands: Any) -> None:
    entries = hands.entries_of(shipped.file)
    place = str(shipped.base.folder).encode()
    assert not [name for name, data in entries if place in data or b"/tmp/" in data or os.uname().nodename.encode() in data]
    assert not [name for name, _ in entries if "seen" in name or "report" in name or "lock" in name]


def test_any_tar_can_list_an_archive(shipped: Any, hands: Any, tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(hands.tarred(
        (hands.plain_member(name, len(data)), data) for name, data in hands.entries_of(shipped.file)
    ))
    listed = subprocess.run(["tar", "-tf", tmp_path / "a.tar"], capture_output=True, text=True, check=True).stdout.splitlines()
    assert listed == [name for name, _ in hands.entries_of(shipped.file)]
    assert listed[:3] == ["concord.json", "manifest.json", "files.json"] and listed[-1] == "sums.json"


def test_holes_of_preallocated_files_cost_no_space(shipped: Any, receive: Any) -> None:
    entries = shipped.base.kb / "generations" / "2" / "files.json"
    apparent = sum(entry["size"] for files in json.loads(entries.read_bytes()).values() for entry in files.values())
    assert apparent > 30e6 > 1e6 > shipped.file.stat().st_size
    there, _ = receive(shipped.base, shipped.file)
    taken = sum(path.stat().st_blocks * 512 for path in (there.kb / "builds").rglob("*") if path.is_file())
    assert taken < apparent / 10


def test_an_older_generation_is_exported_as_it_was(shipped: Any, receive: Any, tmp_path: Path) -> None:
    sent = send(shipped.base.settings, tmp_path / "old", 1, Silent())
    there, imported = receive(shipped.base, tmp_path / "old")
    assert (sent.generation, imported.generation) == (1, 1)
    who = Principal(roles=("sre",))
    assert "20000" in there.search("ERR_1042", who=who).evidence[0].text
    assert "30000" in shipped.base.search("ERR_1042", who=who).evidence[0].text


def test_a_folder_with_a_knowledge_base_is_refused_and_left_alone(shipped: Any, receive: Any, base: Any) -> None:
    base.write("one.md")
    report = base.run()
    with pytest.raises(UsageError, match="holds a knowledge base already"):
        receive_(base.settings, shipped.file, Silent())
    assert (base.head(), base.verify(), base.search("网关").snapshot) == (1, [], report.snapshot)


def test_an_empty_folder_and_one_that_a_dead_run_left_are_taken(shipped: Any, base: Any) -> None:
    from flows.opening import writing

    base.kb.mkdir()
    (base.kb / "notes.txt").write_text("mine")
    with writing(base.settings, create=True) as begun, begun.catalog.staging(7):
        pass
    assert receive_(base.settings, shipped.file, Silent()).generation == 2
    assert base.verify() == []
    assert (base.kb / "notes.txt").read_text() == "mine"


def test_two_imports_at_once_are_told_apart_by_the_lease(shipped: Any, base: Any) -> None:
    from ingest.store.lease import lease

    with lease(layout_of(base.settings)), pytest.raises(LeaseHeld):
        receive_(base.settings, shipped.file, Silent())
    assert sorted(path.name for path in base.kb.iterdir()) == ["lock", "lock.owner"]
    assert receive_(base.settings, shipped.file, Silent()).generation == 2


def test_what_cannot_be_exported_says_why_and_leaves_nothing(shipped: Any, base: Any, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseMissing):
        send(base.settings, tmp_path / "a", None, Silent())
    with pytest.raises(NotFound, match="snapshots list"):
        send(shipped.base.settings, tmp_path / "a", 9, Silent())
    with pytest.raises(UsageError, match="regular file"):
        send(shipped.base.settings, tmp_path, None, Silent())
    with pytest.raises(UsageError, match="outside of it"):
        send(shipped.base.settings, shipped.base.kb / "a", None, Silent())
    assert not (tmp_path / "a").exists() and not base.kb.exists()
    assert not list(tmp_path.glob("*.partial")) and not list(tmp_path.parent.glob("*.partial"))


@pytest.mark.on_file
def test_damage_is_not_exported_and_what_was_there_before_stays(base: Any, tmp_path: Path) -> None:
    from ingest.errors import BuildCorrupt, Inconsistent

    base.write("one.md")
    base.run()
    file = tmp_path / "archive"
    file.write_bytes(b"an older archive")
    victim = next((base.kb / "builds" / "bm25").rglob("*.segment"))
    sound = victim.read_bytes()
    victim.write_bytes(sound[:-1] + bytes([sound[-1] ^ 1]))
    with pytest.raises(BuildCorrupt, match="ingest verify --generation 1"):
        send(base.settings, file, None, Silent())
    victim.write_bytes(sound)
    import sqlite3

    with sqlite3.connect(base.kb / "catalog.db") as db:
        db.execute("update chunks set payload = replace(cast(payload as text), '20000', '90000')")
    db.close()
    with pytest.raises(Inconsistent, match="ingest verify"):
        send(base.settings, file, None, Silent())
    assert file.read_bytes() == b"an older archive"
    assert not list(tmp_path.glob("*.partial"))


def test_import_warns_where_settings_seeds_and_models_here_differ(shipped: Any, tmp_path: Path, unflushed: None) -> None:
    there = type(shipped.base)(
        tmp_path / "there", **{**shipped.base.parts, "embed": {"engine": "hash", "dimensions": 64}, "chunk": {"child_max": 200}}
    )
    there.set("entities", seeds=())
    warnings = "\n".join(receive_(there.settings, shipped.file, Silent()).warnings)
    assert "embeds everything anew" in warnings and "chunk, embed" in warnings and "entities.seeds" in warnings


@pytest.mark.on_file
def test_a_generation_is_not_pruned_while_it_is_exported(base: Any, receive: Any, tmp_path: Path) -> None:
    from flows.history import drop
    from flows.opening import reading
    from indexes.generation.archive import write_archive
    from indexes.generation.container import packing

    for number in range(3):
        base.write("one.md", f"# One\n\nNumber {number} is the QUOKKA.\n")
        base.run()
    with reading(base.settings, 1) as snapshot, packing(tmp_path / "archive") as pack:
        assert drop(base.settings, 1) == [2]
        write_archive(pack, snapshot, Silent())
    there, imported = receive(base, tmp_path / "archive")
    assert imported.generation == 1 and there.found("QUOKKA") == ["one.md"]
