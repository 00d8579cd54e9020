"""A parsed document becomes parents and children. Goes in: the block tree, its source id and title. Comes out: `Chunked`.

    outline (sections) -> pieces of each section -> children -> parents -> ids

The decision worth knowing: children are exact, ordered, disjoint slices of `Document.text`, and between two of them there is
only white space; whatever is repeated stands in front and is counted in `overlap`. A section is a hard wall: a child holds text
of one section only, led by its heading (and by headings above it that have no text of their own). Whenever the same document
could be cut differently, `fingerprint.FINGERPRINT` changes.
"""

from __future__ import annotations

from ingest.chunk.children import Cutter, Draft
from ingest.chunk.numbering import numbered
from ingest.chunk.parents import parents
from ingest.chunk.ranges import Range
from ingest.chunk.sections import Section, outline
from ingest.chunk.subject import NOTHING, Subject, subject_of
from ingest.chunk.units import HALVES
from ingest.model.chunk import Chunked
from ingest.model.document import Document
from ingest.settings import ChunkPart


def chunk(document: Document, *, source_id: str, title: str, settings: ChunkPart) -> Chunked:
    """Cut `document` into parents and children, in reading order.

    Pure: the same arguments give the same ids. Every document with any text gives at least one child; one without gives
    none. `title` is what the source is called (declared, or found by the parser, or the file's name); it enters prefixes.
    """
    text = document.text
    drafts: list[Draft] = []
    cutter = Cutter(text, title, settings)
    whole = _draft(outline(document, cutter.ruler, settings.child_max * HALVES // 3), NOTHING, drafts, cutter)
    sizes = [draft.size for draft in drafts]
    starts = [draft.start for draft in drafts]
    groups = parents(whole, sizes, starts, text, settings.parent_min * HALVES, settings.parent_max * HALVES)
    return numbered(drafts, groups, text, source_id, cutter.ruler)


def _draft(section: Section, around: Subject, drafts: list[Draft], cutter: Cutter) -> Range:
    """Append the children of `section` and of all below it; return which they are."""
    first = len(drafts)
    subject = subject_of(section, cutter.title, around)
    if section.blocks:
        drafts += cutter.children(section, subject)
    own_last = len(drafts)
    below = [_draft(inner, subject, drafts, cutter) for inner in section.subsections]
    size = sum(draft.size for draft in drafts[first:own_last]) + sum(inner.size for inner in below)
    return Range(first, own_last, len(drafts), size, below)
