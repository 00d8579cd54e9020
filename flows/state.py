"""What sources become when documents were read again: served, quarantined, failed or withdrawn, each within its window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING

from ingest.model.source import Declared, Revision, SourceRecord
from ingest.sources.families import Member, windows

if TYPE_CHECKING:
    from flows.gather import Gathered


_DECLARED = tuple(field.name for field in fields(Declared))


@dataclass(frozen=True, slots=True)
class State:
    """The record of every source by id as a run will leave it, and what in their declarations does not fit together."""

    records: dict[str, SourceRecord]
    findings: tuple[str, ...]


def state_after(before: dict[str, SourceRecord], gone: set[str], gathered: Iterable[Gathered]) -> State:
    """Return the state that `before` becomes. Windows are derived anew, because one arrival may close another's.

    Records that stay as they are stay the same objects."""
    records = {id: record for id, record in before.items() if id not in gone}
    for item in gathered:
        id = item.scanned.source.id
        records[id] = record_of(item, before.get(id))
    trusted = (record for record in records.values() if record.served is not None)
    derived = windows(Member(record.source_id, record.uri, record.declared) for record in trusted)
    for id, (since, until) in derived.window.items():
        if (records[id].valid_from, records[id].valid_until) != (since, until):
            records[id] = replace(records[id], valid_from=since, valid_until=until)
    return State(records, tuple(finding.message for finding in derived.findings))


def standing(known: SourceRecord, revision: Revision, said: Declared, beside: Declared) -> Declared:
    """Return what a served document declares whose new bytes do not parse. `said` is what bytes and sidecar say together,
    `beside` what the sidecar says alone.

    Bytes that say nothing of their own may have lost the lines that did: an emptied file, a picture under its name. What the
    document declared when it was last understood then stands; a sidecar that changed is heard, and may close further, not open.
    """
    if said != beside:
        return said
    if revision.metadata == known.revision.metadata:
        return known.declared
    nothing = Declared()
    heard = {name: value for name in _DECLARED if (value := getattr(said, name)) != getattr(nothing, name)}
    if said.valid_until is not None:
        heard["until_day"] = said.until_day
    return replace(known.declared, **{**heard, "access": known.declared.access.narrowed(said.access)})


def record_of(item: Gathered, before: SourceRecord | None) -> SourceRecord:
    """Return the record of a source, its window still as declared.

    A document that parses is served. One that does not keeps serving its last good text under its newest readable metadata
    (quarantined, see `standing`), or nothing where there was none (failed). Where the metadata cannot be trusted nothing is
    served (withdrawn): a text must not stay visible because the line that closed it could not be read.
    """
    source, made = item.scanned.source, item.made
    declared = made.declared
    held = before.served if before is not None else None
    if made.failure is None:
        state, served = "served", item.revision.content
    elif declared is None:
        state, served = "withdrawn", None
    elif held is not None:
        state, served = "quarantined", held
    else:
        state, served = "failed", None
    declared = declared or Declared()
    return SourceRecord(
        source_id=source.id, root=source.root, path=source.path, revision=item.revision, served=served, state=state,
        media_type=made.media_type, stages=item.stages, declared=declared, title=made.title,
        valid_from=declared.valid_from, valid_until=declared.valid_until, failure=made.failure,
    )
