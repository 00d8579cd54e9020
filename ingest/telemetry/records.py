"""Structured logs: one JSON object a line on stderr, of our loggers and of every library's.

Our loggers (`concord.*`) write ids, counts and kinds of errors; never a text of a document, a query or a secret. Of a library's
message nothing is known, so it is cut, and what looks like a secret is taken out. Fields: `FIELDS`.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any, TextIO

from ingest.settings import LogPart
from ingest.telemetry import signals

OURS = "concord"
logging.getLogger(OURS).addHandler(logging.NullHandler())  # without structured logs, errors of ours are told by other means

FIELDS: dict[str, str] = {
    "time": "when, UTC, with milliseconds",
    "level": "debug, info, warning, error or critical",
    "logger": "concord.<part>, or the library's own name",
    "message": "what happened; of libraries 2,000 characters at most, without secrets",
    "run": "id of the run: one for each `ingest run`, also on its span",
    "generation": "number of the generation that it is about",
    "snapshot": "its snapshot digest",
    "kb": "id of a knowledge base of a server",
    "uri": "the source that it is about: root name and path",
    "uris": "sources that it is about",
    "stage": "stage of a run",
    "done": "items of the stage that are done",
    "total": "items of the stage in all, where it is known",
    "unit": "what the items are",
    "operation": "operation of a server",
    "caller": "name of the token that was used",
    "reason": "why there was no answer: insufficient_evidence, or the class of the error",
    "seconds": "how long it took",
    "error": "class of the error",
    "retryable": "whether it may pass by itself",
    "serving": "whether an older text of the document is still served",
    "counts": "numbers by name: sources and chunks of a run by what became of them",
    "at": "where an exception was raised: files and lines of its stack, without its text",
    "trace_id": "trace that was current, where traces are told",
    "span_id": "span that was current",
}
"""Every field that a line may have, and what it says. The first four are in each."""

_LONGEST = 2000
_SECRETS = (
    (re.compile(r"concord_[A-Za-z0-9_-]{20,}"), "concord_***"),
    (re.compile(r"(?i)\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}"), r"\1 ***"),
    (re.compile(r"(?i)\b((?:api[_-]?key|password|passwd|secret|token|authorization)\s*[=:]\s*)[^\s,;&\"']+"), r"\1***"),
    (re.compile(r"(?i)(\b[a-z][a-z0-9+.-]*://)[^/\s:@]+:[^/\s@]+@"), r"\1***@"),
)

_BREAKS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}
"""What some readers take for the end of a line, and JSON does not escape."""

_bound: ContextVar[Mapping[str, Any] | None] = ContextVar("bound", default=None)


@contextmanager
def bound(**fields: Any) -> Iterator[None]:
    """Within this context, add fields of `FIELDS` to every line."""
    token = _bound.set({**(_bound.get() or {}), **fields})
    try:
        yield
    finally:
        _bound.reset(token)


def log(part: str, level: int, message: str, **fields: Any) -> None:
    """Write a line of logger `concord.<part>`. `message` is fixed words; what varies are fields of `FIELDS`."""
    logging.getLogger(f"{OURS}.{part}").log(level, message, extra={"fields": fields})


def without_secrets(text: str) -> str:
    """Return a text without what looks like a token, a password or a key."""
    for pattern, instead in _SECRETS:
        text = pattern.sub(instead, text)
    return text


class Line(logging.Formatter):
    """A record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        told: dict[str, Any] = {
            "time": moment, "level": record.levelname.lower(), "logger": record.name,
            "message": without_secrets(record.getMessage())[:_LONGEST],
            **(_bound.get() or {}), **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[0] is not None:
            told["error"] = record.exc_info[0].__name__
            told["at"] = _places(record.exc_info[2])
        if (current := signals.ids()) is not None:
            told["trace_id"], told["span_id"] = current
        line = json.dumps(told, ensure_ascii=False, default=str).translate(_BREAKS)
        return line.encode("utf-8", "backslashreplace").decode()


def _places(traceback: Any) -> list[str]:
    """File and line of every frame: the text of an exception may quote a document, its places cannot."""
    places = []
    while traceback is not None:
        name = traceback.tb_frame.f_code.co_filename.replace("\\", "/").split("/")
        places.append(f"{'/'.join(name[-2:])}:{traceback.tb_lineno}")
        traceback = traceback.tb_next
    return places


@contextmanager
def written(settings: LogPart, stream: TextIO | None = None) -> Iterator[None]:
    """Within this context, write structured logs to `stream` (stderr) where settings say so; else change nothing."""
    if settings.format != "json":
        yield
        return
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(Line())
    root, ours = logging.getLogger(), logging.getLogger(OURS)
    before = root.handlers[:], root.level, ours.level
    level = logging.getLevelName(settings.level.upper())
    root.handlers[:] = [handler]
    root.setLevel(level if level == logging.DEBUG else max(level, logging.WARNING))
    ours.setLevel(level)
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.handlers[:], root.level, ours.level = before


def structured() -> bool:
    """Whether structured logs are being written in this process."""
    return any(isinstance(handler.formatter, Line) for handler in logging.getLogger().handlers)
