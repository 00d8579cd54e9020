"""One generation as an operator looks at it: what it consists of, what made it, and what the one before it had otherwise."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from flows.between.generations import Counts, Difference, before_of, counted, shape_change
from flows.between.nouns import ShapeChange
from indexes.generation.publish import files_of
from indexes.generation.rollback import hold_of
from indexes.generation.snapshot import held
from ingest.errors import NotFound
from ingest.model.canonical import SetDigest
from ingest.model.generation import Build
from ingest.model.instant import now
from ingest.model.source import SourceRecord
from ingest.settings import Settings
from ingest.store.catalog import FACTS, Catalog
from ingest.store.layout import Layout, layout_of
from ingest.store.opening import open_catalog


@dataclass(frozen=True, slots=True)
class ShownBuild:
    """An index. `bytes` as its files are long, `disk_bytes` what they take (engines preallocate); both 0 where files.json or the
    folder is missing."""

    kind: str
    id: str
    fingerprint: str
    rows: int
    edges: int | None
    files: int
    bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class Sources:
    """Documents by what became of them, by format, by root, by declared status; `windows`: status -> how many hold without end,
    hold now, not yet, no longer (by this machine's clock); `families`: how many, and how many versions they have together."""

    total: int
    states: dict[str, int]
    media_types: dict[str, int]
    roots: dict[str, int]
    statuses: dict[str, int]
    windows: dict[str, dict[str, int]]
    families: dict[str, int]


@dataclass(frozen=True, slots=True)
class Shown:
    """A generation. `facts`: table -> facts in effect. `before`: the kept generation before it, with what differs (None: there
    is none)."""

    generation: int
    snapshot: str
    head: bool
    origin: str
    published_at: str
    confirmed_at: str
    hold: dict[str, int] | None
    facts: dict[str, int]
    builds: tuple[ShownBuild, ...]
    sources: Sources
    settings: dict[str, Any]
    fingerprints: dict[str, str]
    engines: dict[str, str]
    scoring: dict[str, Any]
    registry: str
    before: int | None
    changes: Counts | None
    shape: ShapeChange | None


def shown(settings: Settings, generation: int | None = None) -> Shown:
    """Describe a generation, the head or an older one. Raises KnowledgeBaseMissing, NotFound."""
    layout = layout_of(settings)
    with open_catalog(layout) as catalog:
        head = catalog.served()
        number = head if generation is None else generation
        with held(catalog, layout, number) as published:
            manifest = published.manifest
            before, changes, shape = _before(catalog, layout, number)
            hold = hold_of(catalog)
            return Shown(
                number, manifest.snapshot, number == head, published.origin, published.published_at, published.confirmed_at,
                hold if hold is not None and hold["generation"] == number else None,
                {table: SetDigest.parse(manifest.catalog[table]).count for table in FACTS},
                tuple(_build(layout, number, build) for build in manifest.builds), _sources(catalog, number),
                {stage: manifest.values.get(stage) or {"digest": digest} for stage, digest in manifest.settings.items()},
                manifest.fingerprints, manifest.engines, manifest.scoring, manifest.registry, before, changes, shape,
            )


def _before(catalog: Catalog, layout: Layout, number: int) -> tuple[int | None, Counts | None, ShapeChange | None]:
    try:
        earlier = before_of(catalog, number)
        with held(catalog, layout, earlier) as one, held(catalog, layout, number) as two:
            return earlier, counted(Difference(catalog, one, two)), shape_change(one.manifest, two.manifest)
    except NotFound:
        return None, None, None


def _build(layout: Layout, generation: int, build: Build) -> ShownBuild:
    files = files_of(layout, [generation], build) or {}
    folder = layout.build(build)
    taken = sum((folder / name).stat().st_blocks * 512 for name in files if (folder / name).is_file())
    return ShownBuild(
        build.kind, build.id, build.fingerprint, SetDigest.parse(build.rows).count,
        SetDigest.parse(build.edges).count if build.edges else None, len(files), sum(entry["size"] for entry in files.values()),
        taken,
    )


def _sources(catalog: Catalog, generation: int) -> Sources:
    states: Counter[str] = Counter()
    media_types: Counter[str] = Counter()
    roots: Counter[str] = Counter()
    windows: dict[str, Counter[str]] = {}
    families: Counter[str] = Counter()
    moment = now()
    for fact in catalog.facts("sources", generation):
        record = fact.stated(SourceRecord)
        declared = record["declared"]
        states[record["state"]] += 1
        media_types[record["media_type"] or "unknown"] += 1
        roots[record["root"]] += 1
        window = _window(record["valid_from"], record["valid_until"], moment)
        windows.setdefault(declared["status"], Counter())[window] += 1
        if declared["family"] is not None:
            families[declared["family"]] += 1
    return Sources(
        states.total(), _sorted(states), _sorted(media_types), _sorted(roots),
        {status: counts.total() for status, counts in sorted(windows.items())},
        {status: _sorted(counts) for status, counts in sorted(windows.items())},
        {"families": len(families), "versions": families.total()},
    )


def _window(since: str | None, until: str | None, moment: str) -> str:
    if since is not None and moment < since:
        return "not yet"
    if until is not None and moment >= until:
        return "no longer"
    return "without end" if since is None and until is None else "now"


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
