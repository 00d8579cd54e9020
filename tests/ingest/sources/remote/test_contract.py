"""What every connector promises, each over a place of its own: memory, folders and Google storage, S3, a web site."""

from __future__ import annotations

import itertools
import json
import socket
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

import pytest

from ingest.errors import DocumentTooLarge
from ingest.protocols import Connector, Listed
from ingest.settings import RootPart
from ingest.sources.remote.connectors import connect
from ingest.sources.remote.patience import Patience
from ingest.sources.remote.store import Store

FILES = {"手册.md": "# 云脉网关\n", "sub/deep/a b.md": "# Limits\n", "sub/a.md": "# A\n", "empty.md": ""}
_names = itertools.count()


class Google:
    """Google storage on loopback, as its emulator plays it."""

    def __init__(self) -> None:
        from gcp_storage_emulator.server import create_server

        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.server = create_server("127.0.0.1", port, in_memory=True)
        self.server.start()

    def make(self, bucket: str) -> None:
        self._ask("/storage/v1/b", json.dumps({"name": bucket}).encode(), "application/json")

    def put(self, bucket: str, key: str, text: str) -> None:
        parts = [("application/json", json.dumps({"name": key})), ("text/markdown", text)]
        body = "".join(f"--cut\r\nContent-Type: {kind}\r\n\r\n{part}\r\n" for kind, part in parts) + "--cut--"
        self._ask(f"/upload/storage/v1/b/{bucket}/o?uploadType=multipart", body.encode(), "multipart/related; boundary=cut")

    def delete(self, bucket: str, key: str) -> None:
        self._ask(f"/storage/v1/b/{bucket}/o/{quote(key, safe='')}", None, "", "DELETE")

    def _ask(self, path: str, body: bytes | None, kind: str, method: str = "POST") -> None:
        request = Request(self.url + path, body, {"Content-Type": kind} if kind else {}, method=method)  # noqa: S310
        urlopen(request).close()  # noqa: S310


@pytest.fixture(scope="module")
def google() -> Iterator[Google]:
    made = Google()
    yield made
    made.server.stop()


class Placed:
    """A connector, and how what it reads is changed."""

    def __init__(self, connector: Connector, write: Callable[[str, str], None], delete: Callable[[str], None]) -> None:
        self.connector, self.write, self.delete = connector, write, delete

    def listed(self, known: dict[str, str] | None = None) -> dict[str, Listed]:
        return {one.path: one for one in self.connector.listing(known or {}) if isinstance(one, Listed)}


@pytest.fixture(params=["memory", "folder", "s3", "google", "web"])
def placed(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Placed:
    monkeypatch.setattr("ingest.sources.remote.tokens.SETTLED", timedelta(-1))
    made: Placed = getattr(_Places, request.param)(request, tmp_path)
    for path, text in FILES.items():
        made.write(path, text)
    return made


class _Places:
    @staticmethod
    def memory(request: pytest.FixtureRequest, folder: Path) -> Placed:
        from fsspec.implementations.memory import MemoryFileSystem

        held, name = MemoryFileSystem(), f"place{next(_names)}"
        return Placed(
            connect(f"memory://{name}", RootPart()), lambda path, text: held.pipe(f"/{name}/{path}", text.encode()),
            lambda path: held.rm(f"/{name}/{path}"),
        )

    @staticmethod
    def folder(request: pytest.FixtureRequest, folder: Path) -> Placed:
        from fsspec.implementations.local import LocalFileSystem

        def write(path: str, text: str) -> None:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text, "utf-8")

        return Placed(Store(LocalFileSystem(), str(folder), Patience(RootPart())), write, lambda path: (folder / path).unlink())

    @staticmethod
    def s3(request: pytest.FixtureRequest, folder: Path) -> Placed:
        buckets, bucket = request.getfixturevalue("buckets"), f"contract-{next(_names)}"
        request.getfixturevalue("reader")
        buckets.make(bucket)
        return Placed(
            connect(f"s3://{bucket}/docs", RootPart(endpoint_url=buckets.url)),
            lambda path, text: buckets.put(bucket, f"docs/{path}", text), lambda path: buckets.delete(bucket, f"docs/{path}"),
        )

    @staticmethod
    def google(request: pytest.FixtureRequest, folder: Path) -> Placed:
        google, bucket = request.getfixturevalue("google"), f"contract-{next(_names)}"
        google.make(bucket)
        return Placed(
            connect(f"gs://{bucket}/docs", RootPart(endpoint_url=google.url, anonymous=True)),
            lambda path, text: google.put(bucket, f"docs/{path}", text), lambda path: google.delete(bucket, f"docs/{path}"),
        )

    @staticmethod
    def web(request: pytest.FixtureRequest, folder: Path) -> Placed:
        site, held = request.getfixturevalue("site"), set[str]()

        def write(path: str, text: str) -> None:
            held.add(f"/docs/{quote(path)}")
            site.put(f"/docs/{quote(path)}", text)
            site.sitemap(*sorted(held))

        def delete(path: str) -> None:
            held.remove(f"/docs/{quote(path)}")
            del site.pages[f"/docs/{quote(path)}"]
            site.sitemap(*sorted(held))

        return Placed(connect(f"{site.url}/docs", RootPart(private=True, per_second=1000)), write, delete)


def test_everything_below_the_root_is_listed_and_read(placed: Placed) -> None:
    found = placed.listed()
    assert set(found) == set(FILES)
    assert {path: placed.connector.read(one, 100).data.decode() for path, one in found.items()} == FILES


def test_what_is_the_same_keeps_its_token_and_what_changed_does_not(placed: Placed) -> None:
    known = {path: placed.connector.read(one, 100).token for path, one in placed.listed().items()}
    assert all(known.values())
    assert {path: one.token for path, one in placed.listed(known).items()} == known
    placed.write("sub/a.md", "# B\n")
    again = placed.listed(known)
    assert {path for path, one in again.items() if one.token != known[path]} == {"sub/a.md"}
    assert placed.connector.read(again["sub/a.md"], 100).data == b"# B\n"


def test_a_narrowed_listing_has_what_it_is_narrowed_to_and_what_lies_beside_and_above_it(placed: Placed) -> None:
    placed.write(".ingestignore", "*.log\n")
    placed.write("sub/a.md.meta.yaml", "level: 1\n")
    for within, least in (
        ("sub", {"sub/a.md", "sub/deep/a b.md"}), ("sub/deep", {"sub/a.md", "sub/deep/a b.md"}), ("sub/a.md", {"sub/a.md"}),
        ("手册.md", {"手册.md"}), ("nothing/there", set[str]()),
    ):
        found = {one.path for one in placed.connector.listing({}, within) if isinstance(one, Listed)}
        assert {*least, ".ingestignore"} | ({"sub/a.md.meta.yaml"} if "sub" in within else set()) <= found


def test_what_is_gone_is_not_listed_and_not_read(placed: Placed) -> None:
    found = placed.listed()
    placed.delete("sub/a.md")
    assert set(placed.listed()) == set(FILES) - {"sub/a.md"}
    with pytest.raises(FileNotFoundError):
        placed.connector.read(found["sub/a.md"], 100)


def test_no_more_is_read_than_was_asked_for(placed: Placed) -> None:
    found = placed.listed()
    with pytest.raises(DocumentTooLarge):
        placed.connector.read(found["手册.md"], 5)
    assert placed.connector.read(found["empty.md"], 0).data == b""


def test_one_path_is_found_by_itself_or_it_is_said_that_it_cannot_be(placed: Placed) -> None:
    found = placed.connector.find("sub/a.md")
    assert found is None or placed.connector.read(found, 100).data == b"# A\n"
    assert placed.connector.find("sub/a.md.meta.yaml") is None
    assert placed.connector.find("sub") is None


def test_it_is_closed_once_and_for_all(placed: Placed) -> None:
    list(placed.connector.listing({}))
    placed.connector.close()


def test_a_place_that_is_not_there_is_an_error_and_no_empty_list(buckets: Any, reader: None, site: Any) -> None:
    for url, part in (
        ("memory://nowhere", RootPart()), ("s3://no-such-bucket/docs", RootPart(endpoint_url=buckets.url)),
        (f"{site.url}/docs", RootPart(private=True)),
    ):
        with pytest.raises(FileNotFoundError):
            list(connect(url, part).listing({}))
