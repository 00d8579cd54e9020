"""Real servers, started by the command line on a free port of this machine, and real clients."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

ROOT = Path(__file__).parents[4]


class Server:
    """`ingest serve http` in a process of its own, over the settings file in `folder`."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        command = [sys.executable, "-c", "from ingest.cli.main import main; main()", "serve", "http", "--port", "0", *options]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("INGEST_")}
        environ = {**kept, "PYTHONPATH": str(ROOT), "INGEST_EMBED__ENGINE": "hash", "OMP_NUM_THREADS": "1"}
        self.errors = (folder / "server.err").open("w+", encoding="utf-8")
        self.process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=self.errors, env=environ, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip()
        assert self.url, self.said()

    def said(self) -> str:
        """What it wrote to stderr so far."""
        return (self.folder / "server.err").read_text(encoding="utf-8")

    def token(self, name: str, kb_ids: tuple[str, ...] = ("default",), **fields: Any) -> str:
        """Mint a token: `user`, `roles`, `tenant`, `level` of its principal, `write`, `expires`, `metrics`."""
        from indexes.serve.tokens import Token, add, hashed, minted
        from ingest.model.access import Principal
        from ingest.model.instant import now

        secret = minted()
        entry = {key: fields.pop(key) for key in ("write", "expires", "metrics") if key in fields}
        values = {"write": False, "expires": None, "created": now(), **entry}
        add(self.folder / ".serve" / "tokens.json", Token(name, hashed(secret), Principal(**fields), kb_ids, **values))
        return secret

    def client(self, token: str | None = None, **how: Any) -> httpx.Client:
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        return httpx.Client(base_url=self.url, headers=headers, timeout=60, trust_env=False, **how)

    def audited(self) -> list[dict[str, Any]]:
        """The lines of the audit log."""
        files = sorted((self.folder / ".serve" / "audit").glob("*.jsonl"))
        return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]

    def stop(self, how: int = signal.SIGTERM) -> int:
        """End it; return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.errors.close()
        return code


@pytest.fixture(scope="session")
def start() -> Iterator[Callable[..., Server]]:
    """Start a server in a folder; all are ended at the end."""
    started: list[Server] = []

    def begin(folder: Path, *options: str) -> Server:
        started.append(Server(folder, *options))
        return started[-1]

    yield begin
    for server in started:
        if server.process.poll() is None:
            server.stop(signal.SIGKILL)


@pytest.fixture(scope="module")
def server(library: Any, start: Callable[..., Server]) -> Iterator[Server]:
    """A server of the library, which nobody changes."""
    server = start(library.folder, "--kb", "kb")
    yield server
    assert server.stop() == 0


_COUNT = iter(range(10**6))


@pytest.fixture
def client(server: Server) -> Iterator[httpx.Client]:
    """A client with a token of its own, of nobody in particular."""
    with server.client(server.token(f"client{next(_COUNT)}")) as client:
        yield client
