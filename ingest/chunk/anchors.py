"""Places in a long section where a child begins whatever stands further up, so that an edit cannot move every boundary behind it.

Between blocks of much the same size there is often one boundary in reach of a child and no choice; two versions of a section
that differ by a block would then pair the blocks differently down to the end. So a section is first parted at the boundary that
its text makes the smallest (a checksum of what follows), and each part again, until parts are a few children long. An insertion
moves the smallest of n boundaries once in n times, and then only within its part.
"""

from __future__ import annotations

import zlib
from itertools import accumulate

from ingest.chunk.piece import Budget, Piece

_KEY = 48
"""Characters of the following text that decide between equally soft boundaries."""


def boundary_key(text: str, at: int) -> int:
    """What orders equally soft boundaries: a checksum of the text that follows."""
    return zlib.crc32(text[at : at + _KEY].encode("utf-8", "surrogatepass"))


def anchored(pieces: list[Piece], text: str, budget: Budget) -> list[list[Piece]]:
    """Part the pieces of a section. Every part is long enough to be cut into children of allowed size, whatever it is."""
    sizes = [0, *accumulate(piece.size for piece in pieces)]
    parts: list[list[Piece]] = []
    waiting = [(0, len(pieces))]
    while waiting:
        first, last = waiting.pop()
        at = _best(pieces, sizes, first, last, text, budget)
        if at:
            waiting += [(at, last), (first, at)]
        else:
            parts.append(pieces[first:last])
    return parts


def _best(pieces: list[Piece], sizes: list[int], first: int, last: int, text: str, budget: Budget) -> int:
    """Where pieces `[first, last)` are parted, 0 where they are not: both sides hold three children or so."""
    enough = 3 * budget.least
    if sizes[last] - sizes[first] <= max(2 * enough, 3 * budget.most):
        return 0
    low, high = sizes[first] + enough, sizes[last] - enough
    found = [at for at in range(first + 1, last) if low <= sizes[at] <= high and not pieces[at].glued]
    if not found:
        return 0
    softest = min(pieces[at].rank for at in found)
    return min((boundary_key(text, pieces[at].start), at) for at in found if pieces[at].rank == softest)[1]
