"""PDF: positioned text becomes a document with headings, paragraphs, lists and tables in reading order.

    feed        pages of the engine, what cannot be seen dropped (visible), what has no text recognised (scans)
    order       columns, lines
    furniture   running headers, footers, printed contents
    paragraphs  lines that belong together          headings  which of them head what follows
    blocks      joined across columns and pages, as the document's blocks

An engine feeds it, liteparse (PDFium in Rust) or pymupdf; pypdfium2 tells what they do not: the order of painting, the outline
and the information dictionary, and draws the pages that an OCR engine reads. Where none is here a scan is an error that says so,
never an empty document. docling, where it is set up, does all of it by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.errors import DocumentCorrupt, DocumentEmpty, DocumentEncrypted, DocumentError, DocumentTooLarge, ParserFailed
from ingest.model.document import Block, Document, Omission
from ingest.parse.draft import paired
from ingest.parse.engines import resolved
from ingest.parse.fingerprint import stamp
from ingest.parse.ocr.engine import NONE, mark
from ingest.parse.trail import trailing
from ingest.settings import ParsePart

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]

    from ingest.parse.pdf.pages import Pages

_TAIL = 4096
"""Bytes at the end of a file among which its end marker must be; some servers append a little."""


def version(settings: ParsePart) -> str:
    """Fingerprint of what shapes the outcome. `auto` and what it stands for here are the same engines, the same fingerprint."""
    engines = resolved(settings)
    recognition = mark(engines.ocr, engines.ocr_languages)
    if engines.pdf_engine != "docling":
        return f"{stamp('pdf', 5, (engines.pdf_engine, 'pypdfium2'))}; {recognition}"
    from ingest.parse.pdf import docling

    return f"{stamp('pdf', 5, ('docling', 'pypdfium2'), weights=docling.mark(settings))}; {recognition}"


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Read a PDF.

    Raises DocumentEncrypted (a password is needed to open it), DocumentCorrupt (truncated, or no PDF), DocumentTooLarge (more
    than `max_pages`) and DocumentEmpty (no text: a scan).
    """
    import pypdfium2

    settings = resolved(settings)
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
    from ingest.parse.pdf import docling, metadata
    from ingest.parse.pdf.blocks import build
    from ingest.parse.pdf.contents import Contents
    from ingest.parse.pdf.feed import opened
    from ingest.parse.pdf.furniture import furniture_block, take_furniture
    from ingest.parse.pdf.headings import Named
    from ingest.parse.pdf.pages import Pages
    from ingest.parse.pdf.scans import Recognition
    from ingest.parse.pdf.sheets import Sheets

    if settings.pdf_engine == "docling":
        return docling.parse(data, name, settings, media_type, version(settings), metadata.embedded(pdf))
    sheets = Sheets(pdf)
    with trailing() as trail:
        recognition = Recognition(settings.ocr, settings.ocr_languages, trail)
        feed = opened(settings.pdf_engine, data, name, settings.max_pages, sheets, trail)
        pages = Pages.read(feed, sheets, recognition, trail)
    layouts = pages.layouts
    if len(pages.blank) == len(layouts):
        raise _nothing(name, pages, settings)
    furniture = take_furniture(layouts)
    contents = Contents.of(layouts)
    furniture += [furniture_block(lines) for lines in contents.take_navigation(layouts).values()]
    body, found = build(layouts, Named(metadata.outline(pdf), contents.levels, contents.last_page))
    said = metadata.embedded(pdf)
    blocks, links = paired([*body, *furniture], found)
    return Document(
        media_type=media_type,
        parser=version(settings),
        title=said.get("title") or _title(body),
        blocks=tuple(map(recognition.told, blocks)),
        links=links,
        omissions=(*pages.omitted, *(Omission("page_without_text", 1, f"page {number}") for number in pages.blank)),
        embedded=said,
        pages=len(sheets),
        gaps=tuple(pages.gaps),
    )


def _nothing(name: str, pages: Pages, settings: ParsePart) -> DocumentError:
    """Return the error of a document on none of whose pages anything was read."""
    if pages.gaps:
        gap = pages.gaps[0]
        return ParserFailed(f"no page of {name} can be read (page {gap.first}: {gap.reason}); print it to a new PDF")
    what = f"{name} has no text on its {len(pages.layouts)} pages: it is a scan or a drawing"
    if settings.ocr == NONE:
        return DocumentEmpty(
            f"{what}, and character recognition is off or not installed; install it (pip install 'concord-kb[ocr]') and run "
            "again, or add a text layer with an OCR program first"
        )
    return DocumentEmpty(f"{what}, and {settings.ocr} finds no text in its pictures; leave it out with .ingestignore")


def _title(blocks: list[Block]) -> str | None:
    """The first heading of the highest level on the first page with text."""
    first = next((block.provenance.boxes[0].page for block in blocks), None)
    top = [b for b in blocks if b.kind == "heading" and b.provenance.boxes[0].page == first]
    return min(top, key=lambda block: block.level).text if top else None
