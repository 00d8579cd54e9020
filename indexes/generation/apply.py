"""From a staged generation in the catalog to three staged builds on disk.

Each index gets the same delta. An index with nothing to write keeps its build; one whose fingerprint changed starts from
empty; content that an earlier generation already built (an edit undone) takes that build, once its files are proven.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from indexes.generation.kinds import Delta, Kind
from indexes.generation.seal import carries, flush, hash_files, write_stamp
from ingest.errors import Inconsistent, StorageFailed
from ingest.model.canonical import digest_of
from ingest.model.edge import Edge
from ingest.model.generation import Build, Manifest
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.store.catalog import Catalog, Fact
from ingest.store.layout import Layout


@dataclass(frozen=True, slots=True)
class StagedBuild:
    """A build on its way. `path` is where it lies now: below staging, or already in place when it is reused.

    `files` is what files.json will say; `written` the content hash of every row written in this run; `seconds` the cost of
    copying, writing and flushing.
    """

    build: Build
    path: Path
    reused: bool
    files: dict[str, dict[str, object]]
    written: dict[str, str] = field(default_factory=dict)
    seconds: float = 0.0


def apply(
    layout: Layout, catalog: Catalog, generation: int, digests: dict[str, str], previous: Manifest | None,
    indexes: tuple[Kind, ...], known_files: Callable[[Build], dict[str, dict[str, object]] | None], progress: Progress,
    *, afresh: frozenset[str] = frozenset(),
) -> list[StagedBuild]:
    """Make the builds of a staged generation, privately. Published files are never modified.

    `digests` are the catalog's for this generation. `known_files` returns files.json's entry of a build that some kept
    generation has. `afresh` names indexes that must not take anything over (repair).
    """
    delta = _delta(catalog, generation)
    staged = []
    progress.start("index", len(indexes), "indexes")
    for kind in indexes:
        wanted = _wanted(kind, digests, f"-{generation}" if kind.name in afresh else "")
        base = None if previous is None or kind.name in afresh else previous.build(kind.name)
        if base is not None and base.fingerprint != kind.fingerprint:
            base = None
        reusable = None if kind.name in afresh else _reusable(layout, kind, wanted, known_files)
        if reusable is not None:
            staged.append(reusable)
        else:
            if layout.build(wanted).exists():
                # The same content lies there, but nothing vouches for its files any more: it must not be reused or replaced.
                wanted = _wanted(kind, digests, f"-{generation}")
            work = delta if base is not None else _everything(catalog, generation)
            staged.append(_write(layout, kind, wanted, layout.build(base) if base else None, work, progress))
        progress.advance("index")
    progress.finish("index")
    return staged


def _wanted(kind: Kind, digests: dict[str, str], suffix: str) -> Build:
    """The build that holds the catalog's rows: its id is made of its content, so equal content has an equal id.

    `suffix` keeps a repaired build apart from the damaged one of the same content."""
    edges = digests["edges"] if kind.name == "graph" else ""
    identity = digest_of([kind.name, kind.fingerprint, digests["chunks"], edges])[:24]
    return Build(kind.name, identity + suffix, kind.fingerprint, digests["chunks"], edges)


def _reusable(
    layout: Layout, kind: Kind, wanted: Build, known_files: Callable[[Build], dict[str, dict[str, object]] | None]
) -> StagedBuild | None:
    path = layout.build(wanted)
    files = known_files(wanted)
    if files is None or not path.is_dir() or not carries(path, wanted):
        return None
    return StagedBuild(wanted, path, True, files)


def _write(layout: Layout, kind: Kind, wanted: Build, base: Path | None, delta: Delta, progress: Progress) -> StagedBuild:
    target = layout.staged_build(kind.name)
    target.parent.mkdir(parents=True, exist_ok=True)
    started = time.perf_counter()
    try:
        written = kind.write(base, delta, target, progress)
        write_stamp(target, wanted)
        flush(target)
        files = hash_files(target)
    except OSError as error:
        raise StorageFailed(
            f"the {kind.name} index could not be written below {layout.staging}: {error.strerror or error}; "
            "free disk space and run again (what was published is untouched)"
        ) from error
    if len(written) != delta.count:
        raise Inconsistent(f"the {kind.name} index wrote {len(written)} of {delta.count} rows; nothing was published")
    return StagedBuild(wanted, target, False, files, written, time.perf_counter() - started)


def _delta(catalog: Catalog, generation: int) -> Delta:
    return Delta(
        rows=lambda: _rows(catalog.added("chunks", generation)),
        count=catalog.added_count("chunks", generation),
        removed=catalog.removed("chunks", generation),
        edges=lambda: _edges(catalog.added("edges", generation)),
        removed_edges=catalog.removed("edges", generation),
    )


def _everything(catalog: Catalog, generation: int) -> Delta:
    return Delta(
        rows=lambda: _rows(catalog.facts("chunks", generation)),
        count=catalog.count("chunks", generation),
        removed=frozenset(),
        edges=lambda: _edges(catalog.facts("edges", generation)),
        removed_edges=frozenset(),
    )


def _rows(facts: Iterable[Fact]) -> Iterator[ChunkRow]:
    return (fact.noun(ChunkRow) for fact in facts)


def _edges(facts: Iterable[Fact]) -> Iterator[Edge]:
    return (fact.noun(Edge) for fact in facts)
