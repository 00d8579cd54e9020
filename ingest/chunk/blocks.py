"""The pieces of a section before anything is opened: one a block, tied to its neighbours where they belong together.

A heading stays with what follows it, a lead-in (a paragraph that ends in a colon, or says "as follows") with its list, table or
code, or with the numbered paragraphs that it introduces, a caption with its table or figure, a footnote with the paragraph that
cites it. Between an FAQ pair and anything else is a wall, but for the few words that end its answer.
"""

from __future__ import annotations

import re
from itertools import pairwise

from ingest.chunk.footnotes import is_cited, notes_behind
from ingest.chunk.items import begins_item, introductions, last_sentence, leads_in
from ingest.chunk.opening import lead
from ingest.chunk.piece import BLOCK, NO_LEAD, TURN, Budget, Form, Lead, Piece
from ingest.chunk.sections import Placed
from ingest.chunk.speech import speaker_of, turns
from ingest.model.document import SEPARATOR

_FORMS: dict[str, Form] = {"list": "list", "table": "table", "code": "code", "faq": "faq", "formula": "atom"}
_LED_IN = ("list", "table", "code", "formula", "quote", "faq")
_ENDS = re.compile(r"[。！？；.!?;…][\"'”’」』）)]*$")
_CAPTION = re.compile(
    r"(?:图表?|表|附表|附图)\s*[\dA-Z一二三四五六七八九十]|(?:figure|fig\.|table|listing)\s*(?:[A-Z]?\d|[IVX]+\b)", re.IGNORECASE
)
_LONGEST_CAPTION = 120
"""Characters of a paragraph that may be a caption: formats without a mark for them write one as any paragraph."""


def pieces_of(blocks: list[Placed], text: str, budget: Budget) -> list[Piece]:
    """Return one piece a block, in order."""
    pieces = []
    before: Placed | None = None
    introduced = introductions(blocks, text, budget)
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
            beside=introduced.get(index, NO_LEAD),
            notes=notes_behind(blocks, index, budget) if after is not None and after.block.kind == "footnote" else (),
            speaker=speaker_of(placed.block) if placed.block.provenance.time is not None else "",
        ))
        if kind != "footnote" or before is None:  # what a lead-in introduces stands behind its notes
            before = placed
    return _with_rests(pieces, text, budget)


def runs(pieces: list[Piece], budget: Budget) -> list[list[Piece]]:
    """Part the pieces of a section where no child may reach across: in front of an FAQ pair and behind it.

    What is tied to a pair stays with it, and so does an introduction that is too short for a child of its own.
    """
    parted: list[list[Piece]] = [[]]
    for piece in pieces:
        current = parted[-1]
        ended = bool(current) and current[-1].form == "faq"
        if current and not piece.glued and (ended or (piece.form == "faq" and _is_full(current, budget))):
            parted.append([])
        parted[-1].append(piece)
    return parted


def _is_full(run: list[Piece], budget: Budget) -> bool:
    """Whether what stands in front of a pair is more than its introduction."""
    return sum(piece.size for piece in run) >= budget.crumb or any(piece.form == "faq" for piece in run)


def _with_rests(pieces: list[Piece], text: str, budget: Budget) -> list[Piece]:
    """Tie what stands between two pairs to the first where it is too short for a child: the end of an answer (its last
    paragraph, its code). What looks like a title stays with the pair behind it."""
    pairs = [index for index, piece in enumerate(pieces) if piece.form == "faq"]
    for first, following in pairwise(pairs):
        between = pieces[first + 1 : following]
        if not between or pieces[following].glued or sum(piece.size for piece in between) >= budget.crumb:
            continue
        if between[-1].kind != "paragraph" or _ENDS.search(text, max(between[-1].end - 3, 0), between[-1].end):
            pieces[first + 1 : following] = [piece._replace(glued=True) for piece in between]
    return pieces


def _belong_together(before: Placed, placed: Placed, after: Placed | None, text: str) -> bool:
    kinds = before.block.kind, placed.block.kind
    if kinds[0] == "heading" or (kinds[1] == "table" and _is_caption(before)):
        return True
    if kinds[1] == "caption" or (kinds[0] in ("table", "caption") and _is_caption(placed)):
        # Between two tables a caption belongs to the one below it; else to the table or figure above.
        return after is None or after.block.kind != "table"
    return _introduces(before, placed, text)


def _is_caption(placed: Placed) -> bool:
    if placed.block.kind == "caption":
        return True
    text = placed.block.text
    return placed.block.kind == "paragraph" and len(text) <= _LONGEST_CAPTION and _CAPTION.match(text) is not None


def _introduces(before: Placed, placed: Placed, text: str) -> bool:
    return (placed.block.kind in _LED_IN or begins_item(placed)) and leads_in(before, text)


def _repeat(before: Placed, placed: Placed, text: str, budget: Budget) -> Lead:
    """What later parts of this block repeat besides its own header: a table's caption, the last sentence of a list's lead-in."""
    gap = text[before.end : placed.start]
    gap = SEPARATOR if gap.strip() else gap
    if placed.block.kind == "table" and _is_caption(before):
        return lead(text[before.start : before.end] + gap, budget)
    if placed.block.kind == "list" and _introduces(before, placed, text):
        return lead(text[last_sentence(before, text) : before.end] + gap, budget)
    return NO_LEAD
