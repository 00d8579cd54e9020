"""Reads a vector build on a server: the nearest rows among those a predicate admits, and an account of what is held."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexes.qdrant.conditions import admits
from indexes.qdrant.connect import Server
from indexes.qdrant.format import DENSE, columns_of, header_of, received
from indexes.qdrant.points import Points
from indexes.qdrant.rows import Rows, aspects_of, chunk_of
from indexes.vector.format import content_hash
from ingest.model.gate import gate_id
from ingest.model.language import primary
from ingest.model.predicate import Predicate
from ingest.protocols import Aspects, Hit
from ingest.together import together

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_TIES = 8
"""Rows asked for beyond the limit, so that those which tie there are seldom asked for again."""
_LANGUAGES = 10_000


def open_reader(path: Path, server: Server, *, whole: bool = True) -> ServerVectorReader:
    """Open the build that the folder `path` stands for. Raises BuildCorrupt where rows of it are missing (not with `whole`
    False: for who looks at what is wrong), ServerUnavailable."""
    header = header_of(path, "vector")
    rows = Rows(Points(server, header.collection, "vector", DENSE), header)
    if whole:
        rows.check()
    return ServerVectorReader(rows)


class ServerVectorReader:
    """See `ingest.protocols.VectorReader`. Threads may share one."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    @property
    def fits(self) -> bool:
        """As of a build in files; what is missing here is told by comparing the sets of rows."""
        return True

    def search(self, query: NDArray[np.float32], predicate: Predicate, limit: int) -> list[Hit]:
        if query.shape != (self._rows.header.dimensions,):
            raise ValueError(f"the query has shape {query.shape}, the index ({self._rows.header.dimensions},)")
        conditions = admits(predicate)
        if conditions is None or limit <= 0 or not self._rows.header.points:
            return []
        where, numbers = [*self._rows.where, *conditions], query.astype("float32").tolist()
        asked = limit + _TIES
        while True:
            found = self._rows.points.nearest(numbers, where, asked, ["chunk_id"])
            # Enough when all were given, or when the last one given lies strictly below the limit's score.
            if len(found) < asked or found[-1].score < found[limit - 1].score:
                break
            asked *= 4
        hits = [Hit(chunk_of(point), point.score) for point in found]
        hits.sort(key=lambda hit: (-hit.score, hit.chunk_id))
        return hits[:limit]

    def by_language(self, query: NDArray[np.float32], predicate: Predicate, limit: int) -> dict[str, list[Hit]]:
        conditions = admits(predicate)
        if conditions is None or limit <= 0:
            return {}
        tags: dict[str, list[str]] = {}
        for tag in self._rows.points.facet("language", [*self._rows.where, *conditions], _LANGUAGES):
            tags.setdefault(primary(received(tag)), []).append(received(tag))
        languages = sorted(tags)
        searches = [
            partial(self.search, query, replace(predicate, languages=tuple(tags[language])), limit) for language in languages
        ]
        return {language: hits for language, hits in zip(languages, together(searches), strict=True) if hits}

    def pairs(self) -> Iterator[tuple[str, str]]:
        return self._rows.pairs()

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        return {chunk: _hash(record) for chunk, record in self._rows.of(chunk_ids)}

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """chunk_id -> the vector that is held, float32."""
        return {chunk: _bytes(record) for chunk, record in self._rows.of(chunk_ids)}

    def described(self, chunk_ids: Sequence[str]) -> dict[str, Aspects]:
        return {chunk: {**aspects_of(record), "vector": _bytes(record)} for chunk, record in self._rows.of(chunk_ids)}

    def false_gates(self) -> list[str]:
        return []

    def close(self) -> None:
        self._rows.points.server.close()


def _bytes(record: Any) -> bytes:
    """The vector of a point as little-endian float32; empty where it has none."""
    import numpy as np

    return np.asarray((record.vector or {}).get(DENSE, []), "<f4").tobytes()


def _hash(record: Any) -> str:
    """The content of a point, derived anew; empty, which equals none, where its payload cannot be read."""
    try:
        columns = columns_of(record.payload)
    except (KeyError, TypeError, ValueError):
        return ""
    return content_hash(_bytes(record), record.payload.get("row_checksum", ""), columns.source_id, gate_id(columns))
