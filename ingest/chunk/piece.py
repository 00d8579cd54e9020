"""Pieces: what children are made of. A piece is a slice of the document that is kept whole or, where it has to be, opened.

A section begins as one piece a block. Packing opens a piece (a paragraph into sentences, a table into rows, a list into
items) only where no boundary between the pieces falls within the budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from ingest.chunk.units import Ruler
from ingest.model.document import Table

if TYPE_CHECKING:
    from ingest.chunk.footnotes import Note

Form = Literal["prose", "sentence", "list", "item", "table", "code", "faq", "atom", "whole"]
"""What a piece opens as. `atom`: a table's row, a line of code, a formula. `whole` never opens."""

TURN, BLOCK, PART, NESTED, INNER = -1, 0, 1, 2, 3
"""How hard the cut in front of a piece is: where another speaks; between blocks; between the sentences, items, rows or
paragraphs of code of one block; between nested items or lines; within an item or row. Those of `fragments` follow. Softer
places are preferred."""


class Budget(NamedTuple):
    """How long a section's children may be, prefix already taken off, in halves of a unit."""

    least: int
    most: int
    whole: int
    """What is atomic stays in one child up to here."""
    columns: int
    """What the prefix has left for the names of columns or a footnote, in halves of a unit."""
    overlap: bool
    """Whether the last sentence of the child before is repeated."""
    ruler: Ruler
    """Measures parts of the document's text."""

    @property
    def crumb(self) -> int:
        """A child smaller than this is not worth having beside another."""
        return self.least // 3


class Lead(NamedTuple):
    """What is repeated in front of a child: characters that stand before it, with the white space between."""

    text: str = ""
    size: int = 0


NO_LEAD = Lead()


class Piece(NamedTuple):
    """`[start, end)` of the document's text. `size` in halves of a unit."""

    start: int
    end: int
    size: int
    kind: str
    form: Form
    rank: int = BLOCK
    glued: bool = False
    """No child begins here: a heading, a lead-in or a table's header stands in front."""
    partial: bool = False
    """Part of something atomic that was too large to stay whole."""
    repeat: Lead = NO_LEAD
    """Repeated in front of a child that begins here (a table's header, a list's lead-in, a question)."""
    table: Table | None = None
    beside: Lead = NO_LEAD
    """Goes into the prefix of a child that begins here: the names of columns whose header is too wide to be repeated; who
    speaks; what introduces a numbered paragraph."""
    notes: tuple[Note, ...] = ()
    """Footnotes that it cites. Once it is opened, each sentence has its own, and is longer by them."""
    speaker: str = ""
