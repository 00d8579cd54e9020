"""Arrow columns from Python lists and numpy arrays, and back, without `pa.array` and `to_numpy`.

Those look whether they are given something of pandas, and to look they import pandas wherever that is installed: 0.4 s and 50 MB
in a run that changes one document. What is needed here is little: texts, lists of texts, numbers without nulls.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
from numpy.typing import NDArray

_TEXTS = pa.list_(pa.string())


def array_of(entries: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return `entries` as an Arrow array of `kind`: string (None becomes null), list of strings, or float64."""
    if kind == _TEXTS:
        return pa.ListArray.from_arrays(_offsets(map(len, entries)), texts([text for entry in entries for text in entry]))
    return texts(entries) if kind == pa.string() else numbers(np.array(entries, kind.to_pandas_dtype()))


def table(lines: Sequence[dict[str, Any]], schema: pa.Schema) -> pa.Table:
    """Return lines, each a dict with a value for every field, as a table."""
    return pa.Table.from_arrays([array_of([line[field.name] for line in lines], field.type) for field in schema], schema=schema)


def texts(entries: Sequence[str | None]) -> pa.Array:
    """Return texts as an Arrow array; None becomes null."""
    encoded = [b"" if entry is None else entry.encode() for entry in entries]
    there = None
    if None in entries:
        there = pa.py_buffer(np.packbits([entry is not None for entry in entries], bitorder="little"))
    buffers = [there, _offsets(map(len, encoded)).buffers()[1], pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(entries), buffers)


def numbers(held: NDArray[Any]) -> pa.Array:
    """Return a numpy array of numbers as an Arrow array over the same memory."""
    return pa.Array.from_buffers(pa.from_numpy_dtype(held.dtype), len(held), [None, pa.py_buffer(held)])


def values(array: pa.Array) -> NDArray[Any]:
    """Undo `numbers`."""
    dtype = np.dtype(array.type.to_pandas_dtype())
    held: NDArray[Any] = np.frombuffer(array.buffers()[1] or b"", dtype)[array.offset : array.offset + len(array)]
    return held


def flat(column: Any) -> pa.Array:
    """Return a column of a table in one piece."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.combine_chunks() if column.num_chunks else array_of([], column.type)


def _offsets(lengths: Iterable[int]) -> pa.Array:
    return numbers(np.cumsum([0, *lengths], dtype=np.int32))
