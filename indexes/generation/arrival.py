"""One generation out of an archive: everything in it is derived anew or compared before anything of it can become visible.

`describe` reads what an archive says it is; `facts` brings the catalog's facts into a staging transaction; `builds` writes the
indexes' files below staging; `vectors` gives cached vectors, each compared with the vector index. The caller proves the builds
(`indexes.generation.prove`) and publishes. The format is in docs/formats.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import orjson

from indexes.generation.apply import StagedBuild
from indexes.generation.archive import ARCHIVE, FILES, HEAD, MANIFEST, PART_BYTES, Head, part_name
from indexes.generation.checksums import checksum_of
from indexes.generation.container import Unpacking, parsed
from indexes.generation.kinds import Kind, vector_contents
from indexes.generation.publish import snapshot_digest
from indexes.generation.seal import BLOCK, STAMP, carries, flush, is_hole
from ingest.errors import BuildCorrupt, EngineUnavailable, StorageFailed, UsageError
from ingest.model.canonical import SetDigest, digest_of, sha256_hex
from ingest.model.chunk import Parent, embedded
from ingest.model.codec import decode
from ingest.model.edge import PASSAGES, REGISTRY, Edge
from ingest.model.entity import Assertion, Entity
from ingest.model.generation import INDEX_KINDS, Build, Manifest
from ingest.model.instant import parse_instant
from ingest.model.row import ChunkRow
from ingest.model.source import SourceRecord, source_id
from ingest.progress import Progress
from ingest.settings import Bm25Part
from ingest.store.catalog import FACTS, Catalog, Fact, Stage
from ingest.store.layout import Layout

Files = dict[str, dict[str, dict[str, Any]]]
"""files.json: `<kind>/<id>` -> path -> {size, sparse_sha256}."""

_WITH_ITS_VERSION = "import it with the version that wrote it"
_MANIFEST_FORMAT = 1
_MAX_HEAD_BYTES = 1 << 20
_MAX_FILES_BYTES = 64 << 20
_MAX_FILES = 200_000
_MAX_PART_BYTES = PART_BYTES + (512 << 20)
"""A part, and the fact by which it may exceed: as large as a document may be."""
_MOST = 1 << 62
_STORED_AT_ONCE = 2000
_PROVEN_AT_ONCE = 512
_KEY_BYTES = 32

_SET_DIGEST = re.compile(r"\d{1,15}:[0-9a-f]{32}")
_BUILD_ID = re.compile(r"[0-9a-f]{24}(-\d{1,15})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_DIGEST = re.compile(r"[0-9a-f]{32}")
_FILE_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*")
"""Of what engines and indexes write; neither absolute nor hidden, and no `..` in it."""

_NOUNS: dict[str, type] = {
    "sources": SourceRecord, "parents": Parent, "chunks": ChunkRow, "edges": Edge, "entities": Entity, "assertions": Assertion
}
_KEYS = {table: frozenset(field.name for field in fields(noun)) for table, noun in _NOUNS.items()} | {
    "mentions": frozenset(("mentions",))
}
_UNREADABLE = (ValueError, TypeError, LookupError, AttributeError, OverflowError, RecursionError)


@dataclass(frozen=True, slots=True)
class Described:
    """What an archive says it is, its own digests re-derived."""

    head: Head
    manifest: Manifest
    files: Files


def describe(pack: Unpacking) -> Described:
    """Read the first entries. Raises ArchiveCorrupt, and UsageError where the archive is of another format."""
    head = _head(pack)
    try:
        manifest = decode(Manifest, _own_format(parsed(pack.data(MANIFEST, _MAX_HEAD_BYTES))))
        _check_manifest(manifest, head)
    except _UNREADABLE as error:
        raise pack.corrupt(f"{MANIFEST} cannot be taken ({error})") from error
    try:
        files = _checked_files(parsed(pack.data(FILES, _MAX_FILES_BYTES)), manifest)
    except _UNREADABLE as error:
        raise pack.corrupt(f"{FILES} cannot be taken ({error})") from error
    pack.make_room(sum(entry["size"] for listed in files.values() for entry in listed.values()))
    return Described(head, manifest, files)


def refuse_foreign(manifest: Manifest, indexes: tuple[Kind, ...]) -> None:
    """Raise EngineUnavailable where an index was written by another engine or in another format than these are."""
    for kind in indexes:
        found = manifest.build(kind.name).fingerprint
        if found != kind.fingerprint:
            raise EngineUnavailable(
                f"the {kind.name} index of the archive was written by {found!r}, here is {kind.fingerprint!r}; import it with "
                "the version that wrote it, or export it again with this one"
            )


def _head(pack: Unpacking) -> Head:
    if pack.upcoming() != HEAD:
        raise pack.corrupt(f"it begins with {pack.upcoming()!r}, so it is no archive that `ingest snapshots export` wrote")
    try:
        values = parsed(pack.data(HEAD, _MAX_HEAD_BYTES))
        if values["archive"] != ARCHIVE:
            raise UsageError(f"the archive is of format {values['archive']}, this version reads {ARCHIVE}; {_WITH_ITS_VERSION}")
        head = decode(Head, values)
        moments = head.published_at, head.confirmed_at
        if tuple(map(parse_instant, moments)) != moments:
            raise ValueError("its times are none")
        if not (_whole(head.generation) and head.generation > 0 and _whole(head.dimensions) and head.dimensions <= 1 << 20):
            raise ValueError("its numbers are none")
    except _UNREADABLE as error:
        raise pack.corrupt(f"{HEAD} cannot be taken ({error})") from error
    return head


def _own_format(values: Any) -> Any:
    if values["format"] != _MANIFEST_FORMAT:
        raise UsageError(
            f"the archive has a manifest of format {values['format']}, this version reads {_MANIFEST_FORMAT}; {_WITH_ITS_VERSION}"
        )
    return values


def _check_manifest(manifest: Manifest, head: Head) -> None:
    """Raise ValueError unless a manifest agrees with itself."""
    digests = manifest.catalog
    if manifest.generation != head.generation:
        raise ValueError(f"it is of generation {manifest.generation}, {HEAD} of {head.generation}")
    if digests.keys() != FACTS.keys() or not all(_SET_DIGEST.fullmatch(digest) for digest in digests.values()):
        raise ValueError("it does not name the digests of the catalog's tables")
    if not _DIGEST.fullmatch(manifest.registry):
        raise ValueError("it does not name the digest of the registry")
    if manifest.snapshot != snapshot_digest(digests, manifest.registry, manifest.settings, manifest.fingerprints):
        raise ValueError("its snapshot digest is not that of what it names")
    if not manifest.fingerprints.keys() >= {"embed", "recognise"} or "embed" not in manifest.engines:
        raise ValueError("it does not name what made it")
    # Scores are computed with these and no digest covers them but this; pydantic's error is a ValueError.
    if Bm25Part.model_validate(manifest.scoring).shape_digest() != manifest.settings.get("bm25"):
        raise ValueError("its scoring is not that of its settings")
    if tuple(build.kind for build in manifest.builds) != INDEX_KINDS:
        raise ValueError("it does not name three builds")
    for build in manifest.builds:
        _check_build(build, digests)


def _check_build(build: Build, digests: dict[str, str]) -> None:
    edges = digests["edges"] if build.kind == "graph" else ""
    identity = digest_of([build.kind, build.fingerprint, build.rows, build.edges])[:24]
    if (build.rows, build.edges) != (digests["chunks"], edges):
        raise ValueError(f"its {build.kind} index holds something else than the catalog")
    if not _BUILD_ID.fullmatch(build.id) or build.id.partition("-")[0] != identity:
        raise ValueError(f"the id of its {build.kind} build is not that of what it holds")


def _checked_files(files: Any, manifest: Manifest) -> Files:
    """Return files.json if it lists plain files for the three builds, else raise ValueError or its like."""
    wanted = {f"{build.kind}/{build.id}" for build in manifest.builds}
    if files.keys() != wanted or sum(map(len, files.values())) > _MAX_FILES:
        raise ValueError("it does not list the files of the three builds")
    for listed in files.values():
        folders = {str(parent) for name in listed for parent in Path(name).parents}
        for name, entry in listed.items():
            if not _FILE_NAME.fullmatch(name) or name in folders:
                raise ValueError(f"{name!r} cannot be the name of a file")
            right = entry.keys() == {"size", "sparse_sha256"} and _whole(entry["size"])
            if not right or not _SHA256.fullmatch(entry["sparse_sha256"]):
                raise ValueError(f"it does not say what {name} is")
        if STAMP not in listed:
            raise ValueError("a build in it has no stamp")
    checked: Files = files
    return checked


def _whole(value: Any) -> bool:
    return type(value) is int and 0 <= value < _MOST


def facts(pack: Unpacking, manifest: Manifest, stage: Stage, progress: Progress) -> list[str]:
    """Bring all facts into a staging transaction; return the names of the roots that their sources are in, sorted.

    Raises ArchiveCorrupt unless every fact is what its checksum says and every table what the manifest says."""
    progress.start("catalog", sum(SetDigest.parse(digest).count for digest in manifest.catalog.values()), "facts")
    incoming = _Facts(pack, manifest, stage, progress)
    for table in FACTS:
        incoming.table(table)
    progress.finish("catalog")
    return sorted(incoming.roots)


class _Facts:
    """The facts of an archive, table by table; sources come first, and every other fact is of one of them or of the registry."""

    def __init__(self, pack: Unpacking, manifest: Manifest, stage: Stage, progress: Progress) -> None:
        self._pack, self._manifest, self._stage, self._progress = pack, manifest, stage, progress
        self._sources: set[str] = {REGISTRY, PASSAGES}
        self._parents: set[str] = set()
        self._chunks: dict[str, str] = {}
        self.roots: set[str] = set()

    def table(self, table: str) -> None:
        held, number, before = SetDigest(), 0, ("", "")
        most = SetDigest.parse(self._manifest.catalog[table]).count
        while self._pack.upcoming() == (name := part_name(f"catalog/{table}", number, ".jsonl")):
            found: list[Fact] = []
            for line in self._lines(name):
                try:
                    fact = self._fact(table, line)
                    if (fact.id, fact.source_id) <= before:
                        raise ValueError("facts are not in order")
                except _UNREADABLE as error:
                    raise self._pack.corrupt(f"{name} has a fact that cannot be taken ({error})") from error
                before = (fact.id, fact.source_id)
                held.add(fact.id, fact.checksum)
                found.append(fact)
            if held.count > most:
                break
            for start in range(0, len(found), _STORED_AT_ONCE):
                self._stage.begin(table, found[start : start + _STORED_AT_ONCE])
            self._progress.advance("catalog", len(found))
            number += 1
        if str(held) != self._manifest.catalog[table]:
            raise self._pack.corrupt(f"the {table} in it are {held}, its manifest says {self._manifest.catalog[table]}")

    def _lines(self, name: str) -> Iterator[bytes]:
        data = self._pack.data(name, _MAX_PART_BYTES)
        if not data.endswith(b"\n"):
            raise self._pack.corrupt(f"{name} does not end with a line")
        return iter(data[:-1].split(b"\n"))

    def _fact(self, table: str, line: bytes) -> Fact:
        said = orjson.loads(line)
        fact = Fact(said.pop("id"), said.pop("source_id"), said.pop("checksum"), said.pop("position"), b"")
        payload = said.pop("payload")
        if said or payload.keys() != _KEYS[table] or not _whole(fact.position):
            raise ValueError("it has other fields than facts have")
        if checksum_of(table, payload) != fact.checksum:
            raise ValueError(f"{fact.id!r} is not what its checksum says")
        self._place(table, fact, payload)
        return Fact(fact.id, fact.source_id, fact.checksum, fact.position, orjson.dumps(payload))

    def _place(self, table: str, fact: Fact, payload: dict[str, Any]) -> None:
        """Raise ValueError unless id and source are those of what the fact says."""
        known = self._sources
        if table == "sources":
            root, path = payload["root"], payload["path"]
            right = fact.id == fact.source_id == payload["source_id"] == source_id(root, path)
            self._sources.add(fact.id)
            self.roots.add(root)
        elif table == "chunks":
            right = (fact.id, fact.source_id) == (payload["chunk_id"], payload["source_id"])
            right &= payload["parent_id"] in self._parents
            self._chunks[fact.id] = fact.source_id
        elif table == "parents":
            right = (fact.id, fact.source_id) == (payload["parent_id"], payload["source_id"])
            self._parents.add(fact.id)
        elif table == "mentions":
            right = self._chunks.get(fact.id) == fact.source_id
        elif table == "edges":
            right = (fact.id, fact.source_id) == (fact.checksum, payload["source_id"])
        elif table == "entities":
            right = fact.id == payload["entity_id"]
        else:
            right = fact.id == f"urn:kb:assertion:{fact.checksum}"
        if not right or fact.source_id not in known:
            raise ValueError(f"{fact.id!r} is not the id of what it says, or not of that source")


def builds(pack: Unpacking, described: Described, layout: Layout, progress: Progress) -> list[StagedBuild]:
    """Write the files of the three builds below staging, flushed. Raises ArchiveCorrupt unless they are those of files.json, and
    carry the stamps of the manifest."""
    progress.start("files", sum(map(len, described.files.values())), "files")
    staged = []
    for build in described.manifest.builds:
        folder, files = layout.staged_build(build.kind), described.files[f"{build.kind}/{build.id}"]
        try:
            for name, entry in sorted(files.items()):
                _write(pack, f"builds/{build.kind}/{build.id}/{name}", folder / name, entry)
                progress.advance("files")
            flush(folder)
        except OSError as error:
            raise StorageFailed(
                f"the {build.kind} index could not be written below {layout.staging}: {error.strerror or error}; free disk space "
                "and import again (nothing was imported)"
            ) from error
        try:
            stamped = carries(folder, build)
        except BuildCorrupt:
            stamped = False
        if not stamped:
            raise pack.corrupt(f"its {build.kind} build carries another stamp than its manifest says")
        staged.append(StagedBuild(build, folder, False, files))
    progress.finish("files")
    return staged


def _write(pack: Unpacking, name: str, target: Path, entry: dict[str, Any]) -> None:
    """Write one file with holes where it has nothing but zeros: engines preallocate."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb", buffering=0) as file:
        os.truncate(file.fileno(), entry["size"])
        for number, block in pack.blocks(name, entry["size"], entry["sparse_sha256"]):
            if not is_hole(block):
                _write_at(file.fileno(), block, number * BLOCK)


def _write_at(descriptor: int, block: bytes, position: int) -> None:
    while block:
        done = os.pwrite(descriptor, block, position)
        block, position = block[done:], position + done


def vectors(
    pack: Unpacking, described: Described, catalog: Catalog, held: Callable[[list[str]], dict[str, str]], progress: Progress
) -> Iterator[dict[str, bytes]]:
    """Yield cached vectors by key, in batches. `held`: what the vector index gives back for chunks (`IndexReader.contents`).

    Raises ArchiveCorrupt for a vector of no text of the generation, and for one from which the index would not hold what it
    holds."""
    if not described.head.dimensions:
        return
    generation = described.manifest.generation
    chunk_of: dict[str, str] = {}
    for fact in catalog.facts("chunks", generation):
        row = orjson.loads(fact.payload)
        chunk_of.setdefault(sha256_hex(embedded(row["prefix"], row["text"])), fact.id)
    size, number, before = _KEY_BYTES + 4 * described.head.dimensions, 0, ""
    progress.start("vectors", len(chunk_of), "vectors")
    while pack.upcoming() == (name := part_name("vectors", number)):
        data = pack.data(name, PART_BYTES + size)
        if not data or len(data) % size:
            raise pack.corrupt(f"{name} is cut")
        for start in range(0, len(data), size * _PROVEN_AT_ONCE):
            records = [data[at : at + size] for at in range(start, min(start + size * _PROVEN_AT_ONCE, len(data)), size)]
            batch = {record[:_KEY_BYTES].hex(): record[_KEY_BYTES:] for record in records}
            if [before, *batch] != sorted({before, *batch}) or not batch.keys() <= chunk_of.keys() or len(batch) < len(records):
                raise pack.corrupt(f"{name} has a vector of no text in it")
            if not _agree(batch, [chunk_of[key] for key in batch], catalog, generation, held):
                raise pack.corrupt(f"{name} has vectors that are not those of its vector index")
            before = max(batch)
            yield batch
            progress.advance("vectors", len(batch))
        number += 1
    progress.finish("vectors")


def _agree(
    batch: dict[str, bytes], chunks: list[str], catalog: Catalog, generation: int, held: Callable[[list[str]], dict[str, str]]
) -> bool:
    import numpy as np

    rows = catalog.get("chunks", generation, chunks)
    matrix = np.frombuffer(b"".join(batch.values()), "<f4").reshape(len(batch), -1)
    try:
        return vector_contents([rows[chunk].noun(ChunkRow) for chunk in chunks], matrix) == held(chunks)
    except ValueError:
        return False
