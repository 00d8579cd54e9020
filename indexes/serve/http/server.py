"""Listening: a socket, uvicorn on it, and an end at which nothing is cut off."""

from __future__ import annotations

import math
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from indexes.serve.http.connection import impatient
from indexes.serve.http.guard import App
from ingest.errors import ExtraMissing, SettingsInvalid, UsageError
from ingest.settings import ServePart

LOCAL = ("localhost", "127.0.0.1", "[::1]")
_HEAD = 10.0
"""Seconds for the head of a request to arrive: it is a few hundred bytes."""
_KEPT = 15
"""Seconds that a connection without a request is kept for the next one."""

_ANYWHERE = ("0.0.0.0", "::", "")  # compared with, never bound to


def listening(settings: ServePart) -> socket.socket:
    """Return a socket that listens where settings say. Raises UsageError when it cannot."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind((settings.host, settings.port))
        opened.listen(128)
    except (OSError, OverflowError) as error:
        opened.close()
        raise UsageError(
            f"cannot listen at {settings.host} port {settings.port} ({getattr(error, 'strerror', None) or error}); choose others "
            "with --host and --port"
        ) from error
    return opened


def url_of(opened: socket.socket, settings: ServePart) -> str:
    """Return the address to call."""
    host, port = opened.getsockname()[:2]
    return f"{'https' if settings.tls_cert else 'http'}://{f'[{host}]' if ':' in host else host}:{port}"


def hosts_of(settings: ServePart) -> set[str]:
    """Return the names by which clients may call: this machine's own, what it listens at unless that is everywhere, and those of
    the settings."""
    own = () if settings.host in _ANYWHERE else (f"[{settings.host}]" if ":" in settings.host else settings.host,)
    return {name.lower() for name in (*LOCAL, *own, *settings.hosts)}


def exposed(settings: ServePart) -> bool:
    """Whether tokens travel readably over a network."""
    return not settings.tls_cert and settings.host not in ("127.0.0.1", "::1", "localhost")


def with_origins(app: App, origins: tuple[str, ...]) -> App:
    """Let pages of these origins call; of none without any."""
    if not origins:
        return app
    from fastapi.middleware.cors import CORSMiddleware

    return CORSMiddleware(
        app, allow_origins=origins, allow_methods=("GET", "POST"), max_age=600,
        allow_headers=("Authorization", "Content-Type", "Concord-Session"),
    )


def serve(
    app: App, opened: socket.socket, settings: ServePart, base: Path, started: Callable[[], None], ending: float | None = None
) -> None:
    """Answer until the process is told to end (SIGINT, SIGTERM); requests in flight are answered first, `ending` seconds at most
    (by default as long as an answer may take). Blocks. Raises SettingsInvalid for a certificate that cannot be used."""
    try:
        import uvicorn
    except ImportError as error:
        raise ExtraMissing("the HTTP API", "serve") from error
    tls: dict[str, Any] = {}
    if settings.tls_cert:
        tls = {"ssl_certfile": str(base / settings.tls_cert), "ssl_keyfile": str(base / (settings.tls_key or settings.tls_cert))}
    config = uvicorn.Config(
        app, http=impatient(min(settings.request_seconds, _HEAD)), ws="none", lifespan="on", log_config=None, access_log=False,
        server_header=False, proxy_headers=False,
        limit_concurrency=settings.connections, timeout_keep_alive=_KEPT, h11_max_incomplete_event_size=32 * 1024,
        timeout_graceful_shutdown=math.ceil(settings.request_seconds if ending is None else ending), **tls,
    )
    try:
        config.load()
    except OSError as error:  # of the certificate: a file is missing, or it is none, or the key is another's
        raise SettingsInvalid(
            f"the certificate {settings.tls_cert} cannot be used ({error.strerror or error}); check serve.tls_cert and "
            "serve.tls_key"
        ) from error
    server = uvicorn.Server(config)

    def end(*signal_: object) -> None:
        server.should_exit = True

    # uvicorn raises a signal again when it is done; to us that is an end like any other, with everything closed and exit code 0.
    before = {each: signal.signal(each, end) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        started()
        server.run(sockets=[opened])
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
