"""An MCP server over the knowledge bases of some settings, for one client on stdio or for many with tokens over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.serving import audit_of, bases_of, tokens_of
from flows.serving_reviews import Queue
from flows.serving_told import open_too
from indexes.serve.audit import Audit
from indexes.serve.audit_log import AuditLog
from indexes.serve.callers import Caller
from indexes.serve.http.guard import Guard
from indexes.serve.http.probes import PATHS, Probes
from indexes.serve.http.requests import told
from indexes.serve.http.server import exposed, hosts_of, listening, serve, url_of
from indexes.serve.operations import Operations, reviews
from indexes.serve.session import Sessions, alone
from indexes.serve.tokens import Tokens, read
from indexes.serve.told import watched
from ingest.settings import Settings
from ingest.telemetry import signals

_STREAMS = 2.0
"""Seconds that streams which clients hold open are waited for at the end: they are no questions."""


def over_stdio(settings: Settings, caller: Caller, warn: Callable[[str], None]) -> None:
    """Serve one client until it hangs up. Raises ExtraMissing, and AuditFailed where the log is required and cannot be kept."""
    from indexes.serve.mcp.server import stdio_server

    with _operations(settings, warn) as (operations, _):
        stdio_server(operations, caller, alone(settings.serve)).run("stdio")


def over_http(
    settings: Settings, tokens: Path | None, started: Callable[[str], None], warn: Callable[[str], None]
) -> None:
    """Serve clients with tokens until the process is told to end. `tokens`: their file, None: that of the settings. `started` is
    told the address.

    Raises ExtraMissing, UsageError (the address cannot be had), AuditFailed, NotFound and SettingsInvalid (the tokens)."""
    from indexes.serve.mcp.server import PATH, http_app, http_server

    part, file = settings.serve, tokens or tokens_of(settings)
    read(file)
    with _operations(settings, warn) as (operations, audit), listening(part) as opened:
        if exposed(part):
            warn("tokens travel readably: set serve.tls_cert and serve.tls_key, or put a proxy with TLS in front")
        url, let_in, hosts = url_of(opened, part), Tokens(file), hosts_of(part)
        server = http_server(operations, let_in, audit, Sessions(part), url)
        app = Probes(
            http_app(server, hosts, part.origins, part.request_bytes), operations.bases, part.metrics, signals.page
        )
        guard = Guard(
            app, let_in, audit, hosts, bytes=part.request_bytes, seconds=part.request_seconds, warn=warn,
            open_too=open_too(part),
        )
        watched(operations.bases)
        serve(told(guard, {PATH, *PATHS}), opened, part, Path(settings.base), lambda: started(url + PATH), ending=_STREAMS)


@contextmanager
def _operations(settings: Settings, warn: Callable[[str], None]) -> Iterator[tuple[Operations, Audit]]:
    bases = bases_of(settings)
    audit = audit_of(settings, warn)
    try:
        yield Operations(bases, audit, reviews(Queue())), audit
    finally:
        bases.close()
        if isinstance(audit, AuditLog):
            audit.close()
