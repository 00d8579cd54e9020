"""The pieces of a section before anything is opened: one a block, tied to its neighbours where they belong together.

A heading stays with what follows it, a lead-in (a paragraph that ends in a colon) with its list, table or code, a caption with
its table.
"""

from __future__ import annotations

from ingest.chunk.opening import lead
from ingest.chunk.piece import NO_LEAD, Budget, Form, Lead, Piece
from ingest.chunk.sections import Placed
from ingest.chunk.sentences import sentence_ends

_FORMS: dict[str, Form] = {"list": "list", "table": "table", "code": "code", "faq": "faq", "formula": "atom"}
_LED_IN = ("list", "table", "code", "formula", "quote", "faq")


def pieces_of(blocks: list[Placed], text: str, budget: Budget) -> list[Piece]:
    """Return one piece a block, in order."""
    pieces = []
    for index, placed in enumerate(blocks):
        before = blocks[index - 1] if index else None
        after = blocks[index + 1] if index + 1 < len(blocks) else None
        kind = placed.block.kind
        pieces.append(
            Piece(
                placed.start,
                placed.end,
                placed.size,
                kind,
                _FORMS.get(kind, "prose"),
                glued=before is not None and _belong_together(before, placed, after, text),
                repeat=_repeat(before, placed, text, budget) if before else NO_LEAD,
                table=placed.block.table,
            )
        )
    return pieces


def _belong_together(before: Placed, placed: Placed, after: Placed | None, text: str) -> bool:
    kinds = before.block.kind, placed.block.kind
    if kinds[0] == "heading" or kinds == ("caption", "table"):
        return True
    if kinds == ("table", "caption"):
        # Between two tables a caption belongs to the one below it.
        return after is None or after.block.kind != "table"
    return _leads_in(before, placed, text)


def _leads_in(before: Placed, placed: Placed, text: str) -> bool:
    return before.block.kind == "paragraph" and placed.block.kind in _LED_IN and text[before.end - 1] in ":："


def _repeat(before: Placed, placed: Placed, text: str, budget: Budget) -> Lead:
    """What later parts of this block repeat besides its own header: a table's caption, the last sentence of a list's lead-in."""
    if placed.block.kind == "table" and before.block.kind == "caption":
        return lead(text[before.start : placed.start], budget)
    if placed.block.kind == "list" and _leads_in(before, placed, text):
        ends = sentence_ends(text[before.start : before.end])
        start = before.start + (ends[-2] if len(ends) > 1 else 0)
        return lead(text[start : placed.start], budget)
    return NO_LEAD
