"""Which sources a request is narrowed to: by id, uri, path, folder or glob."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from indexes.generation.snapshot import Snapshot
from ingest.model.source import SourceRecord, source_id

_GLOB = "*?["


def sources_named(snapshot: Snapshot, names: Sequence[str]) -> tuple[str, ...]:
    """Return the ids of the sources that any of `names` stands for, sorted: an id, a uri (`root/path`), a path below any root, a
    folder of these with a slash at its end, or a glob over uris and paths (`*` takes slashes, too).

    A name is narrowed to whether or not there is such a source: what is hidden and what is not there give the same answer."""
    roots = snapshot.catalog.roots()
    found: set[str] = set()
    patterns = []
    for name in names:
        if name.endswith("/") or any(mark in name for mark in _GLOB):
            patterns.append(name + "*" if name.endswith("/") else name)
        else:
            root, _, path = name.partition("/")
            found |= {name, source_id(root, path), *(source_id(each, name) for each in roots)}
    if patterns:
        for fact in snapshot.catalog.facts("sources", snapshot.generation):
            record = fact.stated(SourceRecord)
            places = (f"{record['root']}/{record['path']}", record["path"])
            if any(fnmatchcase(place, pattern) for place in places for pattern in patterns):
                found.add(fact.id)
    return tuple(sorted(found))
