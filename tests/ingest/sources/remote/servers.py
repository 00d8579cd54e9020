"""Servers on loopback that tests of remote roots stand on: one that speaks S3, one of web pages. Both count what they are asked
for, and misbehave when told to."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.utils import formatdate
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[[str, str], int | None]
"""(method, path with query) -> the status to answer with instead, None to answer as usual."""
OLD = formatdate(1_700_000_000, usegmt=True)


class Buckets:
    """A server that speaks S3. `requests` are (method, path with query), `fault` makes it fail. What it holds outlives it: one
    that is started again, at the same port, has it too."""

    def __init__(self, port: int = 0) -> None:
        from moto.server import DomainDispatcherApplication, create_backend_app
        from werkzeug.serving import make_server

        self.requests: list[tuple[str, str]] = []
        self.fault: Fault = lambda method, path: None
        self._app = DomainDispatcherApplication(create_backend_app)
        self._server = make_server("127.0.0.1", port, self._answer, threaded=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.client = _client(self.url)

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def again(self) -> Buckets:
        """Start another one in its place."""
        return Buckets(int(self.url.rpartition(":")[2]))

    def make(self, bucket: str, objects: dict[str, str | bytes] | None = None) -> None:
        self.client.create_bucket(Bucket=bucket)
        for key, content in (objects or {}).items():
            self.put(bucket, key, content)

    def put(self, bucket: str, key: str, content: str | bytes) -> None:
        self.client.put_object(Bucket=bucket, Key=key, Body=content.encode() if isinstance(content, str) else content)

    def delete(self, bucket: str, key: str) -> None:
        self.client.delete_object(Bucket=bucket, Key=key)

    def got(self) -> list[str]:
        """Paths of the objects that were sent since the last call; listings left out."""
        found = [path for method, path in self.requests if method == "GET" and "list-type" not in path]
        self.requests.clear()
        return found

    def _answer(self, environ: dict[str, Any], start: Any) -> Iterable[bytes]:
        query = environ.get("QUERY_STRING", "")
        path = environ["PATH_INFO"].encode("latin-1").decode() + (f"?{query}" if query else "")
        self.requests.append((environ["REQUEST_METHOD"], path))
        status = self.fault(environ["REQUEST_METHOD"], path)
        if status == 0:  # the connection is cut half-way through the answer
            start("200 OK", [("Content-Length", "1000"), ("ETag", '"cut"'), ("Last-Modified", OLD)])
            return [b"half of it"]
        if status is not None:
            code = {403: "AccessDenied", 404: "NoSuchKey", 503: "SlowDown"}.get(status, "InternalError")
            body = f"<Error><Code>{code}</Code><Message>for AKIDSECRET</Message></Error>".encode()
            start(f"{status} {code}", [("Content-Type", "application/xml"), ("Content-Length", str(len(body)))])
            return [b"" if environ["REQUEST_METHOD"] == "HEAD" else body]
        found: Iterable[bytes] = self._app(environ, start)
        return found


def _client(url: str) -> Any:
    import boto3

    return boto3.client("s3", endpoint_url=url, region_name="us-east-1", aws_access_key_id="writer", aws_secret_access_key="x")


@dataclass
class Page:
    """`etag` None: none is sent; empty: one of its bytes. `status`, and what is `how` wrong: `cut`, `reset`, `slow`."""

    data: bytes
    type: str = "text/html; charset=utf-8"
    etag: str | None = ""
    modified: str | None = OLD
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    how: str = ""

    @property
    def tag(self) -> str | None:
        return f'"{sha256(self.data).hexdigest()}"' if self.etag == "" else self.etag


class Site:
    """A web server. `pages` by path with query; `requests` are (method, path); `faults`: path -> statuses to answer first."""

    def __init__(self) -> None:
        self.pages: dict[str, Page] = {}
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.statuses: list[int] = []
        self.faults: dict[str, list[int]] = {}
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                site._answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def put(self, path: str, data: str | bytes, **said: Any) -> Page:
        self.pages[path] = page = Page(data.encode() if isinstance(data, str) else data, **said)
        return page

    def sitemap(self, *paths: str, at: str = "/docs/sitemap.xml", **lastmod: str) -> None:
        entries = "".join(
            f"<url><loc>{self.url}{path}</loc>{f'<lastmod>{lastmod[path[1:]]}</lastmod>' if path[1:] in lastmod else ''}</url>"
            for path in paths
        )
        self.put(at, f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>', type="application/xml")

    def asked(self) -> list[str]:
        """Paths asked for since the last call, robots.txt and sitemaps left out."""
        found = [path for _, path, _ in self.requests if "sitemap" not in path and path != "/robots.txt"]
        self.requests.clear()
        self.statuses.clear()
        return found

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        self.requests.append(("GET", handler.path, dict(handler.headers)))
        page = self.pages.get(handler.path)
        if self.faults.get(handler.path):
            page = Page(b"later", status=self.faults[handler.path].pop(0), headers={"Retry-After": "0"})
        if page is None:
            page = Page(b"none", status=404, etag=None, modified=None)
        status = page.status
        if status == 200 and self._unchanged(handler, page):
            status = 304
        self.statuses.append(status)
        if page.how == "reset":
            handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            handler.connection.close()
            return
        self._send(handler, page, status)

    def _send(self, handler: BaseHTTPRequestHandler, page: Page, status: int) -> None:
        handler.send_response(status)
        for name, value in (("ETag", page.tag), ("Last-Modified", page.modified), ("Content-Type", page.type)):
            if value is not None:
                handler.send_header(name, value)
        for name, value in page.headers.items():
            handler.send_header(name, value)
        data = b"" if status == 304 else page.data
        if status != 304:
            handler.send_header("Content-Length", str(len(data)))
        handler.end_headers()
        try:
            if page.how == "slow":
                threading.Event().wait(5)
            handler.wfile.write(data[: len(data) // 2] if page.how == "cut" else data)
        except OSError:
            pass
        if page.how == "cut":
            handler.close_connection = True

    @staticmethod
    def _unchanged(handler: BaseHTTPRequestHandler, page: Page) -> bool:
        if handler.headers.get("If-None-Match") is not None:
            return page.tag is not None and handler.headers["If-None-Match"] == page.tag
        return page.modified is not None and handler.headers.get("If-Modified-Since") == page.modified
