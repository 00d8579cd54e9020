"""Filter columns as a segment stores them: texts as codes into a small sorted dictionary, numbers as they are.

One list of names and one way back to `FilterColumns`, so that writing, filtering and hashing a row cannot disagree.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.arrayfile import narrowed
from indexes.bm25.texts import Texts
from ingest.model.canonical import canonical
from ingest.model.predicate import FilterColumns

TEXT_COLUMNS = ("source_id", "tenant", "acl", "status", "family", "version", "scope", "language")
NUMBER_COLUMNS = ("level", "valid_from", "valid_until")


@dataclass(frozen=True, slots=True)
class TextColumn:
    """The sorted distinct values of a column, and for each row the index of its own."""

    values: Texts
    codes: NDArray[Any]

    @classmethod
    def of(cls, values: Sequence[str], codes: NDArray[Any]) -> TextColumn:
        """Make the canonical column of values in any order, some perhaps equal or unused."""
        used = sorted({values[code] for code in np.unique(codes).tolist()})
        place = {value: at for at, value in enumerate(used)}
        moved = np.array([place.get(value, 0) for value in values] or [0], dtype=np.int64)
        return cls(Texts.of(used), narrowed(moved[codes]))


@dataclass(frozen=True, slots=True)
class Columns:
    """Every filter column of a segment, by the names above."""

    texts: dict[str, TextColumn]
    numbers: dict[str, NDArray[Any]]


@lru_cache(maxsize=4096)
def acl_text(acl: tuple[str, ...]) -> str:
    """An access list as one text."""
    return canonical(acl).decode("utf-8", "surrogatepass")


@lru_cache(maxsize=4096)
def acl_of(text: str) -> tuple[str, ...]:
    return tuple(json.loads(text))


@lru_cache(maxsize=4096)
def columns_bytes(row: FilterColumns) -> bytes:
    """What enters the content hash of a row. Cached, because the rows of a document share their columns."""
    return canonical(row)


def rows_of(columns: Columns, rows: Sequence[int]) -> list[FilterColumns]:
    """Read the columns of some rows back."""
    fields: dict[str, list[Any]] = {}
    for name, column in columns.texts.items():
        codes = column.codes[rows].tolist()
        values = {code: column.values[code] for code in set(codes)}
        fields[name] = [values[code] for code in codes]
    fields["acl"] = [acl_of(text) for text in fields["acl"]]
    for name, numbers in columns.numbers.items():
        fields[name] = numbers[rows].tolist()
    order = FilterColumns.__dataclass_fields__
    return [FilterColumns(*values) for values in zip(*(fields[name] for name in order), strict=True)]
