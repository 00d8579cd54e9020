"""The nouns of the PDF parser: what a page holds before and after its lines are found.

All coordinates are points with the origin at the top left of the page as it is shown (rotation applied).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Protocol

from ingest.model.document import BlockKind, Box, Table
from ingest.parse.pdf.strokes import Stroke


class Rectangle(Protocol):
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(slots=True)
class Item:
    """A run of text as the engine found it."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    """Height of the font as shown, in points."""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    tagged: int = 0
    """Heading level from the document's own structure, else 0."""
    space_after: bool = False
    font: str = ""
    weight: int = 400
    colour: str = "ff000000"
    """Of the fill, in eight hex digits: alpha, red, green, blue."""
    mcid: int | None = None
    """The marked content that it stands in; the document's structure speaks of text by these."""
    words: tuple[tuple[float, float], ...] = ()
    """Left and right edge of each word between blanks, where the engine tells them."""
    blank: float = 0.3
    """Usual width of a blank of the font, in font sizes: .25 to .35, but .6 where all letters are equally wide."""

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(slots=True)
class Area:
    """A table, the part of the page that it takes, and the items whose text it holds.

    `edges`: where its columns begin, and where the last ends. `ruled`: drawn with lines. `cut_above` and `cut_below`: no line
    closes it there, as where a column or page ended in the middle of a row.
    """

    x0: float
    y0: float
    x1: float
    y1: float
    table: Table
    owned: list[Item] = field(default_factory=list)
    edges: tuple[float, ...] = ()
    ruled: bool = False
    cut_above: bool = False
    cut_below: bool = False

    @property
    def middle(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(frozen=True, slots=True)
class LinkArea:
    x0: float
    y0: float
    x1: float
    y1: float
    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Note:
    """An annotation with words of its own, and where it is attached. A `freetext` shows them on the page, others when opened."""

    kind: str
    text: str
    box: tuple[float, float, float, float]


@dataclass(slots=True)
class Line:
    """Items side by side, as one text."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    mono: bool
    tagged: int
    italic: bool = False
    font: str = ""


@dataclass(slots=True)
class Zone:
    """A part of a page that is read from top to bottom: the page itself, a column, or text that stands on its side.

    The coordinates of a zone are those of the page turned back by `turn` degrees, so that its lines run from left to right.
    """

    elements: list[Line | Area]
    turn: int = 0
    margin: bool = False
    """A stamp along the edge of the page, no part of what is read."""

    @property
    def lines(self) -> list[Line]:
        return [element for element in self.elements if isinstance(element, Line)]


@dataclass(frozen=True, slots=True)
class Offered:
    """A table as an engine sees it: its rows of texts, and where each row begins (None where that is not told)."""

    x0: float
    y0: float
    x1: float
    y1: float
    rows: tuple[tuple[str, ...], ...]
    headed: bool
    tops: tuple[float | None, ...] = ()


@dataclass(slots=True)
class Side:
    """What a page holds in one orientation, in the coordinates of the page turned back so that its text runs left to right."""

    items: list[Item] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)
    offered: list[Offered] = field(default_factory=list)


@dataclass(slots=True)
class Page:
    """One page as it comes from the engine: by turn (0, 90, 180, 270 degrees clockwise), what stands that way. `trouble`: why it
    could not be read; it is empty then.

    `hidden` counts dropped text by reason, `samples` has one text of each, `dropped` all of it as (turn, item, reason).
    """

    number: int
    width: float
    height: float
    sides: dict[int, Side] = field(default_factory=dict)
    links: list[LinkArea] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    hidden: Counter[str] = field(default_factory=Counter)
    samples: dict[str, str] = field(default_factory=dict)
    dropped: list[tuple[int, Item, str]] = field(default_factory=list)
    trouble: str = ""

    def side(self, turn: int) -> Side:
        return self.sides.setdefault(turn, Side())


@dataclass(slots=True)
class Layout:
    """One page in reading order."""

    number: int
    width: float
    height: float
    zones: list[Zone]
    links: list[LinkArea]


def trouble_of(error: Exception) -> str:
    """Return in words why a page cannot be read."""
    if isinstance(error, MemoryError):
        return "it needs more memory than parse.memory_bytes allows"
    return f"{type(error).__name__}: {str(error)[:160]}"


def turned_item(item: Item, turn: int, width: float, height: float) -> Item:
    """Return an item of a page of this size as it stands when the page is turned back so that its text runs left to right."""
    x0, y0, x1, y1 = item.x0, item.y0, item.x1, item.y1
    if turn == 90:
        x0, y0, x1, y1 = y0, width - x1, y1, width - x0
    elif turn == 180:
        x0, y0, x1, y1 = width - x1, height - y1, width - x0, height - y0
    elif turn == 270:
        x0, y0, x1, y1 = height - y1, x0, height - y0, x1
    return replace(item, x0=x0, y0=y0, x1=x1, y1=y1, words=() if turn else item.words)


def as_shown(what: Rectangle, turn: int, width: float, height: float) -> tuple[float, float, float, float]:
    """Return where something of a turned-back page stands on the page as it is shown, of this size: undoes `turned_item`."""
    x0, y0, x1, y1 = what.x0, what.y0, what.x1, what.y1
    if turn == 90:
        return width - y1, x0, width - y0, x1
    if turn == 180:
        return width - x1, height - y1, width - x0, height - y0
    if turn == 270:
        return y0, height - x1, y1, height - x0
    return x0, y0, x1, y1


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together, before and after it is known what they are.

    `boxes` has one box a page or column. `left` and `right` are the edges of the zone in which the last line stands.
    """

    lines: list[Line]
    boxes: list[Box]
    left: float
    right: float
    space_above: float
    """Distance to the line before in multiples of the usual one; 9 for the first of a zone."""
    turn: int = 0
    kind: BlockKind = "paragraph"
    marker: str = ""
    level: int = 0
    evidence: str | None = None
    confidence: float = 1.0
    table: Table | None = None
    area: Area | None = None
    """Of a table: how it, or its last part, was drawn."""
    text: str = ""
    locator: str | None = None
    """Of a footnote: what links to it name it by."""

    @property
    def first(self) -> Line:
        return self.lines[0]

    @property
    def last(self) -> Line:
        return self.lines[-1]

    @property
    def size(self) -> float:
        return self.lines[0].size
