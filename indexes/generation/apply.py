"""From a staged generation in the catalog to three staged builds on disk.

Each index gets the same delta, written onto the build before. An index with nothing to write keeps its build; content that an
earlier generation already built (an edit undone) takes that build; one whose fingerprint changed starts from empty. Nothing is
taken over whose files are not, byte for byte, what was published: damage that is copied would be sealed anew, with hashes of its
own, and nobody would be told of it again. Such an index starts from empty too.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from indexes.generation.kinds import Delta, Kind
from indexes.generation.seal import flush, hash_files, intact, write_stamp
from ingest.errors import Inconsistent, StorageFailed
from ingest.model.edge import Edge
from ingest.model.generation import Build, Manifest, build_id
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.steps import reached
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


KnownFiles = Callable[[Build], "dict[str, dict[str, object]] | None"]
"""files.json's entry of a build that some kept generation has."""


def bases(
    layout: Layout, previous: Manifest, indexes: tuple[Kind, ...], known_files: KnownFiles, progress: Progress, *,
    anew: frozenset[str] = frozenset(),
) -> dict[str, Build]:
    """Return the builds of the generation before, by kind, that the next ones may start from. Reads every byte of them.

    `anew` names indexes whose rows are known to be wrong although their files are as published (repair)."""
    found: dict[str, Build] = {}
    for kind in indexes:
        build = previous.build(kind.name)
        if build.fingerprint != kind.fingerprint or kind.name in anew:
            continue
        if intact(layout.build(build), build, known_files(build)):
            found[kind.name] = build
        else:
            progress.note(f"the {kind.name} build {build.id} is damaged; the index is built anew from the catalog")
    return found


def apply(
    layout: Layout, catalog: Catalog, generation: int, digests: dict[str, str], bases: Mapping[str, Build],
    indexes: tuple[Kind, ...], known_files: KnownFiles, progress: Progress, *, anew: frozenset[str] = frozenset(),
) -> list[StagedBuild]:
    """Make the builds of a staged generation, privately. Published files are never modified.

    `digests` are the catalog's for this generation, `bases` what the function of that name returned, `anew` what it was given.
    """
    delta = _delta(catalog, generation)
    staged = []
    progress.start("index", len(indexes), "indexes")
    for kind in indexes:
        wanted, base = _wanted(kind, digests), bases.get(kind.name)
        reused = _reusable(layout, wanted, base, known_files) if kind.name not in anew else None
        if reused is None:
            if layout.build(wanted).exists():  # the same content, damaged: to be neither reused nor replaced
                wanted = replace(wanted, id=f"{wanted.id}-{generation}")
            work = delta if base is not None else _everything(catalog, generation)
            reused = _write(layout, kind, wanted, layout.build(base) if base else None, work, progress)
        staged.append(reused)
        progress.advance("index")
    progress.finish("index")
    return staged


def _wanted(kind: Kind, digests: dict[str, str]) -> Build:
    """The build that holds the catalog's rows: its id is made of its content, so equal content has an equal id."""
    edges = digests["edges"] if kind.name == "graph" else ""
    identity = build_id(kind.name, kind.fingerprint, digests["chunks"], edges)
    return Build(kind.name, identity, kind.fingerprint, digests["chunks"], edges)


def _reusable(layout: Layout, wanted: Build, base: Build | None, known_files: KnownFiles) -> StagedBuild | None:
    """The build before, where it holds the same (under another id, if it replaced a damaged one), or an older one that does."""
    if base is not None and replace(base, id=wanted.id) == wanted:
        wanted, proven = base, True
    else:
        proven = False
    files, path = known_files(wanted), layout.build(wanted)
    if files is None or not (proven or intact(path, wanted, files)):
        return None
    return StagedBuild(wanted, path, True, files)


def _write(layout: Layout, kind: Kind, wanted: Build, base: Path | None, delta: Delta, progress: Progress) -> StagedBuild:
    target = layout.staged_build(kind.name)
    started = time.perf_counter()
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        reached("build begun")
        written = kind.write(base, delta, target, progress)
        reached("build written")
        write_stamp(target, wanted)
        reached("build stamped")
        flush(target)
        reached("build flushed")
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
