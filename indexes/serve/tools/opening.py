"""Opening what was found: a passage with its neighbours, its context, its whole section, or the document page by page.

An id is only ever looked up in the catalog of the pinned generation. Nothing here opens a file, so a path that leaves the base
names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from indexes.query.context import estimated
from indexes.query.flags import flags
from indexes.serve.answers import OpenedDocument, OpenedPart, Part
from indexes.serve.arguments import DocumentOpen
from indexes.serve.session import Session
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking, Whole
from ingest.errors import UsageError
from ingest.model.canonical import sha256_hex
from ingest.model.chunk import Parent
from ingest.model.row import ChunkRow

Kind = Literal["chunk", "parent", "section", "document"]
_CITATION = re.compile(r"K[0-9]{1,4}")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an id leads: a document, and the chunk or parent of it that was named."""

    whole: Whole
    parents: list[Parent]
    chunk: ChunkRow | None = None
    parent: str | None = None


def document_open(asking: Asking, asked: DocumentOpen) -> Told:
    """Read on from a result: the passage with its neighbours, the section around it, or a whole document page by page. What this
    session was given before is marked and left out."""
    id, kb_ids = asked.id, asked.kb_ids
    if _CITATION.fullmatch(id):
        cited = asking.session.cited(id, asked.pack)
        id, kb_ids = cited.chunk_id, asking.base_of(cited, asked.kb_ids)
    found, failed = asking.found(kb_ids, asked.id, lambda looking: _opened(looking, asking.session, id, asked))
    if len(found) > 1:
        names = ", ".join(one.kb_id for one in found)
        raise UsageError(f"several of your knowledge bases have {asked.id!r}; name one of them in kb_ids: {names}")
    for one in found:
        for part in one.result.parts:
            if not part.given_before:
                asking.session.give(one.kb_id, part.id, part.checksum)
    answer = OpenedDocument(tuple(one.result for one in found), failed)
    seen = tuple(one.seen((one.result.document.source_id, *(part.id for part in one.result.parts))) for one in found)
    return Told(answer, seen, sum(one.result.tokens for one in found))


def _opened(looking: Looking, session: Session, id: str, asked: DocumentOpen) -> OpenedPart | None:
    place = _place(looking, id)
    if place is None:
        return None
    kind: Kind = asked.part or ("chunk" if place.chunk else "parent" if place.parent else "document")
    if kind == "document" or (kind == "section" and place.parent is not None):
        return _paged(looking, session, place, kind, asked)
    if kind == "chunk" and place.chunk is not None:
        rows = place.whole.rows
        at = next(number for number, row in enumerate(rows) if row.chunk_id == place.chunk.chunk_id)
        near = range(max(0, at - asked.before), min(len(rows), at + asked.after + 1))
        parts = [_chunk(session, looking.kb_id, rows[number], number == at, asked.again) for number in near]
        return _told(looking, place, kind, parts, near.start > 0, near.stop < len(rows))
    if kind == "parent" and place.parent is not None:
        every = place.parents
        at = next(number for number, parent in enumerate(every) if parent.parent_id == place.parent)
        near = range(max(0, at - asked.before), min(len(every), at + asked.after + 1))
        parts = [_parent(session, looking.kb_id, every[number], number == at, asked.again) for number in near]
        return _told(looking, place, kind, parts, near.start > 0, near.stop < len(every))
    raise UsageError(f"{asked.id!r} does not name one {kind}; leave `part` out, or give the id of what is to be opened")


def _place(looking: Looking, id: str) -> _Place | None:
    """Where an id leads, None where it leads to nothing that shows."""
    row = looking.row(id)
    parent = looking.parent(id) if row is None else None
    named = row.source_id if row is not None else parent.source_id if parent is not None else id
    whole = looking.whole(named)
    if whole is None:
        return None
    shown = {each.parent_id for each in whole.rows}
    parents = [each for each in looking.parents(whole.record.source_id) if each.parent_id in shown]
    at = row.parent_id if row is not None else parent.parent_id if parent is not None else None
    return _Place(whole, parents, row, at)


def _paged(looking: Looking, session: Session, place: _Place, kind: Kind, asked: DocumentOpen) -> OpenedPart:
    """A page of the sections of a document, or of one section and what is below it."""
    parents = place.parents
    if kind == "section":
        path = next(each.heading_path for each in parents if each.parent_id == place.parent)
        parents = [each for each in parents if each.heading_path[: len(path)] == path]
    pages = _pages(parents, asked.page_tokens)
    if asked.page > len(pages):
        raise UsageError(f"it has {len(pages)} pages of {asked.page_tokens} tokens; ask for one of them")
    parts = [_parent(session, looking.kb_id, each, True, asked.again) for each in pages[asked.page - 1]]
    return _told(looking, place, kind, parts, asked.page > 1, asked.page < len(pages), asked.page, len(pages))


def _pages(parents: Sequence[Parent], tokens: int) -> list[list[Parent]]:
    """Whole sections, as many as fit on a page, one at least. Where pages begin depends on the document and the size alone."""
    pages: list[list[Parent]] = []
    left = 0
    for parent in parents:
        size = estimated(parent.text)
        if not pages or size > left:
            pages.append([])
            left = tokens
        pages[-1].append(parent)
        left -= size
    return pages


def _told(
    looking: Looking, place: _Place, kind: Kind, parts: list[Part], before: bool, after: bool, page: int = 1, pages: int = 1
) -> OpenedPart:
    tokens = sum(part.tokens for part in parts if not part.given_before)
    return OpenedPart(looking.told(place.whole.record), kind, tuple(parts), page, pages, before, after, tokens)


def _chunk(session: Session, kb_id: str, row: ChunkRow, asked: bool, again: bool) -> Part:
    before = not again and session.given(kb_id, row.chunk_id, row.text_checksum)
    return Part(
        "chunk", row.chunk_id, row.parent_id, row.heading_path, "" if before else row.text, row.text_checksum,
        estimated(row.text), asked, before, row.provenance, flags([row.text]),
    )


def _parent(session: Session, kb_id: str, parent: Parent, asked: bool, again: bool) -> Part:
    checksum = sha256_hex(parent.text)
    before = not again and session.given(kb_id, parent.parent_id, checksum)
    return Part(
        "parent", parent.parent_id, parent.parent_id, parent.heading_path, "" if before else parent.text,
        checksum, estimated(parent.text), asked, before, parent.provenance, flags([parent.text]),
    )
