"""Sealing a staged folder: a stamp that says what it is, hashes of every file, everything flushed to disk.

Files are hashed sparsely: size and the non-zero blocks of 64 KiB with their numbers. Engines preallocate, and reading a
hundred megabytes of holes at every publish would cost more than the build; two files with equal digests have equal bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from ingest.errors import BuildCorrupt
from ingest.model.canonical import canonical, plain
from ingest.model.generation import Build

STAMP = "stamp.json"
BLOCK = 64 * 1024
_ZEROS = bytes(BLOCK)


def write_stamp(folder: Path, build: Build) -> None:
    """Write what a build claims to be into it."""
    (folder / STAMP).write_bytes(canonical(build))


def read_stamp(folder: Path) -> dict[str, Any]:
    """Return the stamp. Raises BuildCorrupt when it is missing or unreadable."""
    try:
        stamp: dict[str, Any] = json.loads((folder / STAMP).read_bytes())
    except FileNotFoundError:
        raise BuildCorrupt(f"{folder} has no {STAMP}: it is missing or not a sealed build; run: ingest verify") from None
    except (OSError, ValueError) as error:
        raise BuildCorrupt(f"{folder / STAMP} cannot be read ({error}); run: ingest verify") from error
    return stamp


def carries(folder: Path, build: Build) -> bool:
    """Whether the stamp in `folder` is that of `build`."""
    expected: dict[str, Any] = plain(build)
    return read_stamp(folder) == expected


def intact(folder: Path, build: Build, files: dict[str, dict[str, Any]] | None) -> bool:
    """Whether `build` lies in `folder` as it was published: its stamp, and the hash of every file as `files` (the entry of some
    files.json; None: nothing vouches for it) says."""
    try:
        return files is not None and carries(folder, build) and hash_files(folder) == files
    except (BuildCorrupt, OSError):
        return False


def hash_files(folder: Path) -> dict[str, dict[str, Any]]:
    """Return relative path -> {size, sparse_sha256} for every file below `folder`, sorted."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            found[path.relative_to(folder).as_posix()] = {"size": path.stat().st_size, "sparse_sha256": sparse_sha256(path)}
    return found


class SparseHash:
    """The digest of a file whose blocks of `BLOCK` bytes come one by one; those of zeros may be left out."""

    def __init__(self, size: int) -> None:
        self._digest = hashlib.sha256(size.to_bytes(8, "little"))

    def add(self, number: int, block: bytes) -> None:
        """Add block `number` (from 0), in order."""
        if not is_hole(block):
            self._digest.update(number.to_bytes(8, "little"))
            self._digest.update(block)

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def is_hole(block: bytes) -> bool:
    """Whether a block is all zeros, written or not."""
    return block == (_ZEROS if len(block) == BLOCK else _ZEROS[: len(block)])


def sparse_sha256(path: Path) -> str:
    """Return the digest of a file as described above, hex."""
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        digest = SparseHash(size)
        position = 0
        while position < size:
            try:
                data = os.lseek(file.fileno(), position, os.SEEK_DATA)
            except OSError:  # only a hole is left
                break
            position = data - data % BLOCK
            os.lseek(file.fileno(), position, os.SEEK_SET)
            digest.add(position // BLOCK, file.read(BLOCK))
            position += BLOCK
    return digest.hexdigest()


def flush(folder: Path) -> None:
    """fsync every file and folder below and including `folder`, deepest first."""
    for path, _, names in os.walk(folder, topdown=False):
        for name in names:
            flush_path(Path(path) / name)
        flush_path(Path(path))


def flush_path(path: Path) -> None:
    """fsync one file or folder."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def move(staged: Path, final: Path) -> None:
    """Rename a flushed folder into place and make the renaming durable."""
    final.parent.mkdir(parents=True, exist_ok=True)
    staged.rename(final)
    flush_path(final.parent)
    flush_path(final.parent.parent)
