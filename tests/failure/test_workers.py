"""A worker that dies, hangs or stumbles costs the document it was given, and is said to have."""

from __future__ import annotations

from typing import Any

import pytest


@pytest.fixture
def hostile(base: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A base whose workers do to a document what its name says."""
    from pathlib import Path

    monkeypatch.syspath_prepend(str(Path(__file__).parent / "workloads"))
    import hostile_work

    monkeypatch.setattr("flows.gather.worker", hostile_work.worker)
    monkeypatch.setattr("flows.gather._INLINE_BYTES", 0)
    base.set("execute", executor="processes", workers=2)
    return base


def paper(word: str) -> str:
    return f"# Paper\n\nThe {word} stands here.\n"


@pytest.mark.parametrize(
    ("fate", "said"), [("killed", "SIGKILL"), ("segfault", "SIGSEGV"), ("hang", "seconds"), ("memory", "MemoryError"),
                       ("foreign", "ZeroDivisionError")],
)
def test_worker_that_fails_costs_its_document_only(hostile: Any, fate: str, said: str) -> None:
    hostile.set("parse", timeout_seconds=3)
    hostile.write(f"{fate}.md", paper("BADGER"))
    for number in range(6):
        hostile.write(f"good{number}.md", paper("QUOKKA"))
    report = hostile.run()
    (failure,) = report.failures
    assert (failure.uri, failure.error, failure.serving) == (f"docs/{fate}.md", "ParserFailed", False)
    assert said in failure.message and ".ingestignore" in failure.message
    assert report.exit_code == 4
    assert hostile.found("QUOKKA") == [f"good{number}.md" for number in range(6)]
    assert hostile.verify() == []


def test_worker_that_is_killed_once_costs_nothing(hostile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else needed the memory: the document is given to another worker."""
    monkeypatch.setenv("HOSTILE_MARK", str(hostile.folder / "mark"))
    hostile.write("once.md", paper("QUOKKA"))
    hostile.write("good.md", paper("QUOKKA"))
    assert hostile.run().exit_code == 0
    assert (hostile.folder / "mark").exists()
    assert hostile.found("QUOKKA") == ["good.md", "once.md"]


def test_document_on_which_a_worker_dies_obeys_its_newest_metadata(hostile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.work import worker
    from ingest.model.access import Principal

    with monkeypatch.context() as patched:
        patched.setattr("flows.gather.worker", worker)
        hostile.write("killed.md", paper("QUOKKA"))
        assert hostile.run().exit_code == 0
    hostile.write("killed.md", f"---\nallowed_users: [lin]\n---\n{paper('QUOKKA')}")
    (failure,) = hostile.run().failures
    assert (failure.error, failure.serving) == ("ParserFailed", True)
    assert hostile.found("QUOKKA") == []
    assert hostile.found("QUOKKA", who=Principal("lin")) == ["killed.md"]


def test_inline_worker_that_stumbles_costs_its_document_only(hostile: Any) -> None:
    hostile.set("execute", executor="inline")
    hostile.write("foreign.md", paper("BADGER"))
    hostile.write("good.md", paper("QUOKKA"))
    (failure,) = hostile.run().failures
    assert (failure.uri, failure.error) == ("docs/foreign.md", "ParserFailed")
    assert hostile.found("QUOKKA") == ["good.md"]


def test_rehash_gives_a_document_that_failed_another_chance(hostile: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.work import worker

    hostile.write("killed.md", paper("QUOKKA"))
    assert hostile.run().exit_code == 4
    monkeypatch.setattr("flows.gather.worker", worker)
    assert hostile.run().exit_code == 4, "an ordinary run does not do again what failed for good"
    assert hostile.run(rehash=True).exit_code == 0
    assert hostile.found("QUOKKA") == ["killed.md"]


def test_failing_to_drop_old_generations_does_not_fail_a_run_that_published(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingest.errors import StorageFailed

    base.write("a.md", paper("QUOKKA"))
    base.run()

    def full(*_: object) -> list[int]:
        raise StorageFailed("the disk is full")

    monkeypatch.setattr("indexes.generation.prune.prune", full)
    base.write("b.md", paper("QUOKKA"))
    report = base.run()
    assert report.published and report.exit_code == 0
    assert base.found("QUOKKA") == ["a.md", "b.md"]
