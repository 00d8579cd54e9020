"""Transcripts with times (SRT and WebVTT) become paragraphs as speech does: by pause and by speaker.

Positions, styling and cue numbers are dropped. Captions that roll, each showing the line before once more, as video platforms
write them, are read once. Who speaks is told by voice tags (`<v Wang Fang>`), else by names in front of what is said (`Wang Fang:
...`, `王芳：……`), and stands before it.
"""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ingest.errors import DocumentCorrupt, DocumentEmpty
from ingest.model.document import Block, Document, Provenance, laid_out
from ingest.parse.audio.paragraphs import Word, grouped, joined
from ingest.parse.fingerprint import stamp
from ingest.parse.ledger import Ledger
from ingest.parse.reading import read
from ingest.settings import ParsePart

_TIMES = re.compile(
    r"[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})"
    r"[ \t]*-->[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[,.](\d{1,3})(?:[ \t].*)?"
)
_VOICE = re.compile(r"<v(?:\.[^ \t>]*)?[ \t]+([^>]*)>")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|<\d{1,4}:[\d:.]+>|\{\\[^{}]{0,200}\}")
ROLLING_SHARE = 0.3
"""Of the cues that begin with the last line of the one before, from which captions roll."""
_NAMED = re.compile(r"(?P<name>[^\W\d_][^\n:：。！？.!?,，;；]{0,29})(?::\s+|：\s*)(?=\S)")
NAMED_SHARE = 0.2
"""Of the cues that begin with a name and a colon, from which these are names and not words like "Note: ..."."""
_SET_APART = ("NOTE", "STYLE", "REGION")
_LANGUAGE = re.compile(r"^Language:[ \t]*([A-Za-z]{2,3})", re.MULTILINE)


def version(settings: ParsePart) -> str:
    return stamp("captions", 2)


def parse(data: bytes, name: str, settings: ParsePart, media_type: str) -> Document:
    """Read an SRT or WebVTT file. Raises DocumentCorrupt when no line of times is in it, DocumentEmpty when nothing is said."""
    reading = read(data, name)
    ledger = Ledger()
    head, cues = _cues(reading.text, ledger)
    if not cues:
        raise DocumentCorrupt(f"{name} has no cue with times; export the transcript again")
    words = list(_unrolled(_with_names(cues)))
    blocks = list(_paragraphs(words))
    if not blocks:
        raise DocumentEmpty(f"{name} says nothing; leave it out with .ingestignore")
    language = _LANGUAGE.search(head)
    speakers = list(dict.fromkeys(word.word.speaker for word in words if word.word.speaker))
    embedded: dict[str, object] = {"encoding": reading.encoding} if reading.encoding != "utf-8" else {}
    embedded |= {"speakers": speakers} if speakers else {}
    embedded |= {"duration_seconds": max(word.word.end for word in words)}
    return Document(
        media_type=media_type,
        parser=version(settings),
        title=_title(head),
        blocks=laid_out(blocks),
        omissions=(*reading.omissions, *ledger.omissions()),
        embedded=embedded,
        language=language[1].lower() if language else None,
    )


@dataclass(frozen=True, slots=True)
class _Cue:
    """`first` and `last` are its lines in the file, from 1."""

    start: float
    end: float
    text: list[tuple[str | None, str]]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class _Placed:
    word: Word
    lines: tuple[int, int]


def _cues(text: str, ledger: Ledger) -> tuple[str, list[_Cue]]:
    """The head of a WebVTT file, and the cues in their order. A cue ends at a blank line, or where the next one's times come
    without one, as some programs write."""
    lines = text.removeprefix("\ufeff").split("\n")
    head = ""
    found: list[_Cue] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        times = _TIMES.fullmatch(line)
        if times is not None:
            end = _end_of_cue(lines, at + 1)
            said = list(_said(lines[at + 1 : end]))
            found.append(_Cue(_seconds(times.groups()[:4]), _seconds(times.groups()[4:]), said, at + 1, max(at + 1, end)))
            at = end
        elif line.split(" ", 1)[0] in _SET_APART or line.startswith("WEBVTT"):
            end = _end_of_block(lines, at)
            block = "\n".join(lines[at:end])
            if line.startswith("WEBVTT"):
                head = block
            elif line.startswith("NOTE"):
                ledger.note("comment", f"line {at + 1}", block.removeprefix("NOTE"))
            at = end
        else:
            is_label = at + 1 < len(lines) and _TIMES.fullmatch(lines[at + 1]) is not None  # the number or name of a cue
            if line.strip() and not is_label and found:
                found[-1].text.extend(_said([line]))  # a blank line within a cue
            at += 1
    return head, sorted(found, key=lambda cue: (cue.start, cue.first))


def _end_of_block(lines: list[str], at: int) -> int:
    while at < len(lines) and lines[at].strip() and not _TIMES.fullmatch(lines[at]):
        at += 1
    return at


def _end_of_cue(lines: list[str], at: int) -> int:
    end = _end_of_block(lines, at)
    # The number of a cue that follows without a blank line belongs to that one.
    followed = end < len(lines) and _TIMES.fullmatch(lines[end]) is not None
    return end - 1 if followed and end > at and lines[end - 1].strip().isdecimal() else end


def _said(lines: list[str]) -> Iterator[tuple[str | None, str]]:
    """Lines of a cue without tags, each with who says it."""
    speaker: str | None = None
    for line in lines:
        pieces = _VOICE.split(line)
        for number, piece in enumerate(pieces):
            if number % 2:
                speaker = " ".join(html.unescape(piece).split()) or None
                continue
            text = " ".join(html.unescape(_TAG.sub("", piece)).replace("\u200e", "").replace("\u200f", "").split())
            if text:
                yield speaker, text


def _with_names(cues: list[_Cue]) -> list[_Cue]:
    """The cues with names in front of what is said taken for speakers; a cue without one goes on with the last.

    Formats without tags have no other way. One name must come twice, so that a lecture's "Example: ..." is nobody.
    """
    if any(speaker for cue in cues for speaker, _ in cue.text):
        return cues
    names = Counter(found["name"] for cue in cues for _, text in cue.text if (found := _NAMED.match(text)))
    if not names or max(names.values()) < 2 or names.total() < NAMED_SHARE * len(cues):
        return cues
    named = []
    speaker: str | None = None
    for cue in cues:
        said: list[tuple[str | None, str]] = []
        for _, text in cue.text:
            found = _NAMED.match(text)
            if found and (names[found["name"]] > 1 or _is_short(found["name"])):
                speaker, text = found["name"].strip(), text[found.end() :]
            said.append((speaker, text))
        named.append(replace(cue, text=said))
    return named


def _is_short(name: str) -> bool:
    """Whether something said once may be the name of one who speaks once, and is no half sentence."""
    return name.count(" ") < 2 if name.isascii() else len(name) <= 4


def _unrolled(cues: list[_Cue]) -> Iterator[_Placed]:
    """What each cue says that the one before did not, where captions roll and show their last lines again."""
    shown: list[str] = []
    rolling = _roll(cues)
    for cue in cues:
        texts = [text for _, text in cue.text]
        most = min(len(shown), len(texts), 3) if rolling else 0
        repeated = next((n for n in range(most, 0, -1) if shown[-n:] == texts[:n]), 0)
        fresh = cue.text[repeated:]
        if rolling and not repeated and shown and texts and texts[0].startswith(f"{shown[-1]} "):  # grows word by word
            fresh = [(cue.text[0][0], texts[0][len(shown[-1]) :].strip()), *cue.text[1:]]
        for speaker, text in fresh:
            yield _Placed(Word(cue.start, max(cue.end, cue.start), f"\n{text}", speaker=speaker), (cue.first, cue.last))
        if texts:
            shown = texts


def _roll(cues: list[_Cue]) -> bool:
    """Whether so many cues go on with the last line of the one before that this is how they are shown, not what was said."""
    spoken = [[text for _, text in cue.text] for cue in cues if cue.text]
    pairs = list(pairwise(spoken))
    again = sum(later[0] == earlier[-1] or later[0].startswith(f"{earlier[-1]} ") for earlier, later in pairs)
    return again >= 2 and again >= ROLLING_SHARE * len(pairs)


def _paragraphs(words: list[_Placed]) -> Iterator[Block]:
    at = 0
    for group in grouped(word.word for word in words):
        lines = [word.lines for word in words[at : at + len(group)]]
        at += len(group)
        one = joined(group)
        if one.text:
            where = Provenance(
                lines=(min(first for first, _ in lines), max(last for _, last in lines)), time=(one.start, one.end)
            )
            yield Block("paragraph", f"{one.speaker}: {one.text}" if one.speaker else one.text, provenance=where)


def _seconds(groups: tuple[str | None, ...]) -> float:
    hours, minutes, seconds, parts = groups
    whole = int(hours or 0) * 3600 + int(minutes or 0) * 60 + int(seconds or 0)
    return round(whole + int((parts or "0").ljust(3, "0")) / 1000, 3)


def _title(head: str) -> str | None:
    first = head.split("\n", 1)[0].removeprefix("WEBVTT").strip(" \t-–—:")
    return first or None
