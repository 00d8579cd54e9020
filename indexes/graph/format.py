"""What a graph build says and where, as written down in docs/formats.md. Standard library only.

The in-memory index shares all of it, so both hash, order and derive edges alike.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from ingest.model.edge import HAS_CHILD, HAS_PARENT, MENTIONS
from ingest.model.gate import gate_values
from ingest.model.predicate import FilterColumns
from ingest.model.row import ChunkRow

FORMAT = 1
FINGERPRINT = f"graph {FORMAT}: parquet tables, adjacency both ways"
GATES = "gates.json"
CHUNKS = "chunks.parquet"
EDGES = "edges.parquet"

ABSENT, SOURCE, PARENT, CHUNK, ENTITY = range(5)
"""Kinds of nodes. ABSENT: the end of an edge that no row brings."""
KIND_NAMES = ("absent", "source", "parent", "chunk", "entity")

BY_REGISTRY, BY_NOBODY = -1, -2
"""Evidence that is no node: the registry, and what no row brings."""

COLUMNS = ("starts", "ends", "relations", "evidence", "records")
"""Columns of the adjacency arrays, either way."""

FROM_ROW = -1
"""The record of an edge that was made from a row."""

CONFIDENCE_DIGITS = 6
"""As in `ingest.model.canonical`: edges with one id must be written as the same bytes."""

Triple = tuple[str, str, str]


def stored(text: str) -> str:
    """Return `text` as a table can hold it: itself when it is valid Unicode, else NUL and the hex of its bytes. Reversible."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _escaped(text)
    return _escaped(text) if text.startswith("\0") else text


def said(text: str) -> str:
    """Return what `stored` was given."""
    return bytes.fromhex(text[1:]).decode("utf-8", "surrogatepass") if text.startswith("\0") else text


def entities_of(row: ChunkRow) -> list[str]:
    """The entities that a row mentions, each once, in stored form and order."""
    return sorted({stored(entity) for entity in row.entity_ids})


def heading_of(row: ChunkRow) -> str:
    return stored(row.heading_path[-1]) if row.heading_path else ""


def triples(source_id: str, parent_id: str, chunk_id: str, entities: Sequence[str]) -> list[Triple]:
    """The edges made from a row, sorted; the chunk is the evidence of each."""
    made = [(source_id, HAS_PARENT, parent_id), (parent_id, HAS_CHILD, chunk_id)]
    made.extend((chunk_id, MENTIONS, entity) for entity in entities)
    return sorted(made)


def content_hash(
    texts: Sequence[str], entities: Sequence[str], gate: FilterColumns, leaving: Sequence[Triple], arriving: Sequence[Triple]
) -> str:
    """Return the hash of a node as the index holds it.

    `texts`: the columns of chunks.parquet up to `heading` but for the gate, stored forms; `gate`: the columns behind it;
    `leaving` and `arriving`: the edges whose evidence it is, sorted, as the two directions hold them.
    """
    content = json.dumps([list(texts), list(entities), gate_values(gate), leaving, arriving], separators=(",", ":"))
    return hashlib.blake2b(content.encode("ascii"), digest_size=16).hexdigest()


def _escaped(text: str) -> str:
    return "\0" + text.encode("utf-8", "surrogatepass").hex()
