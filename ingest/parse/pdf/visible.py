"""What a reader of a page would see of its text: white on white, tiny, covered, invisible and outlying text is none of it.

Engines give all text; hidden text is how instructions are smuggled to machines, and how redacted words survive. PDFium's list
of page objects, in the order of painting, tells what lies under a text and what was painted over it.
"""

from __future__ import annotations

import ctypes
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pypdfium2 import PdfPage  # type: ignore[import-untyped]

TINY = 2.0
"""Points; nobody reads smaller letters."""
SHELF = 24.0
"""Points of height that are looked through for a text."""
THIN = 3.0
"""Points; a thicker line may be the ground of a text."""
MOST_OBJECTS = 20_000
ALIKE = 24
"""Colours whose channels differ by less than this (of 255) cannot be told apart by eye."""

_INVISIBLE_MODES = (3, 7)
"""Text render modes that paint nothing: neither, and clip only."""

Rect = tuple[float, float, float, float]
Colour = tuple[int, int, int]


TEXT, FILL, IMAGE, OTHER = "text", "fill", "image", "other"
"""Kinds of page objects: `FILL` is a plain rectangle, `OTHER` a curve, a stroke or a reused form, which is not looked into: what
is written on one of those counts as readable."""


@dataclass(slots=True)
class _Painted:
    """A page object: its place in the order of painting and on the page. `colour` is None where it is not one for all of it."""

    kind: str
    order: int
    rect: Rect
    colour: Colour | None = None
    mode: int = 0


@dataclass(slots=True)
class Surface:
    """The painted objects of one page, on shelves by height so that few are looked at for each text."""

    width: float
    height: float
    shelves: dict[int, list[_Painted]] = field(default_factory=lambda: defaultdict(list))
    tall: dict[int, list[_Painted]] = field(default_factory=lambda: defaultdict(list))
    """What is higher than a few shelves, by its place from left to right."""
    large: list[_Painted] = field(default_factory=list)
    crowded: bool = False
    """A drawing of so many parts that what lies under a text is not looked for."""

    @classmethod
    def of(cls, page: PdfPage, width: float, height: float) -> Surface:
        """`width` and `height`: of the page as shown."""
        made = cls(width, height)
        made._read(page)
        return made

    def hides(self, rect: Rect, size: float, argb: str | None) -> str:
        """Return why a text cannot be seen (tiny, off page, transparent, white, covered, invisible), else an empty string.

        `rect` is where it stands on the page as shown, `size` its font's, `argb` its colour in eight hex digits.
        """
        x, y = (rect[0] + rect[2]) / 2, (rect[1] + rect[3]) / 2
        if not (-1 <= x <= self.width + 1 and -1 <= y <= self.height + 1):
            return "off page"
        if 0 < size < TINY and min(rect[2] - rect[0], rect[3] - rect[1]) < TINY:
            return "tiny"
        colour, alpha = _colour(argb)
        if alpha < 12:
            return "transparent"
        near = (*self.large, *self.tall.get(int(x // SHELF), ()), *self.shelves.get(int(y // SHELF), ()))
        here = [
            one for one in near
            if one.rect[0] - 0.5 <= x <= one.rect[2] + 0.5 and one.rect[1] - 0.5 <= y <= one.rect[3] + 0.5
        ]
        mine = [one for one in here if one.kind == TEXT]
        order = max((text.order for text in mine), default=None)
        if mine and all(text.mode in _INVISIBLE_MODES for text in mine):
            # Over a scanned page it is the text layer of a recognition: what can be read there is the picture.
            return "" if any(one.kind == IMAGE for one in here) else "invisible"
        if order is not None and any(one.kind == FILL and one.order > order and _covers(one.rect, rect) for one in here):
            return "covered"
        # Paper is white; the colour of a picture or a curve is unknown.
        under = [one for one in here if one.kind != TEXT and (order is None or one.order < order)]
        ground = max(under, key=lambda one: one.order).colour if under else (255, 255, 255)
        return "white" if ground is not None and not self.crowded and _alike(colour, ground) else ""

    def _put(self, one: _Painted) -> None:
        for shelves, start, end in ((self.shelves, one.rect[1], one.rect[3]), (self.tall, one.rect[0], one.rect[2])):
            first, last = int((start - 0.5) // SHELF), int((end + 0.5) // SHELF)
            if last - first <= 8:
                for shelf in range(first, last + 1):
                    shelves[shelf].append(one)
                return
        self.large.append(one)

    def _read(self, page: PdfPage) -> None:
        import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

        count = pdfium.FPDFPage_CountObjects(page)
        self.crowded = count > MOST_OBJECTS
        found_all = (pdfium.FPDFPage_GetObject(page, at) for at in range(count))
        objects = [(found, pdfium.FPDFPageObj_GetType(found)) for found in found_all]
        if all(_leaves_as_is(pdfium, found, kind) for found, kind in objects):
            return  # black letters and lines on paper: nothing lies under or over another
        place = placing(page)
        edges = [ctypes.c_float() for _ in range(4)]
        channels = [ctypes.c_uint() for _ in range(4)]
        for order, (found, kind) in enumerate(objects):
            if not pdfium.FPDFPageObj_GetBounds(found, *edges):
                continue
            rect = place(*(edge.value for edge in edges))
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                self._put(_Painted(TEXT, order, rect, mode=pdfium.FPDFTextObj_GetTextRenderMode(found)))
            elif kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
                self._put(_Painted(IMAGE, order, rect))
            elif kind == pdfium.FPDF_PAGEOBJ_PATH and _is_solid(pdfium, found, channels):
                red, green, blue, _ = (channel.value for channel in channels)
                self._put(_Painted(FILL, order, rect, (red, green, blue)))
            elif not self.crowded:
                self._put(_Painted(OTHER, order, rect))


def _leaves_as_is(pdfium: Any, found: Any, kind: int) -> bool:
    """Whether an object is text that is painted, or a thin line: what neither hides another nor is hidden by how it is drawn."""
    if kind == pdfium.FPDF_PAGEOBJ_TEXT:
        return pdfium.FPDFTextObj_GetTextRenderMode(found) not in _INVISIBLE_MODES
    fill, stroke, width = ctypes.c_int(), ctypes.c_int(), ctypes.c_float()
    if kind != pdfium.FPDF_PAGEOBJ_PATH or not pdfium.FPDFPath_GetDrawMode(found, fill, stroke) or fill.value:
        return False
    return bool(pdfium.FPDFPageObj_GetStrokeWidth(found, width)) and width.value <= THIN


def _is_solid(pdfium: Any, path: Any, channels: list[ctypes.c_uint]) -> bool:
    """Whether a path is filled with an opaque colour, which is then in `channels`."""
    mode, stroke = ctypes.c_int(), ctypes.c_int()
    if not pdfium.FPDFPath_GetDrawMode(path, mode, stroke) or mode.value == 0:
        return False
    if pdfium.FPDFPageObj_HasTransparency(path) or not pdfium.FPDFPageObj_GetFillColor(path, *channels):
        return False
    # A curve or a letter drawn as a path has a box larger than itself; a rectangle is what covers and what is written on.
    return channels[3].value >= 250 and int(pdfium.FPDFPath_CountSegments(path)) <= 6


def placing(page: PdfPage) -> Callable[[float, float, float, float], Rect]:
    """Return what turns PDFium's (left, bottom, right, top) into a rectangle of the page as shown: crop and rotation applied."""
    left, bottom, right, top = page.get_cropbox()
    turn = page.get_rotation()

    def place(x0: float, y0: float, x1: float, y1: float) -> Rect:
        if turn == 90:
            return y0 - bottom, x0 - left, y1 - bottom, x1 - left
        if turn == 180:
            return right - x1, y0 - bottom, right - x0, y1 - bottom
        if turn == 270:
            return top - y1, right - x1, top - y0, right - x0
        return x0 - left, top - y1, x1 - left, top - y0

    return place


def _covers(cover: Rect, rect: Rect) -> bool:
    """Whether a rectangle lies over a text, its ascenders and descenders left aside."""
    x0, y0, x1, y1 = rect
    if x1 - x0 >= y1 - y0:
        y0, y1 = y0 + 0.3 * (y1 - y0), y0 + 0.7 * (y1 - y0)
    else:
        x0, x1 = x0 + 0.3 * (x1 - x0), x0 + 0.7 * (x1 - x0)
    return cover[0] <= x0 + 1 and cover[2] >= x1 - 1 and cover[1] <= y0 + 1 and cover[3] >= y1 - 1


@lru_cache(maxsize=4096)
def _colour(argb: str | None) -> tuple[Colour, int]:
    if not argb or len(argb) != 8:
        return (0, 0, 0), 255
    alpha, red, green, blue = (int(argb[at : at + 2], 16) for at in (0, 2, 4, 6))
    return (red, green, blue), alpha


def _alike(one: Colour, other: Colour) -> bool:
    return all(abs(a - b) < ALIKE for a, b in zip(one, other, strict=True))
