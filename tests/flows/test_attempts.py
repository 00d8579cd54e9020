"""What follows when a worker died: again, past a page, page by page, or not at all."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from flows.attempts import MOST_GAPS, Attempts
from flows.work import Job
from ingest.errors import DocumentCorrupt, WorkFailed
from ingest.execute import Outcome
from ingest.model.source import Revision
from ingest.parse.detect import PDF
from ingest.parse.trail import Trail

SEGFAULT = WorkFailed("the worker process died (signal SIGSEGV)", kind="crash")
LATE = WorkFailed("no result after 300 seconds; the worker was stopped", kind="timeout")


@pytest.fixture
def attempts(tmp_path: Path) -> Any:
    with Attempts(300, tmp_path / "staging") as made:
        yield made


def job(media_type: str = PDF) -> Job:
    return Job("urn:kb:source:1", "a.pdf", Revision("1", "", 1), b"", None, media_type)


def died(one: Job, error: Any, *, at: tuple[int, int], through: int = 0, kept: int = 0, ago: float = 0) -> Outcome[Job, Any]:
    trail = Trail(one.course)
    for page in range(1, through + 1):
        trail.at(page, page)
        trail.through(page, {"text": "read"} if page <= kept else None)
    trail.at(*at)
    trail.close()
    assert one.course.file is not None
    then = time.time() - ago
    os.utime(one.course.file, (then, then))
    return Outcome(0, one, None, error)


def test_a_page_that_crashes_twice_is_left_out(attempts: Attempts) -> None:
    first = attempts.prepared(job())
    second = attempts.following(died(first, SEGFAULT, at=(7, 7), through=6))
    assert second is not None and second.course.gaps == ()
    third = attempts.following(died(second, SEGFAULT, at=(7, 7), through=6))
    assert third is not None
    (gap,) = third.course.gaps
    assert (gap.first, gap.last, gap.passing) == (7, 7, False) and "SIGSEGV" in gap.reason


def test_a_page_that_hangs_is_left_out_at_once(attempts: Attempts) -> None:
    following = attempts.following(died(attempts.prepared(job()), LATE, at=(7, 7), through=6, ago=290))
    assert following is not None
    assert [(gap.first, gap.last, gap.passing) for gap in following.course.gaps] == [(7, 7, True)]


def test_a_window_that_crashes_is_read_page_by_page(attempts: Attempts) -> None:
    following = attempts.following(died(attempts.prepared(job()), SEGFAULT, at=(26, 50), through=25))
    assert following is not None and following.course.careful == (26, 50)


def test_a_scan_that_is_getting_on_goes_on_until_it_does_not(attempts: Attempts) -> None:
    one = attempts.prepared(job())
    again = attempts.following(died(one, LATE, at=(61, 61), through=60, kept=60, ago=5))
    assert again == one
    still = attempts.following(died(one, LATE, at=(121, 121), through=120, kept=120, ago=5))
    assert still == one
    ended = attempts.following(died(one, LATE, at=(121, 121), through=120, kept=120, ago=5))
    assert ended is not None and ended.course.gaps[0].first == 121 and ended.course.gaps[0].last > 10**6


def test_the_rest_is_left_out_after_a_few_bad_pages(attempts: Attempts) -> None:
    one = attempts.prepared(job())
    for page in range(1, MOST_GAPS + 1):
        following = attempts.following(died(one, LATE, at=(page, page), through=page - 1, ago=290))
        assert following is not None
        one = following
    assert [gap.last > 10**6 for gap in one.course.gaps] == [False] * (MOST_GAPS - 1) + [True]


def test_a_reader_that_dies_after_its_pages_is_tried_once_more(attempts: Attempts) -> None:
    one = attempts.prepared(job())
    outcome = died(one, SEGFAULT, at=(6, 6), through=6)
    Trail(replace(one.course)).close()
    assert attempts.following(outcome) == one
    assert attempts.following(outcome) is None


def test_without_a_trail_a_crash_is_tried_once_more_and_a_hang_is_not(attempts: Attempts) -> None:
    plain = attempts.prepared(job("application/vnd.openxmlformats-officedocument.wordprocessingml.document"))
    assert plain.course.file is None
    assert attempts.following(Outcome(0, plain, None, LATE)) is None
    assert attempts.following(Outcome(0, plain, None, SEGFAULT)) == plain
    assert attempts.following(Outcome(0, plain, None, SEGFAULT)) is None


def test_errors_of_documents_and_results_stand(attempts: Attempts) -> None:
    one = attempts.prepared(job())
    assert attempts.following(Outcome(0, one, None, DocumentCorrupt("damaged"))) is None
    assert attempts.following(Outcome(0, one, "made", None)) is None
    assert attempts.following(Outcome(0, one, None, WorkFailed("ZeroDivisionError", kind="exception"))) is None


def test_trails_are_gone_afterwards(tmp_path: Path) -> None:
    with Attempts(300, tmp_path / "staging") as made:
        died(made.prepared(job()), LATE, at=(1, 1))
    assert list((tmp_path / "staging").iterdir()) == []
