"""From files to a Qdrant server and back: the newest generation again, in another place, as one more generation.

The content is the catalog's and the vectors are those that were published, so nothing is read, parsed or embedded, and the
snapshot digest is the same. What the new indexes hold is compared with what the old ones hold, row by row, before anything is
published; the head's move is the one moment at which it happened. Older generations stay where they are until they are pruned.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from flows.base import Base
from flows.commit import commit
from flows.opening import writing
from flows.placing import Backend, at, backend_of
from flows.shape import Shape
from indexes.generation.apply import StagedBuild
from indexes.generation.kinds import Kind, dimensions_of, open_kind, reading_kinds
from ingest.embed.batches import STAGE
from ingest.embed.engine import Choice
from ingest.errors import Inconsistent, UsageError
from ingest.model.batches import batches
from ingest.model.canonical import SetDigest, sha256_hex
from ingest.model.generation import IndexKind, Manifest
from ingest.model.row import ChunkRow
from ingest.progress import Progress
from ingest.settings import Settings

_AT_ONCE = 512
_MOVED: tuple[IndexKind, ...] = ("vector", "bm25")


@dataclass(frozen=True, slots=True)
class Moved:
    """What a move published. `moved` false: the newest generation was there already. `contents`: index -> digest of the stored
    content of all rows, equal before and after. `warnings`: what would undo it."""

    generation: int
    snapshot: str
    backend: Backend
    moved: bool
    chunks: int
    contents: dict[str, str]
    warnings: tuple[str, ...] = ()


def move(settings: Settings, to: Backend, progress: Progress) -> Moved:
    """Publish the newest generation again with its vector and BM25 index in another place.

    Raises KnowledgeBaseMissing, LeaseHeld, UsageError, ServerUnavailable, EngineUnavailable, Inconsistent where an index is not
    as it was published, StorageFailed; after any of them what was published before is served. Safe to repeat."""
    from flows.reporting.others import publish_told

    with writing(settings) as base:
        previous = base.catalog.published(base.catalog.served()).manifest
        if backend_of(previous) == to:
            return _moved(settings, previous, to, {}, moved=False)
        _refuse_other_format(base, previous)
        then = replace(base, settings=at(base.settings, to))
        proof = _Proof(base, previous)
        _keep_vectors(base, previous, progress)
        vector = base.layout.build(previous.build("vector"))
        choice = Choice(previous.engines["embed"], previous.fingerprints["embed"], dimensions_of(vector))
        generation = previous.generation + 1
        with base.catalog.staging(generation, f"move to {to}"):
            pass  # not a fact differs
        committed = commit(then, generation, previous, choice, Shape.recorded(previous), progress, proof=proof.same)
        publish_told(then, "move", f"its vector and BM25 index are {_WHERE[to]}", progress, committed=committed)
        return _moved(settings, committed.manifest, to, proof.digests, moved=True)


def _refuse_other_format(base: Base, previous: Manifest) -> None:
    """Vectors of another format are of other texts, so they cannot be taken over under those of now."""
    now = reading_kinds(at(base.settings, backend_of(previous)), previous.fingerprints["embed"])
    for kind in now:
        if previous.build(kind.name).fingerprint != kind.fingerprint:
            raise UsageError(
                f"the {kind.name} index is of another format than this version writes; before it is moved: ingest run"
            )


_WHERE = {"qdrant": "on a Qdrant server", "embedded": "in files"}


def _moved(settings: Settings, manifest: Manifest, to: Backend, contents: dict[str, str], *, moved: bool) -> Moved:
    warnings: tuple[str, ...] = ()
    if settings.index.backend not in ("auto", to):
        said = settings.index.backend
        warnings = (f"index.backend is {said}, so the next run moves it back; set it to {to}, or to auto",)
    chunks = int(manifest.catalog["chunks"].partition(":")[0])
    return Moved(manifest.generation, manifest.snapshot, to, moved, chunks, contents, warnings)


class _Proof:
    """Compares the stored content of every row before and after."""

    def __init__(self, base: Base, previous: Manifest) -> None:
        self._base, self._previous = base, previous
        self.digests: dict[str, str] = {}

    def same(self, builds: Sequence[StagedBuild], indexes: Sequence[Kind]) -> None:
        """Raise Inconsistent unless the new builds hold what the old ones do, to the byte."""
        openers = {kind.name: kind for kind in indexes}
        for build in builds:
            kind = build.build.kind
            if kind not in _MOVED:
                continue
            before = self._digest(open_kind(kind, self._base.layout.build(self._previous.build(kind)), self._base.settings))
            after = self._digest(openers[kind].open(build.path))
            if before != after:
                raise Inconsistent(
                    f"the {kind} index holds {before}, moved it would hold {after}; nothing was moved; see which rows are not as "
                    "they were published: ingest verify --deep"
                )
            self.digests[kind] = after

    def _digest(self, reader: Any) -> str:
        digest = SetDigest()
        try:
            for part in batches((chunk for chunk, _ in reader.pairs()), _AT_ONCE):
                for chunk, content in reader.contents(part).items():
                    digest.add(chunk, content)
        finally:
            reader.close()
        return str(digest)


def _keep_vectors(base: Base, previous: Manifest, progress: Progress) -> None:
    """See to it that the cache has the vector of every text: where it has lost some, those of the index are taken."""
    stage = f"{STAGE}:{previous.fingerprints['embed']}"
    reader: Any = None
    try:
        for part in batches(_rows(base, previous), _AT_ONCE):
            keys = {row.chunk_id: sha256_hex(row.embed_text) for row in part}
            cached = base.cache.get_many(stage, list(keys.values()))
            missing = [chunk for chunk, key in keys.items() if key not in cached]
            if missing:
                reader = reader or open_kind("vector", base.layout.build(previous.build("vector")), base.settings)
                held = reader.vectors(missing)
                base.cache.put_many(stage, {keys[chunk]: vector for chunk, vector in held.items()})
    finally:
        if reader is not None:
            reader.close()


def _rows(base: Base, previous: Manifest) -> Iterator[ChunkRow]:
    return (fact.noun(ChunkRow) for fact in base.catalog.facts("chunks", previous.generation))
