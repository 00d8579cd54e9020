"""A parsed revision: a sequence of blocks over one linear text.

`Document.text` is the text that people, chunks and checksums speak of: the body blocks' texts joined by a blank line.
Every body block knows its place in it (`span`), so chunk -> span -> block -> page or line -> bytes can always be walked.
Furniture (running headers, navigation) and hidden text are kept as blocks of their own layer, outside the text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

BlockKind = Literal[
    "heading", "paragraph", "list", "table", "code", "formula", "caption", "quote", "faq", "footnote"
]
Layer = Literal["body", "furniture", "hidden"]

SEPARATOR = "\n\n"
"""Between two body blocks in `Document.text`."""


@dataclass(frozen=True, slots=True)
class Box:
    """An area of a page: 1-based page, points, origin top left."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where in the source something stands; only what the format has is filled.

    `lines`: first and last line of the decoded source, 1-based. `time`: start and end in seconds. `locator`: the format's own
    address (`Prices!A1:D9`, `slide 3`). `span`: characters of `Document.text`, start inclusive, end exclusive.
    """

    boxes: tuple[Box, ...] = ()
    lines: tuple[int, int] | None = None
    time: tuple[float, float] | None = None
    locator: str | None = None
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """A cell over several rows or columns: where it begins, from 0, and how many of each it takes."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """Cells by row, spans already repeated into every cell they cover; the first `header_rows` rows are the header.

    `spans` tells which equal cells are one, in the order of reading, where the format says so.
    """

    rows: tuple[tuple[str, ...], ...]
    header_rows: int = 1
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """One structural unit.

    `text` is what a reader sees, without markup. A list has one line an item (`- ` or its number in front, two spaces a
    level); a table one line a row (see `table_text`); code its exact lines; an faq the question, a newline, the answer.
    `level` is the heading level, 1 to 6, else 0. `evidence` names what told a heading (style, numbering, size ...).
    """

    kind: BlockKind
    text: str
    level: int = 0
    layer: Layer = "body"
    provenance: Provenance = Provenance()
    table: Table | None = None
    code_language: str | None = None
    evidence: str | None = None
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Link:
    """A reference from the block at index `block` to `target` as written (a relative path, a URL, an anchor)."""

    block: int
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Omission:
    """Something left out on purpose, and where: hidden text, a tracked deletion, an unsupported object.

    `boxes`: where on its page, for whoever looks at the page; a knowledge base does not keep them.
    """

    kind: str
    count: int = 1
    where: str | None = None
    sample: str | None = None
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Gap:
    """Pages, from 1, that could not be read where others could, and why. `passing`: the reason may be gone another time."""

    first: int
    last: int
    reason: str
    passing: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """What a parser made of one revision. `embedded` holds the format's own metadata as JSON types, uninterpreted. One with
    `gaps` is partial: `pages` counts all of them."""

    media_type: str
    parser: str
    """Fingerprint of the parser: name, version, and the settings that shape its output."""
    title: str | None
    blocks: tuple[Block, ...]
    links: tuple[Link, ...] = ()
    omissions: tuple[Omission, ...] = ()
    embedded: dict[str, Any] = field(default_factory=dict)
    language: str | None = None
    pages: int | None = None
    gaps: tuple[Gap, ...] = ()

    @property
    def text(self) -> str:
        return SEPARATOR.join(block.text for block in self.blocks if block.layer == "body")


def laid_out(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks with `provenance.span` set for those of the body. Empty body blocks must not be passed."""
    placed: list[Block] = []
    at = 0
    for block in blocks:
        if block.layer != "body":
            placed.append(block)
            continue
        end = at + len(block.text)
        placed.append(replace(block, provenance=replace(block.provenance, span=(at, end))))
        at = end + len(SEPARATOR)
    return tuple(placed)


def table_text(table: Table) -> str:
    """Return a table as text: one line a row, cells joined by ` | `, line breaks inside a cell folded to a space."""
    return "\n".join(" | ".join(" ".join(cell.split()) for cell in row) for row in table.rows)
