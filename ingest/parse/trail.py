"""How far the reading of a document has come, kept outside of the process that reads it.

A worker that crashes, hangs or is killed tells nothing. So it writes into a file, before it touches a window of pages, that it is
at them, and after each page that it is through, with what recognition made of it, which costs seconds a page. Whoever started
the worker sees where it stood (`Trace`) and has another one go on: past the page that it died of, without recognising again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ingest.model.document import Gap


@dataclass(frozen=True, slots=True)
class Course:
    """How a document is to be read. `file`: where the trail is (None: nobody asks). `gaps`: pages that must not be touched, as
    they were the end of earlier workers. `careful`: pages of which one was, so that each is a window of its own."""

    file: str | None = None
    gaps: tuple[Gap, ...] = ()
    careful: tuple[int, int] | None = None


class Trail:
    """What a parser that reads page by page tells as it goes."""

    def __init__(self, course: Course) -> None:
        self.gaps = course.gaps
        self._careful = course.careful
        self._file = os.open(course.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600) if course.file else None
        self._kept = Trace.of(Path(course.file)).kept if course.file else {}
        self._tell({"begun": True})

    @property
    def is_plain(self) -> bool:
        """Whether all pages are to be read, in windows of any size."""
        return not self.gaps and self._careful is None

    def windows(self, pages: int, size: int) -> Iterator[tuple[int, int]]:
        """Yield the first and last page of every window that is to be read, of at most `size` pages."""
        start = 1
        skipped = {page for gap in self.gaps for page in range(gap.first, min(gap.last, pages) + 1)}
        for page in range(1, pages + 1):
            if page in skipped:
                if page > start:
                    yield start, page - 1
                start = page + 1
            elif page - start + 1 >= size or page == pages or self._parts(page) or self._parts(page + 1):
                yield start, page
                start = page + 1

    def _parts(self, page: int) -> bool:
        return self._careful is not None and self._careful[0] <= page <= self._careful[1]

    def at(self, first: int, last: int) -> None:
        """Tell which pages are touched next."""
        self._tell({"at": [first, last]})

    def through(self, page: int, kept: Any = None) -> None:
        """Tell that a page is read. `kept` (JSON types) is given back by `kept` to whoever reads the document next."""
        self._tell({"page": page} if kept is None else {"page": page, "kept": kept})

    def kept(self, page: int) -> Any:
        """Return what an earlier reader kept of a page, else None."""
        return self._kept.get(page)

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _tell(self, what: dict[str, Any]) -> None:
        if self._file is not None:
            os.write(self._file, json.dumps(what, separators=(",", ":")).encode() + b"\n")


@dataclass(slots=True)
class Trace:
    """What a trail says of the last reader: the pages that it touched last (None: none), those that it read; and what it and
    those before it kept of pages."""

    at: tuple[int, int] | None = None
    through: set[int] = field(default_factory=set)
    kept: dict[int, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, file: Path) -> Trace:
        """Read a trail; an empty one where there is no such file."""
        try:
            return cls.told(file.read_bytes())
        except OSError:
            return cls()

    @classmethod
    def told(cls, trail: bytes) -> Trace:
        """Understand a trail; a last line that a killed worker did not finish is left out."""
        trace = cls()
        for line in trail.split(b"\n")[:-1]:
            said = json.loads(line)
            if "begun" in said:
                trace.at, trace.through = None, set()
            elif "at" in said:
                trace.at = (said["at"][0], said["at"][1])
            else:
                trace.through.add(said["page"])
                if "kept" in said:
                    trace.kept[said["page"]] = said["kept"]
        return trace

    @property
    def suspects(self) -> tuple[int, int] | None:
        """The pages of the last window that were not read, one of which was the end of the worker; None where all were."""
        if self.at is None:
            return None
        open_pages = [page for page in range(self.at[0], self.at[1] + 1) if page not in self.through]
        return (open_pages[0], open_pages[-1]) if open_pages else None


_course: ContextVar[Course] = ContextVar("course", default=Course())  # noqa: B039  # frozen


@contextmanager
def following(course: Course) -> Iterator[None]:
    """Within this context, documents are read on a course."""
    token = _course.set(course)
    try:
        yield
    finally:
        _course.reset(token)


@contextmanager
def trailing() -> Iterator[Trail]:
    """Give a parser the trail of the document that it reads."""
    trail = Trail(_course.get())
    try:
        yield trail
    finally:
        trail.close()
