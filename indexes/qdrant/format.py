"""What a build on a Qdrant server says and where: names of fields, ids of points, membership. Written down in docs/formats.md.

Nothing here knows the client, so that saying what a build is costs no import of it.
"""

from __future__ import annotations

import uuid
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from indexes.bm25.format import TERMS
from indexes.header import damaged, read_header, write_header
from ingest.model.generation import IndexKind
from ingest.model.instant import BEGIN, END
from ingest.model.predicate import FilterColumns

FORMAT = 1
HEADER = "server"
FILE = f"{HEADER}.json"
DENSE = "dense"
SPARSE = "terms"
LENGTH = "length"
"""The field with the number of terms of a row, repeats counted: what is counted over a caller's rows has their mean."""
VECTOR_FINGERPRINT = f"qdrant server {FORMAT}, float32 unit vectors, dot, names around texts"
BM25_FINGERPRINT = f"qdrant server {FORMAT} with lengths;{TERMS}"

OPEN = 1 << 52
"""The end of what has none. The server compares in double precision, where integers are exact up to 2^53."""

_NAMESPACE = uuid.UUID("0b0c7c1e-4a44-5f0e-9d2b-6f4f5f2c7a11")
_ESCAPE = "\x1a"


def since(kind: IndexKind) -> str:
    """The field that says from which epoch on a point is in the builds of an index."""
    return f"{kind}_from"


def until(kind: IndexKind) -> str:
    """The field that says from which epoch on it no longer is."""
    return f"{kind}_to"


def point_id(chunk_id: str, epoch: int) -> str:
    """Return the id of the point that a chunk got in an epoch. Made again by a run that is repeated, so nothing is doubled."""
    return str(uuid.uuid5(_NAMESPACE, f"{sendable(chunk_id)}\0{epoch}"))


def sendable(text: str) -> str:
    """Return a text as JSON can carry it: lone surrogates, which names of files may bring, are written out in hex."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _ESCAPE + text.encode("utf-8", "surrogatepass").hex()
    return text if not text.startswith(_ESCAPE) else _ESCAPE + text.encode().hex()


def received(text: str) -> str:
    """Undo `sendable`. Raises ValueError for what it did not write."""
    if not text.startswith(_ESCAPE):
        return text
    return bytes.fromhex(text[1:]).decode("utf-8", "surrogatepass")


def instant(seconds: int) -> int:
    """Return an instant as it is stored and compared: the open sides of windows brought within double precision, their order with
    every instant that there is kept."""
    if seconds <= BEGIN:
        return -OPEN - (seconds < BEGIN)
    if seconds >= END:
        return OPEN + (seconds > END)
    return min(max(seconds, 1 - OPEN), OPEN - 1)


def _instant_of(stored: int) -> int:
    return {-OPEN: BEGIN, OPEN: END}.get(stored, stored)


def payload_of(columns: FilterColumns) -> dict[str, Any]:
    """Return filter columns as the payload of a point."""
    return {
        "source_id": sendable(columns.source_id), "tenant": sendable(columns.tenant), "level": columns.level,
        "acl": [sendable(token) for token in columns.acl], "status": sendable(columns.status),
        "valid_from": instant(columns.valid_from), "valid_until": instant(columns.valid_until),
        "family": sendable(columns.family), "version": sendable(columns.version), "scope": sendable(columns.scope),
        "language": sendable(columns.language),
    }


def columns_of(payload: dict[str, Any]) -> FilterColumns:
    """Undo `payload_of`. Raises ValueError, KeyError or TypeError where the payload is not as it was written."""
    found = {field.name: payload[field.name] for field in fields(FilterColumns)}
    texts = {name: received(value) for name, value in found.items() if isinstance(value, str)}
    windows = {name: _instant_of(int(found[name])) for name in ("valid_from", "valid_until")}
    return FilterColumns(**{
        **found, **texts, **windows, "acl": tuple(received(token) for token in found["acl"]), "level": int(found["level"])
    })


@dataclass(frozen=True, slots=True)
class Header:
    """What the folder of a build on a server says: where its rows are, and how many.

    `length`: terms of all rows, repeats counted; `longest`: of a row, or more; `mean`: of a row when the weights of this line of
    builds were made. The three are those of a BM25 build.
    """

    index: IndexKind
    collection: str
    epoch: int
    points: int
    dimensions: int
    length: int = 0
    longest: int = 0
    mean: float = 1.0

    def write(self, folder: Path) -> None:
        write_header(folder, HEADER, FORMAT, asdict(self))


def is_on_server(build: Path) -> bool:
    """Whether the rows of the build in a folder are on a server."""
    return (build / FILE).is_file()


def header_of(build: Path, index: IndexKind) -> Header:
    """Return the header of a build of this index. Raises BuildCorrupt naming the file."""
    said = read_header(build, HEADER, FORMAT)
    try:
        header = Header(**{field.name: said[field.name] for field in fields(Header)})
        if header.index != index:
            raise ValueError(f"of the {header.index} index")
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(build / FILE, error) from error
    return header
