"""Pages that are pictures: told from pages with text, read by an OCR engine, and given to the structure pass like any other.

A page is read so where it shows ink and no text (a scan, or letters drawn as curves), where its text is nonsense (`garbled`), or
where its text is hidden and lies on a picture of it. What an engine reads differently from a text that makes sense is not taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from statistics import median
from typing import TYPE_CHECKING, Any

from ingest.model.codec import decode
from ingest.model.document import Block, Omission
from ingest.parse.ocr import engine as engines
from ingest.parse.ocr.engine import NONE
from ingest.parse.ocr.lines import Read
from ingest.parse.pdf.garbled import is_garbled
from ingest.parse.pdf.page import Item, Page, Side, as_shown
from ingest.parse.pdf.sift import SAMPLE
from ingest.parse.pdf.strokes import stroke
from ingest.parse.pdf.text import cleaned
from ingest.parse.trail import Trail

if TYPE_CHECKING:
    from pypdfium2 import PdfPage  # type: ignore[import-untyped]

    from ingest.parse.ocr.lines import Picture

DPI = 200
LONGEST = 3500
"""Pixels of a page's longer side at most: what a plan or a poster is drawn at."""
SHORTEST = 1000
"""Pixels of a page's longer side at least: labels and receipts."""

FEW_LETTERS = 60
"""What a stamp, a page number or a scanner's own line adds to a picture."""
PICTURED = 0.5
"""Share of the page that a picture must cover for such a line not to be all of the page."""
INK = 0.0005
"""Share of dark pixels from which a page may show something."""
LAYER = "layer"
"""The reason that a page is read where its text is there and hidden on the picture of it."""
GARBLED = "garbled"
"""The same where its text is nonsense."""
GREY = 200
SHORTEST_LINE, THICKEST_LINE = 24, 3
"""Points of length and thickness of lines that are looked for in pictures; letters are shorter."""
UNSEEN = ("white", "transparent", "invisible")
"""Why `sift` drops the text layers of scans: the picture lies over them, or they are painted in nothing."""
ALIKE_TITLES = 0.08
"""The same for what is not the running text: titles of two levels differ by little more."""
DOUBTFUL = 0.5
"""Confidence below which what was read is not text."""
ALIKE = 0.18
"""Heights of lines that differ by less than this share are one size of type: a box is higher where letters reach down."""
EM = 0.82
"""Size of type in heights of the box that engines put around a line of it."""


@dataclass(frozen=True, slots=True)
class _Ruling:
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class _Sheet:
    """What was read on a page turned back by `turn` degrees, in pixels, `scale` of them a point."""

    turn: int
    scale: float
    reads: tuple[Read, ...]
    rulings: tuple[_Ruling, ...]


@dataclass(slots=True)
class Recognition:
    """The pages of one document that were read as pictures, and what of them was left out."""

    engine: str
    languages: tuple[str, ...]
    trail: Trail
    pages: dict[int, list[tuple[tuple[float, float, float, float], float, int]]] = field(default_factory=dict)
    """By page: where each line stands on the page as shown, how sure the engine is of it, its letters."""
    omitted: list[Omission] = field(default_factory=list)
    _kept: dict[int, _Sheet] = field(default_factory=dict)

    def attend(self, page: Page, sheet: PdfPage) -> None:
        """Read a page as a picture if it has no usable text; its items are then those that were read.

        Without an engine, a text layer that is hidden on a picture is trusted to tell what the picture shows.
        """
        why = _reason(page, sheet)
        if why and self.engine != NONE:
            read = self._known(page.number) or self._read(page, sheet)
            if read is not None:
                self._kept[page.number] = read
                self._put(page, read, why)
        elif why == LAYER:
            _uncover(page)

    def kept(self, page: int) -> Any:
        """Return what was read on a page as JSON types, to be found on the trail by another reader of the document."""
        read = self._kept.pop(page, None)
        return None if read is None else asdict(read)

    def _known(self, page: int) -> _Sheet | None:
        """What an earlier reader of the document read on a page."""
        told = self.trail.kept(page)
        return None if told is None else decode(_Sheet, told)

    def _read(self, page: Page, sheet: PdfPage) -> _Sheet | None:
        """Read the picture of a page; None where it shows nothing."""
        from ingest.parse.ocr.rulings import rulings
        from ingest.parse.ocr.upright import read_upright

        scale = _scale(page)
        picture = rendered(sheet, scale)
        if (picture < GREY).mean() < INK:
            return None
        reader = engines.reader(self.engine, self.languages)
        assert reader is not None
        found = read_upright(picture, reader)
        lines = rulings(found.picture, round(SHORTEST_LINE * scale), round(THICKEST_LINE * scale))
        return _Sheet(found.turn, scale, tuple(found.reads), tuple(_Ruling(*line) for line in lines))

    def _put(self, page: Page, read: _Sheet, why: str) -> None:
        """Put what was read in the place of what the page has; real text that stands beside it stays."""
        sure = [one for one in read.reads if one.confidence >= DOUBTFUL and cleaned(one.text)]
        doubtful = [one for one in read.reads if one.confidence < DOUBTFUL]
        where = f"page {page.number}, {self.engine}"
        if doubtful:
            sample = max(doubtful, key=lambda one: one.confidence).text[:SAMPLE]
            self.omitted.append(Omission("doubtful_ocr", len(doubtful), where, sample))
        if not sure or (why == GARBLED and not _better(page, sure)):
            return
        side = _side(sure, read)
        if why == GARBLED:
            texts = [item.text for one in page.sides.values() for item in one.items]
            self.omitted.append(Omission("garbled_text", len(texts), f"{where} instead", texts[0][:SAMPLE]))
            page.sides = {}
        if why == LAYER:
            layer = [item.text for _, item, hidden in page.dropped if hidden in UNSEEN]
            self.omitted.append(Omission("hidden_text_layer", len(layer), f"{where} instead", layer[0][:SAMPLE]))
            for hidden in UNSEEN:
                page.hidden.pop(hidden, None)
        for turn, old in page.sides.items():
            old.items = [item for item in old.items if not _within(item, turn, page, read.turn, side.items)]
        mine = page.side(read.turn)
        mine.items.extend(side.items)
        mine.strokes.extend(side.strokes)
        self.pages[page.number] = [
            (as_shown(item, read.turn, page.width, page.height), one.confidence, len(one.text))
            for item, one in zip(side.items, sure, strict=True)
        ]

    def told(self, block: Block) -> Block:
        """Return a block of the document with the confidence with which its lines were read, and by what."""
        boxes = block.provenance.boxes
        if not any(box.page in self.pages for box in boxes):
            return block
        total = letters = 0.0
        for box in boxes:
            for (x0, y0, x1, y1), confidence, count in self.pages.get(box.page, ()):
                if box.x0 - 1 <= (x0 + x1) / 2 <= box.x1 + 1 and box.y0 - 1 <= (y0 + y1) / 2 <= box.y1 + 1:
                    total, letters = total + confidence * count, letters + count
        if not letters:
            return block
        evidence = f"{block.evidence}, {self.engine}" if block.evidence else self.engine
        return replace(block, confidence=round(block.confidence * total / letters, 3), evidence=evidence)


def rendered(sheet: PdfPage, scale: float) -> Picture:
    """Return a page as shown, in greys, `scale` pixels a point."""
    import numpy as np

    bitmap = sheet.render(scale=scale, grayscale=True, no_smoothtext=False)
    try:
        return np.array(bitmap.to_numpy(), copy=True).reshape(bitmap.height, -1)[:, : bitmap.width]
    finally:
        bitmap.close()


def _reason(page: Page, sheet: PdfPage) -> str:
    """Why a page must be read as a picture, or nothing."""
    text = _text(page)
    letters = _letters(text)
    if letters == 0 and not page.dropped:
        return "no text"
    if is_garbled(text):
        return GARBLED
    layer = sum(_letters(item.text) for _, item, why in page.dropped if why in UNSEEN)
    if (letters < FEW_LETTERS or layer > letters) and _pictured(page, sheet) >= PICTURED:
        return LAYER if layer > letters else "picture"
    return ""


def _letters(text: str) -> int:
    return sum(char.isalnum() for char in text)


def _uncover(page: Page) -> None:
    """Put back the text layer of a scan that was dropped as hidden."""
    for turn, item, why in page.dropped:
        if why in UNSEEN:
            page.side(turn).items.append(item)
    page.dropped = [one for one in page.dropped if one[2] not in UNSEEN]
    for why in UNSEEN:
        page.hidden.pop(why, None)


def _text(page: Page) -> str:
    return "".join(item.text for side in page.sides.values() for item in side.items)


def _pictured(page: Page, sheet: PdfPage) -> float:
    """Return the share of the page that its largest picture covers, or strips of one laid below each other."""
    import pypdfium2.raw as pdfium  # type: ignore[import-untyped]

    area = 0.0
    for found in sheet.get_objects(filter=(pdfium.FPDF_PAGEOBJ_IMAGE,), max_depth=4):
        x0, y0, x1, y1 = found.get_bounds()
        area += max(x1 - x0, 0.0) * max(y1 - y0, 0.0)
    return area / max(page.width * page.height, 1.0)


def _scale(page: Page) -> float:
    longer = max(page.width, page.height, 1.0)
    return min(max(DPI / 72, SHORTEST / longer), LONGEST / longer)


def _better(page: Page, reads: Sequence[Read]) -> bool:
    """Whether what was read is another text than the page's, and one that makes sense."""
    theirs, ours = _text(page), "".join(read.text for read in reads)
    if is_garbled(ours) or len(ours) < 0.3 * len(theirs):
        return False
    pairs = {theirs[at : at + 2] for at in range(len(theirs) - 1)}
    same = sum(ours[at : at + 2] in pairs for at in range(len(ours) - 1))
    return same < 0.5 * len(ours)


def _side(reads: Sequence[Read], sheet: _Sheet) -> Side:
    """Return what was read in points, in sizes of type that are one where they look it, with the picture's straight lines."""
    scale = sheet.scale
    sizes = even([EM * (read.y1 - read.y0) / scale for read in reads], [max(len(read.text), 1) for read in reads])
    items = [
        Item(cleaned(read.text), read.x0 / scale, read.y0 / scale, read.x1 / scale, read.y1 / scale, size=size)
        for read, size in zip(reads, sizes, strict=True)
    ]
    lines = (stroke(one.x0 / scale, one.y0 / scale, one.x1 / scale, one.y1 / scale) for one in sheet.rulings)
    return Side(items, [one for one in lines if one is not None])


def even(sizes: Sequence[float], letters: Sequence[int]) -> list[float]:
    """Return the sizes of lines made even, to a quarter of a point: the size of most letters is given to all within `ALIKE` of
    it, then that of most of the others, and so on."""
    out = list(sizes)
    left = list(range(len(sizes)))
    alike = ALIKE
    while left:
        middles = sorted({sizes[at] for at in left})
        groups = ([at for at in left if abs(sizes[at] - middle) <= alike * middle] for middle in middles)
        group = max(groups, key=lambda one: sum(letters[at] for at in one))
        weighted = sorted((sizes[at], letters[at]) for at in group)
        middle = median([size for size, count in weighted for _ in range(count)])
        for at in group:
            out[at] = round(4 * middle) / 4
        left = [at for at in left if at not in set(group)]
        alike = ALIKE_TITLES
    return out


def _within(item: Item, turn: int, page: Page, their_turn: int, read: Iterable[Item]) -> bool:
    """Whether a text of the page was read in the picture, too."""
    x0, y0, x1, y1 = as_shown(item, turn, page.width, page.height)
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    places = (as_shown(one, their_turn, page.width, page.height) for one in read)
    return any(left <= x <= right and top <= y <= bottom for left, top, right, bottom in places)
