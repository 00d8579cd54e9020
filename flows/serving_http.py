"""The HTTP API over the knowledge bases of some settings, for callers with tokens."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import version
from pathlib import Path

from flows.serving import audit_of, bases_of, tokens_of
from flows.serving_reviews import Queue
from flows.serving_told import open_too, routes_of
from indexes.serve.audit_log import AuditLog
from indexes.serve.http.app import make_app
from indexes.serve.http.beside import beside
from indexes.serve.http.guard import App, Guard
from indexes.serve.http.probes import Probes
from indexes.serve.http.requests import told
from indexes.serve.http.server import exposed, hosts_of, listening, serve, url_of, with_origins
from indexes.serve.operations import Operations, reviews
from indexes.serve.session import Sessions
from indexes.serve.tokens import Tokens, read
from indexes.serve.told import watched
from ingest.errors import NotFound
from ingest.settings import Settings
from ingest.telemetry import signals


def serve_http(
    settings: Settings, started: Callable[[str], None], warn: Callable[[str], None], *, mcp: bool = False
) -> None:
    """Serve the HTTP API until the process is told to end; with `mcp` also MCP, at /mcp, for the same tokens and budgets.
    `started` is told the address.

    Raises SettingsInvalid (the file of tokens, the certificate), UsageError (the address is taken), AuditFailed, ExtraMissing."""
    part = settings.serve
    bases, audit = bases_of(settings), audit_of(settings, warn)
    # One for each connection: who waits for a turn waits in a thread, so that turns go round callers, not round this pool.
    threads = ThreadPoolExecutor(part.connections, thread_name_prefix="answer")
    try:
        operations = Operations(bases, audit, reviews(Queue()))
        sessions, tokens = Sessions(part), Tokens(tokens_of(settings))
        try:
            read(tokens_of(settings))
        except NotFound as error:
            warn(str(error))
        with listening(part) as opened:
            app: App = make_app(
                operations, sessions, threads, seconds=part.request_seconds, version=version("concord-kb"), warn=warn
            )
            if mcp:
                from indexes.serve.mcp.server import PATH, http_app, http_server

                server = http_server(operations, tokens, audit, sessions, url_of(opened, part))
                app = beside(app, PATH, http_app(server, hosts_of(part), part.origins, part.request_bytes))
            guard = Guard(
                Probes(app, bases, part.metrics, signals.page), tokens, audit, hosts_of(part), bytes=part.request_bytes,
                seconds=part.request_seconds, warn=warn, open_too=open_too(part),
            )
            watched(bases)
            if exposed(part):
                warn("tokens travel readably: set serve.tls_cert and serve.tls_key, or put a proxy with TLS in front")
            every = told(with_origins(guard, part.origins), routes_of(operations, mcp=mcp))
            serve(every, opened, part, Path(settings.base), lambda: started(url_of(opened, part)))
    finally:
        threads.shutdown(wait=True, cancel_futures=True)
        bases.close()
        if isinstance(audit, AuditLog):
            audit.close()
