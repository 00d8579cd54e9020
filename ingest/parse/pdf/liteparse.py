"""The feed of liteparse (PDFium in Rust, Apache-2.0): texts with their fonts, strokes, tags, form fields, links, tables.

Pages stream in batches, so memory holds one batch of the engine's objects at a time. What the engine is known to get wrong is
put right here: folded characters (`spelling`), pages that stand on their side, sizes of fonts that are scaled by a matrix.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ingest.errors import DocumentCorrupt, DocumentEncrypted, DocumentTooLarge
from ingest.model.language import CJK
from ingest.parse.pdf.cutting import at_gaps, usual_blanks
from ingest.parse.pdf.filled import form_items, note_items, remark
from ingest.parse.pdf.fonts import names_bold, names_italic, names_mono
from ingest.parse.pdf.page import Item, LinkArea, Offered, Page, Side, as_shown, trouble_of, turned_item
from ingest.parse.pdf.sheets import Sheets
from ingest.parse.pdf.spelling import Spelling
from ingest.parse.pdf.strokes import Stroke, stroke
from ingest.parse.pdf.text import cleaned
from ingest.parse.trail import Trail

if TYPE_CHECKING:
    from liteparse import LiteParse

BATCH_PAGES = 25
APART = 1.5
"""In font sizes: words further apart on a line are texts of their own, whatever the engine says; justified ones come to 1."""
THICK = 2.5
"""Points from which a filled rectangle is an area and not a line."""
HAN_HEIGHT = 1.44
"""Height of a line of a Chinese font in font sizes."""

_CJK_CHAR = re.compile(f"[{CJK}]")
_HEADING_TAG = re.compile(r"H([1-6])?|Title")
_TURNS = (0, 90, 180, 270)


class LiteParseFeed:
    """liteparse at work on one document."""

    def __init__(self, data: bytes, name: str, max_pages: int, sheets: Sheets, trail: Trail) -> None:
        self._data, self._name, self._max_pages, self._sheets, self._trail = data, name, max_pages, sheets, trail

    def pages(self) -> Iterator[Page]:
        from liteparse import ParseError

        name = self._name
        try:
            for total, pages in self._batches():
                if total > self._max_pages:
                    raise DocumentTooLarge(f"{name} has {total} pages, over parse.max_pages = {self._max_pages}; split it")
                turns = {raw.page_num: turn for raw in pages if (turn := _turn(raw))}
                turned_back = self._turned_back(turns)
                for raw in pages:
                    self._trail.at(raw.page_num, raw.page_num)
                    yield self._tried(raw, turns.get(raw.page_num, 0), turned_back.get(raw.page_num))
        except ParseError as error:
            if "password" in str(error):
                raise DocumentEncrypted(f"{name} is protected by a password; save a copy without one") from error
            raise DocumentCorrupt(
                f"{name} cannot be read as a PDF ({error}); export it again or print it to a new PDF"
            ) from error

    def _batches(self) -> Iterator[tuple[int, list[Any]]]:
        """Yield the number of the document's pages, and the engine's pages of one window after the other."""
        total = len(self._sheets)
        windows = self._trail.windows(total, BATCH_PAGES)
        if not self._trail.is_plain:
            for first, last in windows:
                self._trail.at(first, last)
                yield total, _engine(self._max_pages, target_pages=f"{first}-{last}").parse(self._data).pages
            return
        batches = iter(_plain_engine(self._max_pages).parse_batches(self._data, BATCH_PAGES))
        while True:
            self._trail.at(*next(windows, (total, total)))
            batch = next(batches, None)
            if batch is None:
                return
            yield batch.total_pages, batch.result.pages

    def _tried(self, raw: Any, main: int, turned_back: Any | None) -> Page:
        try:
            return self._page(raw, main, turned_back)
        except Exception as error:
            return Page(raw.page_num, raw.width, raw.height, trouble=trouble_of(error))

    def _turned_back(self, turns: dict[int, int]) -> dict[int, Any]:
        """Read once more, turned, the pages whose text stands on its side or head: as it stands the engine garbles its words."""
        if not turns:
            return {}
        wanted = ",".join(map(str, turns))
        engine = _engine(self._max_pages, page_orientation_corrections=list(turns.items()), target_pages=wanted)
        return {raw.page_num: raw for raw in engine.parse(self._data).pages}

    def _page(self, raw: Any, main: int, turned_back: Any | None) -> Page:
        """`main` is the turn of most of the page's text, and `turned_back` the engine's page read that way."""
        page = Page(raw.page_num, raw.width, raw.height)
        spelling = Spelling(self._sheets.page(raw.page_num))
        levels = _heading_marks(raw.structure_tree)
        if turned_back is not None:
            upright = [found for found in turned_back.text_items if _turn_of(found) == 0]
            _fill(page.side(main), turned_back, upright, spelling, levels)
        for turn in _TURNS:
            found = [one for one in raw.text_items if _turn_of(one) == turn]
            if turn == main and turned_back is None:
                _fill(page.side(turn), raw, found, spelling, levels)
            elif turn != main and found:
                items = (item for one in found if (item := _item(one, spelling, levels)) is not None)
                page.side(turn).items.extend(turned_item(item, turn, page.width, page.height) if turn else item for item in items)
        self._add_lost(page, spelling)
        if not main:
            page.side(0).items.extend(form_items(raw))
            page.side(0).items.extend(note_items(raw.annotations or ()))
            page.links = [link for note in raw.annotations or () if (link := _link(note, page.side(0).items))]
        page.notes = [note for one in raw.annotations or () if (note := remark(one)) is not None]
        return page

    def _add_lost(self, page: Page, spelling: Spelling) -> None:
        """Add what the engine left out, in the size and weight of what stands on its line."""
        shown = (item if not turn else _shown(item, turn, page) for turn, side in page.sides.items() for item in side.items)
        for item, turn in spelling.lost(shown):
            side = page.side(turn)
            turned = turned_item(item, turn, page.width, page.height) if turn else item
            near = next((one for one in side.items if abs(one.y1 - turned.y1) < 2 and abs(one.y0 - turned.y0) < 4), None)
            if near is not None:
                turned = replace(turned, y0=near.y0, y1=near.y1, size=near.size, bold=near.bold, mono=near.mono, font=near.font)
            side.items.append(turned)
        spelling.close()


def _shown(item: Item, turn: int, page: Page) -> Item:
    x0, y0, x1, y1 = as_shown(item, turn, page.width, page.height)
    return replace(item, x0=x0, y0=y0, x1=x1, y1=y1)


@lru_cache(maxsize=4)
def _plain_engine(max_pages: int) -> LiteParse:
    """The engine without settings for one document; making one costs as much as reading a page."""
    return _engine(max_pages)


def _engine(max_pages: int, **more: Any) -> LiteParse:
    from liteparse import LiteParse

    return LiteParse(
        ocr_enabled=False,
        max_pages=max_pages + 1,  # the engine would stop at its cap without a word
        quiet=True,
        extract_text_metadata=True,
        extract_structure_tree=True,
        extract_vector_graphics=True,
        extract_form_fields=True,
        extract_links=True,
        extract_annotations=True,
        extract_blocks=False,
        emit_word_boxes=True,
        preserve_very_small_text=True,
        keep_headers_footers=True,
        output_format="text",
        num_workers=1,
        **more,
    )


def _turn(raw: Any) -> int:
    """The rotation, 90, 180 or 270, that most characters of a page share; 0 when they stand upright."""
    by_turn: dict[int, int] = {}
    for found in raw.text_items:
        turn = _turn_of(found)
        by_turn[turn] = by_turn.get(turn, 0) + len(found.text)
    best = max(by_turn, key=lambda turn: by_turn[turn], default=0)
    return best if best and by_turn[best] > 0.6 * sum(by_turn.values()) else 0


def _turn_of(found: Any) -> int:
    turn: int = round(found.rotation / 90) % 4 * 90
    return turn


def _fill(side: Side, raw: Any, founds: list[Any], spelling: Spelling, levels: dict[int | None, int]) -> None:
    items = [item for found in founds if (item := _item(found, spelling, levels)) is not None]
    blanks = usual_blanks(items)
    for item in items:
        item.blank = blanks.get(item.font, item.blank)
        side.items.extend(at_gaps(item, APART))
    side.strokes.extend(_strokes(raw))
    side.offered.extend(offer for block in raw.blocks or () if (offer := _offered(block, spelling)) is not None)


def _strokes(raw: Any) -> Iterator[Stroke]:
    """Yield the page's lines. The engine gives the edges of coloured areas as lines, too."""
    if raw.vector_graphics is None:
        return
    areas = _edges(raw.vector_graphics.shapes)
    for line in raw.vector_graphics.lines:
        edge = not line.stroke and _edge_key(line.x1, line.y1, line.x2, line.y2, line.fill_color) in areas
        if (one := stroke(line.x1, line.y1, line.x2, line.y2, edge)) is not None:
            yield one


_EdgeKey = tuple[bool, int, str | None]


def _edges(shapes: list[Any]) -> set[_EdgeKey]:
    """Where the edges of coloured areas are that are thicker than a line."""
    found: set[_EdgeKey] = set()
    for shape in shapes:
        x, y, width, height = shape.bbox
        if shape.fill and not shape.has_curve and min(width, height) >= THICK:
            right, bottom = x + width, y + height
            for edge in ((x, y, right, y), (x, bottom, right, bottom), (x, y, x, bottom), (right, y, right, bottom)):
                found.add(_edge_key(*edge, shape.fill_color))
    return found


def _edge_key(x0: float, y0: float, x1: float, y1: float, colour: str | None) -> _EdgeKey:
    flat = abs(y1 - y0) < abs(x1 - x0)
    return flat, round(y0 + y1 if flat else x0 + x1), colour


def _item(found: Any, spelling: Spelling, levels: dict[int | None, int]) -> Item | None:
    text = cleaned(found.text)
    if not text:
        return None
    text = spelling.restored(text)
    font = found.font_name or ""
    size = found.font_height or found.font_size or found.height
    bold, italic, mono = _named_style(font)
    if mono and len(_CJK_CHAR.findall(text)) > 0.3 * len(text):
        # A run of several fonts comes with the first one's name and size: code followed by Chinese, whose height tells its size.
        mono, size = False, max(size, found.height / HAN_HEIGHT)
    return Item(
        text=text,
        x0=found.x,
        y0=found.y,
        x1=found.x + found.width,
        y1=found.y + found.height,
        size=size,
        bold=bold or (found.font_weight or 0) >= 650,
        italic=italic,
        mono=mono,
        tagged=levels.get(found.mcid, 0),
        space_after=found.trailing_space_generated or found.text[-1:].isspace(),
        font=font,
        weight=found.font_weight or 400,
        colour=found.fill_color or "ff000000",
        mcid=found.mcid,
        words=_words(found, text),
    )


@lru_cache(maxsize=4096)
def _named_style(font: str) -> tuple[bool, bool, bool]:
    """Whether a font's name says that it is bold, slanted, of equal widths."""
    return names_bold(font), names_italic(font), names_mono(font)


def _words(found: Any, text: str) -> tuple[tuple[float, float], ...]:
    words = tuple((word.x, word.x + word.width) for word in found.words)
    return words if len(words) == text.count(" ") + 1 else ()


def _heading_marks(tree: Any | None) -> dict[int | None, int]:
    """Marked content -> heading level, from the structure of a tagged PDF."""
    marks: dict[int | None, int] = {}

    def walk(element: Any, level: int) -> None:
        match = _HEADING_TAG.fullmatch(element.type or "")
        if match:
            level = int(match[1]) if match[1] else 1
        if level:
            marks.update(dict.fromkeys(element.marked_content_ids, level))
        for child in element.children:
            walk(child, level)

    for root in tree.roots if tree is not None else ():
        walk(root, 0)
    return marks


def _offered(block: Any, spelling: Spelling) -> Offered | None:
    if block.kind != "table" or block.bbox is None:
        return None
    rows = ([block.header] if block.header else []) + list(block.rows or ())
    width = max((len(row) for row in rows), default=0)
    if not width:
        return None
    texts = tuple(tuple(spelling.restored(_told(cell.text)) for cell in row) + ("",) * (width - len(row)) for row in rows)
    tops = tuple(min((cell.bbox.y for cell in row if cell.bbox is not None), default=None) for row in rows)
    box = block.bbox
    return Offered(box.x, box.y, box.x + box.width, box.y + box.height, texts, bool(block.header), tops)


def _told(text: str) -> str:
    return cleaned(text.replace("**", "").replace("<br>", " ").replace("<br/>", " "))


def _link(note: Any, items: list[Item]) -> LinkArea | None:
    if note.subtype != "link" or not note.uri or note.rect is None:
        return None
    x0, y0 = note.rect.x, note.rect.y
    x1, y1 = x0 + note.rect.width, y0 + note.rect.height
    inside = [i for i in items if x0 - 1 <= (i.x0 + i.x1) / 2 <= x1 + 1 and y0 - 1 <= i.middle <= y1 + 1]
    return LinkArea(x0, y0, x1, y1, " ".join(i.text for i in inside) or note.uri, note.uri)
