"""Generations: kept, gone back to, held, released, pruned."""

from __future__ import annotations

from typing import Any

import pytest

from flows.history import drop, go_back, let_go, listed
from ingest.errors import KnowledgeBaseMissing, NotFound, OnHold, UsageError


def gate(word: str) -> str:
    return f"# Gate\n\nThe gate is {word}.\n"


@pytest.fixture
def three(base: Any) -> Any:
    """Generations 1, 2, 3 of one changing and one constant document."""
    base.write("constant.md", "# Constant\n\nNothing changes here.\n")
    for word in ("amber", "bronze", "copper"):
        base.write("gate.md", gate(word))
        base.run()
    return base


def test_older_generations_answer_as_they_did(three: Any) -> None:
    words = {number: [w for w in ("amber", "bronze", "copper") if three.found(w, number)] for number in (1, 2, 3)}
    assert words == {1: ["amber"], 2: ["bronze"], 3: ["copper"]}
    assert [three.search("gate", number).generation for number in (1, 2, 3, None)] == [1, 2, 3, 3]
    assert all(three.verify(number) == [] for number in (1, 2, 3))


def test_only_the_last_generations_are_kept_and_their_files(three: Any) -> None:
    for word in ("dun", "ecru"):
        three.write("gate.md", gate(word))
        three.run()
    assert three.generations() == [5, 4, 3]
    assert {path.name for path in (three.kb / "generations").iterdir()} == {"3", "4", "5"}
    assert all(len(list((three.kb / "builds" / kind).iterdir())) == 3 for kind in ("vector", "bm25", "graph"))
    with pytest.raises(NotFound, match="snapshots list"):
        three.search("gate", 2)
    assert three.found("copper", 3) == ["gate.md"]


def test_listing_tells_newest_first_what_each_holds(three: Any) -> None:
    generations, hold = listed(three.settings)
    assert [(item.generation, item.origin, item.sources, item.chunks) for item in generations] == [
        (3, "run", 2, 2), (2, "run", 2, 2), (1, "run", 2, 2)
    ]
    assert hold is None
    assert len({item.snapshot for item in generations}) == 3


def test_going_back_publishes_the_old_content_anew_and_holds_runs(three: Any) -> None:
    went = go_back(three.settings, 1)
    assert went.generation == three.head() == 4
    assert (went.target, went.hold) == (1, {"generation": 4, "target": 1})
    assert went.documents == {"brought_back": 0, "taken_out": 0, "changed_back": 1}
    assert went.chunks == {"brought_back": 1, "taken_out": 1, "changed_back": 0}
    assert three.found("amber") == ["gate.md"]
    assert three.found("copper") == []
    assert three.verify() == []
    generations, hold = listed(three.settings)
    assert (generations[0].origin, hold) == ("rollback to 1", {"generation": 4, "target": 1})
    with pytest.raises(OnHold, match="snapshots release") as raised:
        three.run()
    assert raised.value.exit_code == 7
    check = three.check()
    assert (check.status, check.exit_code) == ("stale", 3)
    assert any("on hold" in warning for warning in check.warnings)


def test_going_back_gives_the_snapshot_and_the_builds_of_then(three: Any) -> None:
    with three.catalog() as catalog:
        then = catalog.published(2).manifest
    assert go_back(three.settings, 2).snapshot == then.snapshot
    with three.catalog() as catalog:
        manifest = catalog.published(4).manifest
    assert (manifest.snapshot, manifest.builds, manifest.catalog) == (then.snapshot, then.builds, then.catalog)


def test_release_lets_the_next_run_bring_it_up_to_its_sources(three: Any) -> None:
    go_back(three.settings, 1)
    assert let_go(three.settings) is True
    assert let_go(three.settings) is False
    report = three.run()
    assert (report.generation, report.published, report.embedded) == (5, True, 0)
    assert three.found("copper") == ["gate.md"]
    assert three.verify() == []
    assert listed(three.settings)[1] is None


def test_going_back_over_a_deletion_and_an_addition(base: Any) -> None:
    base.write("old.md", "# Old\n\nALDER\n")
    first = base.run()
    base.delete("old.md")
    base.write("new.md", "# New\n\nBIRCH\n")
    base.run()
    go_back(base.settings, 1)
    assert (base.found("ALDER"), base.found("BIRCH")) == (["old.md"], [])
    assert base.search("ALDER").snapshot == first.snapshot
    let_go(base.settings)
    base.run()
    assert (base.found("ALDER"), base.found("BIRCH")) == ([], ["new.md"])


def test_target_of_a_rollback_may_be_pruned_and_its_content_stays(three: Any) -> None:
    go_back(three.settings, 1)
    assert three.generations() == [4, 3, 2]
    assert three.found("amber") == ["gate.md"]
    assert drop(three.settings, 1) == [3, 2]
    assert three.found("amber") == ["gate.md"]
    assert three.verify() == []


def test_going_back_to_the_head_or_to_what_is_not_kept_is_refused(three: Any) -> None:
    with pytest.raises(UsageError, match="head already"):
        go_back(three.settings, 3)
    with pytest.raises(NotFound, match="snapshots list"):
        go_back(three.settings, 9)
    assert three.head() == 3
    assert three.run().published is False


def test_rollback_that_does_not_come_to_its_end_leaves_no_hold(three: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("indexes.generation.rollback.publish", killed)
        with pytest.raises(KeyboardInterrupt):
            go_back(three.settings, 1)
    assert three.head() == 3
    assert listed(three.settings)[1] is None
    three.write("gate.md", gate("dun"))
    assert three.run().generation == 4
    assert listed(three.settings)[1] is None
    assert three.run().published is False
    assert (three.found("dun"), three.verify()) == (["gate.md"], [])


def test_commands_on_no_base_say_so_and_leave_no_folder(base: Any) -> None:
    for call in (lambda: go_back(base.settings, 1), lambda: let_go(base.settings), lambda: drop(base.settings, 1),
                 lambda: listed(base.settings), base.check, base.verify, lambda: base.search("x")):
        with pytest.raises(KnowledgeBaseMissing, match="ingest run") as raised:
            call()
        assert raised.value.exit_code == 6
    assert not base.kb.exists()


def test_pruning_waits_for_a_reader_and_comes_back_for_it(three: Any) -> None:
    from flows.opening import reading
    from indexes.query.evidence import search
    from indexes.query.request import Request

    with reading(three.settings, 1) as snapshot:
        assert drop(three.settings, 1) == [2]
        pack = search(snapshot, None, Request("amber", "bm25"), three.settings.search)
        assert ["amber" in item.text for item in pack.evidence] == [True]
        assert snapshot.vector.search(_unit(snapshot), _everything(), 10), "opened only now, and still there"
        assert three.generations() == [3, 1]
        three.write("gate.md", gate("dun"))
        three.run()
        assert len(search(snapshot, None, Request("amber", "bm25"), three.settings.search).evidence) == 1
        assert three.verify(1) == []
    assert drop(three.settings, 1) == [3, 1]
    assert three.verify() == []
    assert three.found("dun") == ["gate.md"]


def _unit(snapshot: Any) -> Any:
    from flows.answering import query_embedder

    return query_embedder(snapshot.settings, snapshot).queries(["gate"])[0]


def _everything() -> Any:
    from ingest.model.predicate import Predicate

    return Predicate(principal=None)
