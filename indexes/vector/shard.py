"""The one place that touches Qdrant Edge: a shard is created, filled, sealed, and read without being written to.

Pinned to 0.9.0, whose stub differs from its binary in places. Everything the engine raises leaves here as an error of ours.
No HNSW graph is ever built: none is configured, no optimiser is run, and searches ask to be exact.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile, rmtree
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

from indexes.header import damaged
from indexes.vector.copy import copy_sparse
from ingest.errors import EngineUnavailable, StorageFailed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Point: TypeAlias = "tuple[UUID, NDArray[np.float32], dict[str, str]]"
"""Id, vector and payload."""

KEYWORDS = ("gate", "source_id")
"""Payload fields with an index."""

FEW = 8
"""Values that are listed one by one: the engine goes through the rows of each, which costs it less than a set of them."""

_CONFIG = "edge_config.json"
_SEGMENTS = "segments"
_INDEXES = "payload_index"
_PAGE = 8192


@dataclass(frozen=True, slots=True)
class Held:
    """A point as the engine gives it back."""

    id: UUID
    vector: list[float]
    row_checksum: str
    source_id: str
    gate: str


@dataclass(frozen=True, slots=True)
class Only:
    """What a search is narrowed to: gates listed or excluded, sources listed. None: no such condition."""

    gates: Sequence[str] | None = None
    not_gates: Sequence[str] | None = None
    sources: Sequence[str] | None = None


class Shard:
    """An open shard. Reads may come from several threads at once; close it."""

    def __init__(self, engine: Any, path: Path) -> None:
        self._engine = engine
        self._path = path

    @classmethod
    def create(cls, path: Path, dimensions: int) -> Shard:
        """Return a new, empty shard in the folder `path`, which must not exist."""
        edge = _engine()
        path.mkdir(parents=True)
        no_graph = edge.HnswIndexConfig(m=0, ef_construct=4, full_scan_threshold=0)
        config = edge.EdgeConfig(
            vectors=edge.EdgeVectorParams(size=dimensions, distance=edge.Distance.Dot, hnsw_config=no_graph),
            optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=0, prevent_unoptimized=False),
            wal_enabled=False, max_search_threads=1,
        )
        with _translated(path):
            shard = cls(edge.EdgeShard.create(str(path), config), path)
            for field in KEYWORDS:
                index = edge.KeywordIndexParams(enable_hnsw=False)
                shard._engine.update(edge.UpdateOperation.create_field_index(field, index))
        return shard

    @classmethod
    def open(cls, path: Path) -> Shard:
        """Load a private shard for writing: the engine rewrites its configuration in place."""
        edge = _engine()
        with _translated(path):
            return cls(edge.EdgeShard.load(str(path)), path)

    @classmethod
    def open_sealed(cls, path: Path) -> Shard:
        """Load a published shard without changing a byte of it (docs/formats.md, "Reading")."""
        edge = _engine()
        try:
            view = Path(tempfile.mkdtemp(prefix="concord-"))
        except OSError as error:
            raise StorageFailed(f"no temporary folder to open {path} from: {error}; set TMPDIR to one") from error
        try:
            _view(path.resolve(), view)
            with _translated(path):
                return cls(edge.EdgeShard.load(str(view)), path)
        except OSError as error:
            raise damaged(path, error) from error
        finally:
            rmtree(view, ignore_errors=True)

    @classmethod
    def open_copy(cls, path: Path) -> Shard:
        """Load a private copy of a shard that may be damaged: the engine mends in place what it finds wrong."""
        try:
            folder = Path(tempfile.mkdtemp(prefix="concord-"))
        except OSError as error:
            raise StorageFailed(f"no temporary folder to copy {path} to: {error}; set TMPDIR to one") from error
        try:
            copy_sparse(path, folder / path.name)
            with _translated(path):
                return cls(_engine().EdgeShard.load(str(folder / path.name)), path)
        except OSError as error:
            raise damaged(path, error) from error
        finally:
            rmtree(folder, ignore_errors=True)  # what is mapped stays until it is closed

    def upsert(self, points: Sequence[Point]) -> None:
        """Put points; one that is held is replaced."""
        edge = _engine()
        made = [edge.Point(point, vector.tolist(), payload) for point, vector, payload in points]
        with _translated(self._path):
            self._engine.update(edge.UpdateOperation.upsert_points(made))

    def delete(self, points: Sequence[UUID]) -> None:
        """Remove points; unknown ones are passed over."""
        edge = _engine()
        with _translated(self._path):
            for start in range(0, len(points), _PAGE):
                self._engine.update(edge.UpdateOperation.delete_points(list(points[start : start + _PAGE])))

    def count(self) -> int:
        edge = _engine()
        with _translated(self._path):
            return int(self._engine.count(edge.CountRequest(exact=True)))

    def facet(self, field: str, most: int) -> dict[str, int]:
        """Return how many points have each value of an indexed field, as its index holds them (it also lists values of none)."""
        edge = _engine()
        with _translated(self._path):
            hits = self._engine.facet(edge.FacetRequest(field, limit=most, exact=True)).hits
        return {str(hit.value): int(hit.count) for hit in hits if hit.count}

    def nearest(self, query: Sequence[float], only: Only, limit: int) -> list[tuple[UUID, float]]:
        """Return up to `limit` points and their scores, exact, best first; the order of equal scores is the engine's."""
        edge = _engine()
        request = edge.QueryRequest(
            limit=limit, query=edge.Query.Nearest(list(query)), filter=_filter(only), params=edge.SearchParams(exact=True),
            with_vector=False, with_payload=False,
        )
        with _translated(self._path):
            return [(point.id, point.score) for point in self._engine.query(request)]

    def checksums(self) -> Iterator[tuple[UUID, str]]:
        """Yield the id and row checksum of every point, by id."""
        field = "row_checksum"
        for record in self._scroll([field], False, None, _PAGE):
            yield record.id, (record.payload or {}).get(field, "")

    def points(self) -> Iterator[Held]:
        """Yield every point with its vector, by id, a page at a time."""
        for record in self._scroll(True, True, None, 1024):
            yield _held(record)

    def points_of(self, points: Sequence[UUID], gate: str, source: str) -> list[Held]:
        """Return those of `points` that the payload indexes file under this gate and this source."""
        edge = _engine()
        where = [edge.HasIdCondition(set(points)), *_listed("gate", [gate]), *_listed("source_id", [source])]
        return [_held(record) for record in self._scroll(True, True, edge.Filter(must=where), 1024)]

    def given(self, points: Sequence[UUID]) -> list[Held]:
        """Return those of `points` that are held, whatever the payload indexes say of them."""
        found: list[Held] = []
        with _translated(self._path):
            for start in range(0, len(points), _PAGE):
                found += map(_held, self._engine.retrieve(list(points[start : start + _PAGE]), True, True))
        return found

    def filed(self, points: Sequence[UUID]) -> dict[tuple[str, str], list[UUID]]:
        """Return those of `points` that are held, grouped by the gate and source of their payload."""
        groups: dict[tuple[str, str], list[UUID]] = {}
        with _translated(self._path):
            for start in range(0, len(points), _PAGE):
                for record in self._engine.retrieve(list(points[start : start + _PAGE]), list(KEYWORDS), False):
                    groups.setdefault((_text(record, "gate"), _text(record, "source_id")), []).append(record.id)
        return groups

    def seal(self) -> None:
        """Flush and close a private shard so that loading it never changes a byte of its segments again.

        A flush leaves journals beside what it wrote, and the next load replays and deletes them. That load must be ours:
        two readers replaying at once would write to one file.
        """
        edge = _engine()
        with _translated(self._path):
            self._engine.flush()
            self._engine.close()
            edge.EdgeShard.load(str(self._path)).close()

    def close(self) -> None:
        with _translated(self._path):
            self._engine.close()

    def _scroll(self, payload: Any, vector: bool, where: Any, page: int) -> Iterator[Any]:
        edge = _engine()
        offset = None
        while True:
            request = edge.ScrollRequest(offset=offset, limit=page, filter=where, with_payload=payload, with_vector=vector)
            with _translated(self._path):
                records, offset = self._engine.scroll(request)
            yield from records
            if offset is None:
                return


def _view(sealed: Path, view: Path) -> None:
    """Fill a private folder through which the engine may load a sealed shard: links, but for what it would write to.

    That is its configuration always, and its payload indexes when it cannot open one: it then makes them anew in place, and
    says nothing."""
    copyfile(sealed / _CONFIG, view / _CONFIG)
    for segment in (sealed / _SEGMENTS).iterdir():
        private = view / _SEGMENTS / segment.name
        private.mkdir(parents=True)
        for entry in segment.iterdir():
            if entry.name == _INDEXES:
                copy_sparse(entry, private / _INDEXES)
            else:
                (private / entry.name).symlink_to(entry, target_is_directory=entry.is_dir())


def _engine() -> Any:
    try:
        import qdrant_edge
    except ImportError as error:
        raise EngineUnavailable(f"vector builds need qdrant-edge-py 0.9.0, which cannot be loaded here ({error})") from error
    return qdrant_edge


def _held(record: Any) -> Held:
    return Held(record.id, record.vector, *(_text(record, name) for name in ("row_checksum", "source_id", "gate")))


def _text(record: Any, field: str) -> str:
    """A payload field; one that is lost reads as empty, which equals no checksum."""
    return str((record.payload or {}).get(field, ""))


def _filter(only: Only) -> Any:
    edge = _engine()
    singly = only.gates is not None and 0 < len(only.gates) <= FEW
    should = [edge.FieldCondition("gate", match=edge.MatchValue(gate)) for gate in only.gates or ()] if singly else []
    must = [*_listed("gate", None if singly else only.gates), *_listed("source_id", only.sources)]
    must_not = _listed("gate", only.not_gates)
    if not (should or must or must_not):
        return None
    return edge.Filter(should=should or None, must=must or None, must_not=must_not or None)


def _listed(field: str, values: Sequence[str] | None) -> list[Any]:
    edge = _engine()
    return [] if values is None else [edge.FieldCondition(field, match=edge.MatchAny(list(values)))]


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    """The engine raises plain `Exception`, and panics of its Rust core derive from BaseException only."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        if type(error) is not Exception:
            raise
        if "No space left" in str(error):
            raise StorageFailed(f"the disk is full, {path} cannot be written; free space and run again") from error
        if "Input/output error" in str(error):
            raise StorageFailed(f"the disk fails at {path} ({error}); check it, free disk space, and run again") from error
        if "ermission denied" in str(error):
            raise StorageFailed(f"{path} cannot be opened: the engine needs write permission even to read") from error
        raise damaged(path, error) from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise damaged(path, error) from error
