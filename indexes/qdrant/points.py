"""The points of one index in one collection: what a build holds, and how the next one comes of it.

A point carries the epochs [from, to) in whose builds it is, once for each index. Writing an epoch adds points and closes others;
what older builds hold is never changed by it. Every request says what is to be, so it may be sent twice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from indexes.qdrant.conditions import among, every, held_at, still_open, within
from indexes.qdrant.connect import Server
from indexes.qdrant.format import OPEN, point_id, since, until
from ingest.model.batches import batches
from ingest.model.generation import IndexKind

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

PAGE = 512
_IDS_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Put:
    """A row on its way: the payload without membership, and the vector of the index (None: it has none)."""

    chunk_id: str
    payload: dict[str, Any]
    vector: Any


@dataclass(frozen=True, slots=True)
class Points:
    """The points of index `kind`, whose vector is called `vector`, in a collection."""

    server: Server
    collection: str
    kind: IndexKind
    vector: str

    # What an epoch holds

    def scroll(
        self, where: Sequence[Any], fields: Sequence[str] | bool, *, vectors: bool = False, page: int = PAGE,
        most: int | None = None,
    ) -> Iterator[Any]:
        """Yield points (`payload`, `vector`) that meet all conditions, by id; at most `most`."""
        payload = fields if isinstance(fields, bool) else list(fields)
        vector = [self.vector] if vectors else False
        offset: Any = None
        given = 0
        while True:
            read = partial(
                _page, name=self.collection, where=every(where), offset=offset, payload=payload, vector=vector,
                limit=page if most is None else min(page, most - given),
            )
            records, offset = self.server.call("read points", read)
            yield from records
            given += len(records)
            if offset is None or given == most:
                return

    def count(self, where: Sequence[Any]) -> int:
        """Return how many points meet all conditions, exactly."""
        answer = self.server.call(
            "count points", lambda client: client.count(self.collection, count_filter=every(where), exact=True)
        )
        return int(answer.count)

    def facet(self, field: str, where: Sequence[Any], most: int) -> dict[str, int]:
        """Return the values of an indexed field among points that meet all conditions, and how many have each."""
        answer = self.server.call("count values", lambda client: client.facet(
            self.collection, key=field, facet_filter=every(where), limit=most, exact=True
        ))
        return {str(hit.value): hit.count for hit in answer.hits}

    def nearest(self, query: Any, where: Sequence[Any], limit: int, fields: Sequence[str]) -> list[Any]:
        """Return up to `limit` points (`score`, `payload`), best first."""
        from qdrant_client.models import SearchParams

        answer = self.server.call("search", lambda client: client.query_points(
            self.collection, query=query, using=self.vector, query_filter=every(where), limit=limit,
            search_params=SearchParams(exact=self.server.settings.exact), with_payload=list(fields), with_vectors=False,
        ))
        return list(answer.points)

    # Writing an epoch

    def begin(self, last: int) -> None:
        """Take back what a run that died left of epochs after `last`, the last one that is in place."""
        self._set({until(self.kind): OPEN}, [within(until(self.kind), gt=last, lt=OPEN)])
        later = every([within(since(self.kind), gt=last)])
        self.server.call("write points", lambda client: client.delete_payload(
            self.collection, keys=[since(self.kind), until(self.kind)], points=later, wait=True
        ))

    def close_later(self, base: int, epoch: int) -> None:
        """End with `epoch` what came after `base`: after a rollback, the newest builds are not what the next one starts from.
        Base 0: everything."""
        self._set({until(self.kind): epoch}, [
            within(since(self.kind), gt=base, lt=epoch), still_open(self.kind),
        ])

    def close(self, chunk_ids: Iterable[str], epoch: int) -> None:
        """End with `epoch` what is held of some chunks."""
        for part in batches(chunk_ids, _IDS_AT_ONCE):
            self._set({until(self.kind): epoch}, [
                among("chunk_id", part), within(since(self.kind), lt=epoch), still_open(self.kind),
            ])

    def lost_since(self, base: int) -> list[Any]:
        """Conditions of what the build of `base` holds and later ones closed."""
        return [*held_at(self.kind, base), within(until(self.kind), lt=OPEN)]

    def put(self, rows: Sequence[Put], epoch: int) -> None:
        """Hold rows from `epoch` on. The other index may have made the points already: then they get this vector too."""
        from qdrant_client import models

        ids = [point_id(row.chunk_id, epoch) for row in rows]
        member = {since(self.kind): epoch, until(self.kind): OPEN}
        there = self.server.call("read points", lambda client: client.retrieve(
            self.collection, ids=ids, with_payload=False, with_vectors=False
        ))
        known = {str(record.id) for record in there}
        fresh: list[Any] = []
        changes: list[Any] = []
        vectors: list[Any] = []
        for id, row in zip(ids, rows, strict=True):
            vector = {} if row.vector is None else {self.vector: row.vector}
            if id not in known:
                fresh.append(models.PointStruct(id=id, vector=vector, payload={**row.payload, **member}))
                continue
            if vector:
                vectors.append(models.PointVectors(id=id, vector=vector))
            changes.append(models.SetPayloadOperation(
                set_payload=models.SetPayload(payload={**row.payload, **member}, points=[id])
            ))
        if fresh:
            self.server.call("write points", lambda client: client.upsert(self.collection, points=fresh, wait=True))
        if changes:
            update = [models.UpdateVectorsOperation(update_vectors=models.UpdateVectors(points=vectors))] if vectors else []
            self.server.call("write points", lambda client: client.batch_update_points(
                self.collection, update_operations=[*update, *changes], wait=True
            ))

    def _set(self, payload: dict[str, Any], where: Sequence[Any]) -> None:
        self.server.call("write points", lambda client: client.set_payload(
            self.collection, payload=payload, points=every(where), wait=True
        ))


def _page(
    client: QdrantClient, *, name: str, where: Any, offset: Any, payload: Any, vector: Any, limit: int
) -> tuple[list[Any], Any]:
    records, following = client.scroll(
        name, scroll_filter=where, limit=limit, offset=offset, with_payload=payload, with_vectors=vector
    )
    return list(records), following
