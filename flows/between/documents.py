"""Document by document: what its record says otherwise, and which of its chunks came, went or were rewritten.

In: a catalog and two generations in it. What is read is what began or ended between the two. Documents are told by uri; the
record of each is held, its chunks are read a hundred documents at a time.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from flows.between.chunks import held, paired
from flows.between.nouns import DocumentChange, Fields
from ingest.model.batches import batches
from ingest.model.canonical import plain
from ingest.model.source import Declared, SourceRecord
from ingest.sources.plan import Known, renames
from ingest.store.catalog import Catalog, Fact

_AT_ONCE = 100
_DECLARED = tuple(field.name for field in fields(Declared) if field.name not in ("access", "extra", "until_day"))


@dataclass(frozen=True, slots=True)
class _Pair:
    """One document on either side; None where it is not."""

    before: SourceRecord | None
    after: SourceRecord | None

    @property
    def ids(self) -> set[str]:
        return {record.source_id for record in (self.before, self.after) if record is not None}

    @property
    def uri(self) -> str:
        record = self.after or self.before
        assert record is not None
        return record.uri


def documents(catalog: Catalog, before: int, after: int) -> Iterator[DocumentChange]:
    """Yield every document that differs, by uri."""
    pairs = sorted(_pairs(catalog, before, after), key=lambda pair: pair.uri)
    for part in batches(pairs, _AT_ONCE):
        ids = sorted(set().union(*(pair.ids for pair in part)))
        was, now = (_by_source(catalog.apart("chunks", *sides, sources=ids)) for sides in ((before, after), (after, before)))
        for pair in part:
            change = _change(pair, was, now)
            if change is not None:
                yield change


def _by_source(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    return defaultdict(list, {id: list(group) for id, group in itertools.groupby(facts, key=lambda fact: fact.source_id)})


def _pairs(catalog: Catalog, before: int, after: int) -> Iterator[_Pair]:
    """The documents that may differ: whose record or whose chunks began or ended between the two."""
    was = {fact.id: fact.noun(SourceRecord) for fact in catalog.apart("sources", before, after)}
    now = {fact.id: fact.noun(SourceRecord) for fact in catalog.apart("sources", after, before)}
    touched = {source for sides in ((before, after), (after, before)) for source, _, _ in catalog.sources_apart("chunks", *sides)}
    others = sorted(touched - was.keys() - now.keys())
    moved = _moved([was[id] for id in was.keys() - now.keys()], [now[id] for id in now.keys() - was.keys()])
    for fact in catalog.every("sources", after, others):
        record = fact.noun(SourceRecord)
        yield _Pair(record, record)
    yield from (_Pair(was[old], now[new]) for new, old in moved.items())
    for id in (was.keys() | now.keys()) - moved.keys() - set(moved.values()):
        yield _Pair(was.get(id), now.get(id))


def _moved(gone: list[SourceRecord], new: list[SourceRecord]) -> dict[str, str]:
    """New id -> old id of documents that were renamed within their root, as a run finds them."""
    found = {}
    for root in {record.root for record in gone}:
        known = [
            Known(record.source_id, root, record.path, record.revision, None, None, "", "", "ok", False)
            for record in gone if record.root == root and record.revision.content
        ]
        arrived = {record.path: record for record in new if record.root == root and record.revision.content}
        old = {record.path: record.source_id for record in gone if record.root == root}
        moves = renames(known, {path: record.revision.content for path, record in arrived.items()})
        found.update({arrived[path].source_id: old[was] for path, was in moves.items()})
    return found


def _change(pair: _Pair, was: dict[str, list[Fact]], now: dict[str, list[Fact]]) -> DocumentChange | None:
    before, after = pair.before, pair.after
    renamed = before is not None and after is not None and before.source_id != after.source_id
    chunks, moved = paired(
        held(was[before.source_id]) if before is not None else [], held(now[after.source_id]) if after is not None else [],
        renamed=renamed,
    )
    if after is None:
        assert before is not None
        return DocumentChange("removed", before.uri, before.source_id, chunks=tuple(chunks))
    if before is None:
        return DocumentChange("added", after.uri, after.source_id, chunks=tuple(chunks))
    differing = differing_fields(before, after)
    if renamed:
        return DocumentChange(
            "renamed", after.uri, after.source_id, before.uri, before.source_id, differing, tuple(chunks), moved
        )
    if not (differing or chunks):
        return None
    own = any(name.startswith(("content", "sidecar", "declared.", "state", "failure")) for name in differing)
    return DocumentChange("changed" if own else "rewritten", after.uri, after.source_id, fields=differing, chunks=tuple(chunks))


def differing_fields(before: SourceRecord, after: SourceRecord) -> Fields:
    """Return what two records of a document say differently: `content` and `sidecar` (bytes, by sha256), `declared.<key>` as it
    says, `window.<side>` as it was derived, `stages.<stage>` that made it, `state`, `failure`, `media_type`, `title`."""
    was, now = _flat(before), _flat(after)
    return {name: (was.get(name), now.get(name)) for name in sorted(was.keys() | now.keys()) if was.get(name) != now.get(name)}


def _flat(record: SourceRecord) -> dict[str, Any]:
    declared, access = record.declared, record.declared.access
    flat = {
        "content": record.revision.content, "sidecar": record.revision.metadata or None,
        "state": record.state, "media_type": record.media_type, "title": record.title,
        "failure": record.failure.error if record.failure is not None else None,
        "window.from": record.valid_from, "window.until": record.valid_until,
        **{f"declared.{name}": plain(getattr(declared, name)) for name in _DECLARED},
        **{f"declared.access.{name}": plain(getattr(access, name)) for name in ("tenant", "users", "roles", "level")},
        **{f"declared.extra.{key}": value for key, value in declared.extra.items()},
        **{f"stages.{name}": value for name, value in record.stages.items()},
    }
    return {name: value for name, value in flat.items() if value is not None}
