"""Finding documents by what they are called, where they are, and what they mention."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from indexes.query.visible import folded
from indexes.serve.answers import Document, Documents
from indexes.serve.arguments import DocumentFind
from indexes.serve.tools.asking import Asking, Told
from indexes.serve.tools.looking import Looking
from ingest.model.entity import followed
from ingest.model.source import SourceRecord

_MENTIONS = 2000
"""Chunks that mention an entity that are looked at for their documents."""


def document_find(asking: Asking, asked: DocumentFind) -> Told:
    """Documents by title, path, pattern, family, or an entity that they mention; all that is given must fit. Best title first."""
    found, failed = asking.each(asked.kb_ids, lambda looking: _found(looking, asked))
    ranked = sorted((document for one in found for document in one.result), key=lambda each: (_rank(each, asked), each.uri))
    shown = tuple(ranked[: asked.limit])
    seen = tuple(one.seen(each.source_id for each in shown if each.kb_id == one.kb_id) for one in found)
    return Told(Documents(shown, failed, len(ranked) > len(shown)), seen)


def _found(looking: Looking, asked: DocumentFind) -> list[Document]:
    """The documents of one base that fit and show."""
    of_entity = None if asked.entity is None else _mentioning(looking, asked.entity)
    fitting = []
    for fact in looking.snapshot.catalog.facts("sources", looking.snapshot.generation):
        if (of_entity is None or fact.id in of_entity) and _fits(fact.stated(SourceRecord), asked):
            fitting.append(fact)
    records = (fact.noun(SourceRecord) for fact in fitting)
    return [
        looking.told(record) for record in records
        if record.served is not None and record.declared.access.admits(looking.who) and _holds_text(looking, record.source_id)
    ]


def _holds_text(looking: Looking, source: str) -> bool:
    return next(iter(looking.snapshot.catalog.facts("parents", looking.snapshot.generation, source_id=source)), None) is not None


def _mentioning(looking: Looking, entity: str) -> set[str]:
    """Ids of the documents that show and mention an entity, by any id that means it."""
    redirects = looking.snapshot.manifest.redirects
    ids = looking.visible.members(followed(entity, redirects)) if looking.visible.members(entity) else {}
    chunks = [chunk for id in ids for chunk in looking.visible.mentioning(id, _MENTIONS)]
    return {row.source_id for row in looking.rows(chunks).values()}


def _fits(record: dict[str, Any], asked: DocumentFind) -> bool:
    """Whether a document, as JSON types, is what was asked for."""
    uri = f"{record['root']}/{record['path']}"
    return (
        (asked.title is None or folded(asked.title) in folded(record["title"]))
        and (asked.path is None or _ends_with(uri, asked.path))
        and (asked.glob is None or fnmatchcase(folded(uri), folded(asked.glob)))
        and (asked.family is None or record["declared"]["family"] == asked.family)
    )


def _ends_with(uri: str, path: str) -> bool:
    """Whether a uri ends with whole parts of a path; `..` and `.` name nothing here."""
    wanted = folded(path).strip("/").split("/")
    return folded(uri).split("/")[-len(wanted):] == wanted


def _rank(document: Document, asked: DocumentFind) -> tuple[int, int]:
    """Equal titles first, then those that begin so, then shorter ones."""
    title, wanted = folded(document.title), folded(asked.title or "")
    return (0 if title == wanted else 1 if title.startswith(wanted) else 2), len(title) if wanted else 0
