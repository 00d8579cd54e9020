"""A parsed document becomes parents and children. Goes in: the block tree, its source id and title. Comes out: `Chunked`.

    outline (sections) -> pieces of each section -> children -> parents -> ids

The decision worth knowing: children are exact, ordered, disjoint slices of `Document.text`, and between two of them there is
only white space; whatever is repeated stands in front and is counted in `overlap`. A section is a hard wall: a child holds text
of one section only, led by its heading (and by headings above it that have no text of their own). Whenever the same document
could be cut differently, `fingerprint.FINGERPRINT` changes.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ingest.chunk.blocks import pieces_of
from ingest.chunk.packing import pack
from ingest.chunk.parents import Group, Range, group
from ingest.chunk.piece import Budget, Piece
from ingest.chunk.prefix import prefix_of
from ingest.chunk.provenance import merged, touched
from ingest.chunk.sections import Placed, Section, outline
from ingest.chunk.subject import NOTHING, Subject, subject_of
from ingest.chunk.units import THIRDS, in_units, measure
from ingest.model.chunk import Child, Chunked, Parent, chunk_id, parent_id
from ingest.model.document import Document
from ingest.settings import ChunkPart


class _Draft(NamedTuple):
    """A child before it has a parent."""

    section: Section
    blocks: list[Placed]
    start: int
    end: int
    size: int
    lead: str
    kind: str
    prefix: str
    subject: str


def chunk(document: Document, *, source_id: str, title: str, settings: ChunkPart) -> Chunked:
    """Cut `document` into parents and children, in reading order.

    Pure: the same arguments give the same ids. Every document with any text gives at least one child; one without gives
    none. `title` is what the source is called (declared, or found by the parser, or the file's name); it enters prefixes.
    """
    text = document.text
    drafts: list[_Draft] = []
    root = outline(document)
    ranges = _draft(root, NOTHING, drafts, text, title, settings)
    groups = group(
        ranges,
        [draft.size for draft in drafts],
        [draft.start for draft in drafts],
        text,
        settings.parent_min * THIRDS,
        settings.parent_max * THIRDS,
    )
    return _numbered(drafts, groups, text, source_id)


def _draft(section: Section, around: Subject, drafts: list[_Draft], text: str, title: str, settings: ChunkPart) -> Range:
    """Append the children of `section` and of all below it; return which they are."""
    first = len(drafts)
    subject = subject_of(section, title, around)
    if section.blocks:
        drafts += _children(section, subject, text, title, settings)
    own_last = len(drafts)
    below = [_draft(inner, subject, drafts, text, title, settings) for inner in section.subsections]
    size = sum(draft.size for draft in drafts[first:own_last]) + sum(inner.size for inner in below)
    return Range(first, own_last, len(drafts), size, below)


def _children(section: Section, subject: Subject, text: str, title: str, settings: ChunkPart) -> list[_Draft]:
    """The children of a section's own text."""
    prefix_limit = settings.child_max * THIRDS // 3
    # Title and headings are in the prefix anyway; what it has to add is the topic, or what stands in for all of them.
    prefix = prefix_of(title, section.path, subject.topic if title or section.path else subject.text, prefix_limit)
    prefix_size = measure(prefix)
    blocks = section.blocks
    budget = _budget(settings, prefix_size, prefix_limit)
    size = sum(placed.size for placed in blocks)
    if size <= budget.most:
        start, end = blocks[0].start, blocks[-1].end
        kind = _dominating([(placed.block.kind, placed.size) for placed in blocks])
        return [_Draft(section, blocks, start, end, size, "", kind, prefix, subject.text)]
    drafts = []
    seen = 0
    for cut in pack(pieces_of(blocks, text, budget), text, budget):
        seen, last = touched(blocks, cut.start, cut.end, seen)
        columns = cut.pieces[0].columns
        drafts.append(
            _Draft(
                section,
                blocks[seen:last],
                cut.start,
                cut.end,
                cut.size,
                cut.lead.text,
                _kind(cut.pieces),
                f"{prefix} | {columns.text}" if columns.text else prefix,
                subject.text,
            )
        )
    return drafts


def _budget(settings: ChunkPart, prefix_size: int, prefix_limit: int) -> Budget:
    most = settings.child_max * THIRDS - prefix_size
    return Budget(
        least=max(min(settings.child_min * THIRDS - prefix_size, most), 1),
        most=most,
        whole=max(settings.atomic_max * THIRDS - prefix_size, most),
        columns=prefix_limit - prefix_size,
        overlap=settings.overlap,
    )


def _kind(pieces: list[Piece]) -> str:
    kind = _dominating([(piece.kind, piece.size) for piece in pieces])
    return f"{kind}/part" if any(piece.partial for piece in pieces if piece.kind == kind) else kind


def _dominating(parts: list[tuple[str, int]]) -> str:
    """The kind with the most text; a heading only where there is nothing else. The earlier of two that are equal."""
    if len(parts) == 1:
        return parts[0][0]
    sizes: Counter[str] = Counter()
    for kind, size in parts:
        if kind != "heading":
            sizes[kind] += size
    return max(sizes, key=sizes.__getitem__) if sizes else "heading"


def _numbered(drafts: list[_Draft], groups: list[Group], text: str, source_id: str) -> Chunked:
    """Give parents and children their ids: equal (path, text) pairs are told apart by how many came before."""
    parents: list[Parent] = []
    children: list[Child] = []
    seen_parents: Counter[tuple[tuple[str, ...], str]] = Counter()
    seen_children: Counter[tuple[tuple[str, ...], str]] = Counter()
    for first, last in groups:
        parent = _parent(drafts[first:last], text, source_id, seen_parents)
        parents.append(parent)
        for draft in drafts[first:last]:
            body = draft.lead + text[draft.start : draft.end]
            path = draft.section.path
            occurrence = _count(seen_children, path, body)
            children.append(
                Child(
                    chunk_id=chunk_id(source_id, path, body, occurrence),
                    parent_id=parent.parent_id,
                    kind=draft.kind,
                    heading_path=path,
                    prefix=draft.prefix,
                    text=body,
                    overlap=len(draft.lead),
                    subject=draft.subject,
                    units=in_units(measure(draft.prefix) + measure(body)),
                    provenance=merged(draft.blocks, draft.start, draft.end),
                )
            )
    return Chunked(tuple(parents), tuple(children))


def _parent(drafts: list[_Draft], text: str, source_id: str, seen: Counter[tuple[tuple[str, ...], str]]) -> Parent:
    start, end = drafts[0].start, drafts[-1].end
    body = text[start:end]
    path = _common([draft.section.path for draft in drafts])
    return Parent(
        parent_id=parent_id(source_id, path, body, _count(seen, path, body)),
        source_id=source_id,
        heading_path=path,
        text=body,
        units=in_units(measure(body)),
        provenance=merged([placed for draft in drafts for placed in draft.blocks], start, end),
    )


def _count(seen: Counter[tuple[tuple[str, ...], str]], path: tuple[str, ...], body: str) -> int:
    occurrence = seen[path, body]
    seen[path, body] = occurrence + 1
    return occurrence


def _common(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all paths begin with."""
    first, last = min(paths), max(paths)
    for index, (left, right) in enumerate(zip(first, last, strict=False)):
        if left != right:
            return first[:index]
    return first
