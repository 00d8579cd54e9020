"""What three indexes and the catalog must agree on before anything is published.

Every build is re-opened and asked what it *actually holds*; the answer must equal the catalog's own, counted afresh. For
every row written in this run the stored content is read back and hashed anew, and must equal what was asked to be written.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from indexes.generation.apply import StagedBuild
from indexes.generation.kinds import Kind
from indexes.generation.seal import sparse_sha256
from ingest.errors import Inconsistent, StorageFailed
from ingest.model.batches import batches
from ingest.model.canonical import SetDigest
from ingest.progress import Progress
from ingest.steps import reached

_READ_BACK_AT_ONCE = 4096


def prove(staged: Iterable[StagedBuild], indexes: tuple[Kind, ...], progress: Progress) -> None:
    """Raise Inconsistent, naming the index and what differs, unless every build holds exactly what it claims."""
    openers = {kind.name: kind for kind in indexes}
    builds = list(staged)
    progress.start("prove", sum(1 + len(build.written) for build in builds), "rows")
    for build in builds:
        before = _signatures(build.path)
        reader = openers[build.build.kind].open(build.path)
        try:
            _prove_set(build, reader)
            progress.advance("prove")
            _prove_contents(build, reader, progress)
        finally:
            reader.close()
        if not _unchanged(build, before):
            raise StorageFailed(
                f"{build.path} changed while it was proven: an engine that meets an error of the disk mends its files and says "
                "nothing; check the disk and run again (nothing was published)"
            )
        reached("build proven")
    progress.finish("prove")


def _unchanged(build: StagedBuild, before: dict[str, tuple[int, int, int]]) -> bool:
    """Whether a build is what was hashed although it was opened since. An engine touches files that it leaves as they are, so
    those whose signatures differ are hashed once more."""
    after = _signatures(build.path)
    touched = [name for name, signature in after.items() if before.get(name) != signature]
    return after.keys() == before.keys() and all(
        sparse_sha256(build.path / name) == build.files[name]["sparse_sha256"] for name in touched
    )


def _signatures(folder: Path) -> dict[str, tuple[int, int, int]]:
    """Size, time of the last change and inode of every file by its relative path."""
    stats = {path.relative_to(folder).as_posix(): path.stat() for path in folder.rglob("*") if path.is_file()}
    return {name: (stat.st_size, stat.st_mtime_ns, stat.st_ino) for name, stat in stats.items()}


def _prove_set(build: StagedBuild, reader: Any) -> None:
    held = str(SetDigest.of(reader.pairs()))
    if held != build.build.rows:
        raise Inconsistent(f"the {build.build.kind} index holds {held}, the catalog {build.build.rows}; nothing was published")
    if build.build.kind == "graph":
        edges = str(SetDigest.of((edge, edge) for edge in reader.edge_ids()))
        derived = str(SetDigest.of((edge.edge_id, edge.edge_id) for edge in reader.edges()))
        if not edges == derived == build.build.edges:
            raise Inconsistent(
                f"the graph index holds edges {edges} (re-derived {derived}), the catalog {build.build.edges}; "
                "nothing was published"
            )


def _prove_contents(build: StagedBuild, reader: Any, progress: Progress) -> None:
    for part in batches(sorted(build.written), _READ_BACK_AT_ONCE):
        found = reader.contents(part)
        wrong = [chunk_id for chunk_id in part if found.get(chunk_id) != build.written[chunk_id]]
        if wrong:
            raise Inconsistent(
                f"the {build.build.kind} index gave back {len(wrong)} rows other than written (first: {wrong[0]}); "
                "nothing was published"
            )
        progress.advance("prove", len(part))
