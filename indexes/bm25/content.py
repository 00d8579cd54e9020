"""The content hash of a row: what the writer promises before it writes, and the reader derives from what it searches.

    blake2b-128( for each term, in order: blake2b-64 of the term, its count · length · filter columns )

Both sides come here with a row's postings side by side; how they got them is their own affair.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.columns import columns_bytes
from ingest.model.predicate import FilterColumns

_POSTING = np.dtype([("term", "<u8"), ("count", "<u4")])


def term_digests(terms: Iterable[bytes]) -> NDArray[np.uint64]:
    """64 bits for each term (given as UTF-8), as they enter the hash."""
    return np.frombuffer(b"".join(hashlib.blake2b(term, digest_size=8).digest() for term in terms), dtype="<u8")


def content_hashes(
    digests: NDArray[np.uint64], counts: NDArray[np.integer], bounds: NDArray[np.int64], lengths: Sequence[int],
    columns: Iterable[FilterColumns],
) -> list[str]:
    """Return the hash of every row, 32 hex digits.

    `digests` and `counts`: one a posting, rows after one another, each row's postings in order of their terms; row i has
    those from bounds[i] to bounds[i + 1].
    """
    postings = np.empty(len(digests), dtype=_POSTING)
    postings["term"], postings["count"] = digests, counts
    data = postings.tobytes()
    places = (bounds * _POSTING.itemsize).tolist()
    hashes = []
    for begin, end, length, row in zip(places, places[1:], lengths, columns, strict=False):
        made = hashlib.blake2b(data[begin:end], digest_size=16)
        made.update(length.to_bytes(4, "little"))
        made.update(columns_bytes(row))
        hashes.append(made.hexdigest())
    return hashes
