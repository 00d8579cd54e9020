"""A generation as an operator looks at it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from flows.history import go_back
from flows.showing import shown
from ingest.errors import KnowledgeBaseMissing, NotFound
from ingest.store.catalog import FACTS


@pytest.fixture
def two(base: Any) -> Any:
    base.write("v1.md", "---\ndocument: policy\nversion: '1'\nvalid_from: 2024-01-01\n---\n# Policy\n\nSeven days.\n")
    base.write("manual.md")
    base.write("later.md", "---\nvalid_from: 2999-01-01\nstatus: draft\n---\n# Later\n\nNot yet.\n")
    base.write("over.txt", "Over.\n")
    base.write("over.txt.meta.yaml", "valid_until: 2020-01-01\n")
    base.write("bad.md", "---\nusers: 7\n---\n# Bad\n\nNobody.\n")
    base.run()
    base.write("v2.md", "---\ndocument: policy\nversion: '2'\nvalid_from: 2025-01-01\n---\n# Policy\n\nFourteen days.\n")
    base.run()
    return base


def test_documents_are_counted_by_what_became_of_them(two: Any) -> None:
    sources = shown(two.settings).sources
    assert sources.total == 6
    assert sources.states == {"served": 5, "withdrawn": 1}
    assert sources.roots == {"docs": 6}
    assert sources.media_types == {"text/markdown": 5, "text/plain": 1}
    assert sources.statuses == {"active": 5, "draft": 1}
    assert sources.windows == {"active": {"no longer": 2, "without end": 2, "now": 1}, "draft": {"not yet": 1}}
    assert sources.families == {"families": 1, "versions": 2}


def test_facts_builds_and_what_made_them_are_those_of_the_manifest(two: Any) -> None:
    one = shown(two.settings, 2)
    with two.catalog() as catalog:
        manifest = catalog.published(2).manifest
    assert one.facts == {table: int(manifest.catalog[table].partition(":")[0]) for table in FACTS}
    assert [(build.kind, build.id, build.rows) for build in one.builds] == [
        (build.kind, build.id, one.facts["chunks"]) for build in manifest.builds
    ]
    for build in one.builds:
        files = [path for path in (two.kb / "builds" / build.kind / build.id).rglob("*") if path.is_file()]
        assert (build.files, build.bytes) == (len(files), sum(path.stat().st_size for path in files))
        assert 0 < build.disk_bytes <= build.bytes + 4096 * build.files
    assert one.settings["chunk"]["child_max"] == 300
    assert (one.fingerprints, one.engines, one.registry) == (manifest.fingerprints, manifest.engines, manifest.registry)
    assert one.engines["embed"] == "hash"


def test_what_the_generation_before_had_otherwise_is_counted(two: Any) -> None:
    one = shown(two.settings)
    assert (one.generation, one.head, one.before, one.origin) == (2, True, 1, "run")
    assert one.changes is not None and one.changes["documents"] == {
        "added": 1, "removed": 0, "changed": 0, "renamed": 0, "rewritten": 1, "same": 4
    }
    assert one.shape is not None and not one.shape
    first = shown(two.settings, 1)
    assert (first.head, first.before, first.changes, first.shape) == (False, None, None, None)


def test_a_hold_is_told_where_it_is(two: Any) -> None:
    go_back(two.settings, 1)
    assert shown(two.settings).hold == {"generation": 3, "target": 1}
    assert shown(two.settings).origin == "rollback to 1"
    assert shown(two.settings, 2).hold is None


def test_damage_on_the_disk_does_not_hide_what_a_generation_is(two: Any) -> None:
    import shutil

    shutil.rmtree(two.kb / "builds" / "graph")
    (two.kb / "generations" / "2" / "files.json").write_text("{")
    one = shown(two.settings)
    assert [(build.kind, build.bytes) for build in one.builds] == [("vector", 0), ("bm25", 0), ("graph", 0)]
    assert one.sources.total == 6


def test_what_is_not_there_is_told(base: Any, new_base: Callable[..., Any]) -> None:
    with pytest.raises(KnowledgeBaseMissing):
        shown(base.settings)
    base.write("one.md")
    base.run()
    with pytest.raises(NotFound, match="snapshots list"):
        shown(base.settings, 7)
