"""In which aspect does a row differ? What an index stores of it, beside what it would store for the catalog's row."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from indexes.generation.verify.findings import (
    ALTERED,
    ALTERED_ACCESS,
    ALTERED_TEXT,
    ALTERED_VALIDITY,
    ALTERED_VECTOR,
    GHOST_EDGE,
    LOST_EDGE,
    Drift,
    of_ids,
)
from ingest.model.generation import IndexKind
from ingest.model.predicate import filter_columns
from ingest.model.row import ChunkRow
from ingest.protocols import Aspects

_KINDS = {
    "terms": ALTERED_TEXT, "length": ALTERED_TEXT, "text": ALTERED_TEXT, "vector": ALTERED_VECTOR,
    "tenant": ALTERED_ACCESS, "level": ALTERED_ACCESS, "acl": ALTERED_ACCESS,
    "valid_from": ALTERED_VALIDITY, "valid_until": ALTERED_VALIDITY,
}
EDGES = ("leaving", "arriving")
_ONLY_IF_NOTHING_ELSE = "row_checksum"


def expected(kind: IndexKind, row: ChunkRow, vector: bytes | None = None) -> Aspects:
    """Return what the index `kind` has to store of a row. `vector`: its unit vector, None where it is not known."""
    common = {**asdict(filter_columns(row)), _ONLY_IF_NOTHING_ELSE: row.row_checksum}
    if kind == "vector":
        return common if vector is None else {**common, "vector": vector}
    if kind == "bm25":
        from indexes.bm25.terms import tokens

        terms = Counter(tokens(row.search_text))
        return {**common, "terms": dict(terms), "length": terms.total()}
    from indexes.graph.format import entities_of, heading_of, stored, triples

    source, parent, chunk = stored(row.source_id), stored(row.parent_id), stored(row.chunk_id)
    edges = triples(source, parent, chunk, entities_of(row))
    return {
        **common, "source_id": source, "parent_id": parent, "title": stored(row.title), "heading": heading_of(row),
        "entity_ids": entities_of(row), "leaving": edges, "arriving": edges,
    }


def differing(wanted: Aspects, held: Aspects) -> list[str]:
    """Return the names of aspects that differ; the row checksum only where nothing else does."""
    names = [name for name, value in wanted.items() if held.get(name, _NOTHING) != value]
    return [name for name in names if name != _ONLY_IF_NOTHING_ELSE] or names


_NOTHING = object()


def told(
    kind: IndexKind, where: str, rows: Mapping[str, ChunkRow], held: Mapping[str, Aspects],
    vector_of: Callable[[str], bytes | None], *, edges: bool = True,
) -> Iterator[Drift]:
    """Yield what differs between `rows` and what is held of them, sorted into kinds. `edges`: say it of edges, too."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for id, row in rows.items():
        if id not in held:
            continue
        wanted = expected(kind, row, vector_of(id) if kind == "vector" else None)
        names = differing(wanted, held[id])
        for name in names:
            if name not in EDGES:
                found[_kind_of(name), _word(name) if name not in _KINDS else ""].add(id)
            elif edges:
                for edge_kind in _edges(wanted[name], held[id].get(name, [])):
                    found[edge_kind, "made from the row"].add(id)
        if not names:
            found[ALTERED, "stored otherwise than searches look it up"].add(id)
    for (drift, detail), ids in sorted(found.items()):
        yield of_ids(drift, where, ids, "row", detail)


def sorted_out(where: str, names: Mapping[str, Iterable[str]]) -> Iterator[Drift]:
    """Yield findings about facts: id -> the names of what differs in it."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for id, differs in names.items():
        for name in differs:
            found[_kind_of(name), _word(name) if name not in _KINDS else ""].add(id)
    for (drift, detail), ids in sorted(found.items()):
        yield of_ids(drift, where, ids, "fact", detail)


def _kind_of(name: str) -> str:
    return _KINDS.get(name, ALTERED)


def _word(name: str) -> str:
    return name.replace("_", " ")


def _edges(wanted: Any, held: Any) -> Iterator[str]:
    if Counter(map(tuple, wanted)) - Counter(map(tuple, held)):
        yield LOST_EDGE
    if Counter(map(tuple, held)) - Counter(map(tuple, wanted)):
        yield GHOST_EDGE
