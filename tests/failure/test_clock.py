"""The clock goes backwards, and files have times that are yet to come: content does not depend on either."""

from __future__ import annotations

import os
import time
from datetime import timedelta
from typing import Any

import pytest

LATER, NOW, EARLIER = "2031-05-01T00:00:00Z", "2026-05-01T00:00:00Z", "1999-12-31T23:59:59Z"


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Set the clock by which the catalog keeps times."""
    return lambda moment: monkeypatch.setattr("ingest.store.catalog.now", lambda: moment)


def test_generations_are_counted_whatever_the_clock_says(base: Any, at: Any) -> None:
    snapshots = []
    for number, moment in enumerate((LATER, NOW, EARLIER, LATER), 1):
        at(moment)
        base.write("doc.md", f"# Paper\n\nThis is round {number}.\n")
        report = base.run()
        assert report.generation == number
        snapshots.append(report.snapshot)
        assert base.verify() == []
    assert base.generations() == [4, 3, 2], "the oldest goes, not the one that the clock calls oldest"
    assert len(set(snapshots)) == 4
    at(EARLIER)
    assert base.run().published is False
    assert base.head() == 4


def test_same_content_has_the_same_digest_under_any_clock(new_base: Any, at: Any) -> None:
    snapshots = set()
    for moment in (LATER, EARLIER):
        at(moment)
        base = new_base(moment[:4])
        base.write("doc.md")
        snapshots.add(base.run().snapshot)
    assert len(snapshots) == 1


def test_confirmation_that_is_yet_to_come_is_never_called_fresh(base: Any, at: Any) -> None:
    """A clock that was wrong must not make a base look young for years."""
    base.write("doc.md")
    at("2999-01-01T00:00:00Z")
    base.run()
    found = base.check(max_age=timedelta(hours=1))
    assert found.status == "unknown"
    assert found.exit_code == 6
    at(NOW)
    base.run()
    assert base.check(max_age=timedelta(days=36500)).status == "fresh"


@pytest.mark.parametrize("times", [(4102444800, 4102444800), (0, 0), (-86400, -86400)], ids=["2100", "1970", "1969"])
def test_file_with_any_time_is_read_when_it_changes(base: Any, trusting: None, times: tuple[int, int]) -> None:
    file = base.write("doc.md", "# Paper\n\nThe QUOKKA stands here.\n")
    os.utime(file, times)
    base.run()
    assert base.found("QUOKKA") == ["doc.md"]
    assert base.run().published is False
    time.sleep(0.02)  # the change time of a file has ticks
    file.write_text("# Paper\n\nThe NUMBAT stands here.\n")  # as long as before, and its time is set back
    os.utime(file, times)
    assert base.run().published
    assert base.found("NUMBAT") == ["doc.md"]


def test_file_from_the_future_is_not_trusted_by_its_times(base: Any) -> None:
    """Its next change may leave the same times, so it is read every time; nothing else comes of it."""
    file = base.write("doc.md", "# Paper\n\nThe QUOKKA stands here.\n")
    os.utime(file, (4102444800, 4102444800))
    base.run()
    assert base.check().status == "fresh"
    again = base.run()
    assert (again.published, again.embedded) == (False, 0)
