"""What a document that was read became, and where the caches have what was made of it."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import TypeVar

import orjson

from entities.identifiers import Found
from entities.mentions.recogniser import VERSION
from flows.base import Base
from flows.work import Made, unpack
from ingest.errors import StorageFailed
from ingest.model.chunk import Chunked
from ingest.model.source import Revision
from ingest.sources.found import Content, Scanned

T = TypeVar("T")

MADE = "made"
"""Cache stage of `flows.work.Made`, heads only."""
CHUNKS = "chunks"
"""Cache stage of `Chunked`, under the same keys."""
PARSED = "parsed"
"""Cache stage of parsed documents of formats that are slow to parse."""
FOUND = f"identifiers:{VERSION}"
"""Cache stage of the identifiers in chunks, under the keys of these."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """A document that was read and differs from what is served: its state now, and the key of its chunks in the cache.

    `content` carries the signatures to remember; its bytes are dropped. None: it could not be read."""

    scanned: Scanned
    revision: Revision
    stages: dict[str, str]
    media_type: str | None
    content: Content | None
    made: Made
    key: str | None = None

    def chunks(self, base: Base) -> Chunked:
        """Return the chunks that were made of the document."""
        chunked = held(base, CHUNKS, Chunked, self.key) if self.key is not None else None
        if chunked is None:
            raise StorageFailed(f"the chunks of {self.scanned.source.uri} are no longer in the cache; run again, and they are")
        return chunked

    def found(self, base: Base) -> list[list[Found]] | None:
        """Return the identifiers in each of the chunks, where the cache has them."""
        data = base.cache.get_many(FOUND, [self.key]).get(self.key) if self.key is not None else None
        if data is None:
            return None
        return [[Found(*one) for one in chunk] for chunk in orjson.loads(zlib.decompress(data))]


def held(base: Base, stage: str, kind: type[T], key: str) -> T | None:
    """Return what the cache holds under `key`, if it does and still can be read."""
    data = base.cache.get_many(stage, [key]).get(key)
    return None if data is None else unpack(kind, data)
