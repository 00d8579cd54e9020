"""PDFium's own pages, opened once for all who look at them: loading one costs as much as reading its text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage  # type: ignore[import-untyped]


class Sheets:
    """The pages of an open document, one open at a time."""

    def __init__(self, pdf: PdfDocument) -> None:
        self._pdf = pdf
        self._number = 0
        self._page: PdfPage | None = None

    def __len__(self) -> int:
        return len(self._pdf)

    def page(self, number: int) -> PdfPage:
        """Return page `number`, from 1; the one before it is closed. Raises PdfiumError."""
        if number != self._number:
            self.close()
            self._page, self._number = self._pdf[number - 1], number
        return self._page

    def close(self) -> None:
        if self._page is not None:
            self._page.close()
        self._page, self._number = None, 0
