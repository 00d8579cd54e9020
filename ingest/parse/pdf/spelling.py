"""What PDFium itself reads on a page, beside what the engine made of it: characters put back, and texts that it lost.

The engine folds “ ” ‘ ’ — – ′ ″ to ASCII and drops what lies beyond U+FFFF: rare Han characters in names, emoji. In Chinese
those are the ordinary quotation marks and dashes, and a text that is cited must read as it was written. It also leaves out
whole texts: page numbers, pieces of crowded lines, invisible text. PDFium's own text has them all.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ingest.parse.pdf.page import Item
from ingest.parse.pdf.text import cleaned

if TYPE_CHECKING:
    from pypdfium2 import PdfPage  # type: ignore[import-untyped]

_FOLDED = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "‟": '"', "″": '"', "‘": "'", "’": "'", "‚": "'", "‛": "'", "′": "'", "\xad": "-"}
    | dict.fromkeys("‐‑‒–—―−", "-")
)
_HYPHENS = str.maketrans({"\x02": "-", "\ufffe": "-"})
_BEYOND = re.compile("^[\U00010000-\U0010ffff]*.[\U00010000-\U0010ffff]*|.[\U00010000-\U0010ffff]*", re.DOTALL)
MOST_TRIES = 64
"""Places at which a text is looked for: a page of the same digit a thousand times is no book."""
_LONG = 8
"""Characters from which a text is not found by chance inside another word."""
_TOLD, _PERHAPS = 0.65, 0.2
"""Share of a word that must lie on what the engine gave for it to be that, read differently; less if its letters are there."""
_MOST_LOST = 400
"""Pieces of text lost on one page beyond which the engine read it in another way, and is trusted."""


class Spelling:
    """The text of one page as PDFium reads it, looked through in the order in which the engine gives its items."""

    def __init__(self, page: PdfPage) -> None:
        self._page = page
        self._textpage = page.get_textpage()
        # A word cut at the end of a line has U+0002 (or U+FFFE) in the place of its hyphen.
        self._text = str(self._textpage.get_text_range()).translate(_HYPHENS)
        lines = [line.split() for line in self._text.split("\n")]
        whole = "".join(word for line in lines for word in line)
        self._characters: Sequence[str] = whole
        """Without blanks; characters that the engine drops are appended to the one before."""
        if whole and max(whole) > "\uffff":
            self._characters = _BEYOND.findall(whole)
            lines = [["".join(char for char in word if char <= "\uffff") for word in line] for line in lines]
        kept = [word for line in lines for word in line]
        self._starts = set(accumulate(map(len, kept), initial=0))
        self._line_starts = set(accumulate((sum(map(len, line)) for line in lines), initial=0))
        self._folded = "".join(kept).translate(_FOLDED)
        self._seen = bytearray(len(self._folded))
        self._at = 0
        self._places: list[int] = []

    def close(self) -> None:
        self._textpage.close()

    def restored(self, text: str) -> str:
        """Return `text` with its characters as on the page; as it is where the page does not have it."""
        key = "".join(text.split())
        found = self._found(key.translate(_FOLDED))
        if found < 0:
            # The page may have its words in another order: a list's number after the text that it numbers.
            return " ".join(map(self.restored, text.split(" "))) if " " in text else text
        self._at = end = found + len(key)
        self._seen[found:end] = b"\x01" * len(key)
        if self._characters[found:end] == key:
            return text
        characters = iter(self._characters[found:end])
        return "".join(char if char.isspace() else next(characters) for char in text)

    def _found(self, key: str) -> int:
        """Where the page has a text that no item told before, whole words first; where it has it at all, if nowhere so."""
        if not key:
            return -1
        inside = -1
        for start in (self._at, 0):
            found = self._folded.find(key, start)
            for _ in range(MOST_TRIES):
                if found < 0:
                    break
                if not self._seen[found]:
                    if self._is_whole(found, found + len(key)):
                        return found
                    inside = found if inside < 0 else inside
                found = self._folded.find(key, found + 1)
            if inside >= 0 and len(key) > _LONG:
                break
        return inside if inside >= 0 else self._folded.find(key)

    def _is_whole(self, start: int, end: int) -> bool:
        """Whether a stretch of characters begins and ends at a blank, or next to what another item told."""
        begins = start == 0 or self._seen[start - 1] or self._spaced(start)
        return bool(begins and (end == len(self._seen) or self._seen[end] or self._spaced(end)))

    def lost(self, items: Iterable[Item]) -> Iterator[tuple[Item, int]]:
        """Yield the texts that no item told, each with its turn (0, 90, 180, 270), where they stand on the page as shown.

        `items`: all that the engine gave, where they stand as shown; what lies on one of them is that one, read differently.
        """
        gaps = list(self._gaps())
        if not gaps or len(gaps) > _MOST_LOST:
            return
        given = list(items)
        found: list[tuple[Item, int]] = []
        before = -1
        for start, end in gaps:
            one = self._item(start, end)
            if one is None:
                continue
            if _is_told(one[0], given):
                continue
            if start == before and not self._parted(start) and found[-1][1] == one[1] and _on_one_line(found[-1][0], one[0]):
                found[-1] = _together(found[-1][0], one[0]), one[1]
            else:
                found.append(one)
            before = end
        yield from found

    def _gaps(self) -> Iterator[tuple[int, int]]:
        """Words of characters that were not told."""
        start = self._seen.find(0)
        while start >= 0:
            end = start + 1
            while end < len(self._seen) and not self._seen[end] and not self._spaced(end):
                end += 1
            yield start, end
            start = self._seen.find(0, end)

    def _spaced(self, at: int) -> bool:
        """Whether a blank stands before a character."""
        return at in self._starts

    def _parted(self, at: int) -> bool:
        """Whether a line begins with a character."""
        return at in self._line_starts

    def _place(self, at: int) -> int:
        """Where a character is in PDFium's text with its blanks, in units of UTF-16."""
        if not self._places:
            place = 0
            for char in self._text:
                if not char.isspace() and char <= "\uffff":
                    self._places.append(place)
                place += 1 + (char > "\uffff")
        return self._places[at]

    def _item(self, start: int, end: int) -> tuple[Item, int] | None:
        import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

        from ingest.parse.pdf.visible import placing

        text = cleaned("".join(self._characters[start:end]))

        first = pdfium.FPDFText_GetCharIndexFromTextIndex(self._textpage, self._place(start))
        last = pdfium.FPDFText_GetCharIndexFromTextIndex(self._textpage, self._place(end - 1))
        if not text or first < 0 or last < first:
            return None
        edges = [box for at in range(first, last + 1) if (box := self._box(pdfium, at)) is not None]
        if not edges or max(e[1] - e[0] for e in edges) <= 0:
            return None
        left, bottom = min(e[0] for e in edges), min(e[2] for e in edges)
        right, top = max(e[1] for e in edges), max(e[3] for e in edges)
        x0, y0, x1, y1 = placing(self._page)(left, bottom, right, top)
        turn = round((pdfium.FPDFText_GetCharAngle(self._textpage, first) * 57.29578 + self._page.get_rotation()) / 90) % 4 * 90
        size = x1 - x0 if turn in (90, 270) else y1 - y0
        return Item(text, x0, y0, x1, y1, size=size, colour=self._colour(pdfium, first)), turn

    def _box(self, pdfium: Any, at: int) -> tuple[float, float, float, float] | None:
        """Left, right, bottom, top of a character, its ascent and descent included."""
        rect = pdfium.FS_RECTF()
        if not pdfium.FPDFText_GetLooseCharBox(self._textpage, at, rect):
            return None
        return rect.left, rect.right, min(rect.bottom, rect.top), max(rect.bottom, rect.top)

    def _colour(self, pdfium: Any, at: int) -> str:
        red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
        if not pdfium.FPDFText_GetFillColor(self._textpage, at, red, green, blue, alpha):
            return "ff000000"
        return f"{alpha.value:02x}{red.value:02x}{green.value:02x}{blue.value:02x}"


def _is_told(lost: Item, given: Iterable[Item]) -> bool:
    """Whether a text lies on others so far that it must be what these tell, read differently."""
    over = [item for item in given if item.y0 - 1 <= lost.middle <= item.y1 + 1 and item.x0 < lost.x1 and lost.x0 < item.x1]
    share = sum(min(item.x1, lost.x1) - max(item.x0, lost.x0) for item in over) / max(lost.x1 - lost.x0, 0.1)
    return share >= _TOLD or (share >= _PERHAPS and set(lost.text) <= {char for item in over for char in item.text})


def _on_one_line(one: Item, more: Item) -> bool:
    return min(one.y1, more.y1) - max(one.y0, more.y0) > 0 and more.x0 - one.x1 < 2 * more.size


def _together(one: Item, more: Item) -> Item:
    """Return two words of one line as one text."""
    return replace(
        one, text=f"{one.text} {more.text}", x0=min(one.x0, more.x0), y0=min(one.y0, more.y0), x1=max(one.x1, more.x1),
        y1=max(one.y1, more.y1),
    )
