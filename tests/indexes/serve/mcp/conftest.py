"""Servers as processes of their own, and what clients do with them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-c", "from ingest.cli.main import main; main()"]
ROOT = Path(__file__).parents[4]


def environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("INGEST_")}
    return {**kept, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}


@pytest.fixture(scope="session")
def stdio(library: Any) -> Callable[..., dict[str, Any]]:
    """What starts `ingest serve mcp` over the library on stdio, with more options: command, args, env, cwd."""
    def parameters(*options: str) -> dict[str, Any]:
        of_library = ["--kb", str(library.kb), "--config", str(library.folder / "ingest.toml")]
        arguments = [*COMMAND[1:], "serve", "mcp", *of_library, *options]
        return {"command": COMMAND[0], "args": arguments, "env": environment(), "cwd": str(library.folder)}

    return parameters


def ingest(folder: Path, *arguments: str) -> str:
    done = subprocess.run([*COMMAND, *arguments], cwd=folder, env=environment(), capture_output=True, text=True, check=True)
    return done.stdout


class Serving:
    """A server of MCP over HTTP. `tokens`: name -> token."""

    def __init__(self, process: subprocess.Popen[str], url: str, tokens: dict[str, str]) -> None:
        self.process, self.url, self.tokens = process, url, tokens

    def headers(self, name: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[name]}"}


def mint(folder: Path, config: Path, name: str, *options: str) -> str:
    told = json.loads(ingest(folder, "serve", "token", name, "--config", str(config), "--json", *options))
    token: str = told["token"]
    return token


@pytest.fixture(scope="session")
def http(library: Any) -> Iterator[Serving]:
    """`ingest serve mcp --http` over the library, with tokens for nobody in particular, for an sre, and for one who may write."""
    config = library.folder / "ingest.toml"
    tokens = {
        "public": mint(library.folder, config, "mcp-public"), "sre": mint(library.folder, config, "mcp-sre", "--role", "sre"),
        "editor": mint(library.folder, config, "mcp-editor", "--write"), "gone": mint(library.folder, config, "mcp-gone"),
    }
    ingest(library.folder, "serve", "token", "mcp-gone", "--revoke", "--config", str(config))
    with started(library, config, tokens) as served:
        yield served


@contextmanager
def started(base: Any, config: Path, tokens: dict[str, str], *options: str) -> Iterator[Serving]:
    """Start a server on a free port; stop it by its own process alone."""
    arguments = ["serve", "mcp", "--http", "--port", "0", "--kb", str(base.kb), "--config", str(config), *options]
    process = subprocess.Popen(
        [*COMMAND, *arguments], cwd=base.folder, env=environment(), stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        url = process.stdout.readline().strip()
        assert url.startswith("http://127.0.0.1:"), url
        yield Serving(process, url, tokens)
    finally:
        process.terminate()
        process.wait(timeout=30)


@pytest.fixture(scope="session")
def serving() -> Callable[..., Any]:
    """Start a server over any base: `with serving(base, config, tokens) as served`."""
    return started


@pytest.fixture(scope="session")
def minted() -> Callable[..., str]:
    """Mint a token with `ingest serve token`: `minted(folder, config, name, *options)`."""
    return mint
