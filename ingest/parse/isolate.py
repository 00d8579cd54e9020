"""The limits of a parser's worker process, and the guarantee that only errors of ours leave it.

`limit_process` is called once in each worker (never in the process of a caller, whom it would bind as well); after that
`parse_guarded` stands in for `route.parse`. A limit that kills the worker outright (CPU time, an abort inside a C library that
got no memory) is seen by the executor, which reports the one document that was being parsed. What libraries print goes to
standard error, where the executor sends a worker's output.
"""

from __future__ import annotations

import logging
import resource
import warnings
from pathlib import Path

from ingest.errors import ConcordError, DocumentCorrupt, DocumentUnreadable, ParserFailed
from ingest.model.document import Document
from ingest.parse.trail import Course, following
from ingest.settings import ParsePart

_WHOLE = Course()
_cpu_budget: float | None = None
"""Seconds of CPU time for each document. Limits belong to the process, and so does what renews them."""


def limit_process(memory_bytes: int, cpu_seconds: float) -> None:
    """Let this process add at most `memory_bytes` of address space to what it has now, and spend `cpu_seconds` a document.

    A stricter limit that is set already is kept. Whoever exceeds the memory sees MemoryError in Python and mostly an abort in
    C libraries; whoever exceeds the CPU time is killed (SIGXCPU). Libraries are made quiet: their warnings are about
    documents, one by one, and no reader of the log could act on them.
    """
    global _cpu_budget
    _cpu_budget = cpu_seconds
    _lower(resource.RLIMIT_AS, _address_space() + memory_bytes)
    _lower(resource.RLIMIT_CORE, 0)
    _renew_cpu()
    warnings.simplefilter("ignore")
    for library in ("faster_whisper", "PIL", "trafilatura", "htmldate", "pypdfium2", "libav"):
        logging.getLogger(library).setLevel(logging.CRITICAL)


def parse_guarded(data: bytes, name: str, settings: ParsePart, course: Course = _WHOLE) -> Document:
    """As `ingest.parse.route.parse`, but every other exception has become a DocumentError that says what to do.

    `course`: which pages are to be left out, and where to tell how far it has come (see `ingest.parse.trail`).
    """
    from ingest.parse import route

    if _cpu_budget is not None:
        _renew_cpu()
    try:
        with following(course):
            return route.parse(data, name, settings)
    except ConcordError:
        raise
    except MemoryError:
        raise ParserFailed(
            f"{name} needs more than {settings.memory_bytes // 2**20} MB to parse; split it, or raise parse.memory_bytes"
        ) from None
    except RecursionError:
        raise DocumentCorrupt(f"{name} nests its elements too deeply to be read; save it again from its application") from None
    except OSError as error:
        # Parsers read no files of the user's, so this is the machine: no space for a temporary file, no descriptors.
        raise DocumentUnreadable(f"the machine failed while {name} was parsed ({error}); try again") from error
    except Exception as error:
        raise ParserFailed(
            f"the parser stumbled over {name} ({type(error).__name__}: {str(error)[:200]}); "
            "save it again from its application or leave it out with .ingestignore"
        ) from error


def _renew_cpu() -> None:
    """Grant another document's worth of CPU time, counted from now: a worker that is reused would run out of a single grant."""
    if _cpu_budget is None:
        return
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    # Two seconds more, so that on an idle machine the executor's wall limit, which explains itself better, comes first.
    _lower(resource.RLIMIT_CPU, int(used + _cpu_budget) + 2)


def _lower(kind: int, wanted: int) -> None:
    """Set the soft limit, never above the hard one."""
    _, hard = resource.getrlimit(kind)
    resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


def _address_space() -> int:
    """Bytes of address space that this process has now; a guess where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return 2 * 2**30
