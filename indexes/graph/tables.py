"""The two tables of a graph build: chunk rows and edges, as Arrow tables in canonical order.

In: what a base holds and what a delta brings. Out: one sorted table a kind and its parquet file, the same bytes for the same
content. Everything over all rows is done by Arrow; Python sees the rows of the delta only.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from indexes.graph import columns
from indexes.graph.format import CONFIDENCE_DIGITS, content_hash, entities_of, heading_of, said, stored, triples
from indexes.header import damaged
from ingest.model.edge import Edge
from ingest.model.gate import Gates
from ingest.model.row import ChunkRow
from ingest.progress import Progress

TEXTS = ("chunk_id", "source_id", "parent_id", "row_checksum", "title", "heading")
"""The text columns of chunks.parquet that enter the content hash, in this order."""

CHUNK_SCHEMA = pa.schema([
    *((name, pa.string()) for name in ("chunk_id", "source_id", "parent_id", "row_checksum", "gate", "title", "heading")),
    ("entity_ids", pa.list_(pa.string())),
])
EDGE_SCHEMA = pa.schema([
    *((name, pa.string()) for name in ("subject", "relation", "object", "evidence", "source_id", "valid_from", "valid_until")),
    ("confidence", pa.float64()), ("edge_id", pa.string()),
])
EDGE_ORDER = ("subject", "relation", "object", "evidence", "edge_id")

_BATCH = 4096
_ROW_GROUP = 65_536
_FEW = 500
"""Lines that are merged into a table one by one; more are sorted with it, which then costs less."""


def chunk_table(rows: Iterable[ChunkRow], gates: Gates, progress: Progress) -> tuple[pa.Table, dict[str, str]]:
    """Return the table of a delta's rows (any order) and chunk id -> content hash. Of rows with one id the last counts."""
    parts: list[pa.Table] = []
    contents: dict[str, str] = {}
    places: dict[str, int] = {}
    iterator = iter(rows)
    while batch := list(islice(iterator, _BATCH)):
        lines: list[dict[str, Any]] = []
        for row in batch:
            line = _line(row, gates)
            places[line["chunk_id"]] = len(parts) * _BATCH + len(lines)
            lines.append(line)
            contents[row.chunk_id] = _content(line, gates)
        parts.append(columns.table(lines, CHUNK_SCHEMA))
        progress.advance("graph", len(batch))
    return _chosen(parts, places, CHUNK_SCHEMA), contents


def expected(rows: Iterable[ChunkRow]) -> dict[str, str]:
    """Return chunk id -> the content hash that a graph of these rows gives."""
    gates = Gates()
    return {row.chunk_id: _content(_line(row, gates), gates) for row in rows}


def edge_table(edges: Iterable[Edge]) -> pa.Table:
    """Return the table of a delta's edges (any order), each id once."""
    parts: list[pa.Table] = []
    places: dict[str, int] = {}
    iterator = iter(edges)
    while batch := list(islice(iterator, _BATCH)):
        lines: list[dict[str, Any]] = []
        for edge in batch:
            line = _edge_line(edge)
            places[line["edge_id"]] = len(parts) * _BATCH + len(lines)
            lines.append(line)
        parts.append(columns.table(lines, EDGE_SCHEMA))
    return _chosen(parts, places, EDGE_SCHEMA)


def merged(base: pa.Table | None, removed: Iterable[str], fresh: pa.Table, key: str, order: Sequence[str]) -> pa.Table:
    """Return `base` without `removed` and without what `fresh` replaces, and `fresh`; sorted, in one piece."""
    fresh = _sorted(fresh, order)
    if base is None:
        return fresh
    gone = pa.concat_arrays([columns.texts([stored(text) for text in removed]), *fresh[key].chunks])
    kept = base.filter(pc.invert(pc.is_in(base[key], value_set=gone))).combine_chunks()
    if len(fresh) <= _FEW:
        return _spliced(kept, fresh, order)
    return _sorted(pa.concat_tables([kept, fresh]), order)


def _sorted(table: pa.Table, order: Sequence[str]) -> pa.Table:
    places = columns.values(pc.sort_indices(table, sort_keys=[(name, "ascending") for name in order]))
    if not (places[1:] > places[:-1]).all():  # rows mostly come in order, and then need no copy
        table = table.take(columns.numbers(places))
    return table.combine_chunks()


def _spliced(kept: pa.Table, fresh: pa.Table, order: Sequence[str]) -> pa.Table:
    """Merge two sorted tables by cutting the first open at each line of the second, which leaves its lines as they lie."""
    keys = [kept[name] for name in order]

    def key(place: int) -> tuple[str, ...]:
        return tuple(column[place].as_py() for column in keys)

    parts, start = [], 0
    for number, line in enumerate(fresh.select(list(order)).to_pylist()):
        place = bisect_left(range(len(kept)), tuple(line.values()), lo=start, key=key)
        parts += [kept.slice(start, place - start), fresh.slice(number, 1)]
        start = place
    return pa.concat_tables([*parts, kept.slice(start)]).combine_chunks()


def write_table(table: pa.Table, path: Path) -> None:
    """Write a table; nothing that varies between two runs enters the file."""
    pq.write_table(
        table.replace_schema_metadata(None), path, row_group_size=_ROW_GROUP, version="2.6", compression="none",
        use_dictionary=True, write_statistics=False, store_schema=False,
    )


def read_table(path: Path, schema: pa.Schema, only: list[str] | None = None) -> pa.Table:
    """Read a table of ours back, all columns or some. Raises BuildCorrupt naming the file."""
    try:
        # Not `pq.read_table`: it loads Arrow's dataset and file system layers, which cost 30 MB and 20 ms.
        with pq.ParquetFile(path, memory_map=True) as file:
            table = file.read(columns=only, use_threads=False)
        wanted = schema if only is None else pa.schema([schema.field(name) for name in only])
        return table.select(wanted.names).cast(wanted)
    except (pa.ArrowException, OSError, ValueError, KeyError) as error:
        raise damaged(path, error) from error


def release_memory() -> None:
    """Give back to the system what Arrow keeps for tables to come."""
    pa.default_memory_pool().release_unused()


def edge_of(line: dict[str, Any]) -> Edge:
    texts = {name: said(line[name]) for name in ("subject", "relation", "object", "source_id", "evidence")}
    window = {name: line[name] if line[name] is None else said(line[name]) for name in ("valid_from", "valid_until")}
    return Edge(**texts, **window, confidence=line["confidence"])


def _line(row: ChunkRow, gates: Gates) -> dict[str, Any]:
    return {
        "chunk_id": stored(row.chunk_id), "source_id": stored(row.source_id), "parent_id": stored(row.parent_id),
        "row_checksum": stored(row.row_checksum), "gate": gates.add(row), "title": stored(row.title), "heading": heading_of(row),
        "entity_ids": entities_of(row),
    }


def _content(line: dict[str, Any], gates: Gates) -> str:
    edges = triples(line["source_id"], line["parent_id"], line["chunk_id"], line["entity_ids"])
    return content_hash([line[name] for name in TEXTS], line["entity_ids"], gates.columns[line["gate"]], edges, edges)


def _edge_line(edge: Edge) -> dict[str, Any]:
    texts = {name: stored(getattr(edge, name)) for name in ("subject", "relation", "object", "evidence", "source_id")}
    window = {name: value if value is None else stored(value) for name, value in
              (("valid_from", edge.valid_from), ("valid_until", edge.valid_until))}
    return {**texts, **window, "confidence": round(float(edge.confidence), CONFIDENCE_DIGITS) + 0.0, "edge_id": edge.edge_id}


def _chosen(parts: list[pa.Table], places: dict[str, int], schema: pa.Schema) -> pa.Table:
    table = pa.concat_tables(parts) if parts else columns.table([], schema)
    return table if len(places) == len(table) else table.take(columns.numbers(np.fromiter(places.values(), np.int64)))
