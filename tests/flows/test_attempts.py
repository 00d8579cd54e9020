"""What follows when a worker died: again, past a page, page by page, or not at all."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import pytest

from flows.attempts import MOST_GAPS, Attempts
from flows.work import Job
from ingest.errors import DocumentCorrupt, WorkFailed
from ingest.execute import Outcome
from ingest.model.source import Revision
from ingest.parse.detect import PDF
from ingest.parse.trail import Course, Trail

SEGFAULT = WorkFailed("the worker process died (signal SIGSEGV)", kind="crash")
LATE = WorkFailed("no result after 300 seconds; the worker was stopped", kind="timeout")


@pytest.fixture
def attempts() -> Attempts:
    return Attempts(300)


def job(media_type: str = PDF) -> Job:
    return Job("urn:kb:source:1", "a.pdf", Revision("1", "", 1), b"", None, media_type)


def died(one: Job, error: Any, *, at: tuple[int, int], through: int = 0, kept: int = 0, ago: float = 0) -> Outcome[Job, Any]:
    """The outcome of a reader that wrote its trail until `ago` seconds before it ended."""
    assert one.trail is not None
    with NamedTemporaryFile() as notes:
        Path(notes.name).write_bytes(one.trail)
        trail = Trail(Course(notes.name))
        for page in range(1, through + 1):
            trail.at(page, page)
            trail.through(page, {"text": "read"} if page <= kept else None)
        trail.at(*at)
        trail.close()
        noted = Path(notes.name).read_bytes()
    return Outcome(0, one, None, WorkFailed(str(error), kind=error.kind, notes=noted, quiet=ago))


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
    assert again is not None and again == replace(one, trail=again.trail)
    still = attempts.following(died(again, LATE, at=(121, 121), through=120, kept=120, ago=5))
    assert still is not None and still == replace(one, trail=still.trail)
    ended = attempts.following(died(still, LATE, at=(121, 121), through=120, kept=120, ago=5))
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
    following = attempts.following(outcome)
    assert following is not None and following.course == one.course
    assert attempts.following(outcome) is None


def test_what_was_recognised_is_kept_when_the_machine_of_a_reader_dies(attempts: Attempts) -> None:
    """Nothing comes back of its notes then; what earlier readers had noted is still here."""
    again = attempts.following(died(attempts.prepared(job()), LATE, at=(61, 61), through=60, kept=60, ago=5))
    assert again is not None
    following = attempts.following(Outcome(0, again, None, WorkFailed("the actor died", kind="crash")))
    assert following == again


def test_without_a_trail_a_crash_is_tried_once_more_and_a_hang_is_not(attempts: Attempts) -> None:
    plain = attempts.prepared(job("application/vnd.openxmlformats-officedocument.wordprocessingml.document"))
    assert plain.trail is None
    assert attempts.following(Outcome(0, plain, None, LATE)) is None
    assert attempts.following(Outcome(0, plain, None, SEGFAULT)) == plain
    assert attempts.following(Outcome(0, plain, None, SEGFAULT)) is None


def test_errors_of_documents_and_results_stand(attempts: Attempts) -> None:
    one = attempts.prepared(job())
    assert attempts.following(Outcome(0, one, None, DocumentCorrupt("damaged"))) is None
    assert attempts.following(Outcome(0, one, "made", None)) is None
    assert attempts.following(Outcome(0, one, None, WorkFailed("ZeroDivisionError", kind="exception"))) is None
