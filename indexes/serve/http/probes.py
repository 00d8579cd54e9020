"""What those ask who run a server, beside its operations: does it live, can it answer, and its metrics.

    GET /health    the process answers; for everybody
    GET /ready     200 when every knowledge base can be read, else 503; which ones, only for callers with a token, of theirs
    GET /metrics   the text format of Prometheus, where `serve.metrics` says so, and to whom

Plain ASGI behind the guard, in front of either server.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Literal

from indexes.serve.bases import Bases
from indexes.serve.callers import Caller
from indexes.serve.http import problems
from indexes.serve.http.guard import App, Receive, Scope, Send, answered
from indexes.serve.http.problems import problem_of
from indexes.serve.standing import Standing, Standings
from ingest.errors import NotGranted

HEALTH, READY, METRICS = "/health", "/ready", "/metrics"
PATHS = (HEALTH, READY, METRICS)
Metrics = Literal["off", "token", "open"]
Page = Callable[[], tuple[bytes, str] | None]
"""The metrics now, and their media type."""


class Probes:
    """Answers these paths, and gives every other request to `app`."""

    def __init__(self, app: App, bases: Bases, metrics: Metrics, page: Page) -> None:
        self._app, self._metrics, self._page = app, metrics, page
        self._standings = Standings(bases)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if scope["type"] != "http" or path not in PATHS or (path == METRICS and self._metrics == "off"):
            await self._app(scope, receive, send)
        elif scope["method"] not in ("GET", "HEAD"):
            await answered(send, problems.WRONG_METHOD)
        else:
            await self._answer(path, scope.get("state", {}).get("caller"), send)

    async def _answer(self, path: str, caller: Caller | None, send: Send) -> None:
        if path == HEALTH:
            await _said(send, 200, {"status": "ok"})
        elif path == READY:
            found = await asyncio.to_thread(self._standings)
            ready = not any(each.error for each in found)
            await _said(send, 200 if ready else 503, told(found, ready, caller))
        elif self._metrics == "token" and (caller is None or not caller.metrics):
            await answered(send, problem_of(NotGranted("this token may not read metrics; one minted with --metrics may")))
        else:
            page = await asyncio.to_thread(self._page)
            body, media_type = page if page is not None else (b"", "text/plain")
            await _sent(send, 200, body, media_type)


def told(found: list[Standing], ready: bool, caller: Caller | None) -> dict[str, Any]:
    """Return what a caller is told of readiness: without a token, nothing but that."""
    said: dict[str, Any] = {"status": "ready" if ready else "not ready"}
    if caller is not None:
        said["bases"] = [each.told() for each in found if each.kb_id in caller.kb_ids]
    return said


async def _said(send: Send, status: int, body: dict[str, Any]) -> None:
    await _sent(send, status, json.dumps(body, ensure_ascii=False).encode(), "application/json")


async def _sent(send: Send, status: int, body: bytes, media_type: str) -> None:
    headers = {"content-type": media_type, "content-length": str(len(body)), "cache-control": "no-store"}
    await send({
        "type": "http.response.start", "status": status,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    })
    await send({"type": "http.response.body", "body": body})
