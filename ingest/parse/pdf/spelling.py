"""The characters that the engine changes, put back as the page has them.

It folds “ ” ‘ ’ — – ′ ″ to ASCII, and drops what lies beyond U+FFFF: rare Han characters in names, emoji. In Chinese those are
the ordinary quotation marks and dashes, and a text that is cited must read as it was written. PDFium's own text has them all.
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


class Spelling:
    """The text of one page as PDFium reads it, looked through in the order in which the engine gives its items."""

    def __init__(self, pdf: PdfDocument, page_number: int) -> None:
        self._characters: list[str] = []
        """Without blanks; characters that the engine drops are appended to the one before."""
        folded: list[str] = []
        dropped = ""
        for char in _page_text(pdf, page_number):
            if char.isspace():
                continue
            if char > "\uffff":
                if self._characters:
                    self._characters[-1] += char
                else:
                    dropped += char
                continue
            self._characters.append(dropped + char)
            folded.append(char)
            dropped = ""
        self._folded = "".join(folded).translate(_FOLDED)
        self._beyond = len("".join(self._characters)) > len(self._folded)
        self._at = 0

    def restored(self, text: str) -> str:
        """Return `text` with its characters as on the page; as it is where the page does not have it."""
        if not self._beyond and not _SUSPECT.search(text):
            return text
        key = "".join(text.split())
        found = self._folded.find(key, self._at)
        found = self._folded.find(key) if found < 0 else found
        if found < 0 or not key:
            return text
        self._at = found + len(key)
        characters = iter(self._characters[found : self._at])
        return "".join(char if char.isspace() else next(characters) for char in text)


def _page_text(pdf: PdfDocument, page_number: int) -> str:
    page = pdf[page_number - 1]
    textpage = page.get_textpage()
    try:
        # A word cut at the end of a line has U+0002 (or U+FFFE) in the place of its hyphen.
        return str(textpage.get_text_range()).replace("\ufffe", "-").replace("\x02", "-")
    finally:
        textpage.close()
        page.close()
