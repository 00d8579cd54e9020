"""What verifying says: findings, each of a kind, in one place, about some ids.

The kinds are a vocabulary that people and programs rely on (docs/trust.md lists them); where a finding is says which store is
meant: an index (`vector`, `bm25`, `graph`), a table (`catalog/chunks`), a file (`vector/<id>/<path>`), a generation's record.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

LOST, GHOST = "lost", "ghost"
ALTERED = "altered"
ALTERED_TEXT, ALTERED_VECTOR = "altered text", "altered vector"
ALTERED_ACCESS, ALTERED_VALIDITY = "altered access rule", "altered validity"
LOST_EDGE, GHOST_EDGE, ORPHAN_EDGE = "lost edge", "ghost edge", "orphan edge"
WRONG_BUILD, TORN_FILE = "wrong build", "torn file"
CATALOG = "catalog"
"""A table is not as published, and which of its facts that is cannot be told."""
RECORD, MANIFEST = "generation record", "manifest"
"""The catalog's copy of a manifest, and the one on disk."""
CACHE_ENTRY = "cache entry"
COULD_NOT_TELL = "could not tell"

KINDS = (
    LOST, GHOST, ALTERED, ALTERED_TEXT, ALTERED_VECTOR, ALTERED_ACCESS, ALTERED_VALIDITY, LOST_EDGE, GHOST_EDGE, ORPHAN_EDGE,
    WRONG_BUILD, TORN_FILE, CATALOG, RECORD, MANIFEST, CACHE_ENTRY, COULD_NOT_TELL,
)

@dataclass(frozen=True, slots=True)
class Drift:
    """Something that is not as published. `ids`: chunks, edges, facts or cache keys, sorted; `sources`: the uris of the documents
    that they belong to, where known. Kind `could not tell` is no drift but the absence of an answer."""

    kind: str
    where: str
    detail: str
    ids: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def told(self) -> bool:
        return self.kind != COULD_NOT_TELL


def of_ids(kind: str, where: str, ids: Collection[str], what: str, detail: str = "") -> Drift:
    """Return a finding about some ids: `3 rows`, or `3 rows: detail`. `what` is singular."""
    plural = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    counted = f"{len(ids)} {what if len(ids) == 1 else plural}"
    return Drift(kind, where, f"{counted}: {detail}" if detail else counted, tuple(sorted(ids)))


def with_sources(drift: Drift, uris: Collection[str]) -> Drift:
    return replace(drift, sources=tuple(sorted(uris)))


def drifted(found: Collection[Drift]) -> list[Drift]:
    """Return the findings that say that something is wrong."""
    return [item for item in found if item.told]


def unknown(found: Collection[Drift]) -> list[Drift]:
    """Return what could not be told."""
    return [item for item in found if not item.told]
