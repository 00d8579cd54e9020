"""The outline of a document: headings opened into a tree of sections, each with the blocks that stand directly in it.

A section begins at its heading. A heading with no text of its own before its first subsection is handed down: it leads the
first section below it that has text, so that a bare title does not become a chunk that says nothing. One that would take up most
of a chunk says enough, and stays where it is. Levels may skip.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ingest.chunk.units import Ruler
from ingest.model.document import SEPARATOR, Block, Document

_LONGEST_HEADING = 300
"""Characters of a heading that enter paths: a paragraph mistaken for a heading is not repeated in every chunk below it."""


class Placed(NamedTuple):
    """A body block with its place in `Document.text`, trimmed of white space around it, and its size in halves of a
    unit."""

    block: Block
    start: int
    end: int
    size: int


@dataclass(slots=True)
class Section:
    """`path`: headings from the outermost to its own. `blocks`: its heading (and bare ones above it), then its own text."""

    path: tuple[str, ...]
    level: int
    blocks: list[Placed] = field(default_factory=list)
    subsections: list[Section] = field(default_factory=list)

    def leads(self, room: int) -> bool:
        """Whether it is nothing but headings, of `room` halves of a unit together at most."""
        only = all(placed.block.kind == "heading" for placed in self.blocks)
        return only and sum(placed.size for placed in self.blocks) <= room


def outline(document: Document, ruler: Ruler | None = None, room: int = 200) -> Section:
    """Return the root section: path (), holding what stands before the first heading. `room`: up to how much bare headings are
    handed down, in halves of a unit."""
    root = Section((), 0)
    open_sections = [root]
    for placed in placed_blocks(document, ruler or Ruler(document.text)):
        if placed.block.kind == "heading":
            _open(open_sections, placed, room)
        else:
            open_sections[-1].blocks.append(placed)
    return root


def _open(open_sections: list[Section], heading: Placed, room: int) -> None:
    level = max(heading.block.level, 1)
    while open_sections[-1].level >= level:
        open_sections.pop()
    above = open_sections[-1]
    section = Section((*above.path, named(heading.block.text)), level)
    if not above.subsections and above.leads(room):
        section.blocks, above.blocks = above.blocks, []
    section.blocks.append(heading)
    above.subsections.append(section)
    open_sections.append(section)


def named(text: str) -> str:
    """Return a heading as it stands in paths: on one line, bounded."""
    name = " ".join(text.split())
    return name if len(name) <= _LONGEST_HEADING else name[: _LONGEST_HEADING - 1].rstrip() + "…"


def placed_blocks(document: Document, ruler: Ruler) -> Iterator[Placed]:
    """Yield the body blocks that have any text, with their places in `document.text`."""
    at = 0
    for block in document.blocks:
        if block.layer != "body":
            continue
        start, end = _trimmed(block, at)
        if start < end:
            yield Placed(block, start, end, ruler.size(start, end))
        at += len(block.text) + len(SEPARATOR)


def _trimmed(block: Block, at: int) -> tuple[int, int]:
    """White space around a block belongs to the gap between blocks, but not the indentation of its first line."""
    text = block.text
    end = len(text.rstrip())
    start = len(text) - len(text.lstrip())
    if block.kind in ("code", "list", "table", "formula"):
        start = text.rfind("\n", 0, start) + 1 if start < end else start
    return at + start, at + end
