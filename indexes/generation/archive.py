"""One generation as one file: written from what is published, and nothing is written that is not as it was published.

The format is in docs/formats.md. What `indexes.generation.arrival` will refuse is refused here too, as far as it can be told
while copying: digests of facts by what their payloads say, digests of files as they are read.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from indexes.generation.checksums import checksum_of
from indexes.generation.container import Packing
from indexes.generation.kinds import dimensions_of
from indexes.generation.publish import files_of
from indexes.generation.seal import BLOCK
from indexes.generation.snapshot import Snapshot
from ingest.errors import BuildCorrupt, Inconsistent
from ingest.model.canonical import SetDigest, canonical, sha256_hex
from ingest.model.chunk import embedded
from ingest.model.generation import Build
from ingest.progress import Progress
from ingest.store.catalog import FACTS, Fact

ARCHIVE = 1
HEAD = "concord.json"
MANIFEST = "manifest.json"
FILES = "files.json"
PART_BYTES = 4 << 20
"""A part of a table is closed when it has come to this: large enough to compress well, small enough to hold."""

CachedVectors = Callable[[Sequence[str]], "dict[str, bytes]"]
"""Keys (sha256 of texts, hex) -> the vectors that the cache holds, as bytes."""

_LOOKED_UP_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Head:
    """`concord.json`: the format, and what is beside a generation and in no digest of it."""

    generation: int
    published_at: str
    confirmed_at: str
    dimensions: int = 0
    """Of the vectors in it, 0 where there are none."""
    archive: int = ARCHIVE


def part_name(folder: str, number: int, suffix: str = "") -> str:
    """Return the name of a numbered entry."""
    return f"{folder}/{number:06d}{suffix}"


def write_archive(pack: Packing, snapshot: Snapshot, progress: Progress, cached: CachedVectors | None = None) -> int:
    """Write the pinned generation; returns how many vectors are in it. `cached`: with the vectors of its texts.

    Raises BuildCorrupt and Inconsistent where something is not what was published."""
    manifest, published = snapshot.manifest, snapshot.catalog.published(snapshot.generation)
    dimensions = dimensions_of(snapshot.layout.build(manifest.build("vector"))) if cached is not None else 0
    pack.put(HEAD, canonical(Head(manifest.generation, published.published_at, published.confirmed_at, dimensions)))
    pack.put(MANIFEST, canonical(manifest))
    files = {f"{build.kind}/{build.id}": _listed(snapshot, build) for build in manifest.builds}
    pack.put(FILES, canonical(files))
    _catalog(pack, snapshot, progress)
    progress.start("files", sum(map(len, files.values())), "files")
    for build in manifest.builds:
        for name, entry in sorted(files[f"{build.kind}/{build.id}"].items()):
            _file(pack, snapshot, build, name, entry)
            progress.advance("files")
    progress.finish("files")
    return _parts(pack, "vectors", "", _vectors(snapshot, cached)) if cached is not None else 0


def _listed(snapshot: Snapshot, build: Build) -> dict[str, dict[str, Any]]:
    files = files_of(snapshot.layout, [snapshot.generation], build)
    if files is None:
        raise BuildCorrupt(
            f"{snapshot.layout.files(snapshot.generation)} does not list the {build.kind} build {build.id}; "
            f"see what is wrong with it: ingest verify --generation {snapshot.generation}"
        )
    return files


def _file(pack: Packing, snapshot: Snapshot, build: Build, name: str, entry: dict[str, Any]) -> None:
    path = snapshot.layout.build(build) / name
    try:
        with path.open("rb") as file:
            same = os.fstat(file.fileno()).st_size == entry["size"] and entry["sparse_sha256"] == pack.copy(
                f"builds/{build.kind}/{build.id}/{name}", entry["size"], _blocks(file)
            )
    except FileNotFoundError:
        same = False
    if not same:
        raise BuildCorrupt(
            f"{path} is not what was published, so generation {snapshot.generation} is not exported; "
            f"see what else is wrong with it: ingest verify --generation {snapshot.generation}"
        )


def _blocks(file: Any) -> Iterator[bytes]:
    while block := file.read(BLOCK):
        yield block


def _catalog(pack: Packing, snapshot: Snapshot, progress: Progress) -> None:
    manifest = snapshot.manifest
    progress.start("catalog", sum(SetDigest.parse(digest).count for digest in manifest.catalog.values()), "facts")
    for table in FACTS:
        held = SetDigest()
        _parts(pack, f"catalog/{table}", ".jsonl", _lines(snapshot, table, held, progress))
        if str(held) != manifest.catalog[table]:
            raise Inconsistent(
                f"the catalog's {table} are not what generation {manifest.generation} published, so it is not exported; "
                f"see what is wrong: ingest verify --generation {manifest.generation}"
            )
    progress.finish("catalog")


def _lines(snapshot: Snapshot, table: str, held: SetDigest, progress: Progress) -> Iterator[bytes]:
    """The lines of a table in the order of ids and, where several sources say the same, of sources; counted into `held`."""
    facts = snapshot.catalog.facts(table, snapshot.generation)
    for _, alike in itertools.groupby(facts, key=lambda fact: fact.id):
        for fact in sorted(alike, key=lambda fact: (fact.source_id, fact.position)):
            held.add(fact.id, _derived(table, fact))
            progress.advance("catalog")
            yield orjson.dumps(
                {"id": fact.id, "source_id": fact.source_id, "checksum": fact.checksum, "position": fact.position,
                 "payload": orjson.Fragment(fact.payload)},
                option=orjson.OPT_APPEND_NEWLINE,
            )


def _derived(table: str, fact: Fact) -> str:
    try:
        return checksum_of(table, orjson.loads(fact.payload))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Inconsistent(f"the catalog's fact {fact.id} is not what was published ({error}); run: ingest verify") from error


def _parts(pack: Packing, folder: str, suffix: str, records: Iterable[bytes]) -> int:
    """Write records into numbered entries; return how many there were. Where an entry ends depends on the records alone."""
    waiting: list[bytes] = []
    size = number = count = 0
    for count, record in enumerate(records, 1):  # noqa: B007  # the last is what is asked for
        waiting.append(record)
        size += len(record)
        if size >= PART_BYTES:
            pack.put(part_name(folder, number, suffix), b"".join(waiting))
            waiting.clear()
            size, number = 0, number + 1
    if waiting:
        pack.put(part_name(folder, number, suffix), b"".join(waiting))
    return count


def _vectors(snapshot: Snapshot, cached: CachedVectors) -> Iterator[bytes]:
    """Key and vector of every text of the generation of which the cache has one, by key."""
    rows = (orjson.loads(fact.payload) for fact in snapshot.catalog.facts("chunks", snapshot.generation))
    keys = sorted({sha256_hex(embedded(row["prefix"], row["text"])) for row in rows})
    for start in range(0, len(keys), _LOOKED_UP_AT_ONCE):
        found = cached(keys[start : start + _LOOKED_UP_AT_ONCE])
        yield from (bytes.fromhex(key) + found[key] for key in sorted(found))

