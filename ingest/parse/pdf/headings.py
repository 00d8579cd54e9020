"""Which paragraphs are headings, and of what level.

Evidence in the order of trust: the document's own structure tags, its outline (bookmarks), a number such as 第三章 or 2.1, a
larger size, bold type. Each heading keeps what told it and how sure that is. Levels come from all headings together: sizes are
ranked first, then numbers correct them, because 2.1 is below 2 whatever the type says.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from ingest.model.language import HAN
from ingest.parse.numbering import RANKS, numbered
from ingest.parse.pdf.page import Paragraph
from ingest.parse.pdf.paragraphs import Measure, ends_sentence
from ingest.parse.pdf.text import is_caption

LARGER = 1.12
"""Times the body size from which type alone makes a heading."""
MUCH_LARGER = 1.3

_WORDS = re.compile(rf"[{HAN}]|[^\W\d_]{{2,}}")
_CLOSING = "。；;，,、：:.!！"

MANY = 10
"""Headings from which a style that only one of them has is an exception."""
LEAST_NAMED = 3
"""Headings by tags or bookmarks from which a document is held to have named all that it has."""

Style = tuple[float, bool]


def find_headings(paragraphs: Sequence[Paragraph], measure: Measure, outline: dict[tuple[str, int], int]) -> None:
    """Mark headings among the paragraphs: `kind`, `evidence`, `confidence` and `level` (1 to 6).

    `outline` maps (title without spaces in lower case, page) to the level of a bookmark.
    """
    followed = [*paragraphs[1:], None]
    for paragraph, following in zip(paragraphs, followed, strict=True):
        if paragraph.kind == "paragraph":
            _judge(paragraph, following, measure, outline)
    found = [paragraph for paragraph in paragraphs if paragraph.kind == "heading"]
    _drop_weak(found)
    _set_levels([paragraph for paragraph in found if paragraph.kind == "heading"])


def _judge(paragraph: Paragraph, following: Paragraph | None, measure: Measure, outline: dict[tuple[str, int], int]) -> None:
    text, line = paragraph.text, paragraph.first
    units = sum(2 if char > "\u2e80" else 1 for char in text)
    if not _WORDS.search(text) or units > 160 or len(paragraph.lines) > 3 or is_caption(text):
        return
    if line.tagged:
        _mark(paragraph, "tagged", 0.98)
        paragraph.level = line.tagged
    elif level := _bookmarked(paragraph, outline):
        _mark(paragraph, "outline", 0.95)
        paragraph.level = level
    elif line.mono:
        return
    elif _numbered_heading(paragraph, following, measure, units):
        _mark(paragraph, "numbering", 0.9)
    elif paragraph.marker and not numbered(text):
        return
    elif paragraph.size >= LARGER * measure.body and units <= 120 and _may_end(text, paragraph.size / measure.body):
        _mark(paragraph, "size", 0.8)
    elif _bold_heading(paragraph, following, measure, units):
        _mark(paragraph, "bold", 0.6)


def _may_end(text: str, larger: float) -> bool:
    """Titles set large enough may break off anywhere, or exclaim."""
    return text[-1] not in _CLOSING or (larger >= MUCH_LARGER and text[-1] in ",，:：!！")


def _mark(paragraph: Paragraph, evidence: str, confidence: float) -> None:
    paragraph.kind, paragraph.evidence, paragraph.confidence = "heading", evidence, confidence


def _bookmarked(paragraph: Paragraph, outline: dict[tuple[str, int], int]) -> int:
    key = "".join(paragraph.text.split()).lower()
    bare = key[numbered_end(key) :]
    page = paragraph.boxes[0].page
    return outline.get((key, page)) or outline.get((bare, page)) or 0


def numbered_end(text: str) -> int:
    found = numbered(text)
    return found.end if found is not None else 0


def _numbered_heading(paragraph: Paragraph, following: Paragraph | None, measure: Measure, units: int) -> bool:
    text = paragraph.text
    found = numbered(text)
    if found is None or len(paragraph.lines) > 2 or text[-1] in "。；;，,、":
        return False
    rest = text[found.end :]
    stands_out = paragraph.size >= 1.05 * measure.body or all(line.bold for line in paragraph.lines)
    own_words = bool(_WORDS.search(rest))
    if text[-1] in ".:：" and not stands_out:
        return False
    if found.family in ("part", "chapter", "section") and not text[0].isascii():
        return units <= 60 and (stands_out or len(paragraph.lines) == 1)
    if found.family == "article":
        return stands_out and units <= 60
    if found.family == "han":
        return own_words and (stands_out or (units <= 50 and len(paragraph.lines) == 1 and paragraph.space_above > 1.15))
    if found.family in ("han_bracket", "decimal1", "section", "part", "chapter"):
        return own_words and stands_out
    if not own_words or rest[:1].islower():
        return False
    return stands_out or (len(paragraph.lines) == 1 and units <= 50 and paragraph.space_above > 1.15 and following is not None)


def _bold_heading(paragraph: Paragraph, following: Paragraph | None, measure: Measure, units: int) -> bool:
    text = paragraph.text
    if following is None or not all(line.bold for line in paragraph.lines) or text[-1] in _CLOSING:
        return False
    # An abstract is set smaller than the text, heading and all.
    usual = min(measure.body, following.size) if following.lines else measure.body
    alone = paragraph.space_above > 1.1 or following.space_above > 1.1
    return paragraph.size >= 0.97 * usual and units <= 100 and len(paragraph.lines) <= 2 and alone and not ends_sentence(text)


def _drop_weak(found: Sequence[Paragraph]) -> None:
    """Bold lines are emphasis where the document names its headings itself, and where they crowd a page (a form's labels)."""
    named = sum(paragraph.evidence in ("tagged", "outline") for paragraph in found) >= LEAST_NAMED
    weak = [paragraph for paragraph in found if paragraph.evidence == "bold"]
    per_page: dict[int, int] = defaultdict(int)
    for paragraph in weak:
        per_page[paragraph.boxes[0].page] += 1
    for paragraph in weak:
        if named or per_page[paragraph.boxes[0].page] > 14:
            paragraph.kind, paragraph.evidence, paragraph.confidence = "paragraph", None, 1.0


def _style(paragraph: Paragraph) -> Style:
    return round(paragraph.size * 2) / 2, all(line.bold for line in paragraph.lines)


def _family(paragraph: Paragraph) -> str:
    found = numbered(paragraph.text)
    return found.family if found is not None else ""


def _set_levels(found: Sequence[Paragraph]) -> None:
    """Give each heading without a level of its own one: rank its style, let its number's family overrule, keep to 1 to 6."""
    open_ones = [paragraph for paragraph in found if not paragraph.level]
    named = [paragraph for paragraph in found if paragraph.level]
    if not open_ones:
        return
    if named:
        _set_beside(open_ones, named)
        return
    level_of = _ranked(open_ones)
    families: dict[str, list[int]] = defaultdict(list)
    for paragraph in open_ones:
        if family := _family(paragraph):
            families[family].append(level_of[_style(paragraph)])
    settled: dict[str, int] = {}
    above = 0
    for family in (family for family in RANKS if family in families):
        usual = sorted(families[family])[len(families[family]) // 2]
        settled[family] = above = max(usual, above + 1)
    by_style: dict[Style, int] = {}
    for paragraph in open_ones:
        if family := _family(paragraph):
            style = _style(paragraph)
            by_style[style] = min(by_style.get(style, 9), settled[family])
    for paragraph in open_ones:
        family, style = _family(paragraph), _style(paragraph)
        paragraph.level = min(settled[family] if family else by_style.get(style, level_of[style]), 6)


def _set_beside(open_ones: Sequence[Paragraph], named: Sequence[Paragraph]) -> None:
    """Give headings the level of those named ones that look alike, or one below the next larger."""
    level_of: dict[Style, int] = {}
    for paragraph in named:
        style = _style(paragraph)
        level_of[style] = min(level_of.get(style, 6), paragraph.level)
    for paragraph in open_ones:
        style = _style(paragraph)
        larger = [level for other, level in level_of.items() if other > style]
        paragraph.level = level_of.get(style) or min(max(larger, default=0) + 1, 6)


def _ranked(open_ones: Sequence[Paragraph]) -> dict[Style, int]:
    """Level of each style by its size and weight. A style seen once among many (on a cover) takes the level of the next smaller
    one, so that it does not push the others down; the largest stays what it is, the title."""
    counts = Counter(_style(paragraph) for paragraph in open_ones)
    usual = [style for style in counts if counts[style] > 1 or style == max(counts) or len(open_ones) < MANY]
    ranks = _merged(sorted(usual, reverse=True))
    for style in counts.keys() - ranks.keys():
        ranks[style] = min((ranks[other] for other in usual if other < style), default=max(ranks[other] for other in usual))
    return ranks


def _merged(styles: Sequence[Style]) -> dict[Style, int]:
    """Rank styles from the largest down; sizes half a point apart, of one weight, are one style seen twice."""
    ranks: dict[Style, int] = {}
    before: Style | None = None
    rank = 0
    for style in styles:
        if before is None or before[0] - style[0] > 0.5 or before[1] != style[1]:
            rank += 1
        ranks[style] = rank
        before = style
    return ranks
