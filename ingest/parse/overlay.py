"""A page with what the parser saw of it drawn over: the blocks, numbered as they are read, coloured by kind, with a legend.

So that a person can see what went wrong: a column read across, a heading taken for text, a table missed. What was kept out of the
text (running headers) and what nobody sees (hidden text) is hatched. Beside the page stands what was read, block by block.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.errors import DocumentUnsupported, UsageError
from ingest.model.document import Block, Box, Document

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont
    from PIL.ImageFont import ImageFont as PlainFont

    Font = FreeTypeFont | PlainFont

HEIGHT = 1600
"""Pixels of a page's longer side."""
PANEL = 800
"""Pixels of width of the text beside the page."""
COLOURS = {
    "heading": (200, 30, 30), "paragraph": (40, 90, 200), "list": (20, 140, 60), "table": (150, 40, 170), "code": (90, 90, 90),
    "formula": (0, 140, 150), "caption": (210, 120, 0), "quote": (110, 110, 20), "faq": (180, 20, 110), "footnote": (130, 80, 40),
}
"""By kind; all are told apart on white, and carry white figures."""
KEPT_OUT = (120, 120, 120)
HIDDEN = (120, 0, 0)

_FONT_FOLDERS = ("~/.local/share/fonts", "~/.fonts", "/usr/local/share/fonts", "/usr/share/fonts", "/Library/Fonts")
_FONT_NAMES = (
    "NotoSansCJK-Regular", "NotoSansCJKsc-Regular", "NotoSansSC-Regular", "SourceHanSansSC-Regular", "wqy-microhei", "wqy-zenhei",
    "DroidSansFallbackFull", "DroidSansFallback", "NotoSerifCJK-Regular", "simhei", "msyh", "simsun", "Arial Unicode",
)
"""Fonts with Han characters; the first that is found writes the text beside the page."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A block's box on the page. `number`: when it is read, from 1 on the page."""

    number: int
    block: Block
    box: Box


def overlay(data: bytes, document: Document, page: int, font: Path | None = None) -> bytes:
    """Return a PNG of a page (from 1) of a PDF with the blocks of its document. `font`: a font file for the text beside it.

    Raises UsageError for a page that is not there, DocumentUnsupported for a document without pages.
    """
    from PIL import Image, ImageDraw

    if document.pages is None or document.media_type != "application/pdf":
        raise DocumentUnsupported(f"an overlay needs pages to draw on, and {document.media_type} has none; give it a PDF")
    if not 1 <= page <= document.pages:
        raise UsageError(f"--page {page}: the document has {document.pages} pages")
    sheet, scale = _drawn(data, page)
    parts = list(_parts(document.blocks, page))
    letters = _font(font, 18)
    figures = _figures(15)
    canvas = ImageDraw.Draw(sheet, "RGBA")
    for box in _hidden(document, page):
        edges = _edges(box, scale)
        canvas.rectangle(edges, outline=(*HIDDEN, 255))
        _hatch(canvas, edges, HIDDEN)
    for part in parts:
        _frame(canvas, part, scale)
    _route(canvas, parts, scale)
    for part in parts:
        _number(canvas, part, scale, figures)
    panel = _panel(sheet.height, document, parts, page, letters, figures)
    whole = Image.new("RGB", (sheet.width + panel.width, sheet.height), "white")
    whole.paste(sheet, (0, 0))
    whole.paste(panel, (sheet.width, 0))
    out = io.BytesIO()
    whole.save(out, "PNG")
    return out.getvalue()


def _drawn(data: bytes, page: int) -> tuple[Image, float]:
    """Return the page as shown, and its pixels a point."""
    import pypdfium2  # type: ignore[import-untyped]

    pdf = pypdfium2.PdfDocument(data)
    try:
        sheet = pdf[page - 1]
        scale = HEIGHT / max(*sheet.get_size(), 1.0)
        return sheet.render(scale=scale).to_pil().convert("RGB"), scale
    finally:
        pdf.close()


def _parts(blocks: Iterable[Block], page: int) -> Iterator[_Part]:
    """Yield the boxes of a page's blocks in the order of reading; furniture comes after the body, as in the document."""
    number = 0
    for block in blocks:
        boxes = [box for box in block.provenance.boxes if box.page == page]
        number += bool(boxes)
        yield from (_Part(number, block, box) for box in boxes)


def _hidden(document: Document, page: int) -> Iterator[Box]:
    return (box for omission in document.omissions for box in omission.boxes if box.page == page)


def _colour(block: Block) -> tuple[int, int, int]:
    return COLOURS[block.kind] if block.layer == "body" else KEPT_OUT


def _edges(box: Box, scale: float) -> tuple[float, float, float, float]:
    x0, x1 = sorted((box.x0 * scale, box.x1 * scale))
    y0, y1 = sorted((box.y0 * scale, box.y1 * scale))
    return x0 - 2, y0 - 2, max(x1 + 2, x0), max(y1 + 2, y0)


def _frame(canvas: ImageDraw, part: _Part, scale: float) -> None:
    edges, colour = _edges(part.box, scale), _colour(part.block)
    canvas.rectangle(edges, fill=(*colour, 26), outline=(*colour, 255), width=2)
    if part.block.layer != "body":
        _hatch(canvas, edges, colour)


def _hatch(canvas: ImageDraw, edges: tuple[float, float, float, float], colour: tuple[int, int, int]) -> None:
    """Slanted lines inside a box."""
    x0, y0, x1, y1 = edges
    for start in range(int(x0 - (y1 - y0)), int(x1), 9):
        left, right = max(float(start), x0), min(start + y1 - y0, x1)
        if left < right:
            canvas.line((left, y1 - (left - start), right, y1 - (right - start)), fill=(*colour, 150), width=1)


def _route(canvas: ImageDraw, parts: Sequence[_Part], scale: float) -> None:
    """A thin line from each block of the body to the next."""
    body = [part for part in parts if part.block.layer == "body"]
    corners = [(edges[0] + 8, edges[1] + 8) for edges in (_edges(part.box, scale) for part in body)]
    for (x0, y0), (x1, y1) in pairwise(corners):
        canvas.line((x0, y0, x1, y1), fill=(230, 110, 0, 130), width=2)


def _number(canvas: ImageDraw, part: _Part, scale: float, font: Font) -> None:
    x, y = _edges(part.box, scale)[:2]
    text = str(part.number)
    width = 10 * len(text) + 8
    x, y = max(x - width / 2, 0), max(y - 10, 0)
    canvas.rectangle((x, y, x + width, y + 19), fill=(*_colour(part.block), 235))
    canvas.text((x + width / 2, y + 9), text, fill="white", font=font, anchor="mm")


def _panel(height: int, document: Document, parts: Sequence[_Part], page: int, letters: Font, figures: Font) -> Image:
    """Return the legend, the omissions, and the text of every block, cut to what fits."""
    from PIL import Image, ImageDraw

    width = PANEL
    panel = Image.new("RGB", (width, height), "white")
    canvas = ImageDraw.Draw(panel)
    y = _legend(canvas, parts, width, figures, hidden=any(_hidden(document, page)))
    for text in _left_out(document, page):
        canvas.text((14, y), _cut(canvas, text, width - 28, letters), fill=(120, 120, 120), font=letters)
        y += 24
    y += 12
    seen = set()
    for part in parts:
        if part.number in seen:
            continue
        seen.add(part.number)
        if y > height - 52:
            canvas.text((14, y), f"... and {parts[-1].number - part.number + 1} more", fill="black", font=figures)
            break
        y = _entry(canvas, part, y, width, letters, figures)
    return panel


def _legend(canvas: ImageDraw, parts: Sequence[_Part], width: int, font: Font, *, hidden: bool) -> int:
    """Draw the kinds of block that there are, in rows. Returns where the next thing goes."""
    kinds = [kind for kind in COLOURS if any(part.block.kind == kind and part.block.layer == "body" for part in parts)]
    x, y = 14, 12
    hatched = {"kept out of the text": KEPT_OUT} if any(part.block.layer != "body" for part in parts) else {}
    hatched |= {"hidden, left out": HIDDEN} if hidden else {}
    for name in [*kinds, *hatched]:
        wide = int(canvas.textlength(name, font=font)) + 44
        if x + wide > width:
            x, y = 14, y + 26
        edges = (x, y, x + 20, y + 16)
        if name in COLOURS:
            canvas.rectangle(edges, fill=COLOURS[name])
        else:
            canvas.rectangle(edges, outline=hatched[name])
            _hatch(canvas, edges, hatched[name])
        canvas.text((x + 26, y + 8), name, fill="black", font=font, anchor="lm")
        x += wide
    return y + 34


def _left_out(document: Document, page: int) -> Iterator[str]:
    for omission in document.omissions:
        where = omission.where or ""
        if where == f"page {page}" or where.startswith(f"page {page},"):
            sample = f": {omission.sample}" if omission.sample else ""
            yield f"left out: {omission.count} {omission.kind.replace('_', ' ')}{where.removeprefix(f'page {page}')}{sample}"


def _entry(canvas: ImageDraw, part: _Part, y: int, width: int, letters: Font, figures: Font) -> int:
    block = part.block
    head = f"{block.kind} {block.level or ''}".strip() + ("" if block.layer == "body" else f" ({block.layer})")
    how = ", ".join([*([block.evidence] if block.evidence else []), *([f"{block.confidence:g}"] if block.confidence < 1 else [])])
    canvas.rectangle((14, y, 48, y + 19), fill=_colour(block))
    canvas.text((31, y + 9), str(part.number), fill="white", font=figures, anchor="mm")
    canvas.text((56, y + 9), head + (f"  [{how}]" if how else ""), fill=_colour(block), font=figures, anchor="lm")
    text = block.text.replace("\n", " / ")
    canvas.text((56, y + 20), _cut(canvas, text, width - 70, letters), fill="black", font=letters)
    return y + 48


def _cut(canvas: ImageDraw, text: str, width: int, font: Font) -> str:
    """Return as much of a text as fits a width. Only its beginning is measured: a block may be a page long."""
    text = text[:200]
    if canvas.textlength(text, font=font) <= width:
        return text
    while text and canvas.textlength(f"{text}…", font=font) > width:
        text = text[:-1]
    return f"{text}…"


def _figures(size: int) -> Font:
    """Pillow's own font: figures and English."""
    from PIL import ImageFont

    return ImageFont.load_default(size)


def _font(file: Path | None, size: int) -> Font:
    """Return the font for texts of documents: a given one, else one of this machine's with Han characters, else Pillow's own."""
    from PIL import ImageFont

    found = file or next(iter(_installed_fonts()), None)
    if found is None:
        return ImageFont.load_default(size)
    try:
        return ImageFont.truetype(str(found), size)
    except OSError as error:
        raise UsageError(f"{found} is not a font that can be used ({error})") from error


def _installed_fonts() -> Iterator[Path]:
    wanted = {name.lower(): rank for rank, name in enumerate(_FONT_NAMES)}
    found = []
    for folder in _FONT_FOLDERS:
        for file in Path(folder).expanduser().rglob("*.[to]t[fc]"):
            rank = wanted.get(file.stem.lower())
            if rank is not None:
                found.append((rank, str(file)))
    yield from (Path(file) for _, file in sorted(found))
