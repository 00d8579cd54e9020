"""Which documents are not as they were, from what a generation began and ended in the catalog: the same for a run, a rollback and
an import, because all of them write facts and nothing else decides what is served.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from ingest.model.source import SourceRecord
from ingest.store.catalog import Catalog, Churn

_NONE = Churn(0, 0, 0)


@dataclass(frozen=True, slots=True)
class Touched:
    """A document that is not as it was in the generation before.

    `what`: added, changed, renamed (`was` its name before), gone, or rewritten: not read anew, but its rows say something else,
    because another version opened or closed its window, or the registry knows other names. `state`: served, quarantined (its
    last good text is served), failed, withdrawn (nothing is served); empty of what is gone. `reason`: why it was made again
    although its file is the same. The last three count its chunks; a rewritten chunk has its text still and other metadata."""

    uri: str
    what: str
    was: str = ""
    state: str = ""
    reason: str = ""
    media_type: str = ""
    pages: int | None = None
    added: int = 0
    removed: int = 0
    rewritten: int = 0


class Moves(NamedTuple):
    """What a generation wrote: by source id, of sources and of chunks. Taken while the generation is staged, because a prune
    that keeps only one drops what ended with it."""

    sources: Mapping[str, Churn]
    chunks: Mapping[str, Churn]

    @classmethod
    def of(cls, catalog: Catalog, generation: int) -> Moves:
        return cls(catalog.churn("sources", generation), catalog.churn("chunks", generation))

    def counts(self, total: int) -> dict[str, int]:
        """Return the `chunks` of a run's report, `total` being all chunks in effect now."""
        began, ended, both = (sum(getattr(churn, name) for churn in self.chunks.values()) for name in Churn._fields)
        return {"added": began - both, "removed": ended - both, "kept": total - began, "rewritten": both}


def touched(
    moves: Moves, before: Mapping[str, SourceRecord], after: Mapping[str, SourceRecord], *,
    moved: Mapping[str, str], read: Mapping[str, int | None] | None,
) -> tuple[Touched, ...]:
    """Return every document that changed, by uri.

    `moved`: new source id -> old one of files that were renamed. `read`: the sources that were read, with their pages (None:
    nothing was read, all are as the catalog says)."""
    old = set(moved.values())
    found: list[Touched] = []
    for id in (moves.sources.keys() | moves.chunks.keys()) - old:
        record, known = after.get(id), before.get(id)
        churn, left = moves.chunks.get(id, _NONE), moves.chunks.get(moved.get(id, ""), _NONE)
        both = churn.both + left.both
        counts = (churn.began + left.began - both, churn.ended + left.ended - both, both)
        if record is not None:
            what = "renamed" if id in moved else _what(id, known, read)
            found.append(Touched(
                record.uri, what, before[moved[id]].uri if id in moved else "", record.state,
                _reason(known, record) if what == "changed" and read is not None else "", record.media_type or "",
                read.get(id) if read is not None else None, *counts,
            ))
        elif known is not None:
            found.append(Touched(known.uri, "gone", "", "", "", known.media_type or "", None, *counts))
    return tuple(sorted(found, key=attrgetter("uri", "what")))


def _what(id: str, known: SourceRecord | None, read: Mapping[str, int | None] | None) -> str:
    if known is None:
        return "added"
    return "changed" if read is None or id in read else "rewritten"


def _reason(known: SourceRecord | None, record: SourceRecord) -> str:
    """Why a document was made again although its file is the same."""
    if known is None or known.revision != record.revision:
        return ""
    if known.stages != record.stages:
        return "settings or parsers changed"
    return "tried again" if known.failure is not None else ""

