"""The characters that the engine folds, put back as the page has them: “ ” ‘ ’ — – ′ ″ come from it as ASCII.

In Chinese these are the ordinary quotation marks and dashes, and a text that is cited must read as it was written. PDFium's own
text of the page has them; it is asked for only where an item has one of the ASCII characters.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument  # type: ignore[import-untyped]

_FOLDED = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'"}
    | dict.fromkeys("‐‑‒–—―−", "-")
)
_SUSPECT = re.compile("[\"'-]")
_SPACE = re.compile(r"\s+")


class Spelling:
    """The text of one page as PDFium reads it, looked through in the order in which the engine gives its items."""

    def __init__(self, pdf: PdfDocument, page_number: int) -> None:
        self._pdf, self._number = pdf, page_number
        self._original: str | None = None
        self._folded = ""
        self._at = 0

    def restored(self, text: str) -> str:
        """Return `text` with its folded characters as on the page; as it is where the page does not have it."""
        if not _SUSPECT.search(text):
            return text
        if self._original is None:
            self._load()
        assert self._original is not None
        key = _SPACE.sub("", text)
        found = self._folded.find(key, self._at)
        found = self._folded.find(key) if found < 0 else found
        if found < 0:
            return text
        self._at = found + len(key)
        characters = iter(self._original[found : self._at])
        return "".join(char if char.isspace() else next(characters) for char in text)

    def _load(self) -> None:
        page = self._pdf[self._number - 1]
        textpage = page.get_textpage()
        try:
            # PDFium marks a word cut at the end of a line by U+0002 (or U+FFFE) in the place of its hyphen.
            text = textpage.get_text_range().replace("\ufffe", "-").replace("\x02", "-")
        finally:
            textpage.close()
            page.close()
        self._original = _SPACE.sub("", text)
        self._folded = self._original.translate(_FOLDED)
