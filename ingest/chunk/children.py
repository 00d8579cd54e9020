"""The children of one section: its pieces packed, each with its prefix."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from ingest.chunk.blocks import pieces_of, runs
from ingest.chunk.leaning import leans
from ingest.chunk.packing import Cut, pack
from ingest.chunk.piece import Budget, Piece
from ingest.chunk.prefix import prefix_of, sentences_of
from ingest.chunk.provenance import touched
from ingest.chunk.questions import asks
from ingest.chunk.sections import Placed, Section, named
from ingest.chunk.subject import Subject, definitions
from ingest.chunk.units import HALVES, Ruler, measure
from ingest.settings import ChunkPart


class Draft(NamedTuple):
    """A child before it has a parent. `size` of its slice, in halves of a unit."""

    section: Section
    blocks: list[Placed]
    start: int
    end: int
    size: int
    lead: str
    kind: str
    prefix: str
    subject: str


class Cutter:
    """Cuts the sections of one document."""

    def __init__(self, text: str, title: str, settings: ChunkPart) -> None:
        self.title = title
        self.ruler = Ruler(text)
        self._text, self._settings = text, settings
        self._prefix_limit = settings.child_max * HALVES // 3

    def children(self, section: Section, subject: Subject) -> list[Draft]:
        """Return the children of a section's own text."""
        blocks = section.blocks
        prefix = self._prefix(section, subject.topic)
        begins = [named(placed.block.text) for placed in takewhile(_is_heading, blocks)]
        first = self._prefix(section, subject.topic, begins) if begins else prefix
        longest = max(measure(prefix), measure(first))
        budget = self._budget(longest)
        if sum(placed.size for placed in blocks) <= budget.most and not _has_pairs(blocks):
            start, end = blocks[0].start, blocks[-1].end
            kind = _dominating([(placed.block.kind, placed.size) for placed in blocks])
            size = self.ruler.size(start, end)
            return [Draft(section, blocks, start, end, size, "", _asked(kind, section), first, subject.text)]
        topics = [(at, topic, self._prefix(section, topic)) for at, topic in definitions(section, self.title)]
        budget = self._budget(max([longest, *(measure(told) for _, _, told in topics)]))
        drafts: list[Draft] = []
        seen = 0
        pieces = pieces_of(blocks, self._text, budget)
        for cut in (cut for run in runs(pieces, budget) for cut in pack(run, self._text, budget)):
            seen, last = touched(blocks, cut.start, cut.end, seen)
            about, told = subject.text, prefix
            if begins and not drafts and blocks[len(begins) - 1].end <= cut.end:
                told = first
            elif topics:
                # What begins with a definition is about what it defines; what leans, about what was defined before it.
                reach = cut.start if leans(self._text, cut.start) else -1
                defined = ((topic, line) for at, topic, line in reversed(topics) if at == cut.start or at < reach)
                about, told = next(defined, (about, told))
            drafts.append(Draft(
                section, blocks[seen:last], cut.start, cut.end, self.ruler.size(cut.start, cut.end), cut.lead.text,
                _asked(_kind(cut.pieces), section), _complete(told, cut), about,
            ))
        return drafts

    def _prefix(self, section: Section, topic: str, begins: Sequence[str] = ()) -> str:
        return prefix_of(self.title, section.path, topic, self._prefix_limit, begins)

    def _budget(self, prefix: int) -> Budget:
        settings = self._settings
        most = max(settings.child_max * HALVES - prefix, HALVES)
        return Budget(
            least=max(min(settings.child_min * HALVES - prefix, most), 1),
            most=most,
            whole=max(settings.atomic_max * HALVES - prefix, most),
            columns=self._prefix_limit - prefix,
            overlap=settings.overlap,
            ruler=self.ruler,
        )


def _is_heading(placed: Placed) -> bool:
    return placed.block.kind == "heading"


def _has_pairs(blocks: list[Placed]) -> bool:
    """Whether an FAQ pair stands beside other text."""
    return len(blocks) > 1 and any(placed.block.kind == "faq" for placed in blocks)


def _complete(prefix: str, cut: Cut) -> str:
    """The prefix with what else belongs beside this child: names of columns, who speaks, footnotes that stand elsewhere."""
    first = cut.pieces[0].beside.text
    cited = (note for piece in cut.pieces if piece.form == "sentence" for note in piece.notes)
    notes = [note.text.text for note in cited if note.start >= cut.end]
    return sentences_of(prefix, first, *notes) if first or notes else prefix


def _asked(kind: str, section: Section) -> str:
    """What stands under a heading that asks is its answer."""
    if kind.partition("/")[0] in ("paragraph", "list") and section.path and asks(section.path[-1]):
        return f"faq{kind[kind.index('/'):]}" if "/" in kind else "faq"
    return kind


def _kind(pieces: list[Piece]) -> str:
    kind = _dominating([(piece.kind, piece.size) for piece in pieces])
    return f"{kind}/part" if any(piece.partial for piece in pieces if piece.kind == kind) else kind


def _dominating(parts: list[tuple[str, int]]) -> str:
    """The kind with the most text; a heading only where there is nothing else. The earlier of two that are equal.

    A pair is a pair, however long what introduces it."""
    if len(parts) == 1:
        return parts[0][0]
    if any(kind == "faq" for kind, _ in parts):
        return "faq"
    sizes: dict[str, int] = {}
    for kind, size in parts:
        if kind != "heading":
            sizes[kind] = sizes.get(kind, 0) + size
    return max(sizes, key=sizes.__getitem__) if sizes else "heading"
