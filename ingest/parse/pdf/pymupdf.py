"""The feed of pymupdf (MuPDF, AGPL-3.0): the extra `pymupdf`, imported here alone, and only where settings ask for it.

MuPDF speaks of a page before it is turned for reading; so what it calls upright stands, on the page as shown, at the page's own
rotation. Tables are found by the structure pass from texts and lines alone: MuPDF's own layout model costs ten times the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from math import atan2, degrees
from typing import Any

from ingest.errors import DocumentCorrupt, DocumentEncrypted, DocumentTooLarge, ExtraMissing
from ingest.model.language import HAN
from ingest.parse.pdf.cutting import at_gaps, usual_blanks
from ingest.parse.pdf.filled import form_items, note_items, remark
from ingest.parse.pdf.fonts import names_bold, names_italic, names_mono
from ingest.parse.pdf.liteparse import APART, THICK
from ingest.parse.pdf.page import Item, LinkArea, Page, as_shown, trouble_of, turned_item
from ingest.parse.pdf.sheets import Sheets
from ingest.parse.pdf.strokes import Stroke, stroke
from ingest.parse.pdf.text import cleaned
from ingest.parse.trail import Trail

BLANK = 0.7
"""In font sizes: two fonts of one line that stand closer are one text; the blank of a typewriter's font takes .6."""
MOST_PATHS = 20_000
"""Drawn paths of a page beyond which it is a drawing."""

_HAN_CHAR = re.compile(f"[{HAN}]")
_TICKED = ("checkbox", "radiobutton")
_BOLD_SPAN, _MONO_SPAN, _ITALIC_SPAN = 16, 8, 2
"""Bits of a span's flags."""


class PyMuPdfFeed:
    """pymupdf at work on one document. Raises ExtraMissing."""

    def __init__(self, data: bytes, name: str, max_pages: int, sheets: Sheets, trail: Trail) -> None:
        self._data, self._name, self._max_pages, self._sheets, self._trail = data, name, max_pages, sheets, trail

    def pages(self) -> Iterator[Page]:
        pymupdf = _imported()
        name = self._name
        try:
            document = pymupdf.open(stream=self._data, filetype="pdf")
        except (RuntimeError, ValueError) as error:
            raise DocumentCorrupt(
                f"{name} cannot be read as a PDF ({error}); export it again or print it to a new PDF"
            ) from error
        with document:
            if document.needs_pass:
                raise DocumentEncrypted(f"{name} is protected by a password; save a copy without one")
            if len(document) > self._max_pages:
                raise DocumentTooLarge(f"{name} has {len(document)} pages, over parse.max_pages = {self._max_pages}; split it")
            for number, _ in self._trail.windows(len(document), 1):
                self._trail.at(number, number)
                yield self._page(pymupdf, document, number)

    def _page(self, pymupdf: Any, document: Any, number: int) -> Page:
        try:
            return _read(pymupdf, document[number - 1], number)
        except Exception as error:
            return Page(number, 0, 0, trouble=trouble_of(error))


def _imported() -> Any:
    try:
        import pymupdf
    except ImportError:
        raise ExtraMissing("parse.pdf_engine = pymupdf", "pymupdf") from None
    # Its warnings are about documents; they would end in this process's output.
    tools: Any = pymupdf.TOOLS
    tools.mupdf_display_errors(False)
    tools.mupdf_display_warnings(False)
    return pymupdf


def _read(pymupdf: Any, raw: Any, number: int) -> Page:
    shown = raw.rect
    page = Page(number, shown.width, shown.height)
    rotation = raw.rotation % 360
    width, height = (shown.height, shown.width) if rotation in (90, 270) else (shown.width, shown.height)
    found: dict[int, list[Item]] = {}
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_COLLECT_STRUCTURE
    for line, tagged in _lines(raw.get_text("rawdict", flags=flags)["blocks"], 0):
        turn = round(degrees(atan2(line["dir"][1], line["dir"][0])) / 90) % 4 * 90
        pieces = (item for span in line["spans"] for item in _items(span, tagged, turn, width, height))
        found.setdefault((turn + rotation) % 360, []).extend(_merged(pieces))
    for turn, items in found.items():
        blanks = usual_blanks(items)
        for item in items:
            item.blank = blanks.get(item.font, item.blank)
            page.side(turn).items.extend(at_gaps(item, APART))
    page.side(rotation).strokes.extend(_strokes(raw))
    fields = [_Field.of(one) for one in raw.widgets() or ()]
    upright = page.side(rotation).items
    # A tick is a letter of a symbol font, whose code means something else; the field tells what it is.
    upright[:] = [item for item in upright if not any(one.type in _TICKED and one.holds(item) for one in fields)]
    notes = [_Noted.of(note) for note in raw.annots() or ()]
    page.notes = [note for one in notes if (note := remark(one)) is not None]
    upright.extend(form_items(_Form(fields, [_Place.of(item) for item in upright])))
    upright.extend(note_items(notes))
    page.links = [link for one in raw.get_links() if (link := _link(one, upright, page, rotation)) is not None]
    return page


def _lines(blocks: list[dict[str, Any]], tagged: int) -> Iterator[tuple[dict[str, Any], int]]:
    """Yield the lines of a page, each with the heading level that the structure of a tagged PDF gives it."""
    for block in blocks:
        for line in block.get("lines", ()):
            yield line, tagged
        if "blocks" in block:
            yield from _lines(block["blocks"], _level(block) or tagged)


def _level(block: dict[str, Any]) -> int:
    standard = str(block.get("std", "")).upper()
    if standard in ("H", "TITLE"):
        return 1
    return int(standard[1]) if len(standard) == 2 and standard[0] == "H" and standard[1] in "123456" else 0


def _items(span: dict[str, Any], tagged: int, turn: int, width: float, height: float) -> Iterator[Item]:
    """Yield a span's text, its words placed. Coordinates are of the page turned back by `turn`."""
    words: list[tuple[str, float, float]] = []
    letters, box = "", None
    blank = False
    for char in [*span["chars"], None]:
        if char is None or char["c"].isspace():
            if letters and box is not None:
                words.append((letters, box.x0, box.x1))
            blank = char is not None
            letters, box = "", None
            continue
        blank = False
        one = _rect(char["bbox"], turn, width, height)
        letters += char["c"]
        box = one if box is None else replace(box, x0=min(box.x0, one.x0), x1=max(box.x1, one.x1))
    text = cleaned(" ".join(word for word, _, _ in words))
    if not text:
        return
    whole = _rect(span["bbox"], turn, width, height)
    places = tuple((x0, x1) for _, x0, x1 in words)
    font, flags = span["font"], span["flags"]
    yield Item(
        text=text,
        x0=min(x0 for x0, _ in places),
        y0=whole.y0,
        x1=max(x1 for _, x1 in places),
        y1=whole.y1,
        size=span["size"],
        bold=names_bold(font) or bool(flags & _BOLD_SPAN),
        italic=names_italic(font) or bool(flags & _ITALIC_SPAN),
        mono=names_mono(font) or bool(flags & _MONO_SPAN),
        tagged=tagged,
        space_after=blank,
        font=font,
        weight=700 if flags & _BOLD_SPAN else 400,
        colour=f"{span.get('alpha', 255):02x}{span['color'] & 0xFFFFFF:06x}",
        words=places if len(places) == text.count(" ") + 1 else (),
    )


def _rect(box: tuple[float, float, float, float], turn: int, width: float, height: float) -> Item:
    x0, y0, x1, y1 = box
    return turned_item(Item("", x0, y0, x1, y1, 0.0), turn, width, height)


def _merged(items: Iterable[Item]) -> Iterator[Item]:
    """Yield the items of a line, those made one that go on in another font where Han and Latin letters mix."""
    before: Item | None = None
    for item in items:
        if before is not None and _goes_on(before, item):
            before = _together(before, item)
            continue
        if before is not None:
            yield before
        before = item
    if before is not None:
        yield before


def _goes_on(before: Item, item: Item) -> bool:
    near = -0.3 * item.size < item.x0 - before.x1 < BLANK * item.size
    alike = abs(item.size - before.size) < 0.6 and item.tagged == before.tagged and item.colour == before.colour
    return near and alike and bool(_HAN_CHAR.search(before.text) or _HAN_CHAR.search(item.text))


def _together(before: Item, item: Item) -> Item:
    """Return two items as one, bold where both are, a blank between them where the page has one."""
    blank = before.space_after or item.x0 - before.x1 > 0.16 * item.size
    words = (*before.words, *item.words)
    if before.words and item.words and not blank:
        words = (*before.words[:-1], (before.words[-1][0], item.words[0][1]), *item.words[1:])
    text = f"{before.text} {item.text}" if blank else before.text + item.text
    return replace(
        before, text=text, bold=before.bold and item.bold, mono=before.mono and item.mono, x0=min(before.x0, item.x0),
        y0=min(before.y0, item.y0), x1=max(before.x1, item.x1), y1=max(before.y1, item.y1), space_after=item.space_after,
        words=words if len(words) == text.count(" ") + 1 else (),
    )


def _strokes(raw: Any) -> Iterator[Stroke]:
    """Yield the page's lines, and the edges of coloured areas as such."""
    drawings = raw.get_cdrawings()
    if len(drawings) > MOST_PATHS:
        return
    for path in drawings:
        drawn = "s" in path["type"]
        for kind, *points in path["items"]:
            if kind == "l":
                (x0, y0), (x1, y1) = points[:2]
                if drawn and (one := stroke(x0, y0, x1, y1)) is not None:
                    yield one
            elif kind == "re":
                x0, y0, x1, y1 = points[0]
                yield from _edges(x0, y0, x1, y1, drawn)


def _edges(x0: float, y0: float, x1: float, y1: float, drawn: bool) -> Iterator[Stroke]:
    """Yield the strokes of a rectangle: itself where it is as thin as a line, else its four edges."""
    if min(abs(x1 - x0), abs(y1 - y0)) < THICK:
        if (one := stroke(x0, y0, x1, y1)) is not None:
            yield one
        return
    for edge in ((x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)):
        if (one := stroke(*edge, edge=not drawn)) is not None:
            yield one


def _link(raw: dict[str, Any], items: list[Item], page: Page, rotation: int) -> LinkArea | None:
    target = raw.get("uri")
    if not target:
        return None
    area = raw["from"]
    inside = [
        item for item in items
        if area.x0 - 1 <= (item.x0 + item.x1) / 2 <= area.x1 + 1 and area.y0 - 1 <= item.middle <= area.y1 + 1
    ]
    text = " ".join(item.text for item in inside) or target
    return LinkArea(*as_shown(area, rotation, page.width, page.height), text, target)


@dataclass(frozen=True, slots=True)
class _Place:
    """A rectangle as `filled` knows them."""

    x: float
    y: float
    width: float
    height: float

    @classmethod
    def of(cls, rect: Any) -> _Place:
        return cls(rect.x0, rect.y0, rect.x1 - rect.x0, rect.y1 - rect.y0)


@dataclass(frozen=True, slots=True)
class _Field:
    """A form field as `filled` knows them."""

    type: str
    rect: _Place
    value: str
    checked: bool

    @classmethod
    def of(cls, widget: Any) -> _Field:
        value = str(widget.field_value or "")
        return cls(widget.field_type_string.lower(), _Place.of(widget.rect), value, value.lower() not in ("", "off", "false"))

    def holds(self, item: Item) -> bool:
        x, y = (item.x0 + item.x1) / 2 - self.rect.x, item.middle - self.rect.y
        return 0 <= x <= self.rect.width and 0 <= y <= self.rect.height


@dataclass(frozen=True, slots=True)
class _Form:
    form_fields: list[_Field]
    text_items: list[_Place]


@dataclass(frozen=True, slots=True)
class _Noted:
    """An annotation as `filled` knows them."""

    subtype: str
    contents: str
    rect: _Place

    @classmethod
    def of(cls, note: Any) -> _Noted:
        return cls(note.type[1].lower(), note.info.get("content", ""), _Place.of(note.rect))
