"""PDF: positioned text becomes a document with headings, paragraphs, lists and tables in reading order.

    feed        pages of the engine, what cannot be seen dropped (visible)
    order       columns, lines
    furniture   running headers, footers, printed contents
    paragraphs  lines that belong together          headings  which of them head what follows
    blocks      joined across columns and pages, as the document's blocks

One engine feeds it, liteparse (PDFium in Rust); pypdfium2 tells what the engine does not: the order of painting, the outline and
the information dictionary. Nothing is recognised from images: a scan is an error that says so, never an empty document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentEncrypted, DocumentTooLarge
from ingest.model.document import Block, Document, Omission, laid_out
from ingest.parse.fingerprint import stamp
from ingest.settings import ParsePart

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]

_TAIL = 4096
"""Bytes at the end of a file among which its end marker must be; some servers append a little."""


def version(settings: ParsePart) -> str:
    """Fingerprint of what shapes the outcome. `auto` and `liteparse` are the same engine and the same fingerprint."""
    return stamp("pdf", 2, ("liteparse", "pypdfium2"))


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Read a PDF.

    Raises DocumentEncrypted (a password is needed to open it), DocumentCorrupt (truncated, or no PDF), DocumentTooLarge (more
    than `max_pages`) and DocumentEmpty (no text: a scan).
    """
    import pypdfium2

    pdf = _opened(data, name)
    try:
        if len(pdf) > settings.max_pages:
            raise DocumentTooLarge(f"{name} has {len(pdf)} pages, over parse.max_pages = {settings.max_pages}; split it")
        return _document(pdf, data, name, settings, media_type)
    except pypdfium2.PdfiumError as error:
        raise DocumentCorrupt(f"{name} has a page that cannot be read ({error}); print it to a new PDF") from error
    finally:
        pdf.close()


def _opened(data: bytes, name: str) -> PdfDocument:
    import pypdfium2
    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    start = data.find(b"%PDF-", 0, 1024)
    if start < 0:
        raise DocumentCorrupt(f"{name} is not a PDF, whatever its name says; export it again")
    if b"%%EOF" not in data[-_TAIL:] and b"startxref" not in data[-_TAIL:]:
        # PDFium would rebuild what it can, and the rest would be missing without a word.
        raise DocumentCorrupt(f"{name} is cut short: the end of the PDF is missing; copy or download it again")
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == pdfium.FPDF_ERR_PASSWORD:
            raise DocumentEncrypted(f"{name} is protected by a password; save a copy without one") from error
        if error.err_code == pdfium.FPDF_ERR_SECURITY:
            raise DocumentEncrypted(f"{name} is encrypted in an unknown way; save a copy without encryption") from error
        raise DocumentCorrupt(f"{name} is damaged ({error}); export it again or print it to a new PDF") from error


def _document(pdf: PdfDocument, data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    from ingest.parse.pdf import metadata
    from ingest.parse.pdf.blocks import build
    from ingest.parse.pdf.contents import Contents
    from ingest.parse.pdf.feed import opened
    from ingest.parse.pdf.furniture import furniture_block, take_furniture
    from ingest.parse.pdf.headings import Named
    from ingest.parse.pdf.order import laid_in_order
    from ingest.parse.pdf.sheets import Sheets
    from ingest.parse.pdf.sift import SAMPLE, sift

    layouts = []
    omitted: list[Omission] = []
    blank: list[int] = []
    sheets = Sheets(pdf)
    for page in opened(settings.pdf_engine, data, name, settings.max_pages, sheets).pages():
        sift(page, sheets)
        for why, count in sorted(page.hidden.items()):
            omitted.append(Omission("hidden_text", count, f"page {page.number}, {why}", page.samples[why]))
        omitted.extend(Omission("annotation", 1, f"page {page.number}, {note.kind}", note.text[:SAMPLE]) for note in page.notes)
        if not any(side.items for side in page.sides.values()):
            blank.append(page.number)
        layouts.append(laid_in_order(page))
    sheets.close()
    if len(blank) == len(layouts):
        raise DocumentEmpty(
            f"{name} has no text on its {len(layouts)} pages: it is a scan or a drawing, and character recognition is not "
            "configured; add a text layer with an OCR program first"
        )
    furniture = take_furniture(layouts)
    contents = Contents.of(layouts)
    furniture += [furniture_block(lines) for lines in contents.take_navigation(layouts).values()]
    body, links = build(layouts, Named(metadata.outline(pdf), contents.levels, contents.last_page))
    said = metadata.embedded(pdf)
    omitted.extend(Omission("page_without_text", 1, f"page {number}") for number in blank)
    return Document(
        media_type=media_type,
        parser=version(settings),
        title=said.get("title") or _title(body),
        blocks=laid_out([*body, *furniture]),
        links=tuple(links),
        omissions=tuple(omitted),
        embedded=said,
        pages=len(layouts),
    )


def _title(blocks: list[Block]) -> str | None:
    """The first heading of the highest level on the first page with text."""
    first = next((block.provenance.boxes[0].page for block in blocks), None)
    top = [b for b in blocks if b.kind == "heading" and b.provenance.boxes[0].page == first]
    return min(top, key=lambda block: block.level).text if top else None
