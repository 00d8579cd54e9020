"""The HTTP API over the knowledge bases of some settings, for callers with tokens."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from flows.serving import audit_of, bases_of, tokens_of
from indexes.serve.audit_log import AuditLog
from indexes.serve.http.app import make_app
from indexes.serve.http.guard import Guard
from indexes.serve.http.server import exposed, hosts_of, listening, serve, url_of, with_origins
from indexes.serve.operations import Operations
from indexes.serve.session import Sessions
from indexes.serve.tokens import Tokens
from ingest.settings import Settings


def serve_http(settings: Settings, started: Callable[[str], None], warn: Callable[[str], None]) -> None:
    """Serve the HTTP API until the process is told to end. `started` is told the address.

    Raises SettingsInvalid, UsageError (the address is taken), AuditFailed, ExtraMissing."""
    part = settings.serve
    bases, audit = bases_of(settings), audit_of(settings, warn)
    threads = ThreadPoolExecutor(part.at_once * 4, thread_name_prefix="answer")
    try:
        operations = Operations(bases, audit)
        app = make_app(
            operations, Sessions(part), threads, seconds=part.request_seconds, version=version("concord-kb"), warn=warn
        )
        guard = Guard(
            app, Tokens(tokens_of(settings)), audit, hosts_of(part), bytes=part.request_bytes, seconds=part.request_seconds,
            warn=warn,
        )
        with listening(part) as opened:
            if exposed(part):
                warn("tokens travel readably: set serve.tls_cert and serve.tls_key, or put a proxy with TLS in front")
            serve(with_origins(guard, part.origins), opened, part, Path(settings.base), lambda: started(url_of(opened, part)))
    finally:
        threads.shutdown(wait=True, cancel_futures=True)
        bases.close()
        if isinstance(audit, AuditLog):
            audit.close()
