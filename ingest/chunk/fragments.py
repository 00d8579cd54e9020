"""The last resort: cutting a run of text that has no sentence end within the budget, at the softest place there is."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from ingest.chunk.units import CHARACTER, CHARACTERS, CHARACTERS_A_HALF, LETTERS, WORD, measure

LINE, CLAUSE, SPACE, ANYWHERE = 4, 5, 6, 7
"""How hard a cut is, continuing the ranks of `pieces`: after a line, a clause or table cell, a word, or anywhere."""

_LONGEST_WORD = 60
_TOKEN = re.compile(
    rf"(?P<line>\s*\n\s*)|(?P<clause>[，、；：,;:][\"'”’」』）】)\]]*\s*| \| )|(?P<space>\s+)"
    rf"|(?P<character>[{CHARACTERS}])|(?P<word>[{LETTERS}]{{1,{_LONGEST_WORD}}})|(?P<symbol>[^\s{CHARACTERS}{LETTERS}])"
)
_RANK = {"line": LINE, "clause": CLAUSE, "space": SPACE}
_SIZES = {"character": CHARACTER, "word": WORD}


class Fragment(NamedTuple):
    """`[start, end)` of the text, and how hard the cut in front of it is (0 for the first)."""

    start: int
    end: int
    rank: int


def fragments(text: str, start: int, end: int, limit: int) -> list[Fragment]:
    """Cut `text[start:end]` into parts of at most `limit` (halves of a unit), about equal ones.

    A part ends at the softest boundary of its second half. Nothing is lost: the parts follow one another without gaps.
    """
    total = measure(text[start:end])
    count = max(1, -(-total // max(limit, 1)))
    goal = max(-(-total // count), 1)
    made: list[Fragment] = []
    at, rank = start, 0
    while at < end:
        stop, hardness = _stop(text, at, end, goal, max(limit, WORD))
        made.append(Fragment(at, stop, rank))
        at, rank = stop, hardness
    return made


def _stop(text: str, start: int, end: int, goal: int, limit: int) -> tuple[int, int]:
    """Where the part from `start` ends, and the rank of that cut. Looks at boundaries from half the goal to the limit."""
    size = 0
    best: tuple[int, int, int] | None = None
    for token in _TOKEN.finditer(text, start, end):
        name, stop = token.lastgroup or "", token.end()
        size += _SIZES.get(name, 0)
        spent = (stop - start) // CHARACTERS_A_HALF
        if size > spent:
            spent = size
        if spent > limit and token.start() > start:
            best = best or (ANYWHERE, 0, token.start())
            break
        if stop >= end:
            return end, 0
        if 2 * spent >= goal:
            # Of equally soft places the one nearest the goal, so that the last part is not a crumb.
            rank = _RANK.get(name, ANYWHERE)
            if best is None or rank < best[0] or (rank == best[0] and abs(goal - spent) < best[1]):
                best = rank, abs(goal - spent), stop
    if best is None:
        return end, 0
    rank, _, stop = best
    return (_whole_character(text, start, stop) if rank == ANYWHERE else stop), rank


def _whole_character(text: str, start: int, stop: int) -> int:
    """Move a cut back so that it does not part a letter from its accent or the halves of a joined emoji."""
    at = stop
    while at - 1 > start and at < len(text) and (_joins(text[at]) or text[at - 1] == "\u200d"):
        at -= 1
    return at if at - 1 > start else stop


def _joins(character: str) -> bool:
    return character == "\u200d" or "\ufe00" <= character <= "\ufe0f" or unicodedata.combining(character) != 0
