"""Footnotes beside the sentence that cites them.

Parsers put a footnote behind the paragraph that cites it, with the same mark that stands in the sentence. Where paragraph and
note go into one child nothing is to be done; where the paragraph is cut, the child with the citing sentence gets the note into
its prefix.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from ingest.chunk.piece import Budget, Lead
from ingest.chunk.prefix import shortened
from ingest.chunk.sections import Placed
from ingest.chunk.units import measure

_MARK = re.compile(r"\[[^\[\]\n]{1,40}\]|[（(]\d{1,3}[)）]|\d{1,3}[)）]|[①-⑳]|[*†‡]{1,3}")
_WORTH = 8
"""With less room than this (four characters) a note is left out."""


class Note(NamedTuple):
    """The mark, as it stands in the sentence and in front of the note, and what of the note goes into a prefix."""

    mark: str
    text: Lead
    start: int


def is_cited(blocks: Sequence[Placed], index: int) -> bool:
    """Whether the block in front of footnote `index`, and of other notes before it, holds its mark."""
    found = _MARK.match(blocks[index].block.text.lstrip())
    if not found:
        return False
    citing = next((placed.block for placed in reversed(blocks[:index]) if placed.block.kind != "footnote"), None)
    return citing is not None and found.group() in citing.text


def notes_behind(blocks: Sequence[Placed], index: int, budget: Budget) -> tuple[Note, ...]:
    """Return the footnotes that stand behind block `index` and whose mark its text holds."""
    notes = []
    text = blocks[index].block.text
    for placed in blocks[index + 1 :]:
        if placed.block.kind != "footnote":
            break
        found = _MARK.match(placed.block.text.lstrip())
        if found and found.group() in text and budget.columns >= _WORTH:
            told = shortened(" ".join(placed.block.text.split()), budget.columns)
            if told:
                notes.append(Note(found.group(), Lead(told, measure(told)), placed.start))
    return tuple(notes)
