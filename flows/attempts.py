"""What is done when a worker dies of a document: try it again, past the page that it died of.

A reader of pages leaves a trail (`ingest.parse.trail`) in the notes of its worker, which come back with the error. From it: where
it stood, so that this page is left out; whether it was still getting on when its time was up, so that another reader goes on from
there. A document without a trail is tried once more where its worker crashed: perhaps somebody else needed the memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from flows.work import Job
from ingest.errors import WorkFailed
from ingest.execute import Outcome
from ingest.model.document import Gap
from ingest.parse.detect import PDF
from ingest.parse.trail import Course, Trace

MOST_GAPS = 3
"""Pages that may end a worker each; a document that has more is broken throughout, and the rest of it is left out."""
STALLED_SECONDS = 60.0
"""A page that takes longer (or half of the time for a document) is the one that hangs; pages that are recognised take 3 to 8."""

_END = 10**9
"""A page beyond every document's last."""
_OUT_OF_TIME = "SIGXCPU"
_MAY_PASS = (_OUT_OF_TIME, "SIGKILL", "seconds")
"""What is said of a worker whose time or memory was short, which another night may have more of."""


@dataclass(slots=True)
class _Tries:
    """What happened to one document so far. `died_at`: pages that a worker crashed at once; `kept`: pages recognised by then."""

    died_at: set[tuple[int, int] | None] = field(default_factory=set)
    kept: int = 0


class Attempts:
    """Says what follows when a worker died of a document. One for all documents of a run."""

    def __init__(self, timeout: float) -> None:
        self._stalled = min(STALLED_SECONDS, timeout / 2)
        self._tries: dict[str, _Tries] = {}

    def prepared(self, job: Job) -> Job:
        """Return the job so that its parser leaves a trail, if it is one that does."""
        return replace(job, trail=b"") if job.media_type == PDF and job.document is None else job

    def following(self, outcome: Outcome[Job, Any]) -> Job | None:
        """Return what to try next for a document; None: this outcome stands."""
        job, error = outcome.item, outcome.error
        if not isinstance(error, WorkFailed) or error.kind not in ("crash", "timeout"):
            return None
        tries = self._tries.setdefault(job.source_id, _Tries())
        trace = Trace.told(error.notes)
        if job.trail is not None:
            job = replace(job, trail=error.notes or job.trail)  # none came back where its machine died, too
        suspects = trace.suspects
        late = error.kind == "timeout" or _OUT_OF_TIME in str(error)
        if not late and suspects not in tries.died_at:
            tries.died_at.add(suspects)
            return replace(job, course=_careful(job.course, suspects))
        if suspects is None:
            return None
        if late and error.quiet < self._stalled:  # it was through with a page not long before it was stopped
            if len(trace.kept) > tries.kept:
                tries.kept = len(trace.kept)
                return job
            return replace(job, course=_without(job.course, suspects[0], _END, str(error)))
        if suspects[0] != suspects[1]:
            careful = _careful(job.course, suspects)
            return replace(job, course=careful) if careful != job.course else None
        last = _END if len(job.course.gaps) + 1 >= MOST_GAPS else suspects[0]
        return replace(job, course=_without(job.course, suspects[0], last, str(error)))


def _careful(course: Course, suspects: tuple[int, int] | None) -> Course:
    return course if suspects is None or suspects[0] == suspects[1] else replace(course, careful=suspects)


def _without(course: Course, first: int, last: int, reason: str) -> Course:
    passing = any(said in reason for said in _MAY_PASS)
    return replace(course, gaps=(*course.gaps, Gap(first, last, reason, passing)))
