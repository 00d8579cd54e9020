"""The vector index in memory: every row compared with the query, in plain numpy. The oracle of the contract suite.

Builds are kept under the paths they were written to, though nothing is written there, so it serves wherever the others do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from indexes.vector.format import content_hash, unit
from ingest.errors import BuildCorrupt
from ingest.model.gate import gate_id
from ingest.model.generation import IndexKind
from ingest.model.language import primary
from ingest.model.predicate import FilterColumns, Predicate, filter_columns
from ingest.progress import Progress
from ingest.protocols import Hit, VectorDelta, VectorReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class _Row:
    columns: FilterColumns
    row_checksum: str
    vector: NDArray[np.float32]

    def content(self) -> str:
        return content_hash(self.vector.tobytes(), self.row_checksum, self.columns.source_id, gate_id(self.columns))


class MemoryVectors:
    """Writer and shelf of vector builds in memory."""

    kind: IndexKind = "vector"
    fingerprint = "vector in memory, float32 unit vectors, dot"

    def __init__(self) -> None:
        self._builds: dict[Path, dict[str, _Row]] = {}

    def write(self, base: Path | None, delta: VectorDelta, target: Path, progress: Progress) -> dict[str, str]:
        rows = {} if base is None else dict(self._builds[base])
        for gone in delta.removed:
            rows.pop(gone, None)
        contents = {}
        progress.start("vector", delta.count, "rows")
        for item in delta.rows:
            vector = unit(item.vector[None, :])[0]
            made = rows[item.row.chunk_id] = _Row(filter_columns(item.row), item.row.row_checksum, vector)
            contents[item.row.chunk_id] = made.content()
            progress.advance("vector")
        progress.finish("vector")
        self._builds[target] = rows
        return contents

    def open_reader(self, path: Path) -> VectorReader:
        if path not in self._builds:
            raise BuildCorrupt(f"no vector build {path} in memory")
        return _Reader(self._builds[path])


class _Reader:
    def __init__(self, rows: dict[str, _Row]) -> None:
        self._rows = rows

    def search(self, query: NDArray[np.float32], predicate: Predicate, limit: int) -> list[Hit]:
        hits = [
            Hit(chunk_id, float(row.vector @ query)) for chunk_id, row in self._rows.items() if predicate.admits(row.columns)
        ]
        hits.sort(key=lambda hit: (-hit.score, hit.chunk_id))
        return hits[: max(limit, 0)]

    def by_language(self, query: NDArray[np.float32], predicate: Predicate, limit: int) -> dict[str, list[Hit]]:
        tags: dict[str, set[str]] = {}
        for row in self._rows.values():
            if predicate.admits(row.columns):
                tags.setdefault(primary(row.columns.language), set()).add(row.columns.language)
        found = {each: self.search(query, replace(predicate, languages=tuple(tags[each])), limit) for each in sorted(tags)}
        return {language: hits for language, hits in found.items() if hits}

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        return {chunk_id: self._rows[chunk_id].vector.tobytes() for chunk_id in chunk_ids if chunk_id in self._rows}

    def pairs(self) -> Iterator[tuple[str, str]]:
        return ((chunk_id, row.row_checksum) for chunk_id, row in self._rows.items())

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        return {chunk_id: self._rows[chunk_id].content() for chunk_id in chunk_ids if chunk_id in self._rows}

    def close(self) -> None:
        self._rows = {}
