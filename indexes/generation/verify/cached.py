"""Deep: cache entries against their hashes. A damaged one costs time, never content: it counts as absent wherever it is read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from indexes.generation.verify.findings import CACHE_ENTRY, Drift, of_ids
from ingest.errors import StorageFailed
from ingest.progress import Progress
from ingest.store.cache import Cache

_AT_ONCE = 1000


def damaged_entries(cache: Cache, progress: Progress) -> Iterator[Drift]:
    """Yield what in the cache is not what was put there, by stage; ids are keys."""
    found: dict[str, list[str]] = defaultdict(list)
    try:
        progress.start("cache", cache.count(), "entries")
        for number, (stage, key, whole) in enumerate(cache.entries(), 1):
            if not whole:
                found[str(stage)].append(str(key))
            if number % _AT_ONCE == 0:
                progress.advance("cache", _AT_ONCE)
        progress.finish("cache")
        cache.check()
    except StorageFailed as error:
        yield Drift(CACHE_ENTRY, "cache", str(error))
    for stage, keys in sorted(found.items()):
        yield of_ids(CACHE_ENTRY, f"cache/{stage}", keys, "entry", "not what their hashes say")
