"""The seam between engines and the structure pass: an engine gives Pages of the model in `page`, one after the other.

Whatever the engine: coordinates are points from the top left of the page as shown; every text is given, seen or not (`sift`
judges that for all engines alike, on PDFium's page objects); texts that stand turned are given in a side of their own, turned
back, so that they run from left to right. What an engine cannot tell stays empty. A feed may offer tables of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from ingest.parse.pdf.page import Page
from ingest.parse.pdf.sheets import Sheets
from ingest.parse.trail import Trail


class Feed(Protocol):
    """An engine at work on one document."""

    def pages(self) -> Iterator[Page]:
        """Yield every page in order, a bounded number of them in memory at a time.

        Pages that the trail leaves out are not touched; it is told of windows and pages before they are (`Trail.at`). A page
        that cannot be read is given empty, with its `trouble`. Raises DocumentEncrypted, DocumentCorrupt or DocumentTooLarge.
        """


def opened(engine: str, data: bytes, name: str, max_pages: int, sheets: Sheets, trail: Trail) -> Feed:
    """Return the feed for a value of `parse.pdf_engine`: `liteparse` or `pymupdf`."""
    if engine == "pymupdf":
        from ingest.parse.pdf.pymupdf import PyMuPdfFeed

        return PyMuPdfFeed(data, name, max_pages, sheets, trail)
    from ingest.parse.pdf.liteparse import LiteParseFeed

    return LiteParseFeed(data, name, max_pages, sheets, trail)
