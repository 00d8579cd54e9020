"""Before anything of a request is understood: is this host ours, who is it, and is it small and quick enough?

Plain ASGI. Whoever has no valid token is answered in the same bytes whatever was asked for, so that nothing is learned of what
there is; only `OPEN` paths answer everybody, and they say nothing of any knowledge base.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, MutableMapping
from contextlib import suppress
from typing import Any

from indexes.serve.audit import Audit
from indexes.serve.http import problems
from indexes.serve.http.problems import Problem, problem_of
from indexes.serve.tokens import Tokens
from indexes.serve.told import unauthenticated
from ingest.errors import AuditFailed, ConcordError, Unauthenticated

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

OPEN = frozenset({"/health", "/openapi.json"})
"""Whether the server lives, and what the product's API is: the same for everybody and everywhere."""
TELLS_MORE = "/ready"
"""Answers everybody, and callers with a token more. A token that is no valid one gets 401 there too."""


class Guard:
    """Lets through what `tokens` let in; the caller is then `scope["state"]["caller"]`. `warn` is told what is wrong with their
    file. `hosts`: names that may be in the Host header. `open_too`: more paths that answer everybody."""

    def __init__(
        self, app: App, tokens: Tokens, audit: Audit, hosts: Collection[str], *, bytes: int, seconds: float,
        warn: Callable[[str], None], open_too: Collection[str] = (),
    ) -> None:
        self._app, self._tokens, self._audit, self._hosts = app, tokens, audit, frozenset(hosts)
        self._open = OPEN | frozenset(open_too)
        self._bytes, self._seconds, self._warn = bytes, seconds, warn
        self._warned = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = _headers(scope)
        if _host(headers.get("host", "")) not in self._hosts:
            await answered(send, problems.NO_SUCH_HOST)
            return
        if not self._is_open(scope, headers):
            try:
                caller = self._tokens.caller(_bearer(headers.get("authorization")))
            except ConcordError as error:
                self._tell(error)
                await answered(send, problem_of(_NO_TOKEN))
                return
            self._warned = ""
            scope.setdefault("state", {})["caller"] = caller
        try:
            body = await asyncio.wait_for(_body(receive, headers, self._bytes), self._seconds)
        except TimeoutError:
            await answered(send, problems.TOO_SLOW)
            return
        if body is None:
            await answered(send, problems.TOO_LARGE)
            return
        await self._app(scope, _replayed(body, receive), _hurried(send, self._seconds))

    def _is_open(self, scope: Scope, headers: dict[str, str]) -> bool:
        """Whether a request is answered without a token."""
        path = scope["path"]
        open = path in self._open or (path == TELLS_MORE and "authorization" not in headers)
        return open and scope["method"] in ("GET", "HEAD")

    def _tell(self, error: ConcordError) -> None:
        """Note that somebody was refused: in the audit log, and to those who run the server where their file is the reason."""
        if not isinstance(error, Unauthenticated):
            if str(error) != self._warned:
                self._warn(f"nobody is let in: {error}")
            self._warned = str(error)
        else:
            self._warned = ""
        unauthenticated()
        with suppress(AuditFailed):  # nothing was answered that would have to be recorded
            self._audit.record(None, "http", {}, refused="Unauthenticated")


_NO_TOKEN = Unauthenticated("a valid bearer token is needed; ask those who run this server")


async def answered(send: Send, problem: Problem) -> None:
    """Answer with a problem, and close: what else comes of a refused request is not read."""
    body = problem.body()
    headers = {
        "content-type": problems.MEDIA_TYPE, "content-length": str(len(body)), "connection": "close", "cache-control": "no-store",
        **problem.headers,
    }
    await send({
        "type": "http.response.start", "status": problem.status,
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    })
    await send({"type": "http.response.body", "body": body})


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by lower-case name. Of a name that comes twice nothing is believed: it becomes one that nobody has."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = "\0" if key in found and key in ("host", "authorization", "content-length") else value.decode("latin-1")
    return found


def _host(value: str) -> str:
    """The name in a Host header, without its port, in lower case."""
    name = value.strip().lower()
    if name.startswith("["):
        return name[: name.find("]") + 1]
    return name.rpartition(":")[0] if ":" in name else name


def _bearer(value: str | None) -> str | None:
    kind, _, token = (value or "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


_HEARD_OUT = 8 * 2**20
"""Bytes that are read, and dropped, beyond what is taken: a client that is cut off while it sends seldom reads why."""


async def _body(receive: Receive, headers: dict[str, str], most: int) -> bytes | None:
    """The whole body; None when it is larger than `most`, said or not."""
    said = headers.get("content-length", "0")
    if not said.isdecimal() or int(said) > most + _HEARD_OUT or (int(said) > most and "expect" in headers):
        return None
    body, size = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return bytes(body)  # the client has gone; whoever answers will notice
        part = message.get("body", b"")
        size += len(part)
        if size <= most:
            body += part
        if size > most + _HEARD_OUT or not message.get("more_body"):
            return bytes(body) if size <= most else None


def _hurried(send: Send, seconds: float) -> Send:
    """What sends, or gives up on a client that takes nothing for so long."""

    async def sending(message: Message) -> None:
        await asyncio.wait_for(send(message), seconds)

    return sending


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read already, then whatever comes."""
    given = False

    async def again() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return again
