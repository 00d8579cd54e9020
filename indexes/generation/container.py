"""The file that an archive is: a tar of plain files in a fixed order, compressed with zstd, with their digests at its end.

Written through `packing`: beside its target under another name, flushed, renamed; so it is whole or it is not there. Read through
`unpacking`, front to back and once. The reader takes no header but the very one that the writer would write for that name and
size: no link, no device, no extended header can be in what it reads, and every name is compared with the one expected there.
"""

from __future__ import annotations

import fcntl
import json
import os
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from indexes.generation.seal import BLOCK, SparseHash, flush_path
from ingest.errors import ArchiveCorrupt, LeaseHeld, StorageFailed, UsageError
from ingest.model.canonical import canonical

SUMS = "sums.json"
MAX_SUMS_BYTES = 256 << 20
_RECORD = 512
_LARGEST = (8 << 30) - 1
"""What the size field of a ustar header holds."""
_ENDING = bytes(2 * _RECORD)
_ZSTD = b"\x28\xb5\x2f\xfd"
"""What a compressed file begins with."""


class Packing:
    """An archive being written, entry by entry."""

    def __init__(self, stream: Any, name: str) -> None:
        self._stream = stream
        self._name = name
        self._sums: dict[str, dict[str, Any]] = {}

    def put(self, name: str, data: bytes) -> None:
        """Write a small entry."""
        self.copy(name, len(data), (data[start : start + BLOCK] for start in range(0, len(data), BLOCK)))

    def copy(self, name: str, size: int, blocks: Iterable[bytes]) -> str:
        """Write an entry of `size` bytes that come in blocks of `BLOCK` (the last may be shorter); return its sparse digest."""
        digest = SparseHash(size)
        self._stream.write(_header(name, size))
        written = 0
        for number, block in enumerate(blocks):
            digest.add(number, block)
            self._stream.write(block)
            written += len(block)
        if written != size:
            raise StorageFailed(f"{name} changed while it was written to {self._name}; export again")
        self._stream.write(bytes(-size % _RECORD))
        self._sums[name] = {"size": size, "sparse_sha256": digest.hexdigest()}
        return digest.hexdigest()

    def _finish(self) -> None:
        self.put(SUMS, canonical(self._sums))
        self._stream.write(_ENDING)


@contextmanager
def packing(target: Path) -> Iterator[Packing]:
    """Yield an archive to write; once all went well it takes the name `target`, and what was there before is replaced.

    Raises UsageError, LeaseHeld (another process writes it) and StorageFailed."""
    import pyarrow  # type: ignore[import-untyped]

    partial = target.with_name(f"{target.name}.partial")
    try:
        if target.exists() and not target.is_file():
            raise UsageError(f"{target} is no regular file; name a file to write the archive to")
        descriptor = _alone(partial)
    except OSError as error:
        raise StorageFailed(f"{target} cannot be written: {error.strerror}; check the folder and its permissions") from error
    try:
        os.truncate(descriptor, 0)
        with pyarrow.PythonFile(os.fdopen(descriptor, "wb", closefd=False), "w") as raw:
            stream = pyarrow.CompressedOutputStream(raw, "zstd")
            made = Packing(stream, target.name)
            yield made
            made._finish()
            stream.close()
        os.fsync(descriptor)
        partial.rename(target)
        flush_path(target.parent)
    except OSError as error:
        raise StorageFailed(f"{target} could not be written ({error.strerror or error}); free space and export again") from error
    finally:
        # Under the lock still: whoever writes next opens a file of its own.
        with suppress(OSError):
            if os.path.samestat(os.fstat(descriptor), partial.stat()):
                partial.unlink()
        os.close(descriptor)


def _alone(path: Path) -> int:
    """Open a file that no other process writes; one that was killed leaves it behind, and the next takes it over."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except BlockingIOError:
            os.close(descriptor)
            raise LeaseHeld(f"another export is writing {path}; wait for it, then export again") from None
        except FileNotFoundError:
            pass  # renamed or removed between opening and locking: not ours
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


class Unpacking:
    """An archive being read. Every method raises ArchiveCorrupt where it is not what it must be."""

    def __init__(self, stream: Any, path: Path, most: int) -> None:
        self._stream = stream
        self._path = path
        self._most = self._left = most
        self._sums: dict[str, dict[str, Any]] = {}
        self._next: tuple[str, int] | None = None

    def upcoming(self) -> str:
        """Return the name of the next entry; empty at the end of the tar."""
        if self._next is None:
            self._next = self._head()
        return self._next[0]

    def data(self, name: str, limit: int) -> bytes:
        """Return the content of the next entry, which must be called `name` and have at most `limit` bytes."""
        size = self._expect(name)
        if size > limit:
            raise self.corrupt(f"{name} has {size} bytes, at most {limit} are expected")
        return b"".join(block for _, block in self._content(name, size))

    def blocks(self, name: str, size: int, digest: str) -> Iterator[tuple[int, bytes]]:
        """Yield (number, bytes) of the next entry's blocks of `BLOCK` bytes; raises at their end if they had not `digest`."""
        if self._expect(name) != size:
            raise self.corrupt(f"{name} has not the {size} bytes that files.json lists")
        yield from self._content(name, size)
        if self._sums[name]["sparse_sha256"] != digest:
            raise self.corrupt(f"{name} is not the file that files.json lists")

    def make_room(self, size: int) -> None:
        """Tell ahead that `size` bytes are to come: too many are refused before anything is written."""
        if size > self._left:
            raise self._too_large()

    def finish(self) -> None:
        """Read what must be at the end, and that nothing is behind it."""
        read = dict(self._sums)
        try:
            listed = parsed(self.data(SUMS, MAX_SUMS_BYTES))
        except ValueError as error:
            raise self.corrupt(f"{SUMS} cannot be read ({error})") from error
        if listed != read:
            differing = next((name for name in read if not isinstance(listed, dict) or listed.get(name) != read[name]), "")
            raise self.corrupt(f"{differing or 'another entry'} is not what {SUMS} lists")
        if self.upcoming():
            raise self.corrupt(f"an entry {self.upcoming()!r} is behind {SUMS}, where the archive ends")
        if self._read(1):
            raise self.corrupt("something follows its end")

    def corrupt(self, what: str) -> ArchiveCorrupt:
        return ArchiveCorrupt(f"{self._path}: {what}; nothing was imported. Copy or export the archive again")

    def _expect(self, name: str) -> int:
        found = self.upcoming()
        if found != name:
            raise self.corrupt(f"{name} is expected where {found!r} is" if found else f"{name} is missing at its end")
        assert self._next is not None
        size = self._next[1]
        self._next = None
        self.make_room(size)
        return size

    def _content(self, name: str, size: int) -> Iterator[tuple[int, bytes]]:
        digest = SparseHash(size)
        for number, start in enumerate(range(0, size, BLOCK)):
            block = self._exactly(min(BLOCK, size - start))
            digest.add(number, block)
            yield number, block
        if any(self._exactly(-size % _RECORD)):
            raise self.corrupt(f"{name} is not filled up with zeros")
        self._sums[name] = {"size": size, "sparse_sha256": digest.hexdigest()}

    def _head(self) -> tuple[str, int]:
        record = self._exactly(_RECORD)
        if not any(record):
            if any(self._exactly(_RECORD)):
                raise self.corrupt("a single block of zeros is in it")
            return "", 0
        try:
            found = tarfile.TarInfo.frombuf(record, "ascii", "strict")
            if found.size < 0 or _header(found.name, found.size) != record:
                raise ValueError("it is no plain file, as archives have them")
        except (tarfile.TarError, ValueError, UsageError) as error:
            raise self.corrupt(f"the header of an entry cannot be taken ({error})") from error
        return found.name, found.size

    def _exactly(self, size: int) -> bytes:
        parts: list[bytes] = []
        missing = size
        while missing:
            part = self._read(missing)
            if not part:
                raise self.corrupt("it ends in the middle")
            parts.append(part)
            missing -= len(part)
        return b"".join(parts) if len(parts) != 1 else parts[0]

    def _read(self, size: int) -> bytes:
        try:
            found: bytes = self._stream.read(size)
        except OSError as error:
            if error.errno:
                raise StorageFailed(f"{self._path} cannot be read: {error.strerror}") from error
            raise self.corrupt(f"it is cut or damaged ({error})") from error
        self._left -= len(found)
        if self._left < 0:
            raise self._too_large()
        return found

    def _too_large(self) -> ArchiveCorrupt:
        return self.corrupt(f"it unpacks to more than {self._most} bytes (setting generations.max_import_bytes)")


@contextmanager
def unpacking(path: Path, most: int) -> Iterator[Unpacking]:
    """Yield an archive to read, which may unpack to `most` bytes. Raises UsageError, StorageFailed and ArchiveCorrupt."""
    import pyarrow

    try:
        if not path.is_file():
            raise UsageError(f"{path} is no file; name an archive that `ingest snapshots export` wrote")
        file = path.open("rb")
        begins = file.read(len(_ZSTD))
        file.seek(0)
    except OSError as error:
        raise StorageFailed(f"{path} cannot be read: {error.strerror}; check its permissions") from error
    with file, pyarrow.PythonFile(file, "r") as raw:
        if begins != _ZSTD:
            raise UsageError(f"{path} is no archive that `ingest snapshots export` wrote")
        stream = pyarrow.CompressedInputStream(raw, "zstd")
        try:
            yield Unpacking(stream, path, most)
        finally:
            with suppress(OSError):  # closing one that was damaged complains once more
                stream.close()


def _header(name: str, size: int) -> bytes:
    """Return the 512 bytes before an entry. Raises UsageError for what the format cannot hold."""
    if size > _LARGEST:
        raise UsageError(f"{name} has {size} bytes, more than the {_LARGEST} that an archive can hold of one file")
    entry = tarfile.TarInfo(name)
    entry.size = size
    try:
        return entry.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")
    except ValueError as error:
        raise UsageError(f"the name {name!r} cannot be in an archive ({error})") from error


def parsed(data: bytes) -> Any:
    """Return canonical JSON as JSON types. Raises ValueError where it is anything else, so that equal content is equal bytes."""
    found = json.loads(data)
    if canonical(found) != data:
        raise ValueError("it is not canonical JSON")
    return found
