"""What a source becomes when its document was read again: served, quarantined, failed or withdrawn."""

from __future__ import annotations

from flows.gather import Gathered
from ingest.model.source import Declared, SourceRecord


def record_of(item: Gathered, before: SourceRecord | None) -> SourceRecord:
    """Return the record of a source, its window still as declared.

    A document that parses is served. One that does not keeps serving its last good text under its newest metadata
    (quarantined), or nothing where there was none (failed). Where the metadata cannot be trusted nothing is served (withdrawn):
    a text must not stay visible because the line that closed it could not be read.
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
