"""What must hold of every document's chunks, told from the document alone: knows the model and what a sentence and a unit are,
not how the chunker works.

Whoever doubts a document asks `violations`; `make check-chunks` does for every file that it finds, and the tests for documents
nobody would write.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from ingest.chunk.leaning import leans
from ingest.chunk.sections import named
from ingest.chunk.sentences import sentence_ends
from ingest.chunk.units import HALVES, in_units, measure
from ingest.model.chunk import Child, Chunked, chunk_id, parent_id
from ingest.model.document import Block, Document
from ingest.settings import ChunkPart

_PROSE = frozenset({"paragraph", "quote", "heading", "caption", "footnote"})
_WHOLE = frozenset({"table", "code", "faq", "list", "formula"})
"""Kinds that are not cut unless it is said."""


class _Place(NamedTuple):
    """A body block with text: its path, the number of its section, and where its text (without white space around) stands."""

    block: Block
    path: tuple[str, ...]
    section: int
    start: int
    end: int


def violations(document: Document, chunked: Chunked, settings: ChunkPart, source_id: str) -> list[str]:
    """Return what does not hold, a line each; empty where everything does."""
    return list(_Checked(document, chunked, settings, source_id).all())


class _Checked:
    def __init__(self, document: Document, chunked: Chunked, settings: ChunkPart, source_id: str) -> None:
        self._text = document.text
        self._places = list(_places(document))
        self._starts = [place.start for place in self._places]
        self._ends = [place.end for place in self._places]
        self._chunked, self._settings, self._source_id = chunked, settings, source_id

    def all(self) -> Iterator[str]:
        yield from self._reassembles()
        yield from self._ids()
        for number, child in enumerate(self._chunked.children):
            for problem in self._of(child):
                yield f"child {number} ({child.kind}, {child.provenance.span}): {problem}"
        yield from self._parents()

    def _of(self, child: Child) -> Iterator[str]:
        span = child.provenance.span
        if span is None:
            yield "has no span"
            return
        if child.text[child.overlap :] != self._text[span[0] : span[1]]:
            yield "its slice of the document is not its text"
        if not child.subject:
            yield "has no subject"
        if child.heading_path and not child.prefix and child.heading_path[-1] not in " ".join(child.text.split()):
            yield "has no prefix and does not begin with its heading"
        if child.units != in_units(measure(child.prefix) + measure(child.text)):
            yield "its units are wrong"
        if measure(child.prefix) > self._settings.child_max * HALVES // 3 + 3:
            yield "its prefix is more than a third of its budget"
        inside = self._places[bisect_right(self._ends, span[0]) : bisect_left(self._starts, span[1])]
        yield from self._wall(child, inside)
        yield from self._overlap(child, span[0], inside)
        yield from self._whole(child, span, inside)
        yield from self._provenance(child, inside)
        yield from self._size(child, inside)
        if child.prefix and leans(child.text, child.overlap) and not _says(child):
            yield f"begins without its subject, and its prefix does not name {child.subject!r}"

    def _reassembles(self) -> Iterator[str]:
        at = 0
        for child in self._chunked.children:
            start, end = child.provenance.span or (0, 0)
            if not at <= start < end:
                yield f"children overlap or are out of order at {start}"
            if self._text[at:start].strip():
                yield f"text is in no child from {at} to {start}"
            at = end
        if self._text[at:].strip():
            yield f"text is in no child from {at} on"

    def _ids(self) -> Iterator[str]:
        seen: dict[tuple[tuple[str, ...], str], int] = {}
        for child in self._chunked.children:
            key = child.heading_path, child.text
            seen[key] = seen.get(key, -1) + 1
            if child.chunk_id != chunk_id(self._source_id, *key, seen[key]):
                yield f"{child.chunk_id} is not the id of its path and text"
        seen = {}
        for parent in self._chunked.parents:
            key = parent.heading_path, parent.text
            seen[key] = seen.get(key, -1) + 1
            if parent.parent_id != parent_id(self._source_id, *key, seen[key]):
                yield f"{parent.parent_id} is not the id of its path and text"

    def _wall(self, child: Child, inside: list[_Place]) -> Iterator[str]:
        """All text of one section, under its path; headings come first and lead to that section."""
        own = [place for place in inside if place.block.kind != "heading"]
        if len({place.section for place in own}) > 1:
            yield "reaches across sections"
        if any(place.path != child.heading_path for place in own):
            yield "has another path than its text"
        headings = [place.path for place in inside if place.block.kind == "heading"]
        if any(place.block.kind != "heading" for place in inside[: len(headings)]):
            yield "has a heading behind its text"
        leading = all(path == child.heading_path[: len(path)] for path in headings)
        if not leading or any(len(left) >= len(right) for left, right in pairwise(headings)):
            yield "has headings that do not lead to its section"
        if not own and headings and headings[-1] != child.heading_path:
            yield "is a heading under another path"

    def _overlap(self, child: Child, start: int, inside: list[_Place]) -> Iterator[str]:
        """What is repeated stands before the child in its section; where it is prose, it is one sentence, the last before it."""
        repeated = child.text[: child.overlap]
        if not repeated:
            return
        place = inside[0] if inside else None
        first = next((one.start for one in self._places if place and one.section == place.section), 0)
        if repeated.strip() not in self._text[first:start]:
            yield "repeats what does not stand before it in its section"
        if place is None or place.block.kind not in _PROSE:
            return
        begin = start - child.overlap
        if self._text[begin:start] != repeated:
            yield "repeats something else than the sentence before it"
        for one in self._places[bisect_right(self._ends, begin) : bisect_left(self._starts, start)]:
            ends = [one.start + end for end in sentence_ends(self._text[one.start : one.end])]
            if any(begin < end < min(start, one.end) for end in ends):
                yield "repeats more than a sentence"

    def _whole(self, child: Child, span: tuple[int, int], inside: list[_Place]) -> Iterator[str]:
        """No row, line of code, item or pair begins or ends inside a child, but for what says `/part`."""
        for place in inside:
            if place.block.kind not in _WHOLE:
                continue
            for edge in span:
                if not place.start < edge < place.end:
                    continue
                between_lines = self._ends_line(edge)
                if place.block.kind == "table":
                    if not between_lines and not child.kind.endswith("/part") and child.kind == "table":
                        yield "cuts a row"
                elif child.kind.partition("/")[0] == place.block.kind and not child.kind.endswith("/part"):
                    yield f"cuts a {place.block.kind} and does not say so"

    def _ends_line(self, edge: int) -> bool:
        """Whether only white space is between `edge` and the end of a line, or its beginning."""
        line_end = self._text.find("\n", edge)
        line_start = self._text.rfind("\n", 0, edge) + 1
        rest = self._text[edge : line_end if line_end >= 0 else None]
        return not rest.strip() or not self._text[line_start:edge].strip()

    def _provenance(self, child: Child, inside: list[_Place]) -> Iterator[str]:
        lines = [place.block.provenance.lines for place in inside if place.block.provenance.lines]
        times = [place.block.provenance.time for place in inside if place.block.provenance.time]
        if lines and child.provenance.lines != (min(first for first, _ in lines), max(last for _, last in lines)):
            yield "its lines are not those of its blocks"
        if times and child.provenance.time != (min(first for first, _ in times), max(last for _, last in times)):
            yield "its times are not those of its blocks"
        boxes = {box for place in inside for box in place.block.provenance.boxes}
        if boxes != set(child.provenance.boxes):
            yield "its boxes are not those of its blocks"

    def _size(self, child: Child, inside: list[_Place]) -> Iterator[str]:
        """Text without anything atomic never exceeds the budget; with it, not the hard maximum and what is repeated or tied."""
        most = self._settings.child_max + 1
        if not {place.block.kind for place in inside} <= _PROSE:
            most = max(self._settings.atomic_max, self._settings.child_max) + self._settings.child_max
        if child.units > most:
            yield f"has {child.units} units, {most} are allowed"

    def _parents(self) -> Iterator[str]:
        children, parents = self._chunked.children, self._chunked.parents
        if list(dict.fromkeys(child.parent_id for child in children)) != [parent.parent_id for parent in parents]:
            yield "parents are not those of the children, in their order"
            return
        mine: dict[str, list[Child]] = {}
        for child in children:
            mine.setdefault(child.parent_id, []).append(child)
        for number, parent in enumerate(parents):
            own = mine[parent.parent_id]
            start, end = (own[0].provenance.span or (0, 0))[0], (own[-1].provenance.span or (0, 0))[1]
            if parent.provenance.span != (start, end) or parent.text != self._text[start:end]:
                yield f"parent {number} is not the slice from its first to its last child"
            if parent.units != in_units(measure(parent.text)):
                yield f"parent {number}: its units are wrong"
            if any(child.heading_path[: len(parent.heading_path)] != parent.heading_path for child in own):
                yield f"parent {number} has a path that is not above its children"


def _says(child: Child) -> bool:
    """Whether the prefix, or the headings that the text begins with, name what the child is about. A subject of several parts
    ("HaiTong · Ports") is named part by part."""
    named_in = f"{child.prefix} {' '.join(child.text.split())}".casefold()
    return all(part.rstrip("…").strip().casefold()[:20] in named_in for part in child.subject.split(" · "))


def _places(document: Document) -> Iterator[_Place]:
    """Every body block that has text, in order."""
    stack: list[tuple[int, str]] = []
    section = 0
    for block in document.blocks:
        if block.layer != "body" or block.provenance.span is None or not block.text.strip():
            continue
        if block.kind == "heading":
            level = max(block.level, 1)
            while stack and stack[-1][0] >= level:
                stack.pop()
            stack.append((level, named(block.text)))
            section += 1
        start = block.provenance.span[0]
        leading, trailing = len(block.text) - len(block.text.lstrip()), len(block.text.rstrip())
        yield _Place(block, tuple(name for _, name in stack), section, start + leading, start + trailing)
