"""Drafts become parents and children with their ids."""

from __future__ import annotations

from collections import Counter

from ingest.chunk.children import Draft
from ingest.chunk.provenance import merged
from ingest.chunk.ranges import Group
from ingest.chunk.units import in_units, measure
from ingest.model.chunk import Child, Chunked, Parent, chunk_id, parent_id


def numbered(drafts: list[Draft], groups: list[Group], text: str, source_id: str) -> Chunked:
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


def _parent(drafts: list[Draft], text: str, source_id: str, seen: Counter[tuple[tuple[str, ...], str]]) -> Parent:
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
