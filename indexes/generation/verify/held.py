"""What the three indexes hold, row by row and edge by edge, against what was published.

Whose word counts? Whoever's digest is the manifest's: usually the catalog's; where it was tampered with, an index that still fits
tells what the catalog lost. So every difference is put down to the store that has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indexes.generation.verify.aspects import differing, expected, sorted_out, told
from indexes.generation.verify.facts import Table, unexplained
from indexes.generation.verify.findings import (
    ALTERED,
    GHOST,
    GHOST_EDGE,
    LOST,
    LOST_EDGE,
    ORPHAN_EDGE,
    TORN_FILE,
    WRONG_BUILD,
    Drift,
    of_ids,
)
from ingest.errors import Inconsistent
from ingest.model.canonical import SetDigest, sha256_hex
from ingest.model.edge import REGISTRY, Edge
from ingest.model.generation import Build, Manifest
from ingest.model.row import ChunkRow
from ingest.store.catalog import Catalog

EXPLAINED_AT_MOST = 2000
"""Rows whose aspects are told apart; of more, the first are."""


BROKEN = (Inconsistent, IndexError, KeyError, ValueError, OverflowError)
"""What reading a build raises whose bytes are as published but make no sense."""


@dataclass(slots=True)
class Held:
    """An opened build. `rows_fit`, `edges_fit`: the digest is the one that the manifest names. `doubtful`: something in it
    is not right although the digests are, so its rows are to be looked at one by one."""

    build: Build
    reader: Any
    rows_fit: bool = True
    edges_fit: bool = True
    doubtful: bool = False
    notes: list[Drift] = field(default_factory=list)

    @property
    def kind(self) -> Any:
        return self.build.kind

    @property
    def where(self) -> str:
        return f"{self.build.kind}/{self.build.id}"

    def look(self) -> None:
        """Count what it holds, and see whether it agrees with itself. Raises Inconsistent."""
        self.rows_fit = str(SetDigest.of(self.reader.pairs())) == self.build.rows
        false = self.reader.false_gates()
        if false:
            self.doubtful = True
        if self.kind == "vector" and not self.reader.fits:
            self.doubtful = True
            self.notes.append(Drift(TORN_FILE, self.where, "its gates or its header do not match the points of the shard"))
        if self.kind == "bm25":
            self._look_at_segments()
        if self.kind == "graph":
            stored = str(SetDigest.of((edge, edge) for edge in self.reader.edge_ids()))
            derived = str(SetDigest.of((edge.edge_id, edge.edge_id) for edge in self.reader.edges()))
            self.edges_fit = stored == derived == self.build.edges

    def _look_at_segments(self) -> None:
        try:
            self.reader.check()
        except Inconsistent as error:
            self.doubtful = True
            self.notes.append(Drift(TORN_FILE, self.where, str(error)))
        disorder = self.reader.disorder()
        if disorder is not None:
            self.doubtful = True
            self.notes.append(Drift(TORN_FILE, self.where, disorder))


def unless_broken(held: Held, findings: Iterator[Drift]) -> Iterator[Drift]:
    """Yield findings about a build; where it cannot be read to the end, that is one."""
    try:
        yield from findings
    except BROKEN as error:
        yield Drift(TORN_FILE, held.where, f"it cannot be read: {error}")


def rows(
    catalog: Catalog, manifest: Manifest, chunks: Table, indexes: list[Held], others: Mapping[str, int]
) -> Iterator[Drift]:
    """Yield what the catalog and every index hold otherwise than published. `others`: rows digest -> a generation that has it."""
    number = manifest.generation
    fitting = [held for held in indexes if held.rows_fit]
    published: dict[str, str] | None = None
    if chunks.fits:
        if len(fitting) < len(indexes):
            published = {fact.id: fact.checksum for fact in catalog.facts("chunks", number)}
    else:
        mine = {fact.id: fact.checksum for fact in catalog.facts("chunks", number)}
        published = dict(fitting[0].reader.pairs()) if fitting else mine
        if not fitting:
            yield unexplained(chunks)
        yield from _facts(catalog, number, chunks, published, mine, fitting)
    if chunks.altered:
        yield from _altered(catalog, number, chunks, indexes)
    for held in indexes:
        if not held.rows_fit and published is not None:
            yield from unless_broken(held, _index(catalog, number, held, published, chunks, others))


def _facts(
    catalog: Catalog, number: int, chunks: Table, published: dict[str, str], mine: dict[str, str], fitting: list[Held]
) -> Iterator[Drift]:
    lost, ghosts, altered = _differences(mine, published)
    if lost:
        yield of_ids(LOST, chunks.where, lost, "fact")
    if ghosts:
        yield of_ids(GHOST, chunks.where, ghosts, "fact")
    chunks.altered.update(dict.fromkeys(altered, ""))


def _altered(catalog: Catalog, number: int, chunks: Table, indexes: list[Held]) -> Iterator[Drift]:
    """Chunks whose facts are not as written: what the indexes hold of them tells in what."""
    names: dict[str, list[str]] = {}
    ids = sorted(chunks.altered)
    few = ids[:EXPLAINED_AT_MOST]
    facts = catalog.get("chunks", number, few)
    aspects = [(held, described(held, few)) for held in indexes]
    for id in few:
        names[id] = _names(facts[id].noun, [(held, found[id]) for held, found in aspects if id in found]) if id in facts else []
    yield from sorted_out(chunks.where, {id: found for id, found in names.items() if found})
    rest = [id for id in ids if not names.get(id)]
    if rest:
        yield of_ids(ALTERED, chunks.where, rest, "fact", "not what their checksums say")


def described(held: Held, ids: Sequence[str]) -> dict[str, Any]:
    """Return what an index holds of some rows; nothing where it cannot be read."""
    try:
        found: dict[str, Any] = held.reader.described(list(ids))
        return found
    except BROKEN:  # told of by who reads its rows
        return {}


def _names(noun: Any, described: list[tuple[Held, dict[str, Any]]]) -> list[str]:
    """In which aspects a row is not what the indexes hold of it. Empty: it cannot be read, or it is in none that they hold."""
    try:
        row: ChunkRow = noun(ChunkRow)
        if sha256_hex(row.text) != row.text_checksum:
            return ["text"]
        found: dict[str, None] = {}
        for held, aspects in described:
            found.update(dict.fromkeys(differing(expected(held.kind, row), aspects)))
    except (Inconsistent, ValueError, TypeError, AttributeError, KeyError):
        return []
    return [name for name in found if name not in ("row_checksum", "leaving", "arriving", "length")]


def _index(
    catalog: Catalog, number: int, held: Held, published: dict[str, str], chunks: Table, others: Mapping[str, int]
) -> Iterator[Drift]:
    mine = dict(held.reader.pairs())
    whole = others.get(str(SetDigest.of(mine.items())))
    if whole is not None:
        yield Drift(WRONG_BUILD, held.where, f"it holds the rows of generation {whole}")
    lost, ghosts, altered = _differences(mine, published)
    if lost:
        yield of_ids(LOST, held.kind, lost, "row")
    if ghosts:
        yield of_ids(GHOST, held.kind, ghosts, "row")
    if altered:
        yield from explain(catalog, number, held, altered, chunks)
    if not (lost or ghosts or altered):
        twice = "some rows are held twice" if sum(1 for _ in held.reader.pairs()) > len(mine) else "its rows are the catalog's"
        yield Drift(WRONG_BUILD, held.where, f"{twice}, but their digest is not the one that the manifest names")


def explain(
    catalog: Catalog, number: int, held: Held, ids: list[str], chunks: Table, vectors: Mapping[str, bytes] | None = None,
    *, edges: bool = True,
) -> Iterator[Drift]:
    """Yield in what rows of an index differ from the catalog's. Rows that the catalog itself has altered are no measure."""
    few = [id for id in sorted(ids) if id not in chunks.altered][:EXPLAINED_AT_MOST]
    facts = catalog.get("chunks", number, few)
    nouns = {id: facts[id].noun(ChunkRow) for id in few if id in facts}
    known = vectors or {}
    yield from told(held.kind, held.kind, nouns, held.reader.described(list(nouns)), known.get, edges=edges)
    rest = [id for id in ids if id not in nouns and id not in chunks.altered]
    if rest:
        yield of_ids(ALTERED, held.kind, rest, "row")


def _differences(mine: Mapping[str, str], published: Mapping[str, str]) -> tuple[list[str], list[str], list[str]]:
    """Return the ids that are lost, that are ghosts, and that are held otherwise."""
    return (
        [id for id in published if id not in mine], [id for id in mine if id not in published],
        [id for id, checksum in published.items() if mine.get(id, checksum) != checksum],
    )


def edges(catalog: Catalog, manifest: Manifest, tables: Mapping[str, Table], graph: Held | None) -> Iterator[Drift]:
    """Yield what the catalog and the graph hold of links and assertions otherwise than published."""
    table, number = tables["edges"], manifest.generation
    mine: set[str] = set()
    if not table.clean or (graph is not None and not graph.edges_fit):
        mine = {fact.id for fact in catalog.facts("edges", number)}
    published = mine
    if table.altered:
        yield of_ids(ALTERED, table.where, table.altered, "fact", "not what their checksums say")
    if not table.fits:
        if graph is not None and graph.edges_fit:
            published = set(graph.reader.edge_ids())
            if published - mine:
                yield of_ids(LOST, table.where, published - mine, "fact")
            if mine - published:
                yield of_ids(GHOST, table.where, mine - published, "fact")
        elif not table.altered:
            yield unexplained(table)
    if graph is not None and not graph.edges_fit:
        yield from unless_broken(graph, _of_graph(catalog, number, graph, published))


def _of_graph(catalog: Catalog, number: int, graph: Held, published: set[str]) -> Iterator[Drift]:
    stored: set[str] = set()
    altered: list[str] = []
    lost: list[str] = []
    ghosts: list[str] = []
    orphans: list[str] = []
    for edge_id, edge in graph.reader.recorded():
        stored.add(edge_id)
        if edge_id not in published:
            (orphans if _rests_on_nothing(catalog, number, edge) else ghosts).append(edge_id)
        elif edge is None:
            lost.append(edge_id)
        elif edge.edge_id != edge_id:
            altered.append(edge_id)
    lost.extend(published - stored)
    for kind, ids in ((LOST_EDGE, lost), (ORPHAN_EDGE, orphans), (GHOST_EDGE, ghosts)):
        if ids:
            yield of_ids(kind, "graph", ids, "edge")
    if altered:
        yield of_ids(ALTERED, "graph", altered, "edge", "they say something else than their ids")
    if not (altered or lost or ghosts or orphans):
        yield Drift(WRONG_BUILD, graph.where, "its edges are the catalog's, but not the digest that the manifest names")


def _rests_on_nothing(catalog: Catalog, number: int, edge: Edge | None) -> bool:
    if edge is None or edge.evidence == REGISTRY:
        return False
    return not any(catalog.get(table, number, [edge.evidence]) for table in ("chunks", "sources"))



