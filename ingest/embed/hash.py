"""Feature hashing: vectors of the words and Han bigrams of a text, without a model. For tests and for measuring the rest.

Every word (lower case) and every two neighbouring Han characters or kana (a lone one stands for itself) adds +1 or -1 to one of
the dimensions, both chosen by a hash of its characters; the sum is scaled to length 1. Texts that share words are near each
other, and nothing more is claimed. Done on whole blocks of texts at once: word hashes are differences of a running sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from ingest.model.encodable import encodable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 256
_REVISION = 1
_BLOCK_CHARACTERS = 1 << 16
"""Of text handled at once, so that the arrays stay in the processor's cache."""

_OTHER, _WORD, _HAN = 0, 1, 2
# Fixed ranges rather than the interpreter's Unicode tables, which change between versions of Python. Later ones win.
_CLASSES = [
    (0x30, 0x39, _WORD), (0x41, 0x5A, _WORD), (0x5F, 0x5F, _WORD), (0x61, 0x7A, _WORD), (0xAA, 0xAA, _WORD), (0xB5, 0xB5, _WORD),
    (0xBA, 0xBA, _WORD), (0xC0, 0x1FFF, _WORD), (0xD7, 0xD7, _OTHER), (0xF7, 0xF7, _OTHER), (0x2C00, 0x2DFF, _WORD),
    (0x3005, 0x3007, _HAN), (0x3040, 0x30FF, _HAN), (0x3105, 0x318E, _WORD), (0x3400, 0x4DBF, _HAN), (0x4E00, 0x9FFF, _HAN),
    (0xA000, 0xD7FF, _WORD), (0xF900, 0xFAFF, _HAN), (0xFB00, 0xFDFF, _WORD), (0xFE70, 0xFEFC, _WORD), (0xFF10, 0xFF19, _WORD),
    (0xFF21, 0xFF3A, _WORD), (0xFF41, 0xFF5A, _WORD), (0xFF66, 0xFFDC, _WORD), (0x10000, 0x1FFFF, _WORD),
    (0x20000, 0x3FFFF, _HAN),
]  # fmt: skip
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)


def fingerprint(dimensions: int) -> str:
    return f"hash-{dimensions}-{_REVISION}"


class Hash:
    """Feature hashing into `dimensions` numbers."""

    window = 1 << 31

    def __init__(self, dimensions: int = DIMENSIONS) -> None:
        self.dimensions = dimensions
        self.fingerprint = fingerprint(dimensions)

    def passages(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        made = np.empty((len(texts), self.dimensions), np.float32)
        block: list[str] = []
        size = done = 0
        for text in texts:
            block.append(text)
            size += len(text)
            if size >= _BLOCK_CHARACTERS:
                made[done : done + len(block)] = self._block(block)
                done, size, block = done + len(block), 0, []
        if block:
            made[done:] = self._block(block)
        return made

    def tokens(self, texts: Sequence[str]) -> list[int]:
        return []

    def queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self.passages(texts)

    def _block(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        features, rows = _features([encodable(text).lower() for text in texts])
        # Mixed (the finaliser of splitmix64), because low bits of a polynomial depend on low bits of characters only.
        features = (features ^ (features >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        features = (features ^ (features >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        features ^= features >> np.uint64(31)
        cells = rows * self.dimensions + ((features >> np.uint64(1)) % np.uint64(self.dimensions)).astype(np.int64)
        signs = 1.0 - 2.0 * (features & np.uint64(1)).astype(np.float64)
        sums = np.bincount(cells, signs, len(texts) * self.dimensions).reshape(len(texts), self.dimensions)
        lengths = np.sqrt((sums * sums).sum(axis=1))
        sums[lengths == 0, 0] = lengths[lengths == 0] = 1.0  # no words, or they cancel out: still a unit vector
        scaled: NDArray[np.float32] = (sums / lengths[:, None]).astype(np.float32)
        return scaled


def _features(texts: list[str]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return a 64-bit number for every word and Han bigram of the texts, and the row of the text that it is in."""
    import numpy as np

    # A separator before each text and after the last, so that no word reaches into a neighbour.
    points = np.frombuffer(("\n" + "\n".join(texts) + "\n").encode("utf-32-le"), np.uint32)
    classes = _table()[np.minimum(points, len(_table()) - 1)]
    text_starts = np.cumsum([0] + [len(text) + 1 for text in texts])

    change = np.flatnonzero(classes[1:] != classes[:-1]) + 1
    starts, ends = change[:-1], change[1:]
    is_word = classes[starts] == _WORD
    is_lone = (classes[starts] == _HAN) & (ends - starts == 1)
    han = classes == _HAN
    pairs = np.flatnonzero(han[1:] & han[:-1])

    starts, ends = starts[is_word], ends[is_word]
    powers, inverses = _powers(len(points))
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum((points.astype(np.uint64) + np.uint64(1)) * powers)])
    words = (sums[ends] - sums[starts]) * inverses[starts]
    lone = change[:-1][is_lone]
    lone_numbers = points[lone].astype(np.uint64)
    pair_numbers = (points[pairs].astype(np.uint64) << np.uint64(32)) | points[pairs + 1]

    positions = np.concatenate([starts, lone, pairs])
    rows = np.searchsorted(text_starts, positions, side="right") - 1
    return np.concatenate([words, lone_numbers, pair_numbers]), rows.astype(np.int64)


@cache
def _table() -> NDArray[np.uint8]:
    """Class of each code point; the last entry stands for all above."""
    import numpy as np

    table = np.zeros(0x40001, np.uint8)
    for first, last, kind in _CLASSES:
        table[first : last + 1] = kind
    return table


_known_powers: list[NDArray[np.uint64]] = []


def _powers(size: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Powers 0 .. size - 1 of the base and of its inverse, modulo 2^64; kept, and grown when a longer text comes."""
    import numpy as np

    if not _known_powers or len(_known_powers[0]) < size:
        room = 1 << (size - 1).bit_length()
        bases = np.full((2, room), [[_BASE], [_INVERSE]], np.uint64)
        bases[:, 0] = 1
        _known_powers[:] = np.cumprod(bases, axis=1, dtype=np.uint64)
    return _known_powers[0][:size], _known_powers[1][:size]
