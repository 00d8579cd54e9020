"""Vectors against the embeddings they were made from: all of them against the cache, and a sample against the model itself.

The cache proves that a vector was not changed since; only embedding a text anew proves that it was right. The sample is chosen
by a hash of chunk ids, so equal bases give equal samples.
"""

from __future__ import annotations

import hashlib
import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from indexes.generation.kinds import units
from indexes.generation.verify.findings import ALTERED_VECTOR, CACHE_ENTRY, COULD_NOT_TELL, Drift, of_ids
from ingest.errors import ConcordError
from ingest.model.batches import batches
from ingest.model.canonical import sha256_hex
from ingest.model.row import ChunkRow
from ingest.progress import Progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED = b"concord verify 1"
ALIKE = 0.9995
"""Cosine from which on two vectors of one text are the same: engines differ in their last bits from processor to processor."""

_AT_ONCE = 256


class Embeddings(Protocol):
    """Where the vectors of a base come from. `stage`: under which the cache keeps them."""

    stage: str

    def cached(self, texts: Sequence[str]) -> list[bytes | None]:
        """The cached vector of each text, float32; None where there is none."""

    def embedded(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The vector of each text, computed now. Raises ConcordError where the engine is not here."""


@dataclass(slots=True)
class Sample:
    """The `most` rows whose id hashes lowest, of all that were offered."""

    most: int
    _heap: list[tuple[int, str, str]] = field(default_factory=list)

    def offer(self, rows: Sequence[ChunkRow]) -> None:
        for row in rows:
            digest = hashlib.blake2b(row.chunk_id.encode(), digest_size=8, key=SEED).digest()
            entry = (-int.from_bytes(digest, "big"), row.chunk_id, row.embed_text)
            if len(self._heap) < self.most:
                heapq.heappush(self._heap, entry)
            elif self.most and entry > self._heap[0]:
                heapq.heapreplace(self._heap, entry)

    def chosen(self) -> dict[str, str]:
        """chunk id -> text, by id."""
        return dict(sorted((id, text) for _, id, text in self._heap))


@dataclass(slots=True)
class Compared:
    """Which rows' vectors are not what the model makes of their texts, in the index and in the cache."""

    index: set[str] = field(default_factory=set)
    cache: dict[str, str] = field(default_factory=dict)
    """Chunk id -> key of the entry."""
    done: set[str] = field(default_factory=set)
    error: str = ""


def compare(texts: dict[str, str], reader: Any, embeddings: Embeddings, progress: Progress) -> Compared:
    """Embed `texts` (chunk id -> text) anew and compare with what index and cache hold."""
    found = Compared()
    progress.start("embed", len(texts), "texts")
    for part in batches(texts.items(), _AT_ONCE):
        ids, said = [id for id, _ in part], [text for _, text in part]
        try:
            made = [vector.astype("<f4").tobytes() for vector in embeddings.embedded(said)]
        except ConcordError as error:
            found.error = str(error)
            break
        true = dict(zip(ids, units(made), strict=True))
        cached = dict(zip(ids, units(embeddings.cached(said)), strict=True))
        held = reader.vectors(ids)
        for id, text in part:
            if id in held and not _alike(true[id], held[id]):
                found.index.add(id)
            if cached[id] is not None and not _alike(true[id], cached[id]):
                found.cache[id] = sha256_hex(text)
        found.done.update(ids)
        progress.advance("embed", len(part))
    progress.finish("embed")
    return found


def told(found: Compared, wanted: int, uncached: set[str], stage: str) -> Iterator[Drift]:
    """Yield what came of comparing. `wanted`: how many rows were to be embedded; `uncached`: rows whose vector no cache holds."""
    if found.index:
        yield of_ids(ALTERED_VECTOR, "vector", found.index, "row", "not what the model makes of the text")
    if found.cache:
        keys = set(found.cache.values())
        yield of_ids(CACHE_ENTRY, f"cache/{stage}", keys, "entry", "not what the model makes of the text")
    if found.error:
        yield Drift(COULD_NOT_TELL, "vector", f"{wanted - len(found.done)} rows were not embedded anew: {found.error}")
    left = uncached - found.done
    if left:
        remedy = "no cached embedding to compare with; ingest verify --deep --all embeds them anew"
        yield of_ids(COULD_NOT_TELL, "vector", left, "vector", remedy)


def _alike(one: bytes | None, other: bytes | None) -> bool:
    import numpy as np

    if one == other:
        return True
    if one is None or other is None or len(one) != len(other):
        return False
    return float(np.frombuffer(one, "<f4").astype(float) @ np.frombuffer(other, "<f4").astype(float)) >= ALIKE
