"""Reads a sealed vector build: exact nearest rows among those a predicate admits, and an account of what is held.

A predicate becomes a list of gates and, where sources are listed, of sources (see `ingest.model.gate`); the engine applies
both before it ranks. Equal scores are ordered by chunk id, also where the limit cuts through them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indexes.header import damaged, read_gates, read_header
from indexes.vector.format import FORMAT, SHARD, chunk_id, content_hash, gates_path, point_ids
from indexes.vector.shard import FEW, Held, Only, Shard
from ingest.model.gate import Gates, gate_aspects, gate_id
from ingest.model.language import primary
from ingest.model.predicate import Predicate
from ingest.protocols import Aspects, Hit, VectorReader

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_TIES = 8
"""Rows asked for beyond the limit, so that those which tie there are seldom asked for again: to give them costs nothing."""
_MANY = 0.45
"""Of all rows: where gates are so many that they are listed as a set and admit more than this, it costs the engine less to look
for what is not excluded. Of 100,800 chunks 46 % took 5.1 ms listed and 5.2 by exclusion, 69 % 8.1 and 6.8; one by one 5.4."""


def open_reader(path: Path) -> VectorReader:
    """Open the build in the folder `path`; no byte of it changes. Raises BuildCorrupt naming the file that is missing or cut."""
    reader = _opened(path, Shard.open_sealed, read_header(path, "vector", FORMAT))
    if not reader.fits:
        reader.close()
        raise damaged(gates_path(path), "it does not match the points of the shard")
    return reader


def open_as_is(path: Path) -> ShardReader:
    """As `open_reader`, but from a private copy and also where gates and points do not match: to tell which rows are concerned,
    never to search."""
    return _opened(path, Shard.open_copy, read_header(path, "vector", FORMAT, grown=True))


def _opened(path: Path, opener: Callable[[Path], Shard], header: dict[str, Any]) -> ShardReader:
    gates = read_gates(gates_path(path))
    shard = opener(path / SHARD)
    held = shard.facet("gate", len(gates.columns) + 1)
    # Excluding gates instead of listing them is safe only where every point is filed under a gate that is known.
    fits = held.keys() == gates.columns.keys() and sum(held.values()) == header["points"] == shard.count()
    return ShardReader(shard, gates, int(header["dimensions"]), held, fits)


class ShardReader:
    """See `ingest.protocols.VectorReader`. Threads may share one. `held`: gate -> how many points are filed under it; `fits`:
    whether gates and points match."""

    def __init__(self, shard: Shard, gates: Gates, dimensions: int, held: Mapping[str, int], fits: bool = True) -> None:
        self._shard = shard
        self._held = held
        self._gates = gates
        self._dimensions = dimensions
        self.fits = fits

    def search(self, query: NDArray[np.float32], predicate: Predicate, limit: int) -> list[Hit]:
        # Costs nothing more than all languages at once.
        return best_of(self.by_language(query, predicate, limit).values(), limit)

    def by_language(self, query: NDArray[np.float32], predicate: Predicate, limit: int) -> dict[str, list[Hit]]:
        gates: dict[str, set[str]] = {}
        for gate in self._gates.admitted(predicate):
            gates.setdefault(primary(self._gates.columns[gate].language), set()).add(gate)
        hits = {each: self._nearest(query, gates[each], predicate.sources, limit) for each in sorted(gates)}
        return {language: some for language, some in hits.items() if some}

    def _count(self, gates: Set[str]) -> int:
        """How many rows are filed under some gates."""
        return sum(self._held.get(gate, 0) for gate in gates)

    def _nearest(
        self, query: NDArray[np.float32], gates: Set[str], sources: Sequence[str] | None, limit: int
    ) -> list[Hit]:
        if query.shape != (self._dimensions,):
            raise ValueError(f"the query has shape {query.shape}, the index ({self._dimensions},)")
        if not gates or sources == () or limit <= 0:
            return []
        only = self._only(gates, sources)
        numbers = query.astype("float32").tolist()
        asked = limit + _TIES
        while True:
            found = self._shard.nearest(numbers, only, asked)
            # Enough when all were given, or when the last one given lies strictly below the limit's score.
            if len(found) < asked or found[-1][1] < found[limit - 1][1]:
                break
            asked *= 4
        hits = [Hit(chunk_id(point), score) for point, score in found]
        hits.sort(key=lambda hit: (-hit.score, hit.chunk_id))
        return hits[:limit]

    def _only(self, admitted: Set[str], sources: Sequence[str] | None) -> Only:
        """Return what to narrow a search to: few gates are listed, and so are few rows; many rows are what is left without the
        others."""
        excluded = [gate for gate in self._gates.columns if gate not in admitted]
        if excluded and (len(admitted) <= FEW or self._count(admitted) < _MANY * sum(self._held.values())):
            return Only(sorted(admitted), None, sources)
        return Only(None, excluded or None, sources)

    def pairs(self) -> Iterator[tuple[str, str]]:
        return ((chunk_id(point), checksum) for point, checksum in self._shard.checksums())

    def contents(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for (gate, source), points in self._shard.filed(point_ids(chunk_ids)).items():
            # What the indexes do not file where the payload says keeps an empty hash, which equals none.
            found.update({chunk_id(point): "" for point in points})
            if gate in self._gates.columns and gate_id(self._gates.columns[gate]) == gate:
                found.update({chunk_id(held.id): _hash(held) for held in self._shard.points_of(points, gate, source)})
        return found

    def false_gates(self) -> list[str]:
        return self._gates.false()

    def vectors(self, chunk_ids: Sequence[str]) -> dict[str, bytes]:
        """chunk_id -> the vector that is held, float32."""
        return {chunk_id(held.id): _bytes(held) for held in self._shard.given(point_ids(chunk_ids))}

    def described(self, chunk_ids: Sequence[str]) -> dict[str, Aspects]:
        found: dict[str, Aspects] = {}
        for held in self._shard.given(point_ids(chunk_ids)):
            columns = self._gates.columns.get(held.gate)
            gate = {} if columns is None else gate_aspects(columns)
            found[chunk_id(held.id)] = {
                **gate, "source_id": held.source_id, "row_checksum": held.row_checksum, "vector": _bytes(held), "gate": held.gate,
            }
        return found

    def close(self) -> None:
        self._shard.close()


def best_of(lists: Iterable[Sequence[Hit]], limit: int) -> list[Hit]:
    """Return the `limit` best of lists that have their own `limit` best, ties by chunk id."""
    return sorted((hit for hits in lists for hit in hits), key=lambda hit: (-hit.score, hit.chunk_id))[:limit]


def _bytes(held: Held) -> bytes:
    import numpy as np

    return np.asarray(held.vector, "<f4").tobytes()


def _hash(held: Held) -> str:
    return content_hash(_bytes(held), held.row_checksum, held.source_id, held.gate)
