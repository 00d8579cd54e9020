"""Children of a part whose blocks leave little choice, told from the middle outwards instead of from its beginning.

Where blocks are a third of a child, two or three boundaries are in reach of each child, and what is chosen for one moves all
behind it. So a part is cut at the boundary that its text makes the smallest among those from which both sides can be cut into
children of allowed size, and each side again. An insertion then costs the child it falls into, and the one beside it where
that grows too large; only when a side can no longer be cut is the cut above it moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import accumulate

from ingest.chunk.anchors import boundary_key
from ingest.chunk.piece import Budget, Piece

_LEAST = 2, 3
"""Share of the usual least size that is enough here: of blocks of 120 units no number makes 180 and two make 240, so that an
insertion would otherwise pair all blocks behind it anew."""

_MOST_PIECES = 40
"""More are small beside a child, which then has boundaries to choose among; and the work grows with the square."""


def halved(pieces: Sequence[Piece], fronts: Callable[[int], int], text: str, budget: Budget) -> list[int]:
    """Return where children begin behind the first, as indexes; none where the part is one child, or cannot be cut so.

    `fronts`: what a child that begins at an index repeats, in halves of a unit.
    """
    count = len(pieces)
    if not 2 < count <= _MOST_PIECES:
        return []
    sizes = [0, *accumulate(piece.size for piece in pieces)]
    least = budget.least * _LEAST[0] // _LEAST[1]
    room = [fronts(at) for at in range(count)]

    @cache
    def fits(first: int, last: int) -> bool:
        """Whether these pieces are a child, or several."""
        size = sizes[last] - sizes[first] + room[first]
        if size <= budget.most:
            return size >= least
        return any(
            fits(at, last) for at in range(last - 1, first, -1)
            if not pieces[at].glued and least <= sizes[at] - sizes[first] + room[first] <= budget.most
        )

    def cut(first: int, last: int) -> list[int]:
        if sizes[last] - sizes[first] + room[first] <= budget.most:
            return []
        found = [at for at in range(first + 1, last) if not pieces[at].glued and fits(first, at) and fits(at, last)]
        softest = min(pieces[at].rank for at in found)
        at = min((at for at in found if pieces[at].rank == softest), key=lambda at: boundary_key(text, pieces[at].start))
        return [*cut(first, at), at, *cut(at, last)]

    return cut(0, count) if fits(0, count) else []
