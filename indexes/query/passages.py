"""An answer taken apart: its sentences with the citations in them, and what it quotes.

Markdown as models write it: headings, lists, tables, quoted blocks, fenced code. A citation is `[K1]`, `【K1】`, `K1`, `[K1, K2]`
or `[K1-K3]`; behind a full stop it still belongs to the sentence before it. Code is read neither for citations nor quotations.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from ingest.chunk.sentences import sentence_ends

_WIDE = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
"""Full-width forms of ASCII, and the blank."""
_ALIKE = _WIDE | dict.fromkeys(map(ord, "\"“”„‟«»‹›「」『』〝〞＂‘’‚‛＇"), "'") | dict.fromkeys(map(ord, "‐‑‒–—―−－"), "-")
"""What writers exchange for one another without quoting otherwise: besides widths, quotation marks and dashes of every kind."""
_SPACES = re.compile(r"\s+")
_UNSPACED = "\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U000323af"
_BESIDE_HAN = re.compile(rf"(?<=[{_UNSPACED}]) | (?=[{_UNSPACED}])")

_LETTERS = "0-9A-Za-z\u00c0-\u024f"

_CITATION = re.compile(r"(?<![0-9A-Za-z_.-])K([1-9][0-9]{0,4})(?![0-9A-Za-z_]|[./-](?!K[1-9])[0-9A-Za-z_])")
_RANGE = re.compile(
    r"(?<![0-9A-Za-z_./-])K([1-9][0-9]{0,4})\s*[-–—~～至到]\s*(?:K(?=[1-9])|(?=[0-9]+\s*[\]】]))([1-9][0-9]{0,4})(?![0-9A-Za-z_])"
)
_LONGEST_RANGE = 100
_BESIDE = r"[^\[\]【】()（）]{0,200}"
_MARKERS = re.compile(rf"(?:\s{{0,9}}(?:[\[【(（]{_BESIDE}\bK[1-9][0-9]{{0,4}}{_BESIDE}[\]】)）]|\^?K[1-9][0-9]{{0,4}}\b))+")
"""One or more citations with the brackets around them. What stands beside them is bounded: an answer is anybody's text."""
_WORD = re.compile(r"[^\W_]{2}")

_FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s")
_ITEM = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)、]|[（(]\d{1,3}[)）])\s+")
_ROW = re.compile(r"^\s*\|")
_RULE = re.compile(r"^[\s|:=*_-]+$")
_QUOTED_LINE = re.compile(r"^\s{0,3}>\s?")
_CODE = re.compile(r"`[^`\n]*`")
_QUOTES = re.compile(
    r"\"([^\"\n]+)\"|“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|〝([^〝〞]+)〞|„([^“”„]+)[“”]|«([^«»]+)»|‹([^‹›]+)›"
    r"|(?<!\w)‘((?:[^‘’\n]|’(?=\w))+)’(?!\w)"
)
_SAID_BY = re.compile(r"\n\s*(?:—|–|--)[^\n]*\Z")
"""The last line of a quoted block that says whose words they are."""
_BOLD = re.compile(rf"(?<![{_LETTERS}*])(\*{{1,3}}|_{{2,3}})(?=\S)(.{{1,300}}?)(?<=\S)\1(?![{_LETTERS}])", re.DOTALL)
_LEFT_OUT = re.compile(r"[\[(（]?(?:\.{3,}|…+|\. \. \.)[\])）]?")
_BEGINS = re.compile(rf"(?:(?<![{_LETTERS}])|(?=[^{_LETTERS}]))(?<!\d[.,](?=\d))")
_ENDS = re.compile(rf"(?:(?![{_LETTERS}])|(?<=[^{_LETTERS}]))(?!(?<=\d)[.,]\d)")
"""Where a quotation may begin and end: at no half word and no half number (`legal` in `illegal`, `20` in `120` or `3.20`)."""
_END = " ,.;:!?、。…"
"""Marks that writers put before a closing quotation mark though they are their own."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence with its citations. `states`: it says something, and is no heading and no line that only leads to a list."""

    text: str
    citations: tuple[str, ...]
    states: bool


@dataclass(frozen=True, slots=True)
class Quotation:
    """What stands between quotation marks, or in a quoted block, with the citations of its sentence or block."""

    text: str
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Block:
    kind: str
    """text, heading or quote"""
    text: str


def passages(answer: str) -> list[Passage]:
    """Return the sentences of an answer in order, those of quoted blocks as one each."""
    found = []
    for block in _blocks(answer):
        for sentence in [block.text] if block.kind == "quote" else _sentences(block.text):
            said = _MARKERS.sub("", sentence).strip()
            states = block.kind != "heading" and not said.endswith((":", "：")) and bool(_WORD.search(said))
            found.append(Passage(sentence.strip(), cited(sentence), states))
    return found


def quotations(answer: str) -> list[Quotation]:
    """Return what an answer quotes, in order. A block without a citation of its own is held to those of the sentence before it,
    or else behind it."""
    blocks = list(_blocks(answer))
    found = []
    for place, block in enumerate(blocks):
        if block.kind == "quote":
            said = _SAID_BY.sub("", _MARKERS.sub("", block.text).strip()).strip()
            inside = _QUOTES.fullmatch(said)
            found.append(Quotation(_within(inside, said) if inside else said, cited(block.text) or _beside(blocks, place)))
        elif block.kind == "text":
            found += _inline(block.text)
    return [quotation for quotation in found if _SPACES.sub("", quotation.text)]


def cited(text: str) -> tuple[str, ...]:
    """Return the citations in a text, each once, in order."""
    flat = text.translate(_WIDE)
    spans = {}
    for match in _CITATION.finditer(flat):
        spans[match.start()] = [int(match[1])]
    for match in _RANGE.finditer(flat):
        first, last = int(match[1]), int(match[2])
        if first <= last <= first + _LONGEST_RANGE:
            spans[match.start()] = list(range(first, last + 1))
            spans.setdefault(match.end() - len(match[2]) - 1, [last])
    return tuple(dict.fromkeys(f"K{number}" for at in sorted(spans) for number in spans[at]))


def ways(quoted: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the parts that a squeezed text has one behind the other where it says what is quoted: as they are written, or else
    without emphasis that the answer put on them, without marks at their ends, and with anything between them that `...` leaves
    out."""
    plain = squeezed(_BOLD.sub(r"\2", quoted).replace("`", ""))
    return (squeezed(quoted),), tuple(part.strip(_END) for part in _LEFT_OUT.split(plain))


def stands(parts: Sequence[str], held: str) -> bool:
    """Whether parts stand in a squeezed text one behind the other, in whole words and numbers; empty ones say nothing."""
    if not all(part in held for part in parts):  # before any is looked at for half words: an `e` is found at every other word
        return False
    at = 0
    for part in filter(None, parts):
        start = held.find(part, at)
        while start >= 0 and not (_BEGINS.match(held, start) and _ENDS.match(held, start + len(part))):
            start = held.find(part, start + 1)
        if start < 0:
            return False
        at = start + len(part)
    return any(parts)


def squeezed(text: str) -> str:
    """Return a text without what quotations of it may do otherwise: one width of letters, one kind of quotation marks and dashes,
    and one blank where there was white space, none beside Han characters."""
    return _BESIDE_HAN.sub("", _SPACES.sub(" ", text.translate(_ALIKE))).strip()


def _blocks(answer: str) -> Iterator[_Block]:
    """Paragraphs, items, rows and headings, one after the other; code left out."""
    kind, lines = "text", list[str]()
    fence = ""
    for line in [*answer.splitlines(), ""]:
        opening = _FENCE.match(line)
        if fence:
            fence = "" if opening and opening[1].startswith(fence) else fence
            continue
        quote = _QUOTED_LINE.match(line)
        now = "quote" if quote else "heading" if _HEADING.match(line) else "text"
        begins = bool(opening or not line.strip() or now != kind or now == "heading" or _ITEM.match(line) or _ROW.match(line))
        if begins and lines:
            yield _Block(kind, "\n".join(lines))
            lines = []
        if opening:
            fence = opening[1]
        elif line.strip() and not _RULE.match(line):
            lines.append(line[quote.end() :] if quote else _ITEM.sub("", line) if now == "text" else line)
        kind = now


def _sentences(text: str) -> list[str]:
    """Sentences, citations behind a full stop with the sentence before it; joined they are `text` again."""
    blank = _MARKERS.sub(lambda marker: " " * len(marker.group()), text)
    blank = _QUOTES.sub(lambda quoted: f"{quoted[0][0]}{'x' * (len(quoted[0]) - 3)}{quoted[0][-2:]}", blank)  # no end in them
    found: list[str] = []
    start = 0
    for end in sentence_ends(blank):
        if found and not _WORD.search(blank[start:end]):
            found[-1] += text[start:end]
        else:
            found.append(text[start:end])
        start = end
    return found or [text]


def _inline(text: str) -> Iterator[Quotation]:
    """What stands between quotation marks in a paragraph, with the citations of the sentence in which it ends."""
    parts = _sentences(text)
    ends, cites = list(accumulate(map(len, parts))), [cited(part) for part in parts]
    for match in _QUOTES.finditer(_CODE.sub(lambda code: " " * len(code.group()), text)):
        yield Quotation(_within(match, text), cites[bisect_left(ends, match.end())])


def _within(quoted: re.Match[str], text: str) -> str:
    """What stands between the marks, as it is written: marks are looked for in a text without code."""
    start, end = quoted.span(quoted.lastindex or 0)
    return text[start:end]


def _beside(blocks: Sequence[_Block], place: int) -> tuple[str, ...]:
    """The citations of the sentence before a block, or else of the one behind it."""
    before = cited(_sentences(blocks[place - 1].text)[-1]) if place else ()
    return before or (cited(_sentences(blocks[place + 1].text)[0]) if place + 1 < len(blocks) else ())
