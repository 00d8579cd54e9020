"""What a vector build says and where: names, ids, unit vectors and content hashes, as written down in docs/formats.md.

Nothing here knows the engine; the in-memory index shares it, so both hash and normalise alike.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
ENGINE = "qdrant-edge-py 0.9.0"
FINGERPRINT = f"vector {FORMAT}, {ENGINE}, float32 unit vectors, dot, names around texts"
SHARD = "shard"
GATES = "gates.json"

_URN = "urn:kb:chunk:"
_HEX_DIGITS = 32


def point_id(chunk_id: str) -> UUID:
    """Return the id of a chunk's point. Raises ValueError for what is not the id of a chunk."""
    digits = chunk_id[len(_URN) :]
    if not chunk_id.startswith(_URN) or len(digits) != _HEX_DIGITS or digits != digits.lower():
        raise ValueError(f"not a chunk id: {chunk_id!r}")
    return UUID(hex=digits)


def point_ids(chunk_ids: Sequence[str] | frozenset[str]) -> list[UUID]:
    """Return the point ids of those that can be held at all."""
    found = []
    for chunk_id in chunk_ids:
        try:
            found.append(point_id(chunk_id))
        except ValueError:
            continue
    return found


def chunk_id(point: UUID | int | str) -> str:
    """Return the chunk whose point this is."""
    return _URN + (point.hex if isinstance(point, UUID) else UUID(str(point)).hex)


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return [n, d] rows scaled to length 1, float32; a zero row stays zero. Norms are summed in double precision.

    Raises ValueError where a number is not finite: it would compare with nothing and poison every search.
    """
    import numpy as np

    exact = vectors.astype(np.float64)
    if not np.isfinite(exact).all():
        raise ValueError("a vector holds a number that is not finite; the embedding engine is at fault")
    norms = np.sqrt((exact * exact).sum(axis=1, keepdims=True))
    norms[norms == 0] = 1
    scaled: NDArray[np.float32] = (exact / norms).astype(np.float32)
    return scaled


def content_hash(vector: bytes, row_checksum: str, source_id: str, gate: str) -> str:
    """Return the hash of a row as the index holds it; `vector` is its little-endian float32 bytes."""
    digest = hashlib.blake2b(vector, digest_size=16)
    digest.update(f"\0{row_checksum}\0{source_id}\0{gate}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def gates_path(build: Path) -> Path:
    return build / GATES
