"""Paragraphs of all pages become the blocks of the document: joined across columns and pages, classified, with their boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ingest.model.document import Block, Box, Link, Provenance, table_text
from ingest.model.language import CJK
from ingest.parse.codelike import looks_like_code
from ingest.parse.pdf.footnotes import Footnotes
from ingest.parse.pdf.headings import Named, find_headings
from ingest.parse.pdf.joins import joined
from ingest.parse.pdf.page import Layout, LinkArea, Paragraph
from ingest.parse.pdf.paragraphs import Measure, paragraphs
from ingest.parse.pdf.piped import piped
from ingest.parse.pdf.text import Words, is_caption

_FOOTNOTE = re.compile(r"(?:\[?\d{1,3}[\])）]?|[*∗†‡§※①-⑳])[\s.]?\s*\S")
_HAN_CHAR = re.compile(rf"[{CJK}]")


def build(pages: Sequence[Layout], named: Named) -> tuple[list[Block], list[Link]]:
    """Return body blocks in reading order, and the links in them."""
    measure = Measure.of(pages)
    words = Words(line.text for page in pages for zone in page.zones for line in zone.lines)
    found = [paragraph for page in pages for paragraph in paragraphs(page, measure)]
    heights = {page.number: page.height for page in pages}
    for paragraph in found:
        _read(paragraph, words, measure, heights)
    found = piped(found)
    find_headings(found, measure, named)
    footnotes = Footnotes()
    found = footnotes.put_back(joined(footnotes.taken(found), words))
    for cited in footnotes.cited:
        cited.footnote.locator = f"note-{cited.footnote.boxes[0].page}-{cited.mark}"
    blocks = list(_blocks(found))
    areas = [link for page in pages for link in _numbered_links(page)]
    return [block for block, _ in blocks], [*_links([block for block, _ in blocks], areas), *_citations(blocks, footnotes)]


def _read(paragraph: Paragraph, words: Words, measure: Measure, heights: dict[int, float]) -> None:
    """Give a paragraph its text, and a kind where its own looks tell it."""
    if paragraph.table is not None:
        paragraph.text = table_text(paragraph.table)
        return
    if not measure.typewritten and _is_code(paragraph):
        paragraph.kind, paragraph.text = "code", _code(paragraph)
        return
    paragraph.text = words.joined([line.text for line in paragraph.lines])
    box = paragraph.boxes[0]
    low = box.y0 > 0.6 * heights[box.page]
    if is_caption(paragraph.text) and paragraph.size <= 1.05 * measure.body:
        paragraph.kind = "caption"
    elif low and paragraph.size < 0.92 * measure.body and _FOOTNOTE.match(paragraph.text):
        paragraph.kind = "footnote"


def _is_code(paragraph: Paragraph) -> bool:
    if not all(line.mono for line in paragraph.lines):
        return False
    text = "".join(line.text for line in paragraph.lines)
    han = len(_HAN_CHAR.findall(text))
    if len(paragraph.lines) == 1:
        return looks_like_code(text) and not han
    return han < 0.5 * len(text)


def _code(paragraph: Paragraph) -> str:
    """Lines as they stand, with the indentation and the empty lines that the page shows."""
    left = min(line.x0 for line in paragraph.lines)
    out: list[str] = []
    before = None
    for line in paragraph.lines:
        letter = (line.x1 - line.x0) / max(len(line.text), 1)
        if before is not None and line.y1 - before.y1 > 2.0 * line.size:
            out.append("")
        out.append(" " * round((line.x0 - left) / letter if letter else 0) + line.text)
        before = line
    return "\n".join(out)


def _blocks(found: Iterable[Paragraph]) -> Iterable[tuple[Block, list[Paragraph]]]:
    """Yield the blocks, each with the paragraphs it was made of."""
    items: list[Paragraph] = []
    for paragraph in found:
        if paragraph.kind == "paragraph" and paragraph.marker:
            items.append(paragraph)
            continue
        if items:
            yield _list(items), items
            items = []
        yield _block(paragraph), [paragraph]
    if items:
        yield _list(items), items


def _block(paragraph: Paragraph) -> Block:
    return Block(
        kind=paragraph.kind,
        text=paragraph.text,
        level=paragraph.level,
        provenance=Provenance(boxes=tuple(paragraph.boxes), locator=paragraph.locator),
        table=paragraph.table,
        evidence=paragraph.evidence,
        confidence=paragraph.confidence,
    )


def _citations(blocks: Sequence[tuple[Block, list[Paragraph]]], footnotes: Footnotes) -> Iterator[Link]:
    """Yield a link from each block that cites a footnote to the locator of that."""
    owner = {id(line): at for at, (_, members) in enumerate(blocks) for one in members for line in one.lines}
    for cited in footnotes.cited:
        at = owner.get(id(cited.line)) if cited.line is not None else None
        if at is not None and cited.footnote.locator:
            yield Link(at, cited.mark, f"#{cited.footnote.locator}")


def _list(items: Sequence[Paragraph]) -> Block:
    """One block of consecutive items; where an item starts on the page tells its depth."""
    lines = []
    edges: list[float] = []
    for item in items:
        x = item.first.x0 - item.left
        while edges and x < edges[-1] - 0.7 * item.size:
            edges.pop()
        if not edges or x > edges[-1] + 0.7 * item.size:
            edges.append(x)
        rest = item.text[len(item.marker) :].strip() if item.text.startswith(item.marker) else item.text
        marker = item.marker if any(char.isalnum() for char in item.marker) else "-"
        apart = "" if marker[-1] in "）、" else " "
        lines.append("  " * (len(edges) - 1) + f"{marker}{apart}{rest}")
    boxes = _one_a_column(box for item in items for box in item.boxes)
    return Block("list", "\n".join(lines), provenance=Provenance(boxes=boxes))


def _one_a_column(boxes: Iterable[Box]) -> tuple[Box, ...]:
    """Unite the boxes of items below each other; those of another page or column stay apart."""
    out: list[Box] = []
    for box in boxes:
        last = out[-1] if out else None
        if last is not None and last.page == box.page and box.y0 >= last.y0 and min(last.x1, box.x1) > max(last.x0, box.x0):
            out[-1] = Box(box.page, min(last.x0, box.x0), last.y0, max(last.x1, box.x1), max(last.y1, box.y1))
        else:
            out.append(box)
    return tuple(out)


def _numbered_links(page: Layout) -> Iterable[tuple[int, LinkArea]]:
    return ((page.number, link) for link in page.links)


def _links(blocks: Sequence[Block], areas: Iterable[tuple[int, LinkArea]]) -> Iterable[Link]:
    """Find the block that each link's area lies in."""
    on_page: dict[int, list[int]] = {}
    for at, block in enumerate(blocks):
        for box in block.provenance.boxes:
            on_page.setdefault(box.page, []).append(at)
    for number, area in areas:
        x, y = (area.x0 + area.x1) / 2, (area.y0 + area.y1) / 2
        for at in on_page.get(number, ()):
            if any(_lies_in(box, number, x, y) for box in blocks[at].provenance.boxes):
                yield Link(at, area.text, area.target)
                break


def _lies_in(box: Box, page: int, x: float, y: float) -> bool:
    return box.page == page and box.x0 - 2 <= x <= box.x1 + 2 and box.y0 - 2 <= y <= box.y1 + 2
