"""What the writers of both indexes do alike: from the build before to the next epoch on the server.

    what a dead run left is taken back; what came after the base is closed; what was closed since comes back; what is removed is
    closed; rows are put; the folder gets a header that says where all this is
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from indexes.qdrant.conditions import held_at
from indexes.qdrant.format import Header, received
from indexes.qdrant.place import Place
from indexes.qdrant.points import Points, Put
from indexes.qdrant.schema import ensure
from ingest.model.batches import batches
from ingest.model.generation import IndexKind


@dataclass(frozen=True, slots=True)
class Epoch:
    """A build that is being written. `base`: the header of the one before; `anew`: nothing of it is held as it is."""

    points: Points
    number: int
    base: Header | None
    anew: bool
    batch: int

    def carry(self, restored: Callable[[Any], Put], gone: frozenset[str]) -> None:
        """Hold again what the base holds and later builds closed (after a rollback, what it took back); where the epoch is begun
        anew, all that the base holds. `restored` makes a row of a point."""
        if self.base is None:
            return
        kind, base = self.points.kind, self.base.epoch
        where = held_at(kind, base) if self.anew else self.points.lost_since(base)
        found = self.points.scroll(where, True, vectors=True)
        kept = (record for record in found if received(record.payload["chunk_id"]) not in gone)
        for part in batches(kept, self.batch):
            self.points.put([restored(record) for record in part], self.number)

    def close(self, chunk_ids: Iterable[str]) -> None:
        """End what is held of some chunks by earlier epochs."""
        if self.base is not None:
            self.points.close(chunk_ids, self.number)

    def put(self, rows: Iterable[Put]) -> Iterator[list[Put]]:
        """Put rows in the place of those that are held of the same chunks; yields each batch once it is there."""
        for part in batches(rows, self.batch):
            self.close(row.chunk_id for row in part)
            self.points.put(part, self.number)
            yield part

    def held(self) -> int:
        """Return how many rows the build holds, as the server counts them."""
        return self.points.count(held_at(self.points.kind, self.number))


def begun(place: Place, kind: IndexKind, vector: str, base: Header | None, dimensions: int, *, anew: bool = False) -> Epoch:
    """Begin an epoch: the collection is there, and nothing of an older try is left in it."""
    name, owner = place.collection(dimensions) if base is None else (base.collection, place.owner())
    ensure(place.server, name, dimensions, owner)
    points = Points(place.server, name, kind, vector)
    number = place.following()
    points.begin(place.last(name, kind))
    points.close_later(0 if base is None or anew else base.epoch, number)
    return Epoch(points, number, base, anew, place.server.settings.batch)
