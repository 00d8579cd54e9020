"""Stores through fsspec: folders that may not be listed, files that change while they are read, and SFTP to a real server."""

from __future__ import annotations

import itertools
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ingest.protocols import Listed, Unlisted
from ingest.settings import RootPart
from ingest.sources.remote.connectors import connect
from ingest.sources.remote.patience import Patience
from ingest.sources.remote.store import Store


class Shifting:
    """A file system of one folder with one file, whose description changes as often as `changes` says."""

    def __init__(self, changes: int = 0, refused: str = "") -> None:
        self.states = itertools.chain((f"{number}" for number in range(changes)), itertools.repeat("last"))
        self.refused = refused

    def invalidate_cache(self) -> None: ...

    def ls(self, path: str, detail: bool) -> list[dict[str, Any]]:
        if path == self.refused:
            raise PermissionError(path)
        if path == "/docs":
            return [{"name": "/docs/sub", "type": "directory"}, {"name": "/docs/pipe", "type": "other"}]
        return [{"name": "/docs/sub/a.md", "type": "file", "size": 3, "etag": "1"}]

    def info(self, path: str) -> dict[str, Any]:
        return {"name": path, "type": "file", "size": 3, "etag": next(self.states)}

    def cat_file(self, path: str, start: int, end: int) -> bytes:
        return b"abc"


def store(system: Any) -> Store:
    return Store(system, "/docs", Patience(RootPart()))


def test_a_folder_that_may_not_be_listed_is_kept_and_the_root_is_an_error() -> None:
    assert list(store(Shifting()).listing({})) == [
        Unlisted("pipe", "it is a link or a device, which is not followed here"),
        Listed("sub/a.md", "/docs/sub/a.md", "etag=1", 3),
    ]
    (_, shut) = store(Shifting(refused="/docs/sub")).listing({})
    assert isinstance(shut, Unlisted) and (shut.path, shut.kept) == ("sub", True)
    with pytest.raises(PermissionError):
        list(store(Shifting(refused="/docs")).listing({}))


def test_a_file_that_changes_while_it_is_read_is_read_again() -> None:
    listed = Listed("sub/a.md", "/docs/sub/a.md", "etag=1", 3)
    assert store(Shifting(changes=1)).read(listed, 100).token == "etag=last"
    with pytest.raises(OSError, match="being written"):
        store(Shifting(changes=99)).read(listed, 100)


def test_a_file_that_is_as_it_was_listed_is_asked_for_once_more() -> None:
    system = Shifting(changes=2)
    listed = Listed("sub/a.md", "/docs/sub/a.md", "etag=0", 3)
    assert store(system).read(listed, 100).token == "etag=0"
    assert system.info("")["etag"] == "1"


# --- SFTP


class Server:
    """An SSH server on loopback that serves one folder over SFTP to one key."""

    def __init__(self, folder: Path, key: Any) -> None:
        import paramiko

        self.host_key = paramiko.RSAKey.generate(2048)
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._folder, self._key = folder, key
        self._open: list[Any] = []
        threading.Thread(target=self._serve, daemon=True).start()

    def stop(self) -> None:
        self._socket.close()
        for transport in self._open:
            transport.close()

    def _serve(self) -> None:
        import paramiko

        key = self._key

        class Door(paramiko.ServerInterface):
            def check_auth_publickey(self, username: str, offered: Any) -> int:
                return paramiko.AUTH_SUCCESSFUL if offered == key and username == "li" else paramiko.AUTH_FAILED

            def get_allowed_auths(self, username: str) -> str:
                return "publickey"

            def check_channel_request(self, kind: str, number: int) -> int:
                return paramiko.OPEN_SUCCEEDED

        while True:
            try:
                connection, _ = self._socket.accept()
                transport = paramiko.Transport(connection)
                transport.add_server_key(self.host_key)
                transport.set_subsystem_handler("sftp", paramiko.SFTPServer, _files(self._folder))
                transport.start_server(server=Door())
                self._open.append(transport)
            except (OSError, EOFError, paramiko.SSHException):
                if self._socket.fileno() == -1:
                    return


def _files(folder: Path) -> Any:
    import paramiko

    class Files(paramiko.SFTPServerInterface):
        def list_folder(self, path: str) -> Any:
            try:
                names = sorted(os.listdir(f"{folder}{path}"))  # noqa: PTH208
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno or 0)
            return [paramiko.SFTPAttributes.from_stat((folder / path.strip("/") / name).lstat(), name) for name in names]

        def stat(self, path: str) -> Any:
            try:
                return paramiko.SFTPAttributes.from_stat((folder / path.strip("/")).stat())
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno or 0)

        lstat = stat

        def open(self, path: str, flags: int, attr: Any) -> Any:
            try:
                handle = paramiko.SFTPHandle(flags)
                handle.readfile = (folder / path.strip("/")).open("rb")  # type: ignore[attr-defined]
            except OSError as error:
                return paramiko.SFTPServer.convert_errno(error.errno or 0)
            return handle

    return Files


@pytest.fixture
def sftp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    import paramiko

    key = paramiko.RSAKey.generate(2048)
    (tmp_path / "home/.ssh").mkdir(parents=True)
    key.write_private_key_file(str(tmp_path / "home/.ssh/id_rsa"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    (tmp_path / "srv/docs/sub").mkdir(parents=True)
    (tmp_path / "srv/docs/手册.md").write_text("# 云脉网关\n", "utf-8")
    (tmp_path / "srv/docs/sub/a.md").write_text("# A\n")
    os.utime(tmp_path / "srv/docs/sub/a.md", (1_700_000_000, 1_700_000_000))
    server = Server(tmp_path / "srv", key)
    yield server
    server.stop()


def trust(server: Server, key: Any, folder: Path) -> None:
    (folder / "home/.ssh/known_hosts").write_text(f"[127.0.0.1]:{server.port} {key.get_name()} {key.get_base64()}\n")


def test_a_folder_over_sftp_is_listed_and_read(sftp: Server, tmp_path: Path) -> None:
    trust(sftp, sftp.host_key, tmp_path)
    connector = connect(f"sftp://li@127.0.0.1:{sftp.port}/docs", RootPart(timeout_seconds=20))
    found = {one.path: one for one in connector.listing({}) if isinstance(one, Listed)}
    assert set(found) == {"手册.md", "sub/a.md"}
    assert found["sub/a.md"].token and not found["手册.md"].token  # the one was written just now
    assert connector.read(found["手册.md"], 100).data == "# 云脉网关\n".encode()
    assert connector.find("sub/b.md") is None
    connector.close()


def test_a_server_whose_key_is_not_known_is_not_talked_to(sftp: Server, tmp_path: Path) -> None:
    import paramiko

    url = f"sftp://li@127.0.0.1:{sftp.port}/docs"
    with pytest.raises(PermissionError, match="known_hosts"):
        connect(url, RootPart(timeout_seconds=20, tries=1))
    trust(sftp, paramiko.RSAKey.generate(2048), tmp_path)
    with pytest.raises(PermissionError, match="known_hosts"):
        connect(url, RootPart(timeout_seconds=20, tries=1))


def test_a_user_without_the_key_is_refused(sftp: Server, tmp_path: Path) -> None:
    trust(sftp, sftp.host_key, tmp_path)
    with pytest.raises(PermissionError, match="SSH agent"):
        connect(f"sftp://wang@127.0.0.1:{sftp.port}/docs", RootPart(timeout_seconds=20, tries=1))
