"""Builds and generations: what one published state consists of.

The manifest is the whole truth about a generation and contains no clock, host, path or worker count, so two clean builds of
the same content write the same manifest.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from ingest.model.canonical import digest_of

IndexKind = Literal["vector", "bm25", "graph"]
INDEX_KINDS: tuple[IndexKind, ...] = ("vector", "bm25", "graph")


@dataclass(frozen=True, slots=True)
class Build:
    """A sealed directory `builds/<kind>/<id>`.

    `rows` is the SetDigest (as text) over (chunk_id, row_checksum) that the build holds, `edges` the same over
    (edge_id, edge_id) for the graph and empty elsewhere. `fingerprint` names format, engine and settings: where it changes, the
    next build starts from empty.
    """

    kind: IndexKind
    id: str
    fingerprint: str
    rows: str
    edges: str = ""


def build_id(kind: str, fingerprint: str, rows: str, edges: str) -> str:
    """Return the id of a build: made of its content, so equal content has an equal id."""
    return digest_of([kind, fingerprint, rows, edges])[:24]


@dataclass(frozen=True, slots=True)
class Manifest:
    """One published state. `snapshot` is the snapshot digest; `catalog` the digests of the catalog's tables in effect."""

    generation: int
    snapshot: str
    builds: tuple[Build, ...]
    catalog: dict[str, str]
    registry: str
    settings: dict[str, str] = field(default_factory=dict)
    """Stage -> digest of the settings that shape its content."""
    fingerprints: dict[str, str] = field(default_factory=dict)
    """Stage -> fingerprint of the code and model that shape its content."""
    scoring: dict[str, Any] = field(default_factory=dict)
    """Settings that shape BM25 scores when a question is asked, by name; their digest is in `settings`."""
    values: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Stage -> settings that shape its content, by name, so that a change can be told in words; paths are left out. Their digests
    are in `settings`; outside the snapshot digest."""
    engines: dict[str, str] = field(default_factory=dict)
    """What `auto` resolved to at the first publish. Outside the snapshot digest."""
    redirects: dict[str, str] = field(default_factory=dict)
    """Entity id -> the id that it means since they were merged. Readers follow it; rows keep the id they were written with."""
    format: int = 1

    def build(self, kind: IndexKind) -> Build:
        return next(build for build in self.builds if build.kind == kind)
