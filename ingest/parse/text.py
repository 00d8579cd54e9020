"""Plain text becomes headings, paragraphs and lists.

A blank line ends a paragraph, an indent begins one where the text does it that way. A heading is believed only where the text
says so twice: a number of a known family on a short line without a full stop, a line underlined with punctuation, or a short line
of capitals alone among others that are not. Levels follow the families that occur, outermost first. Lines that were wrapped at a
width are joined; lines that an author ended (an address, a log, verse) are kept. Drawn and aligned tables are tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

from ingest.model.document import Block, Document, Provenance, table_text
from ingest.model.frontmatter import split
from ingest.model.language import join_lines
from ingest.parse.codelike import looks_like_code
from ingest.parse.draft import Draft
from ingest.parse.encoded import without_encoded
from ingest.parse.faq import may_start
from ingest.parse.fingerprint import stamp
from ingest.parse.numbering import RANKS, numbered
from ingest.parse.reading import read
from ingest.parse.text_table import columns, table_in
from ingest.settings import ParsePart

LONGEST_HEADING = 40
"""In columns (a Han character is two). Numbered lines beyond it are list items or sentences."""

LONGEST_CAPITALS = 60

WRAP_COLUMNS = 50
"""Lines shorter than this were ended by an author, not by a wrapping editor."""

_UNDERLINE = re.compile(r"([=\-~^\"*+#`'])\1{2,}\s*$")
_SENTENCE = re.compile(r"[。！？；，,;:：.!?…、]\s*$")
_BULLET = re.compile(r"\s*(?:[-*+•·●○▪–]|[(（]?\d{1,3}[.)、）．]|[(（][a-zA-Z一二三四五六七八九十]{1,3}[)）])\s*(?=\S)")
_FENCE = re.compile(r"(?:```|~~~)[\w+-]*\s*$")
_INDENT = re.compile(r"\u3000|[ \t]{2,8}\S")
_NEED_ROOM = frozenset({"decimal1", "han", "han_bracket", "article"})


def version(settings: ParsePart) -> str:
    return stamp("text", 3)


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Parse a plain text; raises DocumentUnsupported for bytes that are no text."""
    reading = read(data, name)
    body = split(reading.text).body
    skipped = reading.text.count("\n", 0, len(reading.text) - len(body))
    text, encoded = without_encoded(body)
    draft = Draft()
    write(draft, text, lambda where: _moved(where, skipped))
    blocks, links = draft.finish()
    first = blocks[0] if blocks else None
    title = first.text if first is not None and first.kind == "heading" and first.evidence == "underline" else None
    return Document(media_type, "", title, blocks, links, (*reading.omissions, *encoded))


def write(draft: Draft, text: str, place: Callable[[Provenance], Provenance]) -> None:
    """Add the blocks of a text; `place` makes of lines, 1-based in this text, where they stand in the source."""
    paragraphs = _without_runs(_with_whole_code(_paragraphs(text)))
    families = {part.family for part in paragraphs if part.family}
    marks = dict.fromkeys(part.underline for part in paragraphs if part.underline)
    underlines = {mark: level for level, mark in enumerate(marks, start=1)}
    capitals = _believable_capitals(paragraphs)
    ranked = (family for family in RANKS if family in families)
    levels = {family: level for level, family in enumerate(ranked, start=len(underlines) + bool(capitals) + 1)}
    for at, part in enumerate(paragraphs):
        where = place(Provenance(lines=part.lines))
        if part.underline:
            level = min(underlines[part.underline], 6)
            draft.add(Block("heading", part.text, level, provenance=where, evidence="underline", confidence=0.9))
        elif part.family:
            level = min(levels[part.family], 6)
            draft.add(Block("heading", part.text, level, provenance=where, evidence="numbering", confidence=0.8))
        elif at in capitals:
            level = min(len(underlines) + 1, 6)
            draft.add(Block("heading", part.text, level, provenance=where, evidence="capitals", confidence=0.6))
        elif part.code:
            draft.add(Block("code", part.text, provenance=where))
        elif (table := table_in(part.text.split("\n"))) is not None:
            draft.add(Block("table", table_text(table), provenance=where, table=table))
        elif _is_list(part.text):
            draft.add(Block("list", _list_text(part.text), provenance=where))
        else:
            said = part.text.lstrip("\u3000")
            wrapped = not may_start(said) and is_wrapped(said)
            draft.add_paragraph(said.strip() if wrapped else said, where, wrapped=wrapped)


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines between blank ones; a heading if it has an underline or a numbering family."""

    text: str
    lines: tuple[int, int]
    family: str | None = None
    underline: str | None = None
    code: Literal["", "fenced", "indented"] = ""


def _paragraphs(text: str) -> Iterator[_Part]:
    gathered: list[str] = []
    start = 1
    fence = ""
    for number, raw in enumerate([*text.split("\n"), ""], start=1):
        line = raw.replace("\f", "")
        if fence or _FENCE.match(line):
            if fence and line.strip() == fence:
                yield _Part("\n".join(gathered[1:]), (start, number), code="fenced")
                gathered, fence = [], ""
                continue
            if not fence:
                if gathered:
                    yield from _with_headings(gathered, start)
                gathered, start, fence = [], number, line.strip()[:3]
            gathered.append(line)
            continue
        if line.strip():
            if not gathered:
                start = number
            gathered.append(line.rstrip())
            continue
        if gathered:
            yield from _with_headings(gathered, start)
            gathered = []
    if gathered:  # a fence that never closed is no fence
        yield from (part for run, at in _runs(gathered, start) for part in _with_headings(run, at))


def _runs(lines: list[str], start: int) -> Iterator[tuple[list[str], int]]:
    """The lines between blank ones."""
    run: list[str] = []
    for at, line in enumerate([*lines, ""]):
        if line.strip():
            run.append(line.rstrip())
        elif run:
            yield run, start + at - len(run)
            run = []


def _with_headings(lines: list[str], start: int) -> Iterator[_Part]:
    """Headings at the beginning of a paragraph come off it: `第一章 总则` above its first sentence, a title over its rule."""
    first = 0
    while first < len(lines):
        mark = _UNDERLINE.match(lines[first + 1]) if first + 1 < len(lines) else None
        title = lines[first].strip()
        if mark and len(lines[first + 1].strip()) + 1 >= columns(title) and not _UNDERLINE.match(title):
            yield _Part(title, (start + first, start + first + 1), underline=mark[1])
            first += 2
            continue
        family = _heading_family(title, alone=len(lines) == 1)
        if family is None:
            break
        yield _Part(title, (start + first, start + first), family=family)
        first += 1
    if first < len(lines) and not (first and _UNDERLINE.match(lines[first]) and first == len(lines) - 1):
        for begin, end in _indented(lines, first):
            yield _part(lines[begin:end], start + begin)


def _part(lines: list[str], start: int) -> _Part:
    where = (start, start + len(lines) - 1)
    if _is_code(lines):
        indent = min(len(line) - len(line.lstrip(" ")) for line in lines)
        return _Part("\n".join(line[indent:] for line in lines), where, code="indented")
    return _Part("\n".join(lines).strip("\n"), where)


def _is_code(lines: list[str]) -> bool:
    """Lines set in by four columns that have the signs of code, nearly all of them, and are no table or list."""
    if not all(line.startswith(("    ", "\t")) for line in lines) or _BULLET.match(lines[0]) or table_in(lines) is not None:
        return False
    return sum(map(looks_like_code, lines)) >= 0.6 * len(lines)


def _with_whole_code(parts: Iterable[_Part]) -> list[_Part]:
    """The parts, with code that is set in joined over the blank lines inside it."""
    joined: list[_Part] = []
    for part in parts:
        before = joined[-1] if joined else None
        if before is not None and part.code == before.code == "indented" and part.lines[0] - before.lines[1] <= 3:
            gap = "\n" * (part.lines[0] - before.lines[1])
            joined[-1] = _Part(before.text + gap + part.text, (before.lines[0], part.lines[1]), code="indented")
        else:
            joined.append(part)
    return joined


def _indented(lines: list[str], first: int) -> Iterator[tuple[int, int]]:
    """Where paragraphs without a blank line between them begin and end: each starts with an indent, as in books."""
    sets_in = [bool(_INDENT.match(line)) for line in lines[first:]]
    long = [columns(line) >= WRAP_COLUMNS for line in lines[first:]]
    han = [line.startswith("\u3000") for line in lines[first:]]
    few = 2 <= sum(sets_in) <= 0.6 * len(sets_in) and sets_in[0] and sum(long) >= 0.5 * len(long)
    if not (sum(han) >= 2 and han[0]) and not few:
        yield first, len(lines)
        return
    starts = [first + at for at, inside in enumerate(sets_in) if inside]
    yield from zip(starts, [*starts[1:], len(lines)], strict=True)


def _heading_family(line: str, *, alone: bool) -> str | None:
    """The numbering family of a line that reads like a heading; `alone`: it stands between blank lines.

    A single number (`1.`, `一、`, `（一）`) is a list as often as a heading, and 第三条 a sentence: those must stand alone.
    """
    if columns(line) > LONGEST_HEADING or _SENTENCE.search(line):
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


def _believable_capitals(parts: list[_Part]) -> frozenset[int]:
    """The parts that are headings because they are written in capitals: single short lines among others that are not so written.

    An acronym alone on a line, a shouted sentence and a text all in capitals are none.
    """
    found = {at for at, part in enumerate(parts) if not (part.family or part.underline or part.code) and _is_capitals(part.text)}
    found = {at for at in found if at + 1 < len(parts) and at + 1 not in found}
    others = sum(1 for at, part in enumerate(parts) if at not in found and any(map(str.islower, part.text)))
    return frozenset(found) if len(found) <= others else frozenset()


def _is_capitals(text: str) -> bool:
    if "\n" in text or columns(text) > LONGEST_CAPITALS or _SENTENCE.search(text) or text[:1].isspace():
        return False
    letters = [c for c in text if c.isalpha()]
    cased = [c for c in letters if c.isascii()]
    if len(letters) < 5 or len(cased) < len(letters) or text != text.upper():
        return False
    return len(letters) >= 0.7 * len(text.replace(" ", "")) and bool(re.search(r"[A-Z]{2}", text))


def _moved(where: Provenance, by: int) -> Provenance:
    return replace(where, lines=(where.lines[0] + by, where.lines[1] + by)) if where.lines else where


def is_wrapped(text: str) -> bool:
    """Whether breaks come from a width: every line but the last reaches three quarters of the longest, and none starts anew."""
    lines = text.split("\n")
    if len(lines) < 2:
        return True
    widths = [columns(line) for line in lines[:-1]]
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
