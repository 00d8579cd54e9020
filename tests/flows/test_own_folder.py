"""What belongs to a knowledge base and what does not: nothing of anybody else's is deleted, nothing of its own is ingested."""

from __future__ import annotations

from typing import Any

import pytest

from ingest.errors import KnowledgeBaseMissing, UsageError


@pytest.mark.parametrize("name", ["staging", "builds", "generations"])
def test_folder_of_somebody_else_is_no_knowledge_base(base: Any, name: str) -> None:
    """Recovery empties `staging` and removes builds and generations that no catalog lists."""
    mine = base.kb / name / "mine"
    mine.mkdir(parents=True)
    (mine / "precious.txt").write_text("only copy")
    base.write("手册.md")
    with pytest.raises(UsageError, match="--kb") as raised:
        base.run()
    assert name in str(raised.value)
    assert (mine / "precious.txt").read_text() == "only copy"
    assert [path.name for path in base.kb.iterdir()] == [name]


def test_folder_with_other_things_in_it_can_hold_a_knowledge_base(base: Any) -> None:
    base.kb.mkdir()
    (base.kb / "notes.txt").write_text("mine")
    base.write("手册.md")
    assert base.run().published
    assert (base.kb / "notes.txt").read_text() == "mine"


def test_knowledge_base_inside_its_own_root_is_never_ingested(base: Any) -> None:
    base.kb = base.docs / "kb"
    base.write("手册.md")
    report = base.run()
    assert (report.failures, report.sources["added"]) == ((), 1)
    assert any("kb" in warning and "knowledge base" in warning for warning in report.warnings)
    assert base.run().published is False


@pytest.mark.parametrize("left", ["nothing", "a table"])
def test_catalog_that_was_never_finished_is_no_knowledge_base_yet(base: Any, left: str) -> None:
    import sqlite3

    base.kb.mkdir()
    with sqlite3.connect(base.kb / "catalog.db") as db:
        if left == "a table":
            db.execute("create table meta (key text primary key, value text not null)")
    for call in (base.check, base.verify, lambda: base.search("x")):
        with pytest.raises(KnowledgeBaseMissing, match="ingest run") as raised:
            call()
        assert raised.value.exit_code == 6
    base.write("手册.md")
    assert base.run().published
    assert base.found("机柜") == ["手册.md"]
