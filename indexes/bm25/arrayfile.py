"""A file of named arrays that is written once and then memory-mapped.

In: names, arrays, a small `meta`. Out: one file whose header carries a checksum of every array and is itself checked, so that
its digest names the whole content. Opening costs the header only, whatever the size; `check` reads everything. Layout:
docs/formats.md.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.format import FORMAT
from indexes.header import damaged
from ingest.errors import StorageFailed
from ingest.model.canonical import canonical

Array = NDArray[Any]

_MAGIC = b"CCDARR\r\n"
_START = struct.Struct("<8sI16s")
_ALIGN = 64
_UNKNOWN = "0" * 32
_DTYPES = ("u1", "<u2", "<u4", "<i8")


def narrowest(largest: int, smallest: int = 0) -> str:
    """Return the smallest dtype of the format that holds every integer from `smallest` to `largest`."""
    if smallest < 0:
        return "<i8"
    return next((dtype for dtype in _DTYPES[:3] if largest <= np.iinfo(dtype).max), "<i8")


def narrowed(values: Array | Sequence[int]) -> Array:
    """Return integers in the narrowest dtype of the format."""
    array = np.asarray(values, dtype=np.int64)
    if not array.size:
        return array.astype("u1")
    return array.astype(narrowest(int(array.max()), int(array.min())))


@dataclass(slots=True)
class _Slot:
    name: str
    dtype: str
    count: int
    offset: int
    filled: int = 0
    sum: Any = field(default_factory=lambda: hashlib.blake2b(digest_size=16))

    @property
    def size(self) -> int:
        return self.count * np.dtype(self.dtype).itemsize


class ArrayWriter:
    """Writes one file, array by array or several in turns, each from front to back.

    `shapes` are (name, dtype, count) in the order of the file. `close` returns the digest of the header, 32 hex digits.
    Raises OSError as the system does.
    """

    def __init__(self, path: Path, kind: str, meta: Mapping[str, Any], shapes: Iterable[tuple[str, str, int]]) -> None:
        self._kind, self._meta = kind, dict(meta)
        self._slots: dict[str, _Slot] = {}
        self._size = 0
        for name, dtype, count in shapes:
            slot = _Slot(name, dtype, count, _aligned(self._size))
            self._slots[name] = slot
            self._size = slot.offset + slot.size
        self._begin = _aligned(_START.size + len(self._header(done=False)))
        self._file = path.open("wb")
        self._file.truncate(self._begin + self._size)

    def put(self, name: str, values: Array) -> None:
        """Append values to an array."""
        slot = self._slots[name]
        data = np.ascontiguousarray(values, dtype=slot.dtype).tobytes()
        self._file.seek(self._begin + slot.offset + slot.filled)
        self._file.write(data)
        slot.filled += len(data)
        slot.sum.update(data)

    def close(self) -> str:
        short = [slot.name for slot in self._slots.values() if slot.filled != slot.size]
        if short:
            raise ValueError(f"arrays were not filled: {short}")
        header = self._header(done=True)
        digest = hashlib.blake2b(header, digest_size=16).digest()
        self._file.seek(0)
        self._file.write(_START.pack(_MAGIC, len(header), digest) + header)
        self._file.close()
        return digest.hex()

    def abandon(self) -> None:
        """Close without a header; what is there is not a valid file."""
        self._file.close()

    def _header(self, *, done: bool) -> bytes:
        arrays = [[s.name, s.dtype, s.count, s.offset, s.sum.hexdigest() if done else _UNKNOWN] for s in self._slots.values()]
        return canonical({"format": FORMAT, "kind": self._kind, "meta": self._meta, "size": self._size, "arrays": arrays})


def write_arrays(path: Path, kind: str, meta: Mapping[str, Any], arrays: Mapping[str, Array]) -> str:
    """Write a whole file at once; each array in its own dtype. Returns the digest."""
    writer = ArrayWriter(path, kind, meta, [(name, array.dtype.str.lstrip("|"), array.size) for name, array in arrays.items()])
    try:
        for name, array in arrays.items():
            writer.put(name, array)
        return writer.close()
    finally:
        writer.abandon()


class ArrayFile:
    """An open file: `meta`, `digest`, and its arrays as read-only views of the memory map.

    Raises BuildCorrupt naming the file when it is missing, cut, of another kind or format, or its header is damaged.
    """

    def __init__(self, path: Path, kind: str) -> None:
        self.path = path
        self._map = _mapped(path)
        header, begin = _read_header(path, self._map)
        try:
            if (header["format"], header["kind"]) != (FORMAT, kind):
                raise damaged(path, f"{header['kind']} of format {header['format']} instead of {kind} {FORMAT}")
            if len(self._map) != begin + header["size"]:
                raise damaged(path, f"{len(self._map)} bytes instead of {begin + header['size']}")
            self.meta: dict[str, Any] = header["meta"]
            self._arrays = {name: self._view(dtype, count, begin + at) for name, dtype, count, at, _ in header["arrays"]}
            self._sums = {name: checksum for name, *_, checksum in header["arrays"]}
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(path, error) from error
        self.digest = self._map[_START.size - 16 : _START.size].hex()

    def __getitem__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except KeyError:
            raise damaged(self.path, f"it has no array {name}") from None

    def __contains__(self, name: str) -> bool:
        return name in self._arrays

    def check(self) -> None:
        """Read every array and compare its checksum. Raises BuildCorrupt."""
        for name, array in self._arrays.items():
            if hashlib.blake2b(array.data, digest_size=16).hexdigest() != self._sums[name]:
                raise damaged(self.path, f"array {name} does not match its checksum")

    def _view(self, dtype: str, count: int, offset: int) -> Array:
        if dtype not in _DTYPES:
            raise ValueError(f"unknown dtype {dtype}")
        return np.frombuffer(self._map, dtype, count, offset) if count else np.empty(0, dtype)


def _mapped(path: Path) -> mmap.mmap:
    try:
        with path.open("rb") as file:
            return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    except FileNotFoundError:
        raise damaged(path, "it is missing") from None
    except ValueError:
        raise damaged(path, "it is empty") from None
    except OSError as error:
        raise StorageFailed(f"{path} cannot be read: {error.strerror}; check permissions and the disk") from error


def _read_header(path: Path, data: mmap.mmap) -> tuple[dict[str, Any], int]:
    """The header and the position at which the arrays begin."""
    if len(data) < _START.size:
        raise damaged(path, f"only {len(data)} bytes are left")
    magic, length, digest = _START.unpack(data[: _START.size])
    raw = data[_START.size : _START.size + length]
    if magic != _MAGIC or hashlib.blake2b(raw, digest_size=16).digest() != digest:
        raise damaged(path, "its header is not the one that was written")
    header: dict[str, Any] = json.loads(raw)
    return header, _aligned(_START.size + length)


def _aligned(size: int) -> int:
    return -(-size // _ALIGN) * _ALIGN
