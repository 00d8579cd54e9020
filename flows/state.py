"""What sources become when documents were read again: served, quarantined, failed or withdrawn, each within its window."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from flows.records import Records
from ingest.model.source import Declared, Revision, SourceRecord
from ingest.sources.families import Finding, Member, windows

if TYPE_CHECKING:
    from flows.gathered import Gathered


PARTIAL = "partial"
"""State of a source of which some pages could not be read and the others are served."""
SERVED_ANEW = ("served", PARTIAL)
"""States of a source whose newest text is served."""

_DECLARED = tuple(field.name for field in fields(Declared))


class State(Mapping[str, SourceRecord]):
    """The record of every source by id as a run will leave it. Those that are not in `changed` are the very ones of `before`.

    `disagreements`: what in the declarations of all does not fit together."""

    def __init__(
        self, before: Records, gone: Collection[str], changed: dict[str, SourceRecord], disagreements: tuple[Finding, ...]
    ) -> None:
        self.before, self.gone, self.changed, self.disagreements = before, gone, changed, disagreements

    @property
    def findings(self) -> tuple[str, ...]:
        """`disagreements` in words."""
        return tuple(finding.message for finding in self.disagreements)

    def __getitem__(self, id: str) -> SourceRecord:
        if id in self.gone:
            raise KeyError(id)
        return self.changed.get(id) or self.before[id]

    def __iter__(self) -> Iterator[str]:
        yield from self._staying(self.before)
        yield from self.changed

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def failed(self) -> list[SourceRecord]:
        """The sources with a failure."""
        stayed = [self.before[id] for id in self._staying(self.before.failed())]
        return stayed + [record for record in self.changed.values() if record.failure is not None]

    def named(self, names: Collection[str]) -> list[SourceRecord]:
        """The sources of these uris or paths."""
        stayed = [self.before[id] for id in self._staying(self.before.named(names))]
        return stayed + [record for record in self.changed.values() if record.uri in names or record.path in names]

    def _staying(self, ids: Iterable[str]) -> Iterator[str]:
        return (id for id in ids if id not in self.gone and id not in self.changed)


def state_after(before: Records, gone: set[str], gathered: Iterable[Gathered]) -> State:
    """Return the state that `before` becomes. Windows are derived anew, because one arrival may close another's."""
    changed = {item.scanned.source.id: record_of(item, before.get(item.scanned.source.id)) for item in gathered}
    state = State(before, gone, changed, ())
    dated = {id: before[id] for id in before.dated() if id not in gone} | changed
    named = {name for record in dated.values() for name in record.declared.supersedes}
    dated |= {record.source_id: record for record in state.named(named)}
    derived = windows(
        Member(record.source_id, record.uri, record.declared) for record in dated.values() if record.served is not None
    )
    for id, (since, until) in derived.window.items():
        if (dated[id].valid_from, dated[id].valid_until) != (since, until):
            changed[id] = replace(dated[id], valid_from=since, valid_until=until)
    return State(before, gone, changed, tuple(derived.findings))


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

    A document that parses is served; one that parses in part, in part (see `Gathering`). One that does not keeps serving its last
    good text under its newest readable metadata (quarantined, see `standing`), or nothing where there was none (failed). Where
    the metadata cannot be trusted nothing is served (withdrawn): a text must not stay visible because the line that closed it
    could not be read.
    """
    source, made = item.scanned.source, item.made
    declared = made.declared
    held = before.served if before is not None else None
    if made.failure is None:
        state, served = "served", item.revision.content
    elif item.key is not None:
        state, served = PARTIAL, item.revision.content
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
