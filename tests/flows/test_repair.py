"""Repair builds what drifted anew from the catalog: the same snapshot and answers, and nothing where nothing can be done."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from flows.history import listed
from flows.repair import mend
from ingest.errors import EngineUnavailable, KnowledgeBaseMissing
from ingest.progress import Silent

KINDS = ("vector", "bm25", "graph")


@pytest.fixture
def base(base: Any) -> Any:
    base.seed('entities:\n  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}]}\n')
    base.write("手册.md")
    base.write("other.md", "# Other\n\nBeside the 云脉网关 stands a cedar. See [the manual](手册.md).\n")
    base.run()
    return base


def repaired(base: Any) -> list[str]:
    return sorted({drift.kind for drift in mend(base.settings, Silent()).repaired})


def build(base: Any, kind: str) -> Path:
    with base.catalog() as catalog:
        return Path(base.kb / "builds" / kind / catalog.published(catalog.head()).manifest.build(kind).id)


@pytest.mark.parametrize("kinds", [("vector",), ("bm25",), ("graph",), KINDS])
def test_lost_builds_are_built_anew_with_the_same_snapshot_and_answers(base: Any, kinds: tuple[str, ...]) -> None:
    before = base.search("cedar 云脉网关", mode="hybrid")
    for kind in kinds:
        shutil.rmtree(build(base, kind))
    assert "torn file" in repaired(base)
    assert base.verify() == []
    after = base.search("cedar 云脉网关", mode="hybrid")
    assert (after.generation, after.snapshot, after.evidence) == (2, before.snapshot, before.evidence)
    assert listed(base.settings)[0][0].origin == "repair"
    assert repaired(base) == [] and base.head() == 2
    assert base.run().published is False


@pytest.mark.parametrize("kind", KINDS)
def test_rows_that_differ_in_files_that_are_as_published_are_built_anew(base: Any, kind: str) -> None:
    """A build of other rows under a stamp and hashes that fit it: nothing of it is taken over."""
    from indexes.generation.publish import files_of
    from indexes.generation.seal import hash_files
    from ingest.model.canonical import canonical
    from ingest.store.layout import Layout

    snapshot, wrong = base.search("cedar").snapshot, build(base, kind)
    stamp = (wrong / "stamp.json").read_bytes()
    base.write("more.md", "# More\n\nOne more birch.\n")
    base.run()
    other = build(base, kind)
    base.delete("more.md")
    base.run()
    shutil.rmtree(wrong)
    shutil.copytree(other, wrong)
    (wrong / "stamp.json").write_bytes(stamp)
    with base.catalog() as catalog:
        builds = catalog.published(3).manifest.builds
    entries = {f"{one.kind}/{one.id}": files_of(Layout(base.kb), [3], one) for one in builds}
    entries[f"{kind}/{wrong.name}"] = hash_files(wrong)
    for generation in (1, 3):
        (base.kb / f"generations/{generation}/files.json").write_bytes(canonical(entries))
    assert {drift.kind for drift in base.verify()} == {"ghost", "wrong build"}
    assert repaired(base) != []
    assert base.verify() == []
    assert (base.head(), base.search("cedar").snapshot) == (4, snapshot)


def test_manifest_that_was_lost_is_written_anew(base: Any) -> None:
    (base.kb / "generations/1/manifest.json").unlink()
    assert repaired(base) == ["manifest"]
    assert base.verify() == []
    assert base.found("cedar") == ["other.md"]


def test_lost_cache_is_no_obstacle(base: Any) -> None:
    shutil.rmtree(build(base, "vector"))
    (base.kb / "cache/cache.db").unlink()
    assert repaired(base) != []
    assert base.verify() == []


def test_repair_changes_no_sources_and_works_on_hold(base: Any) -> None:
    from flows.history import go_back
    from ingest.errors import OnHold

    base.write("other.md", "# Other\n\nA birch.\n")
    base.run()
    go_back(base.settings, 1)
    shutil.rmtree(build(base, "graph"))
    repaired(base)
    assert base.verify() == []
    assert (base.found("cedar"), base.found("birch")) == (["other.md"], [])
    with pytest.raises(OnHold):
        base.run()


def test_repair_needs_the_engine_of_the_head(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.rmtree(build(base, "vector"))
    monkeypatch.setattr("ingest.embed.hash.fingerprint", lambda dimensions: "hash of another version")
    with pytest.raises(EngineUnavailable):
        mend(base.settings, Silent())
    assert base.head() == 1


def test_nothing_to_repair_says_so(tmp_path: Path, new_base: Any) -> None:
    with pytest.raises(KnowledgeBaseMissing):
        mend(new_base("empty").settings, Silent())


@pytest.mark.on_file
def test_older_catalog_that_was_put_back_is_found_and_told(base: Any, tmp_path: Path) -> None:
    """What was published after it is in no table any more: only the sources give it back."""
    shutil.copy2(base.kb / "catalog.db", tmp_path / "kept.db")
    base.write("later.md", "# Later\n\nA tamarack stands here.\n")
    base.run()
    for suffix in ("-wal", "-shm"):
        (base.kb / f"catalog.db{suffix}").unlink(missing_ok=True)
    shutil.copy2(tmp_path / "kept.db", base.kb / "catalog.db")
    (found,) = base.verify()
    assert (found.kind, found.where) == ("manifest", "generations/2")
    (loss,) = mend(base.settings, Silent()).left
    assert loss.what == "generation 2" and "ingest run" in loss.remedy
    assert base.run().published
    assert base.verify() == [] and base.search("tamarack").evidence


def test_run_killed_before_its_generation_was_listed_is_no_finding(base: Any) -> None:
    shutil.copytree(base.kb / "generations" / "1", base.kb / "generations" / "2")
    (base.kb / "generations" / "2" / "report.json").unlink()
    assert base.verify() == []
