"""From what a run has at hand to its report, and into its place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from flows.base import Base, Clock
from flows.reporting.history import Earlier, history
from flows.reporting.keep import keep
from flows.reporting.made import made_with
from flows.reporting.record import Kind, Parsed, Report
from ingest.model.generation import Manifest
from ingest.model.instant import now
from ingest.model.report import RunReport
from ingest.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.gathered import Gathered
    from flows.known import Surveyed
    from flows.reporting.documents import Moves, Touched
    from flows.state import State


class Told(NamedTuple):
    """What a run found and did, as far as its report tells of it beyond its counts. `previous`: the manifest of the generation
    before; `moves`: None where nothing was published."""

    surveyed: Surveyed
    gathered: Sequence[Gathered]
    state: State
    moves: Moves | None
    previous: Manifest | None


def run_told(base: Base, run: RunReport, told: Told, progress: Progress, beside: Path | None = None) -> str:
    """Keep the report of a run that ended well. Returns where its HTML is."""

    def make() -> Report:
        kept = base.catalog.generations()
        earlier = Earlier(base.layout, kept[0].generation - run.published)
        return Report(
            "run", "published" if run.published else "unchanged", now(), run.generation, run.snapshot,
            told.previous.generation if told.previous is not None else 0,
            sources=run.sources, chunks=run.chunks, embedded=run.embedded, documents=_touched(told), failures=run.failures,
            warnings=run.warnings, seconds=run.seconds, builds=run.builds,
            made_with=made_with(kept[0].manifest, told.previous if run.published else None),
            parsers=earlier.parsers(run.snapshot) or _parsed(base, told), history=history(kept, earlier),
        )

    return keep(base.layout, make, progress, beside=beside)


def _touched(told: Told) -> tuple[Touched, ...]:
    if told.moves is None:
        return ()
    from flows.reporting.documents import touched

    before = told.surveyed.records
    moved = told.surveyed.moved({
        item.scanned.source.id: item.revision.content for item in told.gathered if item.scanned.source.id not in before
    })
    return touched(told.moves, before, told.state, moved=moved, read=_read(told))


def _read(told: Told) -> dict[str, int | None]:
    """The sources that were read, with their pages."""
    return {item.scanned.source.id: item.made.pages for item in told.gathered}


def _parsed(base: Base, told: Told) -> tuple[Parsed, ...]:
    from flows.reporting.parsers import as_stated, parsed

    before, after = told.surveyed.records, told.state
    # Those that stayed as they were are not decoded for it.
    stayed = ((id, stated) for id, stated in before.stated() if id not in after.gone and id not in after.changed)
    return parsed(base, chain(stayed, ((id, as_stated(record)) for id, record in after.changed.items())), _read(told))


@contextmanager
def stops_told(base: Base, kind: Kind, clock: Clock, progress: Progress, beside: Path | None = None) -> Iterator[None]:
    """Keep a report of the error that ends what is done within."""
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        from flows.reporting.stop import stop_told

        stop_told(base, kind, error, clock.seconds, progress, beside)
        raise
