"""Streams in pieces of a bounded size: how everything that may be large is read, written and looked up."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Split `items` into lists of `size`, the last one shorter. Consumed lazily."""
    iterator = iter(items)
    while part := list(islice(iterator, size)):
        yield part
