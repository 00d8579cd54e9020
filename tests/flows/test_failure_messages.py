"""Why a document failed is told in words of this machine; the snapshot digest does not depend on them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest

from ingest.errors import DocumentUnreadable


@pytest.fixture
def stumbling(monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser that says something else each time: an address, a temporary file."""
    from ingest.parse import route

    parse, times = route.parse, itertools.count()

    def stumble(data: bytes, name: str, *rest: Any) -> Any:
        if name == "bad.md":
            raise ValueError(f"cannot read <object at {next(times):#x}>")
        if name == "away.md":
            raise DocumentUnreadable(f"{name}: /tmp/{next(times)} has no room; try again")
        return parse(data, name, *rest)

    monkeypatch.setattr(route, "parse", stumble)


def test_snapshot_does_not_depend_on_the_words_of_a_failure(new_base: Callable[..., Any], stumbling: None) -> None:
    snapshots = set()
    for folder in ("here", "there"):
        base = new_base(folder)
        base.write("bad.md", "# Bad\n\nBad.\n")
        base.write("good.md")
        report = base.run()
        assert [failure.error for failure in report.failures] == ["ParserFailed"]
        snapshots.add(report.snapshot)
        assert base.verify() == []
    assert len(snapshots) == 1


def test_failure_in_other_words_publishes_nothing(base: Any, stumbling: None) -> None:
    base.write("away.md", "# Away\n\nAway.\n")
    base.write("good.md")
    first, second = base.run(), base.run()
    assert [report.published for report in (first, second)] == [True, False]
    assert first.failures[0].message != second.failures[0].message
    assert second.sources["changed"] == 0 and second.sources["failed"] == 1
