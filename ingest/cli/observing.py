"""What a command tells besides its results: structured logs, traces and metrics, where settings or OTEL_* variables ask for them.

`main` opens the context that ends them, whichever command runs; a command begins them when it has read its settings.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from ingest.errors import ConcordError, DocumentError, WorkFailed
from ingest.telemetry.wanted import sends

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ingest.settings import Settings

_ending: ContextVar[ExitStack | None] = ContextVar("ending", default=None)
_format: ContextVar[str | None] = ContextVar("format", default=None)


@contextmanager
def observed() -> Iterator[None]:
    """End, with the context, what was begun inside."""
    with ExitStack() as stack:
        token = _ending.set(stack)
        try:
            yield
        finally:
            _ending.reset(token)


def choose_format(format: str | None) -> None:
    """Note what `--log-format` says."""
    _format.set(format)


def chosen_format() -> str | None:
    """Return what `--log-format` says; None: nothing."""
    return _format.get()


def begin(settings: Settings, environ: Mapping[str, str], *, page: bool = False) -> None:
    """Begin to tell what these settings ask for. Nothing is imported for what they do not. `page`: metrics are kept for whoever
    asks a server for them, where `serve.metrics` lets anybody."""
    stack = _ending.get()
    if stack is None:
        return
    if settings.log.format == "json":
        from ingest.telemetry.records import structured, written

        if not structured():
            stack.enter_context(written(settings.log))
    page = page and settings.serve.metrics != "off"
    part = settings.telemetry
    if page or sends(part, environ):
        from ingest.telemetry.otel import telling
        from ingest.telemetry.signals import listened

        if not listened():
            stack.enter_context(telling(part, environ, page=page))


def warn(message: str) -> None:
    """Tell those who run a server what is wrong."""
    if not _logged("serve", message):
        from ingest.cli.output import safe

        print(f"ingest: {safe(message)}", file=sys.stderr, flush=True)


def failed(error: ConcordError) -> None:
    """Tell why a command failed. In a log, of what a document is to blame for, only the kind: the message may quote it."""
    quotes = isinstance(error, DocumentError | WorkFailed)
    told = "a document or a text is to blame; the command without --log-format json says more" if quotes else str(error)
    if not _logged("command", told, error=type(error).__name__, retryable=error.retryable):
        print(f"ingest: {type(error).__name__}: {error}", file=sys.stderr)


def _logged(part: str, message: str, **fields: object) -> bool:
    """Write a structured log line, where such are written."""
    if "ingest.telemetry.records" not in sys.modules:
        return False
    import logging

    from ingest.telemetry.records import log, structured

    if not structured():
        return False
    log(part, logging.ERROR if fields else logging.WARNING, message, **fields)
    return True
