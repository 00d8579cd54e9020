"""Many texts in two arrays: their UTF-8 on end, and where each begins. What a segment stores ids and terms in.

Nothing is decoded before it is asked for, so a dictionary of a million terms opens at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.arrayfile import narrowed

_AT_ONCE = 4096
_FEW = 32
"""Below one wanted text in this many, binary search beats decoding the whole list."""


def encode(text: str) -> bytes:
    """UTF-8; lone surrogates, which file names may bring, as three bytes. Bytes sort as code points do."""
    return text.encode("utf-8", "surrogatepass")


class Texts:
    """A sequence of texts. `text` is u1, `at` has one offset more than there are texts."""

    __slots__ = ("_at", "_text", "at", "text")

    def __init__(self, text: NDArray[np.uint8], at: NDArray[Any]) -> None:
        self.text, self.at = text, at
        self._text, self._at = text.data, at.data

    @classmethod
    def of(cls, texts: Iterable[str]) -> Texts:
        return cls.of_raw([encode(text) for text in texts])

    @classmethod
    def of_raw(cls, raw: Sequence[bytes]) -> Texts:
        at = np.zeros(len(raw) + 1, dtype=np.int64)
        np.cumsum([len(item) for item in raw], out=at[1:])
        return cls(np.frombuffer(b"".join(raw), dtype=np.uint8), narrowed(at))

    def __len__(self) -> int:
        return len(self._at) - 1

    def raw(self, index: int) -> bytes:
        return bytes(self._text[self._at[index] : self._at[index + 1]])

    def __getitem__(self, index: int) -> str:
        return self.raw(index).decode("utf-8", "surrogatepass")

    def all(self) -> list[str]:
        """Every text, decoded."""
        data, bounds = bytes(self._text), self.at.tolist()
        if data.isascii():
            text = data.decode("ascii")
            return [text[begin:end] for begin, end in pairwise(bounds)]
        return [data[begin:end].decode("utf-8", "surrogatepass") for begin, end in pairwise(bounds)]

    def all_raw(self) -> Iterator[bytes]:
        """Every text as UTF-8, a little at a time: merging reads many long lists at once."""
        for first in range(0, len(self), _AT_ONCE):
            bounds = self.at[first : first + _AT_ONCE + 1].tolist()
            data = bytes(self._text[bounds[0] : bounds[-1]])
            yield from (data[begin - bounds[0] : end - bounds[0]] for begin, end in pairwise(bounds))

    def find(self, text: str) -> int:
        """Return where a sorted list holds `text`, or -1."""
        wanted = encode(text)
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self.raw(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self.raw(low) == wanted else -1

    def find_many(self, wanted: Sequence[str]) -> list[int]:
        """`find` for each of many."""
        if len(wanted) * _FEW < len(self):
            return [self.find(text) for text in wanted]
        places = {text: place for place, text in enumerate(self.all())}
        return [places.get(text, -1) for text in wanted]
