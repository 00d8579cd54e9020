"""From what workers made to the facts of the catalog: rows, parents, mentions, edges.

The only place where content (chunks) meets what the document declares (access, window, version). Rows that are already
served can be re-made here under new metadata without their document being parsed again.
"""

from __future__ import annotations

import bisect
import posixpath
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from urllib.parse import unquote, urlsplit

from entities.assertions.declared import KEYS as DECLARING
from entities.assertions.declared import Declarations
from entities.identifiers import Found
from entities.mentions.recogniser import Recogniser
from flows.work import Made
from ingest.model.canonical import digest_of
from ingest.model.chunk import Child, Chunked, Parent
from ingest.model.document import Link
from ingest.model.edge import LINKS_TO, REGISTRY, Edge
from ingest.model.entity import Assertion, Entity, Mention, Registry
from ingest.model.row import ChunkRow, resealed, sealed
from ingest.model.source import SourceRecord, source_id
from ingest.store.catalog import Fact

OF_SOURCE = ("sources", "chunks", "parents", "mentions", "edges", "entities", "assertions")
"""The tables to which a source contributes facts."""


def assemble(
    record: SourceRecord, made: Made, chunked: Chunked, recogniser: Recogniser, declarations: Declarations,
    found: Sequence[Sequence[Found]] | None = None,
) -> dict[str, list[Fact]]:
    """Return the facts, by table, of a source whose document was just made. `record` has its derived window; `found` are the
    identifiers in each child, where they were looked for already."""
    children = chunked.children
    known = found if found is not None and len(found) == len(children) else [None] * len(children)
    asserted = asserted_by(record, (child.text for child in children), declarations)
    mentioned = {
        child.chunk_id: recogniser.mentions(child.chunk_id, child.text, of_child)
        for child, of_child in zip(children, known, strict=True)
    }
    rows = [_row(record, made, child, mentioned[child.chunk_id]) for child in children]
    return {
        "sources": [source_fact(record)],
        "chunks": [row_fact(row, position) for position, row in enumerate(rows)],
        "parents": [_parent_fact(parent, position) for position, parent in enumerate(chunked.parents)],
        "mentions": _mention_facts(record.source_id, mentioned),
        "edges": [*(edge_fact(edge) for edge in _links(record, made.links, children)), *asserted["edges"]],
        "entities": minted_facts(record.source_id, mentioned, recogniser),
        "assertions": asserted["assertions"],
    }


def asserted_by(record: SourceRecord, texts: Iterable[str], declarations: Declarations) -> dict[str, list[Fact]]:
    """Return the assertions of a document, and the edges that they make: the document is the evidence of both."""
    extra = record.declared.extra
    made = declarations.of(extra, record.uri, texts)[0] if any(key in extra for key in DECLARING) else []
    return {
        "assertions": [_assertion_fact(assertion, record.source_id) for assertion in made],
        "edges": [
            edge_fact(Edge(
                assertion.subject, assertion.relation, assertion.object, record.source_id, record.source_id,
                assertion.valid_from, assertion.valid_until, assertion.confidence,
            ))
            for assertion in made if assertion.object is not None
        ],
    }


def _assertion_fact(assertion: Assertion, source: str) -> Fact:
    return Fact.of(assertion, id=assertion.assertion_id, source_id=source, checksum=digest_of(assertion))


def _row(record: SourceRecord, made: Made, child: Child, mentions: tuple[Mention, ...]) -> ChunkRow:
    return sealed({
        "chunk_id": child.chunk_id, "source_id": record.source_id, "parent_id": child.parent_id, "kind": child.kind,
        "heading_path": child.heading_path, "prefix": child.prefix, "text": child.text, "overlap": child.overlap,
        "subject": child.subject, "units": child.units, "entity_ids": _ids(mentions), "provenance": child.provenance,
        "language": made.language, "confidence": 1.0, "title": made.title, **_declared(record),
    })


def _declared(record: SourceRecord) -> dict[str, Any]:
    declared = record.declared
    return {
        "scope": declared.scope, "family": declared.family, "version": declared.version, "status": declared.status,
        "valid_from": record.valid_from, "valid_until": record.valid_until, "access": declared.access,
    }


def refreshed(record: SourceRecord, held: Iterable[Fact], recogniser: Recogniser | None) -> dict[str, list[Fact]]:
    """Return chunks (and, with a recogniser, mentions and entities) of a source whose rows are served already.

    Their text stays; their metadata follows what `record` declares now, and their entities the registry. Nothing is parsed."""
    rows, mentioned = [], {}
    for fact in held:
        row = fact.noun(ChunkRow)
        changes = _declared(record)
        if recogniser is not None:
            mentioned[row.chunk_id] = recogniser.mentions(row.chunk_id, row.text)
            changes["entity_ids"] = _ids(mentioned[row.chunk_id])
        rows.append(row_fact(resealed(row, **changes), fact.position))
    facts = {"chunks": rows}
    if recogniser is not None:
        facts["mentions"] = _mention_facts(record.source_id, mentioned)
        facts["entities"] = minted_facts(record.source_id, mentioned, recogniser)
    return facts


def minted_facts(source: str, mentioned: dict[str, tuple[Mention, ...]], recogniser: Recogniser) -> list[Fact]:
    """Return the entities that a source's identifiers mint, once each."""
    minted = {entity.entity_id: entity for mentions in mentioned.values() for entity in recogniser.minted(mentions)}
    return [_entity_fact(entity, source) for _, entity in sorted(minted.items())]


def _entity_fact(entity: Entity, source: str) -> Fact:
    return Fact.of(entity, id=entity.entity_id, source_id=source, checksum=digest_of(entity))


def _ids(mentions: tuple[Mention, ...]) -> tuple[str, ...]:
    return tuple(sorted({mention.entity_id for mention in mentions}))


def _links(record: SourceRecord, links: Iterable[Link], children: Sequence[Child]) -> list[Edge]:
    """Links to other documents of the same root. Dangling ones are kept: their target may arrive later, in any order."""
    starts = [child.provenance.span[0] if child.provenance.span is not None else 0 for child in children]
    edges = set()
    for link in links if children else ():
        path = link_path(record.path, link.target)
        if path is not None and path != record.path:
            evidence = children[max(0, bisect.bisect_right(starts, link.block) - 1)].chunk_id
            edges.add(Edge(record.source_id, LINKS_TO, source_id(record.root, path), record.source_id, evidence))
    return sorted(edges, key=lambda edge: edge.edge_id)


def link_path(path: str, target: str) -> str | None:
    """Return the path below the root that `target`, written in the document at `path`, points to; None when it points
    elsewhere (another site, an anchor of the same page, outside the root)."""
    try:
        parts = urlsplit(target.strip())
    except ValueError:
        return None
    if parts.scheme or parts.netloc or not parts.path:
        return None
    written = unquote(parts.path)
    joined = written.lstrip("/") if written.startswith("/") else posixpath.join(posixpath.dirname(path), written)
    normal = posixpath.normpath(joined)
    return None if normal.startswith("..") else normal


def registry_facts(registry: Registry, sources_at: Callable[[str], list[str]]) -> dict[str, list[Fact]]:
    """Return the facts that reviewed seeds contribute, by table.

    `sources_at` returns the ids of the sources in effect at a relative path or uri, for the evidence that seeds name. An
    assertion whose named evidence is not in the base makes no edge: nobody could be shown why it holds."""
    return {
        "entities": [_entity_fact(entity, REGISTRY) for entity in registry.entities],
        "assertions": [_assertion_fact(assertion, REGISTRY) for assertion in registry.assertions],
        "edges": [
            edge_fact(Edge(
                assertion.subject, assertion.relation, assertion.object, REGISTRY, evidence,
                assertion.valid_from, assertion.valid_until, assertion.confidence,
            ))
            for assertion in registry.assertions if assertion.object is not None
            for evidence in (sources_at(assertion.evidence) if assertion.evidence else [REGISTRY])
        ],
    }


def source_fact(record: SourceRecord) -> Fact:
    """Return a source as a fact."""
    return Fact.of(record, id=record.source_id, source_id=record.source_id, checksum=record.digest())


def row_fact(row: ChunkRow, position: int) -> Fact:
    """Return a row as a fact."""
    return Fact.of(row, id=row.chunk_id, source_id=row.source_id, checksum=row.row_checksum, position=position)


def _parent_fact(parent: Parent, position: int) -> Fact:
    return Fact.of(parent, id=parent.parent_id, source_id=parent.source_id, checksum=digest_of(parent), position=position)


def _mention_facts(source: str, mentioned: dict[str, tuple[Mention, ...]]) -> list[Fact]:
    return [
        Fact.of({"mentions": mentions}, id=chunk, source_id=source, checksum=digest_of(mentions))
        for chunk, mentions in mentioned.items() if mentions
    ]


def edge_fact(edge: Edge) -> Fact:
    """Return an edge as a fact; its id is its checksum."""
    return Fact.of(edge, id=edge.edge_id, source_id=edge.source_id, checksum=edge.edge_id)
