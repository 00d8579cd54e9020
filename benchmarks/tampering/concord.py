"""What is done to a knowledge base of ours, one function a tampering, each on a private copy.

A tampering of an index goes through that index's own engine and writer. *Plain* leaves the hashes of files as they were
published; *careful* brings them, the stamp and, where the catalog is meant, checksums and both manifests in order afterwards.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from benchmarks.tampering.behind import Behind, resnapped
from indexes.generation.seal import STAMP
from indexes.vector.format import point_id
from ingest.model.access import Access
from ingest.model.canonical import digest_of, sha256_hex
from ingest.model.edge import Edge
from ingest.model.generation import INDEX_KINDS, IndexKind
from ingest.model.row import ChunkRow, resealed
from ingest.model.source import SourceRecord

SECRET = "QUOKKA"
"""In a chunk for the role sre."""
OPEN = "Payment is due"
OTHER = "Audit logs are kept"
EXPIRED = "苏州机房"

Act = Callable[[Behind], "Sequence[str]"]
"""Does it, and returns the ids of what was touched, where they have ids that can be named."""


@dataclass(frozen=True, slots=True)
class Tampering:
    """`subject` groups what belongs together in a table, `where` says what was touched. `generation`: the one to verify, where
    it is not the head."""

    subject: str
    where: str
    careful: bool
    act: Act
    generation: int | None = None

    @property
    def name(self) -> str:
        return f"{self.subject}: {self.where}{', careful' if self.careful else ''}"


def tamperings(backups: Path) -> list[Tampering]:
    """Return all of them. `backups` holds copies of the base as it was after each of its generations, by number."""
    made = [*_rows(), *_edges(), *_facts(), *_files(), *_generations(backups), *_caches()]
    assert len({one.name for one in made}) == len(made)
    return made


# Rows of the three indexes


def _rows() -> Iterator[Tampering]:
    for kind in INDEX_KINDS:
        for subject, act in (
            ("lost chunk", _lose), ("ghost chunk", _add_ghost), ("changed access rule", _open_up), ("changed validity", _prolong)
        ):
            yield from _both(subject, kind, partial(act, kind), kind)
    yield Tampering("lost chunk", "vector, by the engine alone", False, _delete_point)
    for kind in INDEX_KINDS[1:]:
        yield from _both("altered text", kind, partial(_reword, kind), kind)
    yield from _both("swapped vectors", "vector", _swap_vectors, "vector")
    yield from _both("altered vector", "vector", _turn_vector, "vector")
    yield from _both("changed access rule", "gates of vector", partial(_open_gates, "vector"), "vector")
    yield from _both("changed access rule", "gates of graph", partial(_open_gates, "graph"), "graph")
    yield Tampering("lost chunk", "all three indexes", True, _lose_everywhere)
    yield Tampering("changed access rule", "all three indexes", True, _open_everywhere)
    yield Tampering("changed access rule", "catalog and all three indexes", True, _open_throughout)


def _both(subject: str, where: str, act: Act, *kinds: IndexKind) -> Iterator[Tampering]:
    """The tampering as it is, and with file hashes and stamps in order."""

    def careful(kb: Behind) -> Sequence[str]:
        touched = act(kb)
        kb.vouch(*kinds)
        return touched

    yield Tampering(subject, where, False, act)
    yield Tampering(subject, where, True, careful)


def _lose(kind: IndexKind, kb: Behind) -> Sequence[str]:
    lost = kb.row(OPEN).chunk_id
    kb.rewrite(kind, removed=[lost])
    return [lost]


def _lose_everywhere(kb: Behind) -> Sequence[str]:
    for kind in INDEX_KINDS:
        touched = _lose(kind, kb)
    kb.vouch(*INDEX_KINDS)
    return touched


def _delete_point(kb: Behind) -> Sequence[str]:
    from indexes.vector.shard import Shard

    lost = kb.row(OPEN).chunk_id
    shard = Shard.open(kb.build("vector") / "shard")
    shard.delete([point_id(lost)])
    shard.seal()
    return [lost]


def _ghost(kb: Behind) -> ChunkRow:
    return resealed(kb.row(OPEN), chunk_id=f"urn:kb:chunk:{'5' * 32}", text="Payment is due on the nail, by order of a ghost.")


def _add_ghost(kind: IndexKind, kb: Behind) -> Sequence[str]:
    ghost = _ghost(kb)
    kb.rewrite(kind, [ghost], vectors=kb.vectors([kb.row(OPEN).chunk_id]) if kind == "vector" else None)
    return [ghost.chunk_id]


def _reword(kind: IndexKind, kb: Behind) -> Sequence[str]:
    row = kb.row(OPEN)
    reworded = replace(row, text=row.text.replace("thirty", "ninety"), heading_path=(*row.heading_path[:-1], "Conditions"))
    kb.rewrite(kind, [reworded])
    return [row.chunk_id]


def _open_up(kind: IndexKind, kb: Behind) -> Sequence[str]:
    row = kb.row(SECRET)
    kb.rewrite(kind, [replace(row, access=Access())])
    return [row.chunk_id]


def _open_everywhere(kb: Behind) -> Sequence[str]:
    for kind in INDEX_KINDS:
        touched = _open_up(kind, kb)
    kb.vouch(*INDEX_KINDS)
    return touched


def _open_throughout(kb: Behind) -> Sequence[str]:
    row = kb.row(SECRET)
    opened = resealed(row, access=Access())
    for kind in INDEX_KINDS:
        kb.rewrite(kind, [opened])
    kb.vouch(*INDEX_KINDS)
    kb.write_row(row.chunk_id, opened, checksum=True)
    kb.confirm()
    return [row.chunk_id]


def _open_gates(kind: IndexKind, kb: Behind) -> Sequence[str]:
    """Every gate keeps its id and admits everybody."""
    path = kb.build(kind) / "gates.json"
    gates = json.loads(path.read_bytes())
    opened = {id: ["", 0, ["*"], *columns[3:]] for id, columns in gates.items()}
    _same_size(path, json.dumps(opened, sort_keys=True, separators=(",", ":")).encode())
    return [row.chunk_id for row in kb.rows.values() if row.access != Access()]


def _prolong(kind: IndexKind, kb: Behind) -> Sequence[str]:
    row = kb.row(EXPIRED)
    kb.rewrite(kind, [replace(row, valid_until=None)])
    return [row.chunk_id]


def _swap_vectors(kb: Behind) -> Sequence[str]:
    rows = [kb.row(OPEN), kb.row(OTHER)]
    kb.rewrite("vector", rows, vectors=kb.vectors([row.chunk_id for row in rows[::-1]]))
    return [row.chunk_id for row in rows]


def _turn_vector(kb: Behind) -> Sequence[str]:
    row = kb.row(OPEN)
    kb.rewrite("vector", [row], vectors=[np.roll(kb.vectors([row.chunk_id])[0], 1)])
    return [row.chunk_id]


# Edges


def _edges() -> Iterator[Tampering]:
    yield from _both("orphan edge", "graph", _add_orphan, "graph")
    yield from _both("ghost edge", "graph", _add_edge, "graph")
    yield from _both("lost edge", "graph", _lose_edge, "graph")
    yield from _both("altered edge", "confidence in the graph's table", _doubt_edge, "graph")
    yield from _both("altered edge", "end in the graph's arrays", _bend_edge, "graph")
    yield from _both("altered edge", "end in the graph's arrays, other direction", partial(_bend_edge, way="in"), "graph")
    yield from _both("lost edge", "mention in the graph's arrays", _lose_mention, "graph")


def _add_orphan(kb: Behind) -> Sequence[str]:
    nowhere = Edge("urn:kb:entity:nowhere", "supplies", "urn:kb:entity:nobody", "urn:kb:source:gone", "urn:kb:source:gone")
    kb.rewrite("graph", edges=[nowhere])
    return [nowhere.edge_id]


def _add_edge(kb: Behind) -> Sequence[str]:
    made_up = replace(next(edge for edge in kb.edges if edge.relation == "supplies"), relation="owns")
    kb.rewrite("graph", edges=[made_up])
    return [made_up.edge_id]


def _lose_edge(kb: Behind) -> Sequence[str]:
    edge = next(edge for edge in kb.edges if edge.relation == "supplies")
    kb.rewrite("graph", removed_edges=[edge.edge_id])
    return [edge.edge_id]


def _doubt_edge(kb: Behind) -> Sequence[str]:
    """The edge keeps its id and says something else."""
    from indexes.graph.tables import EDGE_SCHEMA, read_table, write_table

    edge = next(edge for edge in kb.edges if edge.relation == "supplies")
    path = kb.build("graph") / "edges.parquet"
    table = read_table(path, EDGE_SCHEMA).to_pylist()
    for line in table:
        line["confidence"] = 0.25 if line["edge_id"] == edge.edge_id else line["confidence"]
    _write_table(table, EDGE_SCHEMA, write_table, path)
    return [edge.edge_id]


def _write_table(lines: list[dict[str, Any]], schema: Any, write: Callable[[Any, Path], None], path: Path) -> None:
    from indexes.graph.columns import table

    write(table(lines, schema), path)


def _bend_edge(kb: Behind, way: str = "out") -> Sequence[str]:
    """A link or assertion leads to another node."""
    folder = kb.build("graph")
    records, ends = np.load(folder / f"{way}.records.npy"), np.load(folder / f"{way}.ends.npy")
    place = int(np.flatnonzero(records >= 0)[0])
    line, ends[place] = int(records[place]), (ends[place] + 1) % (ends.max() + 1)
    np.save(folder / f"{way}.ends.npy", ends)
    return [_edge_ids(folder)[line]]


def _edge_ids(folder: Path) -> list[str]:
    from indexes.graph.tables import EDGE_SCHEMA, read_table

    found: list[str] = read_table(folder / "edges.parquet", EDGE_SCHEMA)["edge_id"].to_pylist()
    return found


def _lose_mention(kb: Behind) -> Sequence[str]:
    """A chunk's mention leads back to the chunk itself."""
    from indexes.graph.reader import open_graph

    folder = kb.build("graph")
    graph = open_graph(folder)
    mentions = json.loads((folder / "graph.json").read_bytes())["relations"].index("mentions")
    place = int(np.flatnonzero(graph.out.relations == mentions)[0])
    chunk = int(graph.out.evidence[place])
    name = graph.nodes.name(chunk)
    graph.close()
    ends = np.load(folder / "out.ends.npy")
    ends[place] = chunk
    np.save(folder / "out.ends.npy", ends)
    return [name]


# Facts of the catalog


def _facts() -> Iterator[Tampering]:
    for subject, where, act in (
        ("altered text", "catalog: a chunk", _reword_row), ("changed access rule", "catalog: a chunk", _open_row),
        ("changed validity", "catalog: a chunk", _prolong_row), ("ghost chunk", "catalog", _add_row),
        ("altered text", "catalog: a parent", partial(_reword_fact, "parents", "thirty days", "ninety days")),
        ("altered fact", "catalog: a source's record", _open_record),
        ("altered fact", "catalog: an entity", partial(_reword_fact, "entities", "Norrvik AB", "Norrvik AG")),
        ("altered fact", "catalog: an assertion", partial(_reword_fact, "assertions", "supplies", "acquires")),
        ("altered fact", "catalog: a mention", partial(_reword_fact, "mentions", "entity:norrvik", "entity:yungate")),
        ("altered edge", "catalog", partial(_reword_fact, "edges", "supplies", "acquires")),
        ("orphan edge", "catalog", _add_orphan_fact),
    ):
        yield Tampering(subject, where, False, partial(act, careful=False))
        yield Tampering(subject, where, True, partial(act, careful=True))
    for table, containing in (
        ("chunks", OPEN), ("parents", OPEN), ("sources", "partners.en.md"), ("mentions", "norrvik"), ("edges", "supplies"),
        ("entities", "norrvik"), ("assertions", "supplies"),
    ):
        act = partial(_delete_fact, table, containing)
        yield Tampering("catalog row deleted", table, False, partial(act, careful=False))
        yield Tampering("catalog row deleted", table, True, partial(act, careful=True))
    yield Tampering("catalog row deleted", "a chunk ended a generation early", False, _end_row)
    yield Tampering("altered fact", "catalog: order of a source's chunks", False, _shuffle)
    yield Tampering("altered fact", "catalog: owner of a parent", False, _disown)
    yield Tampering("altered fact", "catalog: hash under which a file was last seen", False, _see_otherwise)


def _reword_row(kb: Behind, *, careful: bool) -> Sequence[str]:
    row = kb.row(OPEN)
    text = row.text.replace("thirty", "ninety")
    return _put_row(kb, resealed(row, text=text) if careful else replace(row, text=text), careful)


def _open_row(kb: Behind, *, careful: bool) -> Sequence[str]:
    row = kb.row(SECRET)
    return _put_row(kb, resealed(row, access=Access()) if careful else replace(row, access=Access()), careful)


def _prolong_row(kb: Behind, *, careful: bool) -> Sequence[str]:
    row = kb.row(EXPIRED)
    return _put_row(kb, resealed(row, valid_until=None) if careful else replace(row, valid_until=None), careful)


def _put_row(kb: Behind, row: ChunkRow, careful: bool) -> Sequence[str]:
    kb.write_row(row.chunk_id, row, checksum=careful)
    if careful:
        kb.confirm()
    return [row.chunk_id]


def _add_row(kb: Behind, *, careful: bool) -> Sequence[str]:
    ghost = _ghost(kb)
    _insert(kb, "chunks", ghost.chunk_id, ghost.source_id, ghost.row_checksum, orjson.dumps(ghost))
    if careful:
        kb.confirm()
    return [ghost.chunk_id]


def _insert(kb: Behind, table: str, id: str, source: str, checksum: str, payload: bytes) -> None:
    with kb.catalog() as database:
        database.execute(
            f"insert into {table} (id, source_id, checksum, gen_from, position, payload) values (?, ?, ?, ?, 99, ?)",
            (id, source, checksum, kb.head, payload),
        )


def _add_orphan_fact(kb: Behind, *, careful: bool) -> Sequence[str]:
    edge = Edge("urn:kb:entity:nowhere", "supplies", "urn:kb:entity:nobody", "urn:kb:source:gone", "urn:kb:source:gone")
    _insert(kb, "edges", edge.edge_id, edge.source_id, edge.edge_id, orjson.dumps(edge))
    if careful:
        kb.confirm()
    return [edge.edge_id]


def _reword_fact(table: str, old: str, new: str, kb: Behind, *, careful: bool) -> Sequence[str]:
    id, payload, _ = kb.fact(table, old)
    changed = json.loads(json.dumps(payload, ensure_ascii=False).replace(old, new))
    checksum = digest_of(changed["mentions"] if table == "mentions" else changed) if careful else None
    kb.write_fact(table, id, orjson.dumps(changed), checksum)
    if careful:
        kb.confirm()
    return [id]


def _open_record(kb: Behind, *, careful: bool) -> Sequence[str]:
    """The record of a document for few says that it is for all."""
    from ingest.model.codec import decode

    id, payload, _ = kb.fact("sources", "runbook.en.md")
    record = decode(SourceRecord, payload)
    opened = replace(record, declared=replace(record.declared, access=Access()))
    kb.write_fact("sources", id, orjson.dumps(opened), opened.digest() if careful else None)
    if careful:
        kb.confirm()
    return [id]


def _delete_fact(table: str, containing: str, kb: Behind, *, careful: bool) -> Sequence[str]:
    id, _, _ = kb.fact(table, containing)
    with kb.catalog() as database:
        database.execute(f"delete from {table} where id = ? and gen_to is null", (id,))
    if careful:
        kb.confirm()
    return [id]


def _end_row(kb: Behind) -> Sequence[str]:
    row = kb.row(OPEN)
    with kb.catalog() as database:
        database.execute("update chunks set gen_to = ? where id = ?", (kb.head, row.chunk_id))
    return [row.chunk_id]


def _shuffle(kb: Behind) -> Sequence[str]:
    with kb.catalog() as database:
        database.execute("update chunks set position = -position where gen_to is null")
    return []


def _disown(kb: Behind) -> Sequence[str]:
    id, _, _ = kb.fact("parents", OPEN)
    with kb.catalog() as database:
        database.execute("update parents set source_id = 'urn:kb:source:other' where id = ?", (id,))
    return [id]


def _see_otherwise(kb: Behind) -> Sequence[str]:
    """The stat cache says another content for an unchanged file."""
    with kb.catalog() as database:
        source, revision = database.execute("select source_id, revision from seen order by source_id").fetchone()
        told = {**json.loads(revision), "content": "0" * 64}
        database.execute("update seen set revision = ? where source_id = ?", (json.dumps(told), source))
    return []


# Files

_TOUCHED: dict[IndexKind, tuple[str, ...]] = {
    "vector": ("chunk_0.mmap", "vector.json", "gates.json"),
    "bm25": (".segment", "build.bm25"),
    "graph": ("chunks.parquet", "edges.parquet", "out.ends.npy", "graph.json"),
}
"""Ends of the names of files that hold something of each sort."""


def _files() -> Iterator[Tampering]:
    for kind, name in [(kind, name) for kind, names in _TOUCHED.items() for name in names]:
        where = f"{kind}: {'a segment' if name == '.segment' else name}"
        yield from _both("flipped byte", where, partial(_on_file, kind, name, _flip), kind)
        yield from _both("truncated file", where, partial(_on_file, kind, name, _cut), kind)
        yield Tampering("missing file", where, False, partial(_on_file, kind, name, Path.unlink))
    for name in ("manifest.json", "files.json"):
        yield Tampering("flipped byte", name, False, partial(_on_generation, name, _flip))
        yield Tampering("truncated file", name, False, partial(_on_generation, name, _cut))
        yield Tampering("missing file", name, False, partial(_on_generation, name, Path.unlink))
    yield Tampering("flipped byte", "catalog.db: a chunk's text", False, _flip_catalog)
    yield Tampering("truncated file", "catalog.db", False, _cut_catalog)
    yield Tampering("unknown file", "vector", False, _add_file)
    yield from _both("stale stamp", "vector", partial(_stale_stamp, "vector"))
    for kind in INDEX_KINDS[1:]:
        yield Tampering("stale stamp", kind, False, partial(_stale_stamp, kind))


def _on_file(kind: IndexKind, name: str, change: Callable[[Path], Any], kb: Behind) -> Sequence[str]:
    found = [path for path in sorted(kb.build(kind).rglob("*")) if path.name.endswith(name)]
    change(max(found, key=lambda path: path.stat().st_blocks))
    return []


def _on_generation(name: str, change: Callable[[Path], Any], kb: Behind) -> Sequence[str]:
    change(kb.layout.generation(kb.head) / name)
    return []


def _flip(path: Path) -> None:
    """Flip a bit in the middle of a file; of a shard's vectors, in the first; of a segment, in the last posting."""
    size = path.stat().st_size
    with path.open("r+b") as file:
        place = {".mmap": 64, ".segment": size - 1}.get(path.suffix, size // 2)
        file.seek(place)
        (byte,) = file.read(1)
        file.seek(place)
        file.write(bytes([byte ^ 1]))


def _cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def _same_size(path: Path, data: bytes) -> None:
    """Write JSON of the size that was there: blanks at the end mean nothing."""
    size = path.stat().st_size
    assert len(data) <= size
    path.write_bytes(data.ljust(size))


def _flip_catalog(kb: Behind) -> Sequence[str]:
    row = kb.row(OPEN)
    data = bytearray(kb.layout.catalog.read_bytes())
    place = data.find(OPEN.encode())
    while place >= 0:  # the chunk, its parent, wherever it stands
        data[place + 1] ^= 1
        place = data.find(OPEN.encode())
    kb.layout.catalog.write_bytes(data)
    return [row.chunk_id]


def _cut_catalog(kb: Behind) -> Sequence[str]:
    _cut(kb.layout.catalog)
    return []


def _add_file(kb: Behind) -> Sequence[str]:
    (kb.build("vector") / "note.txt").write_text("nothing was here")
    return []


def _stale_stamp(kind: IndexKind, kb: Behind) -> Sequence[str]:
    shutil.copyfile(kb.build(kind, kb.head - 1) / STAMP, kb.build(kind) / STAMP)
    return []


# Generations


def _generations(backups: Path) -> Iterator[Tampering]:
    for kind in INDEX_KINDS:
        yield from _both("mixed builds", kind, partial(_mix, kind), kind)
    for where, generation, names in (
        ("builds of two generations ago", 1, ["builds"]),
        ("builds and generations of two generations ago", 1, ["builds", "generations"]),
        ("catalog.db of the generation before", 2, ["catalog.db"]),
        ("the whole base of the generation before", 2, []),
    ):
        yield Tampering("restored old directory", where, False, partial(_restore, backups, generation, names))
    yield Tampering("restored old directory", "generation folder of the one before", False, _copy_generation)
    yield Tampering("manifest edited", "manifest.json", False, partial(_edit_manifest, catalog=False))
    yield Tampering("manifest edited", "the catalog's copy", False, partial(_edit_manifest, file=False))
    yield Tampering("manifest edited", "scoring, both copies", True, _edit_manifest)
    yield Tampering("manifest edited", "fingerprint of the chunker, both copies", True, _edit_fingerprint)
    yield Tampering("head elsewhere", "the generation before", False, partial(_move_head, -1))
    yield Tampering("head elsewhere", "a generation that never was", False, partial(_move_head, 7))
    yield Tampering("head elsewhere", "nowhere", False, _lose_head)
    yield Tampering("head elsewhere", "the head is not listed", False, _unlist)
    for kind in INDEX_KINDS:
        yield Tampering("older generation damaged", kind, False, partial(_damage_older, kind), generation=2)
    yield Tampering("older generation damaged", "catalog: a chunk that has ended", False, _damage_ended, generation=2)


def _mix(kind: IndexKind, kb: Behind) -> Sequence[str]:
    """The build of the generation before under the head's name."""
    made = kb.layout.folder / "made"
    _copy(kb.build(kind, kb.head - 1), made)
    kb.put(kind, made)
    return []


def _copy(source: Path, target: Path) -> None:
    from indexes.vector.copy import copy_sparse

    copy_sparse(source, target)


def _restore(backups: Path, generation: int, names: Sequence[str], kb: Behind) -> Sequence[str]:
    backup = backups / str(generation)
    for name in names or [path.name for path in backup.iterdir()]:
        there = kb.layout.folder / name
        if there.is_dir():
            shutil.rmtree(there)
        if (backup / name).is_dir():
            _copy(backup / name, there)
        else:
            shutil.copyfile(backup / name, there)
    return []


def _copy_generation(kb: Behind) -> Sequence[str]:
    for name in ("manifest.json", "files.json"):
        shutil.copyfile(kb.layout.generation(kb.head - 1) / name, kb.layout.generation(kb.head) / name)
    return []


def _edit_manifest(kb: Behind, *, file: bool = True, catalog: bool = True) -> Sequence[str]:
    kb.write_manifest(replace(kb.manifest, scoring={**kb.manifest.scoring, "k1": 0.1, "b": 0.0}), file=file, catalog=catalog)
    return []


def _edit_fingerprint(kb: Behind) -> Sequence[str]:
    kb.write_manifest(resnapped(replace(kb.manifest, fingerprints={**kb.manifest.fingerprints, "chunk": "another chunker"})))
    return []


def _move_head(by: int, kb: Behind) -> Sequence[str]:
    with kb.catalog() as database:
        database.execute("update meta set value = ? where key = 'head'", (str(kb.head + by),))
    return []


def _lose_head(kb: Behind) -> Sequence[str]:
    with kb.catalog() as database:
        database.execute("delete from meta where key = 'head'")
    return []


def _unlist(kb: Behind) -> Sequence[str]:
    with kb.catalog() as database:
        database.execute("delete from generations where generation = ?", (kb.head,))
    return []


def _damage_older(kind: IndexKind, kb: Behind) -> Sequence[str]:
    folder = kb.build(kind, 2)
    _flip(folder / {"vector": "gates.json", "bm25": "build.bm25", "graph": "chunks.parquet"}[kind])
    return []


def _damage_ended(kb: Behind) -> Sequence[str]:
    with kb.catalog() as database:
        id, payload = database.execute(
            "select id, payload from chunks where gen_to = 3 and instr(payload, ?)", ("十五".encode(),)
        ).fetchone()
        changed = payload.replace("十五".encode(), "五十".encode())
        database.execute("update chunks set payload = ? where id = ? and gen_to = 3", (changed, id))
    return [id]


# Caches


def _caches() -> Iterator[Tampering]:
    for stage in ("embed:%", "chunks", "made"):
        where = f"cache: {stage.rstrip(':%')}"
        yield Tampering("cache entry altered", where, False, partial(_alter_entry, stage, careful=False))
        yield Tampering("cache entry altered", where, True, partial(_alter_entry, stage, careful=True))
    yield Tampering("flipped byte", "cache.db", False, _flip_cache)


def _alter_entry(stage: str, kb: Behind, *, careful: bool) -> Sequence[str]:
    """Every entry of a stage holds the value of its neighbour."""
    from ingest.store.cache import checksum_of

    with kb.cache() as database:
        entries = database.execute("select stage, key, value from entries where stage like ? order by key", (stage,)).fetchall()
        for (stage, key, _), (_, _, other) in zip(entries, [*entries[1:], entries[0]], strict=True):
            checksum = checksum_of(stage, key, other)
            database.execute("update entries set value = ? where stage = ? and key = ?", (other, stage, key))
            if careful:
                database.execute("update entries set checksum = ? where stage = ? and key = ?", (checksum, stage, key))
    served = {sha256_hex(row.embed_text) for row in kb.rows.values()}
    return [key for _, key, _ in entries if key in served or not stage.startswith("embed")]


def _flip_cache(kb: Behind) -> Sequence[str]:
    with sqlite3.connect(kb.layout.cache) as database:
        (value,) = database.execute("select value from entries where stage like 'embed:%' order by key").fetchone()
    data = bytearray(kb.layout.cache.read_bytes())
    data[data.find(value)] ^= 1
    kb.layout.cache.write_bytes(data)
    return []
