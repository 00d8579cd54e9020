"""The pieces of a section before anything is opened: one a block, tied to its neighbours where they belong together.

A heading stays with what follows it, a lead-in (a paragraph that ends in a colon, or says "as follows") with its list, table or
code, a caption with its table or figure, a footnote with the paragraph that cites it. Between an FAQ pair and anything else is
a wall.
"""

from __future__ import annotations

import re

from ingest.chunk.footnotes import is_cited, notes_behind
from ingest.chunk.opening import lead
from ingest.chunk.piece import BLOCK, NO_LEAD, TURN, Budget, Form, Lead, Piece
from ingest.chunk.sections import Placed
from ingest.chunk.sentences import sentence_ends
from ingest.chunk.speech import speaker_of, turns

_FORMS: dict[str, Form] = {"list": "list", "table": "table", "code": "code", "faq": "faq", "formula": "atom"}
_LED_IN = ("list", "table", "code", "formula", "quote", "faq")
_AS_FOLLOWS = re.compile(
    r"(?:如下|如下所示|见下表|下表所示|as follows|the following(?: [\w-]+){0,3}|(?:listed|shown|given) (?:below|here))\s*[。.]?$",
    re.IGNORECASE,
)
_TAIL = 60
"""Characters in which a lead-in says what it is."""


def pieces_of(blocks: list[Placed], text: str, budget: Budget) -> list[Piece]:
    """Return one piece a block, in order."""
    pieces = []
    before: Placed | None = None
    for index, placed in enumerate(blocks):
        after = blocks[index + 1] if index + 1 < len(blocks) else None
        kind = placed.block.kind
        rank, glued, repeat = BLOCK, False, NO_LEAD
        if before is not None:
            glued = is_cited(blocks, index) if kind == "footnote" else _belong_together(before, placed, after, text)
            repeat = _repeat(before, placed, text, budget)
            rank = TURN if turns(before.block, placed.block) else BLOCK
        pieces.append(Piece(
            placed.start, placed.end, placed.size, kind, _FORMS.get(kind, "prose"), rank, glued,
            repeat=repeat,
            table=placed.block.table,
            notes=notes_behind(blocks, index, budget) if after is not None and after.block.kind == "footnote" else (),
            speaker=speaker_of(placed.block) if placed.block.provenance.time is not None else "",
        ))
        before = placed
    return pieces


def runs(pieces: list[Piece], budget: Budget) -> list[list[Piece]]:
    """Part the pieces of a section where no child may reach across: in front of an FAQ pair and behind it.

    What is tied to a pair stays with it, and so does an introduction that is too short for a child of its own.
    """
    parted: list[list[Piece]] = [[]]
    for piece in pieces:
        current = parted[-1]
        ended = bool(current) and current[-1].form == "faq"
        asks = piece.form == "faq" and sum(one.size for one in current) >= budget.crumb
        if current and not piece.glued and (ended or asks):
            parted.append([])
        parted[-1].append(piece)
    return parted


def _belong_together(before: Placed, placed: Placed, after: Placed | None, text: str) -> bool:
    kinds = before.block.kind, placed.block.kind
    if kinds[0] == "heading" or kinds == ("caption", "table"):
        return True
    if kinds[1] == "caption":
        # Between two tables a caption belongs to the one below it; else to the table or figure above.
        return after is None or after.block.kind != "table"
    return _leads_in(before, placed, text)


def _leads_in(before: Placed, placed: Placed, text: str) -> bool:
    if before.block.kind != "paragraph" or placed.block.kind not in _LED_IN:
        return False
    if text[before.end - 1] in ":：":
        return True
    return _AS_FOLLOWS.search(text, max(before.start, before.end - _TAIL), before.end) is not None


def _repeat(before: Placed, placed: Placed, text: str, budget: Budget) -> Lead:
    """What later parts of this block repeat besides its own header: a table's caption, the last sentence of a list's lead-in."""
    if placed.block.kind == "table" and before.block.kind == "caption":
        return lead(text[before.start : placed.start], budget)
    if placed.block.kind == "list" and _leads_in(before, placed, text):
        ends = sentence_ends(text[before.start : before.end])
        start = before.start + (ends[-2] if len(ends) > 1 else 0)
        return lead(text[start : placed.start], budget)
    return NO_LEAD
