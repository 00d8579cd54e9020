"""Choosing where one child ends and the next begins, so that sizes fit and an edit stays local.

Within the window of allowed sizes the softest boundary wins, and of equally soft ones the one whose following text has the
smallest checksum. That choice knows only the text nearby, so two versions of a section that differ near the top fall into
step again after a child or two, where filling each child to the brim would move every boundary down to the end.
"""

from __future__ import annotations

from typing import NamedTuple

from ingest.chunk.anchors import anchored, boundary_key
from ingest.chunk.halving import halved
from ingest.chunk.opening import lead, opened, opens
from ingest.chunk.piece import NO_LEAD, Budget, Lead, Piece
from ingest.chunk.sentences import sentence_ends
from ingest.chunk.units import WORD

_PROSE = ("paragraph", "quote")
"""Kinds whose sentences are repeated as overlap."""

_SENTENCES = (*_PROSE, "heading", "caption", "footnote")
"""Kinds that are never worth more than the budget."""


class Cut(NamedTuple):
    """One child to be: its pieces, and what is repeated in front of them."""

    pieces: list[Piece]
    lead: Lead

    @property
    def start(self) -> int:
        return self.pieces[0].start

    @property
    def end(self) -> int:
        return self.pieces[-1].end

    @property
    def size(self) -> int:
        return sum(piece.size for piece in self.pieces)


def pack(pieces: list[Piece], text: str, budget: Budget) -> list[Cut]:
    """Return the children of one section, or of as much of it as may share children."""
    cuts: list[Cut] = []
    # A list that is longer than any child has its items anchored like blocks.
    pieces = [part for piece in pieces for part in _items(piece, text, budget)]
    for part in anchored(pieces, text, budget):
        ends = _halves(part, cuts[-1].pieces[-1] if cuts else None, text, budget)
        at = 0
        while at < len(part):
            before = part[at - 1] if at else cuts[-1].pieces[-1] if cuts else None
            front = _lead(part[at], before, text, budget) if before else NO_LEAD
            end = ends.pop(0) if ends else _next(part, at, text, budget, front.size + part[at].beside.size)
            cuts.append(Cut(part[at:end], front))
            at = end
    return cuts


def _items(piece: Piece, text: str, budget: Budget) -> list[Piece]:
    return opened(piece, text, budget) if piece.form == "list" and opens(piece, budget) else [piece]


def _halves(part: list[Piece], before: Piece | None, text: str, budget: Budget) -> list[int]:
    """Where the children of a part end, if it can be cut between its pieces; none where any has to be opened."""

    def front(at: int) -> int:
        ahead = part[at - 1] if at else before
        return part[at].beside.size + (_lead(part[at], ahead, text, budget).size if ahead else 0)

    chosen = halved(part, front, text, budget)
    return [*chosen, len(part)] if chosen else []


def _lead(piece: Piece, before: Piece, text: str, budget: Budget) -> Lead:
    """What a child that begins with `piece` repeats: a header, lead-in or question, else the last sentence before it."""
    if piece.repeat.text:
        return piece.repeat
    if not budget.overlap or piece.kind not in _PROSE or before.kind not in _PROSE or before.partial:
        return NO_LEAD
    start = before.start
    if before.form == "prose":
        ends = sentence_ends(text[before.start : before.end])
        start += ends[-2] if len(ends) > 1 else 0
    return lead(text[start : piece.start], budget)


def _next(pieces: list[Piece], at: int, text: str, budget: Budget, front: int) -> int:
    """Return the index of the piece with which the next child begins. `front`: size of what is repeated for this one."""
    most, least = max(budget.most - front, WORD), max(budget.least - front, 1)
    while True:
        rest = _size(pieces, at, 2 * most + 2 * least)
        if rest <= most:
            return len(pieces)
        low, high = window(rest, least, most)
        # What remains should be one child or two, not so much more than one that both halves are small.
        end = _chosen(pieces, at, text, low, high, (rest - 2 * least, rest - most))
        if end:
            return end
        place = _openable(pieces, at, low, high, budget)
        if place is None:
            break
        pieces[place : place + 1] = opened(pieces[place], text, budget)
    if rest <= most + budget.crumb // 2 and any(_atomic(piece) for piece in pieces[at:]):
        return len(pieces)
    return _chosen(pieces, at, text, low, most) or _unevenly(pieces, at, most, budget)


def _size(pieces: list[Piece], at: int, enough: int) -> int:
    """Size of all pieces from `at` on, or something over `enough`."""
    size = 0
    for index in range(at, len(pieces)):
        size += pieces[index].size
        if size > enough:
            break
    return size


def window(rest: int, least: int, most: int) -> tuple[int, int]:
    """Return from which to which size the next cut may fall when `rest` is left: near the end, so that no crumb remains."""
    if rest >= least + most:
        return least, most
    return min(least, 9 * rest // 20), min(most, max(rest - least, 11 * rest // 20))


def _chosen(pieces: list[Piece], at: int, text: str, low: int, high: int, poor: tuple[int, int] = (0, 0)) -> int:
    """The best boundary that leaves the child a size from `low` to `high`, as an index; 0 where there is none. Sizes between
    those of `poor` are taken only where there is no other."""
    size = 0
    found: list[int] = []
    last_choice = 0
    for index in range(at, len(pieces) - 1):
        size += pieces[index].size
        if size > high:
            break
        if size >= low and not pieces[index + 1].glued:
            if poor[0] < size < poor[1]:
                last_choice = index + 1
            else:
                found.append(index + 1)
    if len(found) < 2:
        return found[0] if found else last_choice
    softest = min(pieces[index].rank for index in found)
    found = [index for index in found if pieces[index].rank == softest]
    return min(found, key=lambda index: boundary_key(text, pieces[index].start)) if len(found) > 1 else found[0]


def _openable(pieces: list[Piece], at: int, low: int, high: int, budget: Budget) -> int | None:
    """The last piece that reaches into the window and may be opened."""
    size = 0
    place = None
    for index in range(at, len(pieces)):
        size += pieces[index].size
        if size > low and opens(pieces[index], budget):
            place = index
        if size > high:
            break
    return place


def _atomic(piece: Piece) -> bool:
    """Whether the piece is worth a child over the budget: anything but sentences and what was cut for want of them."""
    if piece.kind in _SENTENCES or piece.form in ("prose", "sentence"):
        return False
    return not (piece.partial and piece.form == "whole")


def _unevenly(pieces: list[Piece], at: int, most: int, budget: Budget) -> int:
    """Where to cut when something atomic leaves no boundary in the window: before it, or behind it rather than leave a crumb."""
    size = before = before_size = inside = 0
    atomic = False
    for index in range(at, len(pieces)):
        size += pieces[index].size
        atomic = atomic or _atomic(pieces[index])
        free = index + 1 == len(pieces) or not pieces[index + 1].glued
        if size <= most:
            inside = index + 1
            if free:
                before, before_size = index + 1, size
        elif free or size > budget.whole:
            break
    if before_size >= budget.crumb:
        return before
    if atomic and free and size <= budget.whole:
        return index + 1
    # Glue gives way only where nothing else fits; a single piece larger than everything stands alone.
    return before or inside or at + 1
