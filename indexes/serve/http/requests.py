"""Requests, told: a span and a duration each, under the names of OpenTelemetry's conventions for HTTP servers."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from indexes.serve.http.guard import App, Message, Receive, Scope, Send
from indexes.serve.http.probes import PATHS
from ingest.telemetry import signals
from ingest.telemetry.signals import Attributes

_METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"))
_CARRIED = (b"traceparent", b"tracestate")
OTHER = "_OTHER"
"""A method that is none, and a path that nothing answers: whoever asks for many does not make many time series."""


def told(app: App, routes: Collection[str]) -> App:
    """Return an application that tells its requests, where somebody listens; else the same one. `routes`: its paths."""
    if not signals.listened():
        return app
    known = frozenset(routes)

    async def telling(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        method = scope["method"] if scope["method"] in _METHODS else OTHER
        route = scope["path"] if scope["path"] in known else OTHER
        asked: dict[str, Any] = {"http.request.method": method, "http.route": route}
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        started = time.perf_counter()
        signals.add("http.server.active_requests", 1, {"http.request.method": method})
        try:
            if route in PATHS:  # asked every few seconds by machines; as traces they would bury the rest
                await app(scope, receive, noting)
            else:
                await _spanned(app, scope, receive, noting, f"{method} {route}", asked, lambda: status)
        finally:
            signals.add("http.server.active_requests", -1, {"http.request.method": method})
            spent = time.perf_counter() - started
            signals.record("http.server.request.duration", spent, {**asked, "http.response.status_code": status})

    return telling


async def _spanned(
    app: App, scope: Scope, receive: Receive, send: Send, name: str, asked: Attributes, status: Any
) -> None:
    carrier = {key.decode(): value.decode("latin-1") for key, value in scope["headers"] if key in _CARRIED}
    begun = {**asked, "url.scheme": scope.get("scheme", "http")}
    with signals.span(name, begun, server=True, carrier=carrier) as span:
        await app(scope, receive, send)
        span.say({"http.response.status_code": status()})
        if status() >= 500:
            span.say({"error.type": str(status())})
