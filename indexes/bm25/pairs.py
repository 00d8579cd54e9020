"""Characters and pairs of many runs at once, in numpy: what `terms.of_run` says, without making a string for each occurrence.

Chinese text has two terms a character, so making and looking up strings is most of the work of indexing it; here each distinct
term is made once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from indexes.bm25.order import stable_order
from indexes.bm25.terms import is_term_alone

Numbers = NDArray[Any]

SEPARATOR = "\n"
"""Between two runs."""


def characters_and_pairs(text: str) -> tuple[list[str], Numbers, Numbers]:
    """Return the distinct terms of separated runs, sorted; and for every occurrence the number of its term and where in `text` it
    is. The text must not end within a run."""
    if not text:
        return [], np.empty(0, dtype=np.uint32), np.empty(0, dtype=np.int64)
    codes = np.frombuffer(text.encode("utf-32-le"), dtype="<u4")
    seen = np.flatnonzero(np.bincount(codes))
    chars = [chr(code) for code in seen.tolist()]
    dense = np.zeros(seen[-1] + 1, dtype=np.uint32)
    dense[seen] = np.arange(len(seen))
    char = dense[codes]

    inside = np.zeros(len(codes) + 2, dtype=np.bool_)
    inside[1:-1] = codes != ord(SEPARATOR)
    alone = np.array([is_term_alone(char) for char in chars])[char] | ~(inside[:-2] | inside[2:])
    single = np.flatnonzero(alone & inside[1:-1])
    pair = np.flatnonzero(inside[1:-2] & inside[2:-1])

    # Numbering characters in order makes keys sort as terms do: a character comes before the pairs that it begins.
    width = len(chars) + 1
    key = char.astype(np.int64) * width
    keys = np.concatenate([key[single], key[pair] + char[pair + 1] + 1])
    order = stable_order(keys, width * width)
    ordered = keys[order]
    new = np.diff(ordered, prepend=-1) != 0
    number = np.empty(len(keys), dtype=np.uint32)
    number[order] = np.cumsum(new) - 1
    found = zip((ordered[new] // width).tolist(), (ordered[new] % width).tolist(), strict=True)
    terms = [chars[one] + (chars[other - 1] if other else "") for one, other in found]
    return terms, number, np.concatenate([single, pair])
