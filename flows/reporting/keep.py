"""Where reports are kept: with the generation that a run published, and the last one of all at the top of the base.

A report is written after the fact it tells of, under another name, and renamed once: whoever opens one sees a whole one. It is
not part of what is published, nothing depends on it, and what goes wrong here is told and fails nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from flows.reporting.record import Report
from ingest.errors import StorageFailed
from ingest.model.canonical import plain
from ingest.progress import Progress
from ingest.store.layout import Layout

if TYPE_CHECKING:
    from collections.abc import Iterable


def keep(layout: Layout, make: Callable[[], Report], progress: Progress, *, beside: Path | None = None) -> str:
    """Make a report and write it where it belongs. Returns the path of the HTML that tells of the last run, empty where it could
    not be written; then no older one is left there either, which would pass for it.

    `beside`: where somebody wants a copy; JSON if it is named so, otherwise HTML. Call with the lease held."""
    last = layout.report("html")
    try:
        report = make()
        as_json, as_html = json_of(report), html_of(report)
        if report.outcome == "published":
            _write(layout.generation_report(report.generation, "json"), as_json)
            _write(layout.generation_report(report.generation, "html"), as_html)
        _write(layout.report("json"), as_json)
        _write(last, as_html)
    except Exception as error:  # whatever it is: the run has done its work, and what it published is served
        progress.note(f"the report was not written ({_words(error)}); what the run did stands")
        _withdraw(layout.report(kind) for kind in ("json", "html"))
        return ""
    if beside is not None:
        try:
            _write(beside, as_json if beside.suffix == ".json" else as_html)
        except OSError as error:
            progress.note(f"the copy of the report {beside} was not written ({_words(error)}); the report is {last}")
    return str(last)


def put(report: Report, file: Path) -> None:
    """Write a report to a file of the user's: JSON if it is named so, otherwise HTML. Raises StorageFailed."""
    try:
        _write(file, json_of(report) if file.suffix == ".json" else html_of(report))
    except OSError as error:
        raise StorageFailed(
            f"the report {file} cannot be written: {error.strerror or error}; name another file with --report"
        ) from error


def json_of(report: Report) -> bytes:
    """Return `report.json`."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    try:
        return orjson.dumps(report, option=options)
    except orjson.JSONEncodeError:  # a message with halves of surrogate pairs, from a path that is not UTF-8
        return orjson.dumps(_encodable(plain(report)), option=options)


def html_of(report: Report) -> bytes:
    """Return `report.html`."""
    from flows.reporting.page import page

    return page(report).encode()


def _write(file: Path, data: bytes) -> None:
    """Not flushed to the disk: after a power cut a report may be missing or empty, which nobody needs to be kept from."""
    part = file.with_name(f"{file.name}.part")
    try:
        part.write_bytes(data)
        part.replace(file)
    except OSError:
        _withdraw([part])
        raise


def _withdraw(files: Iterable[Path]) -> None:
    for file in files:
        try:
            file.unlink(missing_ok=True)
        except OSError:
            pass


def _words(error: Exception) -> str:
    return (isinstance(error, OSError) and error.strerror) or f"{type(error).__name__}: {error}"


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, dict):
        return {_encodable(key): _encodable(item) for key, item in value.items()}
    return [_encodable(item) for item in value] if isinstance(value, list) else value
