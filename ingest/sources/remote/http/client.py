"""Asking a web server, politely and with both feet on the ground.

In: a URL and a limit of bytes. Out: status, headers and the bytes, unpacked. The decision worth knowing: addresses are judged
when a socket is made, so that neither a name that resolves to a private address nor a redirect to one gets through; and where a
page leads (a login, another host) is judged before it is followed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import time
import weakref
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urljoin, urlsplit

from ingest.errors import DocumentTooLarge, ExtraMissing
from ingest.settings import RootPart
from ingest.sources.remote.patience import Busy, Patience

_MOST_REDIRECTS = 5
_LONGEST = 20
"""Times the time without an answer: so long may one that comes drop by drop take as a whole."""
_PART_BYTES = 1 << 16
_REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server said: `status` 200 or 304. `url` is where redirects led. `data` is empty where it was not wanted."""

    status: int
    headers: Mapping[str, str]
    data: bytes
    url: str


class Client:
    """Asks the host of one root, and the others that its settings name. Used by several threads at once."""

    def __init__(self, root: str, part: RootPart, patience: Patience) -> None:
        try:
            import aiohttp  # noqa: F401
            from fsspec.asyn import get_loop  # type: ignore[import-untyped]
        except ImportError as error:
            raise ExtraMissing(f"reading {root}", "remote") from error
        self._root = urlsplit(root)
        self._part = part
        self._patience = patience
        self._loop: asyncio.AbstractEventLoop = get_loop()
        self._session: Any = None
        self._turns: dict[str, float] = {}
        self.delay = 1 / part.per_second

    def get(self, url: str, most: int, headers: Mapping[str, str] | None = None, *, body: bool = True) -> Answer:
        """Ask for one URL. Raises as a Connector does: FileNotFoundError for 404 and 410, PermissionError for 401, 403, and an
        address or a redirect that is not allowed, DocumentTooLarge; Unreachable."""
        return self._patience.ask(lambda: self._wait_for(self._get(url, most, dict(headers or {}), body)))

    def close(self) -> None:
        session, self._session = self._session, None
        if session is not None and self._loop.is_running():
            asyncio.run_coroutine_threadsafe(session.close(), self._loop).result(5)

    def is_allowed(self, url: str) -> bool:
        """Whether a URL is at the root's host or at one that its settings name, and no less private than the root."""
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.username or (self._root.scheme == "https" and parts.scheme == "http"):
            return False
        return _host(url) == _host(self._root.geturl()) or (parts.hostname or "") in self._part.hosts

    def _wait_for(self, request: Any) -> Answer:
        import aiohttp

        try:
            answer: Answer = asyncio.run_coroutine_threadsafe(request, self._loop).result()
            return answer
        except aiohttp.ClientConnectorError as error:
            if isinstance(error.os_error, AddressRefused) or "is a private address" in str(error):
                raise AddressRefused(
                    f"{self._root.hostname} is a private address; if that is meant, set private = true for this root"
                ) from error
            raise ConnectionError(f"the connection failed ({type(error).__name__})") from error
        except aiohttp.InvalidURL as error:
            raise OSError(f"the URL cannot be asked for ({type(error).__name__})") from error
        except aiohttp.ClientError as error:
            raise ConnectionError(f"the connection failed ({type(error).__name__})") from error

    async def _get(self, url: str, most: int, headers: dict[str, str], body: bool) -> Answer:
        for _ in range(_MOST_REDIRECTS + 1):
            await self._turn(url)
            async with self._opened().get(url, headers=headers, allow_redirects=False) as answer:
                if answer.status not in _REDIRECTS:
                    _refused(answer.status, answer.headers)
                    wanted = body and answer.status != 304
                    data = await _unpacked(answer, most) if wanted else b""
                    if not wanted:
                        answer.close()  # what would still come is not waited for
                    return Answer(answer.status, dict(_titled(answer.headers)), data, url)
                to = urljoin(url, answer.headers.get("Location", ""))
            if not self.is_allowed(to):
                raise PermissionError(f"it is redirected to {_host(to)}, which is not allowed; see hosts in docs/sources.md")
            url = to
        raise OSError("it is redirected again and again")

    def _opened(self) -> Any:
        if self._session is None:
            import aiohttp

            self._session = session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._part.at_once, socket_factory=_checked(self._part)),
                timeout=aiohttp.ClientTimeout(
                    sock_connect=self._part.timeout_seconds, sock_read=self._part.timeout_seconds,
                    total=_LONGEST * self._part.timeout_seconds,
                ),
                headers={"User-Agent": self._part.agent, "Accept-Encoding": "gzip, deflate"},
                cookie_jar=aiohttp.DummyCookieJar(), auto_decompress=False, trust_env=True,
            )
            weakref.finalize(self, _closed, session, self._loop)
        return self._session

    async def _turn(self, url: str) -> None:
        """Wait until the host may be asked again. Turns are given out in order, all from one loop."""
        now = time.monotonic()
        at = max(now, self._turns.get(_host(url), 0.0))
        self._turns[_host(url)] = at + self.delay
        if at > now:
            await asyncio.sleep(at - now)


class AddressRefused(PermissionError):
    """A name that is reached at an address where a web page has no business."""


def _checked(part: RootPart) -> Callable[[tuple[Any, ...]], socket.socket]:
    """What makes sockets: only towards addresses of the open network, unless settings say that others are meant."""

    def make(found: tuple[Any, ...]) -> socket.socket:
        family, kind, protocol, _, address = found
        if not part.private and not is_open(address[0]):
            raise AddressRefused(f"{address[0]} is a private address")
        return socket.socket(family, kind, protocol)

    return make


def is_open(address: str) -> bool:
    """Whether an address is of the open network: not loopback, link-local, private, multicast or reserved, in any notation."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        ip = ip.ipv4_mapped or (ip.sixtofour or ip)
        if isinstance(ip, ipaddress.IPv6Address) and ip in _NAT64:
            ip = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip.is_global and not ip.is_multicast


_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def _host(url: str) -> str:
    """Host and port of a URL."""
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    return f"{parts.hostname or ''}:{port or {'http': 80, 'https': 443}.get(parts.scheme, 0)}"


def _refused(status: int, headers: Mapping[str, str]) -> None:
    if status in (200, 304):
        return
    if status in (404, 410):
        raise FileNotFoundError(f"the server answers {status}")
    if status in (401, 403):
        raise PermissionError(f"the server answers {status}")
    if status >= 500 or status in (408, 425, 429):
        after = headers.get("Retry-After", "").strip()
        raise Busy(f"the server answers {status}", float(after) if after.isdecimal() and len(after) < 6 else None)
    raise OSError(f"the server answers {status}")


async def _unpacked(answer: Any, most: int) -> bytes:
    """The body, at most `most` bytes of it both as sent and unpacked."""
    encoding = answer.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding not in ("identity", "", "gzip", "x-gzip", "deflate"):
        raise OSError(f"it is encoded as {encoding}, which was not asked for")
    unpack = zlib.decompressobj(47) if encoding not in ("identity", "") else None  # 47: gzip or zlib, whichever it is
    parts: list[bytes] = []
    size = 0
    async for part in answer.content.iter_chunked(_PART_BYTES):
        try:
            data = part if unpack is None else unpack.decompress(part, most - size + 1)
        except zlib.error as error:
            raise ConnectionError("it was damaged on its way") from error
        size += len(data)
        if size > most or (unpack is not None and unpack.unconsumed_tail):
            raise DocumentTooLarge(f"it has more than {most} bytes")
        parts.append(data)
    if unpack is not None and not unpack.eof:
        raise ConnectionError("it was cut on its way")
    return b"".join(parts)


def _titled(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    names = {"etag": "ETag", "last-modified": "Last-Modified", "date": "Date", "content-type": "Content-Type"}
    return [(names[name.lower()], value) for name, value in headers.items() if name.lower() in names]


def _closed(session: Any, loop: asyncio.AbstractEventLoop) -> None:
    if not session.closed and loop.is_running():
        asyncio.run_coroutine_threadsafe(session.close(), loop)
