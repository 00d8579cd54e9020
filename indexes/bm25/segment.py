"""A segment: rows that were written together, with their postings by term. Immutable, in memory or mapped from a file.

Rows are numbered in order of chunk id, terms in order of code points; term t has the postings start[t] to start[t + 1], their
rows ascending.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.arrayfile import ArrayFile
from indexes.bm25.columns import NUMBER_COLUMNS, TEXT_COLUMNS, Columns, TextColumn
from indexes.bm25.texts import Texts
from indexes.header import damaged

KIND = "segment"
SUFFIX = ".segment"

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Segment:
    """`file` is what it is mapped from, None in memory."""

    chunk_ids: Texts
    checksums: Texts
    lengths: Array
    columns: Columns
    terms: Texts
    start: Array
    doc: Array
    count: Array
    file: ArrayFile | None = None

    @property
    def name(self) -> str:
        """Digest of the file; empty while there is none."""
        return self.file.digest if self.file else ""

    @property
    def rows(self) -> int:
        return len(self.lengths)

    def postings(self, term: int) -> tuple[Array, Array]:
        """Rows that hold term number `term`, ascending, and how often."""
        begin, end = self.start.data[term], self.start.data[term + 1]
        return self.doc[begin:end], self.count[begin:end]

    def check(self) -> None:
        """Compare every byte with its checksum. Raises BuildCorrupt."""
        if self.file:
            self.file.check()


def arrays_of(segment: Segment) -> Iterator[tuple[str, Array]]:
    """Everything of a segment but its postings, in the order of the file."""
    yield from _texts("chunk_id", segment.chunk_ids)
    yield from _texts("row_checksum", segment.checksums)
    yield "length", segment.lengths
    for name in TEXT_COLUMNS:
        yield from _texts(f"{name}.value", segment.columns.texts[name].values)
        yield f"{name}.code", segment.columns.texts[name].codes
    for name in NUMBER_COLUMNS:
        yield name, segment.columns.numbers[name]
    yield from _texts("term", segment.terms)
    yield "start", segment.start


def disorder(segment: Segment) -> str | None:
    """Say which order of a segment does not hold, None where all do. Reads everything once."""
    for name, texts in (("chunk_id", segment.chunk_ids), ("term", segment.terms)):
        if any(second <= first for first, second in pairwise(texts.all_raw())):
            return f"{name} is not sorted"
    start, doc = segment.start.astype(np.int64), segment.doc
    if start[0] != 0 or start[-1] != len(doc) or (np.diff(start) <= 0).any():
        return "start does not ascend through the postings"
    ascends = doc[1:] > doc[:-1]
    ascends[start[1:-1] - 1] = True  # from the last row of a term to the first of the next
    if not ascends.all() or (len(doc) and int(doc.max()) >= segment.rows):
        return "the rows of a term do not ascend"
    return None if (segment.count > 0).all() else "a posting counts nothing"


def file_name(name: str) -> str:
    return name + SUFFIX


def open_segment(folder: Path, name: str) -> Segment:
    """Map a segment. Raises BuildCorrupt when the file is missing, cut, or not the one of that name."""
    path = folder / file_name(name)
    file = ArrayFile(path, KIND)
    if file.digest != name:
        raise damaged(path, f"its content is that of {file.digest}")
    columns = Columns(
        {column: TextColumn(_read_texts(file, f"{column}.value"), file[f"{column}.code"]) for column in TEXT_COLUMNS},
        {column: file[column] for column in NUMBER_COLUMNS},
    )
    return Segment(
        _read_texts(file, "chunk_id"), _read_texts(file, "row_checksum"), file["length"], columns, _read_texts(file, "term"),
        file["start"], file["doc"], file["count"], file,
    )


def _texts(name: str, texts: Texts) -> Iterator[tuple[str, Array]]:
    yield f"{name}.text", texts.text
    yield f"{name}.at", texts.at


def _read_texts(file: ArrayFile, name: str) -> Texts:
    return Texts(file[f"{name}.text"], file[f"{name}.at"])
