"""The engine of the PDF parser: liteparse (PDFium) reads pages, and what it gives becomes Items, tables and links.

Pages stream in batches, so memory holds one batch of the engine's objects at a time. Nothing that the engine says is trusted
to be visible: `visible` decides what a reader of the page would see.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ingest.errors import DocumentCorrupt, DocumentEncrypted, DocumentTooLarge
from ingest.model.language import CJK
from ingest.parse.pdf.page import Item, LinkArea, Page, as_shown, turned_item
from ingest.parse.pdf.spelling import Spelling
from ingest.parse.pdf.tables import tables
from ingest.parse.pdf.text import cleaned
from ingest.parse.pdf.visible import Surface

if TYPE_CHECKING:
    from liteparse import LiteParse
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]

BATCH_PAGES = 25
HAN_HEIGHT = 1.44
"""Height of a line of a Chinese font in font sizes."""

_BOLD = re.compile(r"bold|heavy|black|semibold|demi|-medi\b|medi$|simhei|heiti|黑体", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consolas|menlo|typewriter|cmtt|sourcecode|fira ?code|inconsolata|nimbusmon", re.IGNORECASE)
_CJK_CHAR = re.compile(f"[{CJK}]")
_HEADING_TAG = re.compile(r"H([1-6])?|Title")


def pages(data: bytes, name: str, max_pages: int, pdf: PdfDocument) -> Iterator[Page]:
    """Yield every page in order, visible content only. Raises DocumentEncrypted, DocumentCorrupt or DocumentTooLarge."""
    from liteparse import ParseError

    try:
        seen = 0
        for batch in _engine(max_pages).parse_batches(data, BATCH_PAGES):
            if batch.total_pages > max_pages:
                raise DocumentTooLarge(f"{name} has {batch.total_pages} pages, over parse.max_pages = {max_pages}; split it")
            found = batch.result.pages
            turns = {raw.page_num: turn for raw in found if (turn := _turn(raw))}
            turned_back = _turned_back(data, max_pages, turns)
            for raw in found:
                seen += 1
                yield _page(raw, turns.get(raw.page_num, 0), turned_back.get(raw.page_num), pdf)
        if seen != len(pdf):
            raise DocumentCorrupt(f"{name} has {len(pdf)} pages of which only {seen} can be read; print it to a new PDF")
    except ParseError as error:
        if "password" in str(error):
            raise DocumentEncrypted(f"{name} is protected by a password; save a copy without one") from error
        raise DocumentCorrupt(f"{name} cannot be read as a PDF ({error}); export it again or print it to a new PDF") from error


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
        extract_blocks=True,
        preserve_very_small_text=True,
        keep_headers_footers=True,
        output_format="text",
        num_workers=1,
        **more,
    )


def _turned_back(data: bytes, max_pages: int, turns: dict[int, int]) -> dict[int, Any]:
    """Read once more, turned, the pages whose text stands on its side or head: as it stands the engine garbles its words."""
    if not turns:
        return {}
    wanted = ",".join(map(str, turns))
    result = _engine(max_pages, page_orientation_corrections=list(turns.items()), target_pages=wanted).parse(data)
    return {raw.page_num: raw for raw in result.pages}


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


def _page(raw: Any, main: int, turned_back: Any | None, pdf: PdfDocument) -> Page:
    """`main` is the turn of most of the page's text, and `turned_back` the engine's page read that way."""
    page = Page(raw.page_num, raw.width, raw.height)
    context = _Context(page, Surface.of(pdf, raw), Spelling(pdf, raw.page_num), _heading_marks(raw.structure_tree))
    if turned_back is not None:
        upright = [found for found in turned_back.text_items if _turn_of(found) == 0]
        page.side(main).items.extend(_visible(upright, main, context))
        page.side(main).areas = tables(turned_back, page.side(main).items, context.hidden, context.spelling.restored)
    for turn in (0, 90, 180, 270):
        if turn == main and turned_back is not None:
            continue
        for item in _visible((f for f in raw.text_items if _turn_of(f) == turn), 0, context):
            page.side(turn).items.append(turned_item(item, turn, page.width, page.height))
    if not main:
        side = page.side(0)
        side.items.extend(_form_values(raw))
        side.areas = tables(raw, side.items, context.hidden, context.spelling.restored)
        page.links = [link for note in raw.annotations or () if (link := _link(note, side.items))]
    return page


@dataclass(slots=True)
class _Context:
    """What is known of a page while its texts are judged. `hidden` gathers what was dropped, as the engine spells it."""

    page: Page
    surface: Surface
    spelling: Spelling
    levels: dict[int | None, int]
    hidden: list[str] = field(default_factory=list)


def _visible(founds: Iterable[Any], turn: int, context: _Context) -> Iterator[Item]:
    """Yield what can be seen and was not yet; the rest is counted in the page. `turn`: how the engine has turned the page."""
    seen: dict[str, list[tuple[float, float]]] = {}
    page = context.page
    for found in founds:
        raw_text = cleaned(found.text)
        if not raw_text:
            continue
        item = _item(found, context.spelling.restored(raw_text), context.levels.get(found.mcid, 0))
        if _is_repeated(item, seen):
            continue
        reason = context.surface.hides(as_shown(item, turn, page.width, page.height), item.size, found.fill_color)
        if reason:
            page.hidden[reason] += 1
            page.samples.setdefault(reason, item.text[:80])
            context.hidden.append(raw_text)
        else:
            yield item


def _item(found: Any, text: str, tagged: int) -> Item:
    font = found.font_name or ""
    size = found.font_height or found.font_size or found.height
    mono = bool(_MONO.search(font))
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
        bold=bool(_BOLD.search(font)) or (found.font_weight or 0) >= 650,
        mono=mono,
        tagged=tagged,
        space_after=found.trailing_space_generated or found.text[-1:].isspace(),
    )


def _is_repeated(item: Item, seen: dict[str, list[tuple[float, float]]]) -> bool:
    """Whether the same text was drawn at nearly the same place before: bold by overprinting, a second text layer."""
    places = seen.setdefault(item.text, [])
    if any(abs(item.x0 - x) < 1.5 and abs(item.y0 - y) < 1.5 for x, y in places):
        return True
    places.append((item.x0, item.y0))
    return False


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


def _form_values(raw: Any) -> Iterator[Item]:
    """Filled-in form fields whose appearance the engine did not give as text."""
    for form in raw.form_fields or ():
        value = cleaned(form.value or "")
        if form.rect is None or not value or form.type not in ("text", "textfield", "combobox", "listbox"):
            continue
        x0, y0, x1, y1 = form.rect.x, form.rect.y, form.rect.x + form.rect.width, form.rect.y + form.rect.height
        if not any(x0 <= t.x + t.width / 2 <= x1 and y0 <= t.y + t.height / 2 <= y1 for t in raw.text_items):
            yield Item(value, x0, y0, x1, y1, size=min(y1 - y0, 10.0))


def _link(note: Any, items: list[Item]) -> LinkArea | None:
    if note.subtype != "link" or not note.uri or note.rect is None:
        return None
    x0, y0 = note.rect.x, note.rect.y
    x1, y1 = x0 + note.rect.width, y0 + note.rect.height
    inside = [i for i in items if x0 - 1 <= (i.x0 + i.x1) / 2 <= x1 + 1 and y0 - 1 <= i.middle <= y1 + 1]
    return LinkArea(x0, y0, x1, y1, " ".join(i.text for i in inside) or note.uri, note.uri)
