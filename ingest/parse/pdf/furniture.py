"""Running headers, footers and page numbers: lines that come back at the same place of many pages.

A line is furniture when it stands in the upper or lower 9 % of the page and reads the same, digits apart, at the same height on
at least 40 % of the pages (and three): of all pages, or of the odd or the even ones. So is one whose number counts the pages,
whatever words (the chapter's title) stand beside it, and one that says "page 1 of 2" on the first of two pages. Standing at the
edge alone is no reason. Where there are too few pages to compare, a short line at the edge must be set apart by two lines and in
a smaller size or another font than the text.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ingest.model.document import Block, Box, Provenance
from ingest.parse.pdf.order import MARGIN
from ingest.parse.pdf.page import Layout, Line, Zone, as_shown

LEAST_PAGES = 3
LEAST_SHARE = 0.4
HEIGHT_STEP = 6.0
"""Points; two heights in one step, or in neighbouring ones, are the same."""

_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_COUNTING = re.compile(r"(\d{1,4})(?:\s|$)")
_COUNTED = re.compile(r"(?:^|\s)(\d{1,4})$")
_OF_TOTAL = re.compile(
    r"(?:page|p\.|第)?\s*(\d{1,4})\s*(?:页|頁)?\s*(?:of|/|，|,|共)\s*(?:共)?\s*(\d{1,4})\s*(?:页|頁)?", re.IGNORECASE
)
_BARE_NUMBER = re.compile(r"[-–—·\s]*(?:page|第)?\s*(\d{1,4})\s*(?:页|頁)?[-–—·\s]*", re.IGNORECASE)

Key = tuple[str, int, int]


def take_furniture(pages: Sequence[Layout]) -> list[Block]:
    """Remove furniture from the pages' zones and return it: one block for each text, with a box on every page."""
    places: dict[Key, set[int]] = defaultdict(set)
    for page in pages:
        for zone, line in _edge_lines(page):
            for key in _keys(page, zone, line):
                places[key].add(page.number)
    wanted = _running(places, [page.number for page in pages])
    usual = Usual.of(pages) if len(pages) < LEAST_PAGES else None
    taken: dict[str, list[tuple[str, Box]]] = {}
    for page in pages:
        for zone, line in list(_edge_lines(page)):
            if (
                zone.margin
                or any(key in wanted for key in _keys(page, zone, line))
                or _numbers(line, page.number, len(pages))
                or (usual is not None and usual.sets_apart(page, zone, line))
            ):
                zone.elements.remove(line)
                taken.setdefault(_masked(line.text), []).append((line.text, _box(page, zone, line)))
        page.zones = [zone for zone in page.zones if zone.elements]
    return [furniture_block(found) for found in taken.values()]


def _numbers(line: Line, number: int, total: int) -> bool:
    """Whether a line says which page of how many this is."""
    match = _OF_TOTAL.fullmatch(line.text)
    if match is None:
        return False
    here, of = (int(digits) for digits in match.groups() if digits)
    return (here, of) == (number, total)


@dataclass(frozen=True, slots=True)
class Usual:
    """The size and font of the running text, and all lines of the pages: what a header of a short document differs from."""

    size: float
    font: str
    lines: dict[int, list[tuple[int, Line]]]

    @classmethod
    def of(cls, pages: Sequence[Layout]) -> Usual:
        styles: Counter[tuple[float, str]] = Counter()
        lines = {page.number: [(zone.turn, line) for zone in page.zones for line in zone.lines] for page in pages}
        for page in pages:
            for _, line in lines[page.number]:
                styles[round(line.size, 1), line.font] += len(line.text)
        size, font = max(styles, key=lambda style: (styles[style], style), default=(10.0, ""))
        return cls(size, font, lines)

    def sets_apart(self, page: Layout, zone: Zone, line: Line) -> bool:
        """Whether a line at the edge is short, stands alone, and is set otherwise than the text: smaller, or in another font."""
        others = [other for turn, other in self.lines[page.number] if turn == zone.turn and other is not line]
        if not others or line.x1 - line.x0 > 0.6 * page.width or line.size > 1.02 * self.size:
            return False
        if _BARE_NUMBER.fullmatch(line.text) is None and line.size > 0.93 * self.size and line.font == self.font:
            return False
        above = line.y1 <= MARGIN * page.height
        inward = (other.y0 - line.y1 if above else line.y0 - other.y1 for other in others if abs(other.y0 - line.y0) > line.size)
        return min(inward, default=0.0) > 2 * self.size


def _edge_lines(page: Layout) -> Iterable[tuple[Zone, Line]]:
    for zone in page.zones:
        height = page.height if zone.turn in (0, 180) else page.width
        for line in zone.lines:
            if zone.margin or line.y1 <= MARGIN * height or line.y0 >= (1 - MARGIN) * height:
                yield zone, line


def _keys(page: Layout, zone: Zone, line: Line) -> Iterator[Key]:
    """What a line may have in common with those of other pages: its words, and how far its number is from the page's."""
    step = round(line.y0 / HEIGHT_STEP)
    yield _masked(line.text), zone.turn, step
    if number := _COUNTING.match(line.text) or _COUNTED.search(line.text):
        yield f"page {int(number[1]) - page.number:+d}", zone.turn, step


def _masked(text: str) -> str:
    return _DIGITS.sub("#", "".join(text.split()).lower() if text.isascii() is False else " ".join(text.lower().split()))


def _running(places: dict[Key, set[int]], numbers: Sequence[int]) -> set[Key]:
    """Keys that come back often enough. A line may sit astride two steps of height, so neighbours are counted together."""
    of_parity = Counter(number % 2 for number in numbers)
    found = set()
    for key in places:
        text, turn, step = key
        near = set().union(*(places.get((text, turn, step + by), set()) for by in (-1, 0, 1)))
        for among, total in ((near, len(numbers)), *(({n for n in near if n % 2 == p}, of_parity[p]) for p in (0, 1))):
            if len(among) >= max(LEAST_PAGES, LEAST_SHARE * total):
                found.add(key)
    return found


def _box(page: Layout, zone: Zone, line: Line) -> Box:
    return Box(page.number, *(round(edge, 1) for edge in as_shown(line, zone.turn, page.width, page.height)))


def furniture_block(found: Sequence[tuple[str, Box]]) -> Block:
    """Return lines as one block: what a running line reads at first, or all of the lines of one page."""
    texts = list(dict.fromkeys(text for text, _ in found))
    running = len({box.page for _, box in found}) == len(found)
    text = texts[0] if running else "\n".join(texts)
    return Block("paragraph", text, layer="furniture", provenance=Provenance(boxes=tuple(box for _, box in found)))
