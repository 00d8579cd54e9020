"""Lines become paragraphs, list items, code and table slots; what a paragraph is beyond that is decided afterwards.

A new paragraph starts where the type changes, where the distance to the line before is larger than usual, at a first-line
indent, after a short line that ends a sentence, and at a list marker or a heading's number.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ingest.model.document import Box
from ingest.model.language import CJK
from ingest.parse.faq import is_marked
from ingest.parse.numbering import numbered
from ingest.parse.pdf.page import Area, Layout, Line, Paragraph, Zone, as_shown
from ingest.parse.pdf.piped import begins_row

_BULLET = re.compile(rf"([•●○◦▪■□▶►➢➤✓✔◆◇‣⁃∙·])(?:\s+|(?=\S))|[*–—-](?:\s+|(?=[{CJK}]))")
_ORDINAL = re.compile(
    # A letter before another with its full stop is an abbreviation: e.g., i.e., a.m.
    r"((?:\d{1,2}|[ivx]{2,4})[.)）](?!\d)|[a-zA-Z][.)）](?!\d|[a-zA-Z]\.)|[(（](?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[)）]|[①-⑳]|\d{1,2}、|[（(][一二三四五六七八九十]{1,3}[）)])\s*(?=\S)"
)
_CONTENTS_ENTRY = re.compile(r"(?:[.·․‧]\s?){4,}\s*[(（]?(?:\d{1,4}|[ivxlc]{1,6})[)）]?$|…{2,}\s*\d{1,4}$")
_NOTE_START = re.compile(rf"\d{{1,3}}(?=[A-Z{CJK}“\"])|[*∗†‡§※](?=\S)|\d{{1,3}}\s(?=[A-Z{CJK}“\"])")
_NUMBER_ALONE = re.compile(r"[\d.,%\s]+")
_SENTENCE_END = re.compile(r"[.!?:。！？：；;…][\"'”’」』)）\]]*\d{0,2}$")

SMALL = 0.92
"""Times the usual size, below which a line that begins with a mark may begin a footnote."""
LITTLE_TEXT = 300
"""Characters outside tables that are too few to outweigh a long title."""
WIDER = 1.35
"""Times the usual distance between lines that ends a paragraph."""
WIDER_AT_END = 1.18
"""The same where the line before ends a sentence."""
WIDER_TITLE = 1.7
"""The same between the lines of a title."""


@dataclass(slots=True)
class Measure:
    """What is usual in a document: the size and font of its running text, the distance of lines in font sizes, and whether all
    of it is typewritten (a font of equal widths then says nothing of code)."""

    body: float
    pitch: float
    typewritten: bool
    font: str = ""

    @classmethod
    def of(cls, pages: Sequence[Layout]) -> Measure:
        weights: Counter[float] = Counter()
        mono = 0
        for page in pages:
            for zone in page.zones:
                for line in zone.lines:
                    weights[round(line.size * 4) / 4] += len(line.text) if not line.mono else 0
                    mono += len(line.text) if line.mono else 0
        typewritten = mono > weights.total()
        if weights.total() < LITTLE_TEXT:  # tables and titles alone: lines count alike, and a title is bold or seldom
            plain = [line for page in pages for zone in page.zones for line in zone.lines if not line.bold]
            weights = Counter(round(line.size * 4) / 4 for line in plain) or weights
        body = max(weights, key=lambda size: (weights[size], size), default=10.0)
        fonts: Counter[str] = Counter()
        for line in (line for page in pages for zone in page.zones for line in zone.lines if abs(line.size - body) < 0.3):
            fonts[line.font] += len(line.text)
        pitches = [
            (below.y1 - above.y1) / body
            for page in pages
            for zone in page.zones
            for above, below in zip(zone.lines, zone.lines[1:], strict=False)
            if abs(above.size - body) < 0.3 and abs(below.size - body) < 0.3 and 0.8 * body < below.y1 - above.y1 < 2.5 * body
        ]
        # Paragraph spacing pulls the median up where paragraphs are short, so a lower quantile stands for the usual.
        usual = sorted(pitches)[int(0.35 * len(pitches))] if pitches else 1.3
        return cls(body, usual, typewritten, max(fonts, key=lambda font: (fonts[font], font), default=""))


def paragraphs(page: Layout, measure: Measure) -> Iterator[Paragraph]:
    """Yield the paragraphs of a page in reading order; a table is a paragraph of kind `table` without lines."""
    for zone in page.zones:
        lines = zone.lines
        if lines:
            left = _usual(sorted(line.x0 for line in lines), 0.1)
            right = _usual(sorted(line.x1 for line in lines), 0.9)
        else:
            left, right = 0.0, page.width
        yield from _of_zone(page, zone, left, right, measure)


def _usual(values: list[float], share: float) -> float:
    return values[int(share * (len(values) - 1))]


def _of_zone(page: Layout, zone: Zone, left: float, right: float, measure: Measure) -> Iterator[Paragraph]:
    current: Paragraph | None = None
    before: Line | Area | None = None
    for element in zone.elements:
        if isinstance(element, Area):
            if current is not None:
                yield _boxed(current, page)
            current, before = None, element
            box = _box(page, zone, element)
            yield Paragraph([], [box], left, right, 9.0, zone.turn, kind="table", table=element.table, area=element)
            continue
        distance = _distance(before, element, measure)
        if current is None or not isinstance(before, Line) or _starts(current, before, element, distance, measure):
            if current is not None:
                yield _boxed(current, page)
            current = Paragraph([element], [], left, right, distance, zone.turn, marker=marker_of(element.text))
        else:
            current.lines.append(element)
        before = element
    if current is not None:
        yield _boxed(current, page)


def _distance(before: Line | Area | None, line: Line, measure: Measure) -> float:
    """Distance from the line before in multiples of what is usual at its size."""
    if before is None:
        return 9.0
    if isinstance(before, Area):
        return 2.0
    return (line.y1 - before.y1) / (measure.pitch * max(min(line.size, before.size), 4.0))


def _starts(current: Paragraph, before: Line, line: Line, distance: float, measure: Measure) -> bool:
    """Whether `line` starts a new paragraph after `before`, the last line of `current`."""
    em = line.size
    full = before.x1 >= current.right - 1.5 * em
    if begins_row(line.text) or is_marked(line.text) or _CONTENTS_ENTRY.search(before.text):
        return True
    if line.size < SMALL * measure.body and _NOTE_START.match(line.text) and not _NUMBER_ALONE.fullmatch(before.text):
        return True
    if line.mono and before.mono:
        return distance > 2.6
    if line.mono != before.mono and (line.mono or not full):
        return True
    if abs(line.size - before.size) > 0.08 * max(line.size, before.size) and not (full and distance < 1.1 and len(line.text) > 3):
        return True
    if line.size >= 1.12 * measure.body and _wraps(current, before, line):
        return distance > WIDER_TITLE
    if distance > WIDER or (distance > WIDER_AT_END and _SENTENCE_END.search(before.text)):
        return True
    if distance < -0.5 or line.tagged != before.tagged:
        return True
    if (line.bold, line.italic) != (before.bold, before.italic) and not full and not line.text[:1].islower():
        return True
    if marker_of(line.text) and (line.x0 <= current.first.x0 + 0.5 * em or bool(current.marker) or not full):
        return True
    found = numbered(line.text)
    if found is not None and (found.family not in ("decimal1", "section") or line.bold) and not full:
        return True
    return _indents(current, before, line, full) or _ended_short(current, before)


def _wraps(current: Paragraph, before: Line, line: Line) -> bool:
    """Whether a line of large type goes on with the one before: titles are set wider apart than text."""
    alike = abs(line.size - before.size) < 0.5 and line.bold == before.bold and numbered(line.text) is None
    return alike and before.x1 - before.x0 > 0.6 * (current.right - current.left)


def _indents(current: Paragraph, before: Line, line: Line, full: bool) -> bool:
    """A first-line indent, unless the lines of the paragraph hang under its first."""
    em = line.size
    if current.marker:
        return line.x0 < current.first.x0 - 0.5 * em
    indented = line.x0 - before.x0 > 1.2 * em and line.x0 - current.left < 6 * em
    if not indented:
        return False
    return not full or bool(_SENTENCE_END.search(before.text)) or len(current.lines) > 1


def _ended_short(current: Paragraph, before: Line) -> bool:
    short = before.x1 < current.right - max(3 * before.size, 0.12 * (current.right - current.left))
    return short and bool(_SENTENCE_END.search(before.text)) and current.right - current.left > 12 * before.size


def marker_of(text: str) -> str:
    """Return the list marker with which a line starts, or an empty string."""
    match = _BULLET.match(text) or _ORDINAL.match(text)
    return match[0].strip() if match and len(text) > match.end() else ""


def ends_sentence(text: str) -> bool:
    return bool(_SENTENCE_END.search(text))


def _boxed(paragraph: Paragraph, page: Layout) -> Paragraph:
    rects = [as_shown(line, paragraph.turn, page.width, page.height) for line in paragraph.lines]
    edges = (min(r[0] for r in rects), min(r[1] for r in rects), max(r[2] for r in rects), max(r[3] for r in rects))
    paragraph.boxes = [Box(page.number, *(round(edge, 1) for edge in edges))]
    return paragraph


def _box(page: Layout, zone: Zone, area: Area) -> Box:
    return Box(page.number, *(round(edge, 1) for edge in as_shown(area, zone.turn, page.width, page.height)))
