"""Plain text becomes headings, paragraphs and lists.

A blank line ends a paragraph. A heading is believed only where the text says so twice: a number of a known family on a short
line without a full stop, or a line underlined with punctuation. Levels follow the families that occur, outermost first.
Lines that were wrapped at a width are joined; lines that an author ended (an address, a log, a table of words) are kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ingest.model.document import Block, Document, Provenance
from ingest.model.language import join_lines
from ingest.parse.draft import Draft
from ingest.parse.faq import may_start
from ingest.parse.fingerprint import stamp
from ingest.parse.numbering import RANKS, numbered
from ingest.parse.reading import read
from ingest.settings import ParsePart

LONGEST_HEADING = 40
"""In columns (a Han character is two). Numbered lines beyond it are list items or sentences."""

WRAP_COLUMNS = 50
"""Lines shorter than this were ended by an author, not by a wrapping editor."""

_UNDERLINE = re.compile(r"([=\-~^\"*+#`'])\1{2,}\s*$")
_SENTENCE = re.compile(r"[。！？；，,;:：.!?…、]\s*$")
_BULLET = re.compile(r"\s*(?:[-*+•·●○▪–]|[(（]?\d{1,3}[.)、）．]|[(（][a-zA-Z一二三四五六七八九十]{1,3}[)）])\s*(?=\S)")
_WIDE = frozenset("WF")
_NEED_ROOM = frozenset({"decimal1", "han", "han_bracket", "article"})


def version(settings: ParsePart) -> str:
    return stamp("text", 1)


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Parse a plain text; raises DocumentUnsupported for bytes that are no text."""
    reading = read(data, name)
    draft = Draft()
    paragraphs = _without_runs(list(_paragraphs(reading.text)))
    families = {part.family for part in paragraphs if part.family}
    marks = dict.fromkeys(part.underline for part in paragraphs if part.underline)
    underlines = {mark: level for level, mark in enumerate(marks, start=1)}
    ranked = (family for family in RANKS if family in families)
    levels = {family: level for level, family in enumerate(ranked, start=len(underlines) + 1)}
    for part in paragraphs:
        where = Provenance(lines=part.lines)
        if part.underline:
            level = min(underlines[part.underline], 6)
            draft.add(Block("heading", part.text, level, provenance=where, evidence="underline", confidence=0.9))
        elif part.family:
            level = min(levels[part.family], 6)
            draft.add(Block("heading", part.text, level, provenance=where, evidence="numbering", confidence=0.8))
        elif _is_list(part.text):
            draft.add(Block("list", _list_text(part.text), provenance=where))
        else:
            wrapped = not may_start(part.text) and _is_wrapped(part.text)
            draft.add_paragraph(part.text, where, wrapped=wrapped)
    blocks, links = draft.finish()
    first = blocks[0] if blocks else None
    title = first.text if first is not None and first.kind == "heading" and first.evidence == "underline" else None
    return Document(media_type, "", title, blocks, links, reading.omissions)


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines between blank ones; a heading if it has an underline or a numbering family."""

    text: str
    lines: tuple[int, int]
    family: str | None = None
    underline: str | None = None


def _paragraphs(text: str) -> Iterator[_Part]:
    gathered: list[str] = []
    start = 1
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.strip():
            if not gathered:
                start = number
            gathered.append(line.rstrip())
            continue
        if gathered:
            yield from _with_headings(gathered, start)
            gathered = []


def _with_headings(lines: list[str], start: int) -> Iterator[_Part]:
    """Headings at the beginning of a paragraph come off it: `第一章 总则` above its first sentence, a title over its rule."""
    first = 0
    while first < len(lines):
        mark = _UNDERLINE.match(lines[first + 1]) if first + 1 < len(lines) else None
        title = lines[first].strip()
        if mark and len(lines[first + 1].strip()) + 1 >= _columns(title) and not _UNDERLINE.match(title):
            yield _Part(title, (start + first, start + first + 1), underline=mark[1])
            first += 2
            continue
        family = _heading_family(title, alone=len(lines) == 1)
        if family is None:
            break
        yield _Part(title, (start + first, start + first), family=family)
        first += 1
    if first < len(lines) and not (first and _UNDERLINE.match(lines[first]) and first == len(lines) - 1):
        yield _Part("\n".join(lines[first:]).strip("\n"), (start + first, start + len(lines) - 1))


def _heading_family(line: str, *, alone: bool) -> str | None:
    """The numbering family of a line that reads like a heading; `alone`: it stands between blank lines.

    A single number (`1.`, `一、`, `（一）`) is a list as often as a heading, and 第三条 a sentence: those must stand alone.
    """
    if _columns(line) > LONGEST_HEADING or _SENTENCE.search(line):
        return None
    found = numbered(line)
    if found is None or found.end >= len(line) or (found.family in _NEED_ROOM and not alone):
        return None
    return found.family


def _without_runs(parts: list[_Part]) -> list[_Part]:
    """Numbered lines with nothing between them are a list or a table of contents, not headings.

    Of units (第三章, 1.2) the last one stays: after a table of contents the first chapter looks just like it.
    """
    kept = []
    for before, part, after in zip([None, *parts], parts, [*parts[1:], None], strict=False):
        runs_on = after is not None and after.family == part.family
        ran_in = part.family in _NEED_ROOM and before is not None and before.family == part.family
        kept.append(replace(part, family=None) if part.family and (runs_on or ran_in) else part)
    return kept


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in _WIDE else 1 for c in text)


def _is_wrapped(text: str) -> bool:
    """Whether breaks come from a width: every line but the last reaches three quarters of the longest, and none starts anew."""
    lines = text.split("\n")
    if len(lines) < 2:
        return True
    widths = [_columns(line) for line in lines[:-1]]
    return min(widths) >= max(WRAP_COLUMNS, 0.75 * max(widths)) and not any(
        line[:1].isspace() or _BULLET.match(line) or "\t" in line for line in lines[1:]
    )


def _is_list(text: str) -> bool:
    """Whether the paragraph starts with a bullet and every other line is a bullet or hangs below one."""
    lines = text.split("\n")
    bullets = sum(1 for line in lines if _BULLET.match(line))
    return bullets >= 2 and bool(_BULLET.match(lines[0])) and all(_BULLET.match(x) or x[:1].isspace() for x in lines)


def _list_text(text: str) -> str:
    items: list[str] = []
    for line in text.split("\n"):
        match = _BULLET.match(line)
        if match is None:
            items[-1] = items[-1][:-1] + join_lines(f"{items[-1][-1:]}\n{line.strip()}")
            continue
        mark = match.group().strip()
        depth = min((len(line) - len(line.lstrip())) // 2, 8)
        items.append(f"{'  ' * depth}{'- ' if len(mark) == 1 else mark + ' '}{line[match.end() :]}")
    return "\n".join(items)
