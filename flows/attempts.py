"""What is done when a worker dies of a document: try it again, past the page that it died of.

A reader of pages leaves a trail (`ingest.parse.trail`). From it: where it stood, so that this page is left out; whether it was
still getting on when its time was up, so that another reader goes on from there. A document without a trail is tried once more
where its worker crashed: perhaps somebody else needed the memory.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
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
    """Gives jobs their trails, and says what follows when a worker died of one. Use as a context: the trails are temporary."""

    def __init__(self, timeout: float, folder: Path) -> None:
        """`folder`: private to the run, where the trails are written."""
        self._stalled = min(STALLED_SECONDS, timeout / 2)
        self._in = folder
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._tries: dict[str, _Tries] = {}

    def __enter__(self) -> Attempts:
        return self

    def __exit__(self, *_: object) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def prepared(self, job: Job) -> Job:
        """Return the job with a trail, if its parser leaves one."""
        if job.media_type != PDF or job.document is not None:
            return job
        if self._folder is None:
            self._in.mkdir(parents=True, exist_ok=True)
            self._folder = tempfile.TemporaryDirectory(dir=self._in, prefix="trails-")
        name = job.source_id.rpartition(":")[2]
        return replace(job, course=Course(str(Path(self._folder.name) / name)))

    def following(self, outcome: Outcome[Job, Any]) -> Job | None:
        """Return what to try next for a document; None: this outcome stands."""
        job, error = outcome.item, outcome.error
        if not isinstance(error, WorkFailed) or error.kind not in ("crash", "timeout"):
            return None
        tries = self._tries.setdefault(job.source_id, _Tries())
        trace = Trace.of(Path(job.course.file)) if job.course.file is not None else Trace()
        suspects = trace.suspects
        late = error.kind == "timeout" or _OUT_OF_TIME in str(error)
        if not late and suspects not in tries.died_at:
            tries.died_at.add(suspects)
            return replace(job, course=_careful(job.course, suspects))
        if suspects is None:
            return None
        if late and self._was_moving(job.course):
            if len(trace.kept) > tries.kept:
                tries.kept = len(trace.kept)
                return job
            return replace(job, course=_without(job.course, suspects[0], _END, str(error)))
        if suspects[0] != suspects[1]:
            careful = _careful(job.course, suspects)
            return replace(job, course=careful) if careful != job.course else None
        last = _END if len(job.course.gaps) + 1 >= MOST_GAPS else suspects[0]
        return replace(job, course=_without(job.course, suspects[0], last, str(error)))

    def _was_moving(self, course: Course) -> bool:
        """Whether the reader was through with a page not long before it was stopped."""
        assert course.file is not None
        return time.time() - Path(course.file).stat().st_mtime < self._stalled


def _careful(course: Course, suspects: tuple[int, int] | None) -> Course:
    return course if suspects is None or suspects[0] == suspects[1] else replace(course, careful=suspects)


def _without(course: Course, first: int, last: int, reason: str) -> Course:
    passing = any(said in reason for said in _MAY_PASS)
    return replace(course, gaps=(*course.gaps, Gap(first, last, reason, passing)))
