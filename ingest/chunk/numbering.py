"""Drafts become parents and children with their ids."""

from __future__ import annotations

from ingest.chunk.children import Draft
from ingest.chunk.provenance import merged
from ingest.chunk.ranges import Group
from ingest.chunk.units import Ruler, content, in_units, least, measure
from ingest.model.chunk import Child, Chunked, Parent, chunk_id, parent_id

_Seen = dict[tuple[tuple[str, ...], str], int]
"""How many equal (path, text) pairs came before."""


def numbered(drafts: list[Draft], groups: list[Group], text: str, source_id: str, ruler: Ruler) -> Chunked:
    """Give parents and children their ids: equal (path, text) pairs are told apart by how many came before."""
    parents: list[Parent] = []
    children: list[Child] = []
    seen_parents: _Seen = {}
    seen_children: _Seen = {}
    prefix, prefix_size = "", 0
    for first, last in groups:
        parent = _parent(drafts[first:last], text, source_id, seen_parents, ruler)
        parents.append(parent)
        for draft in drafts[first:last]:
            body = draft.lead + text[draft.start : draft.end]
            path = draft.section.path
            if draft.prefix != prefix:
                prefix, prefix_size = draft.prefix, measure(draft.prefix)
            size = draft.size
            if draft.lead:
                joined = content(draft.lead) + ruler.content(draft.start, draft.end)
                size = max(joined, least(len(body)))
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
                    units=in_units(prefix_size + size),
                    provenance=merged(draft.blocks, draft.start, draft.end),
                )
            )
    return Chunked(tuple(parents), tuple(children))


def _parent(drafts: list[Draft], text: str, source_id: str, seen: _Seen, ruler: Ruler) -> Parent:
    start, end = drafts[0].start, drafts[-1].end
    body = text[start:end]
    path = _common([draft.section.path for draft in drafts])
    return Parent(
        parent_id=parent_id(source_id, path, body, _count(seen, path, body)),
        source_id=source_id,
        heading_path=path,
        text=body,
        units=in_units(ruler.size(start, end)),
        provenance=merged([placed for draft in drafts for placed in draft.blocks], start, end),
    )


def _count(seen: _Seen, path: tuple[str, ...], body: str) -> int:
    key = path, body
    occurrence = seen.get(key, 0)
    seen[key] = occurrence + 1
    return occurrence


def _common(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The headings that all paths begin with."""
    first, last = min(paths), max(paths)
    for index, (left, right) in enumerate(zip(first, last, strict=False)):
        if left != right:
            return first[:index]
    return first
