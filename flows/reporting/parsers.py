"""What a base is made of: documents and pages by media type and by the parser they were made with."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from flows.base import Base
from flows.records import catalogued
from flows.reporting.history import Earlier
from flows.reporting.record import Parsed
from ingest.model.source import Revision, SourceRecord
from ingest.store.catalog import Published

UNKNOWN = "unknown"
"""The media type of what no parser takes."""

_WITH_PAGES = ("application/pdf", "application/vnd.openxmlformats-officedocument.presentationml.presentation")
_AT_ONCE = 500

_Kind = tuple[str, str]
"""Media type and fingerprint of the parser."""


def parsed(base: Base, stated: Iterable[tuple[str, Mapping[str, Any]]], read: Mapping[str, int | None]) -> tuple[Parsed, ...]:
    """Count all documents of a base. `stated`: every source id with its record as JSON types; `read`: pages of those that were
    read just now. Those of the others are looked up in the cache."""
    served: Counter[_Kind] = Counter()
    failed: Counter[_Kind] = Counter()
    pages: Counter[_Kind] = Counter()
    sought: dict[str, _Kind] = {}
    for id, record in stated:
        kind = (record["media_type"] or UNKNOWN, record["stages"].get("parse", ""))
        (failed if record["failure"] is not None else served)[kind] += 1
        if record["failure"] is not None or kind[0] not in _WITH_PAGES:
            continue
        if id in read:
            pages[kind] += read[id] or 0
        else:
            sought[_key(id, record)] = kind
    for key, count in _remembered(base, sought):
        pages[sought[key]] += count
    return tuple(
        Parsed(*kind, served[kind], failed[kind], pages.get(kind)) for kind in sorted(served.keys() | failed.keys())
    )


def of_head(base: Base, earlier: Earlier, kept: Sequence[Published]) -> tuple[Parsed, ...]:
    """As `parsed`, of the newest of the generations that are kept: as the report before counted it, or counted anew."""
    if not kept:
        return ()
    head = kept[0].manifest
    return earlier.parsers(head.snapshot) or parsed(base, catalogued(base.catalog, head.generation).stated(), {})


def as_stated(record: SourceRecord) -> Mapping[str, Any]:
    """Return of a record what `parsed` looks at, as JSON types."""
    revision = record.revision
    return {
        "media_type": record.media_type, "stages": record.stages, "failure": record.failure, "path": record.path,
        "revision": {"content": revision.content, "metadata": revision.metadata, "size": revision.size},
    }


def _key(id: str, record: Mapping[str, Any]) -> str:
    from flows.work import work_key

    return work_key(Revision(**record["revision"]), id, record["path"], record["stages"])


def _remembered(base: Base, sought: Mapping[str, _Kind]) -> Iterator[tuple[str, int]]:
    """(key, pages) of the documents whose heads the cache still has."""
    from flows.gathered import MADE

    keys = list(sought)
    for start in range(0, len(keys), _AT_ONCE):
        for key, head in base.cache.get_many(MADE, keys[start : start + _AT_ONCE]).items():
            try:
                count = orjson.loads(zlib.decompress(head))["pages"]
            except (zlib.error, ValueError, LookupError, TypeError):
                continue
            if isinstance(count, int):
                yield key, count
