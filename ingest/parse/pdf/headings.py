"""Which paragraphs are headings.

Evidence in the order of trust: the document's own structure tags, its outline (bookmarks), its printed contents, a number such
as 第三章 or 2.1 that counts on, a larger size, bold or slanted type. Each heading keeps what told it and how sure that is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ingest.model.language import HAN
from ingest.parse.numbering import numbered
from ingest.parse.pdf.contents import key
from ingest.parse.pdf.levels import set_levels
from ingest.parse.pdf.page import Paragraph
from ingest.parse.pdf.paragraphs import Measure, ends_sentence
from ingest.parse.pdf.sequence import Number, counting, number_of
from ingest.parse.pdf.text import is_caption

LARGER = 1.12
"""Times the body size from which type alone makes a heading."""
MUCH_LARGER = 1.3

_WORDS = re.compile(rf"[{HAN}]|[^\W\d_]{{2,}}")
_CLOSING = "。；;，,、：:.!！"

LEAST_NAMED = 3
"""Headings by tags or bookmarks from which a document is held to have named all that it has."""


@dataclass(frozen=True, slots=True)
class Named:
    """The headings that the document names itself: bookmarks by (title, page), printed contents by title, with their levels.

    Titles are without spaces, in lower case. `after`: the last page with printed contents.
    """

    outline: Mapping[tuple[str, int], int]
    contents: Mapping[str, int]
    after: int = 0



def find_headings(paragraphs: Sequence[Paragraph], measure: Measure, named: Named) -> None:
    """Mark headings among the paragraphs: `kind`, `evidence`, `confidence` and `level` (1 to 6)."""
    followed = [*paragraphs[1:], None]
    for paragraph, following in zip(paragraphs, followed, strict=False):  # of none, nothing is followed by nothing
        if paragraph.kind == "paragraph":
            _judge(paragraph, following, measure, named)
    _drop_uncounted([paragraph for paragraph in paragraphs if paragraph.evidence == "numbering"], measure)
    _drop_weak([paragraph for paragraph in paragraphs if paragraph.kind == "heading"])
    set_levels([paragraph for paragraph in paragraphs if paragraph.kind == "heading"])


def _judge(paragraph: Paragraph, following: Paragraph | None, measure: Measure, named: Named) -> None:
    text, line = paragraph.text, paragraph.first
    units = sum(2 if char > "\u2e80" else 1 for char in text)
    if not _WORDS.search(text):
        return
    if line.tagged and units <= 400:
        _mark(paragraph, "tagged", 0.98)
        paragraph.level = line.tagged
    if paragraph.kind == "heading" or units > 160 or len(paragraph.lines) > 3 or is_caption(text):
        return
    if level := _bookmarked(paragraph, named.outline):
        _mark(paragraph, "outline", 0.95)
        paragraph.level = level
    elif level := _listed(paragraph, named):
        _mark(paragraph, "contents", 0.93)
        paragraph.level = level
    elif line.mono:
        return
    elif _numbered_heading(paragraph, following, measure, units):
        _mark(paragraph, "numbering", 0.9)
    elif paragraph.marker and not numbered(text):
        return
    elif paragraph.size >= LARGER * measure.body and units <= 120 and _may_end(text, paragraph.size / measure.body):
        _mark(paragraph, "size", 0.8)
    elif _set_apart(paragraph, following, measure, units):
        if all(line.bold for line in paragraph.lines):
            _mark(paragraph, "bold", 0.6)
        elif _slanted(paragraph, following):
            _mark(paragraph, "slanted", 0.5)


def _may_end(text: str, larger: float) -> bool:
    """Titles set large enough may break off anywhere, or exclaim."""
    return text[-1] not in _CLOSING or (larger >= MUCH_LARGER and text[-1] in ",，:：!！")


def _mark(paragraph: Paragraph, evidence: str, confidence: float) -> None:
    paragraph.kind, paragraph.evidence, paragraph.confidence = "heading", evidence, confidence


def _bookmarked(paragraph: Paragraph, outline: Mapping[tuple[str, int], int]) -> int:
    title = key(paragraph.text)
    page = paragraph.boxes[0].page
    return outline.get((title, page)) or outline.get((title[numbered_end(title) :], page)) or 0


def _listed(paragraph: Paragraph, named: Named) -> int:
    return named.contents.get(key(paragraph.text), 0) if paragraph.boxes[0].page > named.after else 0


def numbered_end(text: str) -> int:
    found = numbered(text)
    return found.end if found is not None else 0


def _numbered_heading(paragraph: Paragraph, following: Paragraph | None, measure: Measure, units: int) -> bool:
    text = paragraph.text
    found = numbered(text)
    if found is None or len(paragraph.lines) > 2 or text[-1] in "。；;，,、":
        return False
    rest = text[found.end :]
    stands_out = _stands_out(paragraph, measure)
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


def _set_apart(paragraph: Paragraph, following: Paragraph | None, measure: Measure, units: int) -> bool:
    """Whether a line stands like a heading: at its column's edge or in its middle, with space around it, before other text."""
    text, line = paragraph.text, paragraph.first
    if following is None or text[-1] in _CLOSING or units > 100 or len(paragraph.lines) > 2 or ends_sentence(text):
        return False
    # An abstract is set smaller than the text, heading and all.
    usual = min(measure.body, following.size) if following.lines else measure.body
    centred = abs((line.x0 + line.x1) - (paragraph.left + paragraph.right)) < 0.1 * (paragraph.right - paragraph.left)
    placed = line.x0 - paragraph.left < 2.5 * line.size or centred
    return placed and paragraph.size >= 0.97 * usual and (paragraph.space_above > 1.1 or following.space_above > 1.1)


def _slanted(paragraph: Paragraph, following: Paragraph | None) -> bool:
    """A single slanted line before upright text; more of them is emphasis, brackets hold a remark."""
    alone = len(paragraph.lines) == 1 and paragraph.first.italic and paragraph.space_above > 1.1
    upright = following is not None and bool(following.lines) and not following.first.italic
    return alone and upright and paragraph.text[0] not in "(（[" and paragraph.text[0].isupper() and len(paragraph.text) <= 60


def _drop_uncounted(found: Sequence[Paragraph], measure: Measure) -> None:
    """Drop those that only their number makes a heading, where it does not count on: a year, a quantity, an item of a list."""
    families: dict[str, list[tuple[Paragraph, Number]]] = defaultdict(list)
    for paragraph in found:
        number = numbered(paragraph.text)
        if number is not None:
            family = "decimal" if number.family.startswith("decimal") else number.family
            families[family].append((paragraph, number_of(number)))
    for members in families.values():
        for (paragraph, _), counts in zip(members, counting([number for _, number in members]), strict=True):
            if counts:
                continue
            if _stands_out(paragraph, measure):
                paragraph.confidence = 0.75
            else:
                _unmark(paragraph)


def _stands_out(paragraph: Paragraph, measure: Measure) -> bool:
    """Whether a numbered line is set otherwise than the text: larger, bold, or, as 一、 and （一） in official papers, in another
    font."""
    if paragraph.size >= 1.05 * measure.body or all(line.bold for line in paragraph.lines):
        return True
    line, found = paragraph.first, numbered(paragraph.text)
    official = found is not None and found.family in ("han", "han_bracket") and len(paragraph.lines) == 1
    return official and "" not in (line.font, measure.font) and line.font != measure.font


def _unmark(paragraph: Paragraph) -> None:
    paragraph.kind, paragraph.evidence, paragraph.confidence = "paragraph", None, 1.0


def _drop_weak(found: Sequence[Paragraph]) -> None:
    """Bold lines are emphasis where the document names its headings itself, and where they crowd a page (a form's labels)."""
    named = sum(paragraph.evidence in ("tagged", "outline", "contents") for paragraph in found) >= LEAST_NAMED
    weak = [paragraph for paragraph in found if paragraph.evidence in ("bold", "slanted")]
    per_page: dict[int, int] = defaultdict(int)
    for paragraph in weak:
        per_page[paragraph.boxes[0].page] += 1
    for paragraph in weak:
        if named or per_page[paragraph.boxes[0].page] > 14:
            _unmark(paragraph)
