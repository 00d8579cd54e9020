"""Archives of a small base in two languages, taken apart and put together again otherwise."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow
import pytest

SEED = """
entities:
  - {id: "urn:kb:entity:gate", type: product, names: [{text: 云脉网关, kind: preferred}, {text: YunGate}]}
  - {id: "urn:kb:entity:bus", type: product, names: [{text: YunBus, kind: preferred}]}
assertions:
  - {subject: "urn:kb:entity:gate", relation: uses, object: "urn:kb:entity:bus", evidence: limits.en.md}
"""
DOCUMENTS = {
    "手册/网关.md": "---\ntitle: 云脉网关手册\ndocument: gate\nversion: '1'\nvalid_from: 2024-01-01\n---\n"
    "# 云脉网关手册\n\n云脉网关单节点最多承载两万个并发连接。\n\n"
    "## 安装\n\n安装前确认机柜有两路电源。见[限制](../limits.en.md)。\n",
    "limits.en.md": "---\nallowed_roles: [sre]\n---\n"
    "# Limits\n\nYunGate answers with ERR_1042 beyond 20000 connections to YunBus.\n",
    "hotline.txt": "客户二十四小时内第三次来电按一级问题处理。\n\n统一社会信用代码 91320594MAQH5N1C4N 的来电转给销售。\n",
    "page.html": "<!doctype html><html><head><title>Trial</title></head><body><main><h1>Trial</h1><p>The trial of YunGate "
    "lasts 45 days and needs no contract.</p></main></body></html>",
    "bad.md": "---\nallowed_usres: [lin]\n---\n# Bad\n\nNobody reads this.\n",
}
QUESTIONS = ("云脉网关最多多少连接", "ERR_1042", "91320594MAQH5N1C4N", "trial contract")

Entries = list[tuple[str, bytes]]


def fill(base: Any) -> Any:
    base.seed(SEED)
    for path, text in DOCUMENTS.items():
        base.write(path, text)
    return base


@dataclass(frozen=True, slots=True)
class Shipped:
    """A base with its archive."""

    base: Any
    file: Path
    exported: Any


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory, make_base: Callable[..., Any]) -> Shipped:
    """A base of two generations, and an archive of the newest with its vectors. Nobody changes either."""
    from flows.shipping import send
    from ingest.progress import Silent

    base = fill(make_base(tmp_path_factory.mktemp("shipped")))
    base.run()
    base.write("limits.en.md", DOCUMENTS["limits.en.md"].replace("20000", "30000"))
    base.run()
    file = base.folder / "kb.tar.zst"
    return Shipped(base, file, send(base.settings, file, None, Silent(), with_cache=True))


@pytest.fixture
def receive(tmp_path: Path, unflushed: None) -> Callable[..., Any]:
    """Import a file into a base of its own below the test's folder; returns that base and what import said."""

    def call(base: Any, file: Path, name: str = "there") -> tuple[Any, Any]:
        from flows.shipping import receive
        from ingest.progress import Silent

        there = type(base)(tmp_path / name, **base.parts)
        there.seed(SEED)
        return there, receive(there.settings, file, Silent())

    return call


def entries_of(file: Path) -> Entries:
    """The entries of an archive, in order."""
    with pyarrow.CompressedInputStream(pyarrow.OSFile(str(file)), "zstd") as stream:
        data = stream.read()
    with tarfile.open(fileobj=io.BytesIO(data)) as tar:
        return [(member.name, tar.extractfile(member).read()) for member in tar.getmembers()]  # type: ignore[union-attr]


def _written(parts: Iterable[bytes], file: Path) -> Path:
    with pyarrow.OSFile(str(file), "wb") as raw, pyarrow.CompressedOutputStream(raw, "zstd") as stream:
        for part in parts:
            stream.write(part)
    return file


def compressed(data: bytes, file: Path) -> Path:
    return _written([data], file)


def tarred(members: Iterable[tuple[tarfile.TarInfo, bytes]], **options: Any) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", **{"format": tarfile.USTAR_FORMAT, **options}) as tar:
        for member, data in members:
            tar.addfile(member, io.BytesIO(data))
    # As an archive ends: two blocks of zeros, where tarfile fills up to 10 KiB.
    return buffer.getvalue().rstrip(b"\0") + bytes(-len(buffer.getvalue().rstrip(b"\0")) % 512) + bytes(1024)


def plain_member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    return member


def packed(entries: Entries, file: Path) -> Path:
    """Write entries as they are, `sums.json` among them."""
    def parts() -> Iterable[bytes]:
        for name, data in entries:
            yield plain_member(name, len(data)).tobuf(tarfile.USTAR_FORMAT)
            yield data
            yield bytes(-len(data) % 512)
        yield bytes(1024)

    return _written(parts(), file)


def forged(entries: Entries, file: Path) -> Path:
    """Write entries with a `sums.json` that agrees with them."""
    from indexes.generation.container import SUMS, packing

    with packing(file) as pack:
        for name, data in entries:
            if name != SUMS:
                pack.put(name, data)
    return file


@pytest.fixture(scope="module")
def entries(shipped: Shipped) -> Entries:
    """What the archive consists of."""
    return entries_of(shipped.file)


@pytest.fixture(scope="session")
def hands() -> Any:
    """What takes archives apart and puts them together."""
    return type("Hands", (), {
        "entries_of": staticmethod(entries_of), "packed": staticmethod(packed), "forged": staticmethod(forged),
        "compressed": staticmethod(compressed), "tarred": staticmethod(tarred), "plain_member": staticmethod(plain_member),
        "QUESTIONS": QUESTIONS, "DOCUMENTS": DOCUMENTS, "fill": staticmethod(fill),
    })
