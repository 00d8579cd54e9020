"""Is the head still true to its sources, settings, code and models, and is there something that people should settle?

It only reads: files that the stat cache cannot vouch for are hashed; no model is loaded and nothing is parsed. The head is kept
from being pruned meanwhile. What cannot be reached makes the answer `unknown`, never `fresh`, and the rest is compared all the
same. `planned` (the dry run) stands on the same comparison.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path

from flows.comparing import Compared, compare
from flows.differences import Differences, Staleness, differences
from flows.known import Surveyed, look_over
from flows.pipeline import Options
from flows.remarks import contradictions, failures, families, unfit, windows
from indexes.generation import presence
from indexes.generation.rollback import hold_of
from indexes.generation.snapshot import head_held
from ingest.errors import Inconsistent, KnowledgeBaseMissing, NotFound, SourceError, StorageFailed
from ingest.model.instant import now
from ingest.model.report import CheckReport, PlanReport, Remark
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.store.catalog import Catalog, Published
from ingest.store.layout import layout_of
from ingest.store.opening import open_catalog

CLOCKS_APART = timedelta(minutes=1)
"""What the clocks of two machines may differ by before one of them is called wrong."""


def planned(settings: Settings, options: Options, progress: Progress) -> PlanReport:
    """Return what a run would do, a first run too."""
    with _head_if_any(settings) as (catalog, published):
        surveyed = look_over(
            catalog, settings, options.paths, options.name, rehash=options.rehash, allow_mass_delete=options.allow_mass_delete,
            generation=published.generation if published is not None else None,
        )
        differing = Differences(Staleness(settings))
        if published is not None:
            differing = differences(settings, published.manifest, re_engine=options.re_engine)
        generation = published.generation if published is not None else 0
        compared = compare(surveyed, differing, catalog, generation, progress, retry=options.rehash)
        problems = [remark.message for remark in (*compared.problems, *differing.problems)]
        warnings = (*surveyed.warnings, *problems)
        return PlanReport(tuple(compared.changes), compared.same, warnings, settings=tuple(dict.fromkeys(differing.lines)))


@contextmanager
def _head_if_any(settings: Settings) -> Iterator[tuple[Catalog | None, Published | None]]:
    layout = layout_of(settings)
    try:
        catalog = open_catalog(layout)
    except KnowledgeBaseMissing:
        yield None, None
        return
    with catalog:
        if catalog.head() == 0:
            yield catalog, None
            return
        with head_held(catalog, layout) as published:
            yield catalog, published


def check(
    settings: Settings, paths: tuple[Path, ...], progress: Progress, *, name: str | None = None, rehash: bool = False,
    strict: bool = False, max_age: timedelta | None = None, clock: Callable[[], str] = now,
) -> CheckReport:
    """Compare the head with its sources and settings. Raises KnowledgeBaseMissing when nothing was ever published, UsageError
    for paths that are none.

    `name`: the root that a path is, where the base came with an archive and knows no folders, or of all roots the one to look at.
    `strict`: warnings make it stale. `max_age`: so does an older last confirmation. `clock` returns the present instant."""
    checking = _Checking(settings, clock())
    layout = layout_of(settings)
    try:
        with open_catalog(layout) as catalog, head_held(catalog, layout) as published:
            checking.published = published
            checking.age(published.confirmed_at, max_age)
            checking.look(catalog, paths, name, progress, rehash=rehash)
    except (StorageFailed, Inconsistent, NotFound) as error:
        checking.problem(Remark("catalog", str(error)))
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise  # no path at all: whoever typed it can tell
        checking.problem(Remark("catalog", f"{error.filename or layout.catalog} cannot be read: {error.strerror or error}"))
    return checking.report(strict)


class _Checking:
    """Gathers what is found, so that what cannot be reached late does not lose what was found before."""

    def __init__(self, settings: Settings, moment: str) -> None:
        self.published: Published | None = None
        self._settings = settings
        self._moment = moment
        self._compared = Compared()
        self._lines: tuple[str, ...] = ()
        self._overdue = ""
        self._roots: dict[str, str] = {}
        self._warnings: dict[Remark, None] = {}
        self._problems: dict[Remark, None] = {}

    def problem(self, *remarks: Remark) -> None:
        self._problems.update(dict.fromkeys(remarks))

    def warn(self, remarks: Iterable[Remark]) -> None:
        self._warnings.update(dict.fromkeys(remarks))

    def age(self, confirmed_at: str, most: timedelta | None) -> None:
        """Compare the last confirmation with the clock. One that has not happened yet has no age, so none is told."""
        try:
            age = datetime.fromisoformat(self._moment) - datetime.fromisoformat(confirmed_at)
        except (ValueError, TypeError):
            self.problem(Remark("clock", f"the time of the last confirmation is none: {confirmed_at!r}; run: ingest run"))
            return
        if age < -CLOCKS_APART:
            ahead = Remark(
                "clock", f"the last confirmation, {confirmed_at}, lies {in_words(-age)} ahead of this machine's clock "
                f"({self._moment}); set the clock right, then confirm with: ingest run"
            )
            self.warn([ahead])
            if most is not None:
                self.problem(ahead)
        elif most is not None and age > most:
            self._overdue = f"last confirmed {in_words(age)} ago, at {confirmed_at}; it may be {in_words(most)} old"

    def look(self, catalog: Catalog, paths: tuple[Path, ...], name: str | None, progress: Progress, *, rehash: bool) -> None:
        """Compare everything with what the pinned generation says."""
        assert self.published is not None
        manifest, generation = self.published.manifest, self.published.generation
        layout = layout_of(self._settings)
        self.problem(*(Remark("index", message) for message in presence.problems(layout, manifest)))
        self.problem(*(Remark("index", message) for message in presence.unanswered(layout, manifest, self._settings)))
        differing = differences(self._settings, manifest)
        self._lines = differing.lines
        self.problem(*differing.problems)
        hold = hold_of(catalog)
        if hold is not None:
            message = f"rolled back to generation {hold['target']} and on hold; when the sources are right again: "
            self.warn([Remark("hold", f"{message}ingest snapshots release")])
        surveyed = self._surveyed(catalog, paths, name, generation, rehash=rehash)
        if surveyed is None:
            return
        self._compared = compare(surveyed, differing, catalog, generation, progress)
        self.problem(*self._compared.problems)
        self.warn(
            Remark("skipped", f"{uri}: {reason}", (uri,)) for uri, reason in surveyed.skipped if uri not in surveyed.unreadable
        )
        found = [*failures(surveyed.records), *families(surveyed.records)]
        found.extend(windows(surveyed.records, self.published.confirmed_at, self._moment))
        if differing.registry is not None:
            found.extend(contradictions(catalog, generation, differing.registry.exclusive, surveyed.records))
            if surveyed.records.declaring(("assertions", "columns")):
                from entities.assertions.declared import Declarations
                from flows.reviewed import vocabulary_of

                declarations = Declarations(differing.registry, vocabulary_of(self._settings))
                found.extend(unfit(surveyed.records, declarations, catalog, generation))
        self.warn(remark for remark in found if _concerns(remark, surveyed))

    def _surveyed(
        self, catalog: Catalog, paths: tuple[Path, ...], name: str | None, generation: int, *, rehash: bool
    ) -> Surveyed | None:
        """Look at the roots that can be looked at; None where it is not even known where they are."""
        away: list[SourceError] = []
        try:
            surveyed = look_over(
                catalog, self._settings, paths, name, rehash=rehash, allow_mass_delete=True, generation=generation, away=away
            )
        except SourceError as error:
            self.problem(Remark("root", str(error)))
            return None
        self._roots = {selection.root.name: selection.root.location for selection in surveyed.selections}
        self.problem(*(Remark("root", str(error)) for error in away))
        return surveyed

    def report(self, strict: bool) -> CheckReport:
        """Return what was found. What could not be told wins over what is stale: there may be more of it."""
        warnings = tuple(sorted(self._warnings, key=lambda remark: (remark.kind, remark.message)))
        problems = tuple(self._problems)
        changes, lines = tuple(self._compared.changes), tuple(dict.fromkeys(self._lines))
        stale = changes or lines or self._overdue or (strict and warnings)
        return CheckReport(
            generation=self.published.generation if self.published is not None else 0,
            status="unknown" if problems else "stale" if stale else "fresh",
            changes=changes, settings=lines, warnings=tuple(remark.message for remark in warnings),
            confirmed_at=self.published.confirmed_at if self.published is not None else "",
            problems=tuple(remark.message for remark in problems), overdue=self._overdue, strict=strict, same=self._compared.same,
            checked_at=self._moment, roots=self._roots, remarks={"warnings": warnings, "problems": problems},
        )


def _concerns(remark: Remark, surveyed: Surveyed) -> bool:
    """Whether a remark is about what was asked for, or about no document at all."""
    return not remark.uris or any(
        uri.startswith(f"{selection.root.name}/") and selection.covers(uri.removeprefix(f"{selection.root.name}/"))
        for uri in remark.uris for selection in surveyed.selections
    )


def in_words(time: timedelta) -> str:
    """Return a length of time by its two largest units: `2 d 4 h`, `36 min`."""
    seconds = int(time.total_seconds())
    parts = [(seconds // 86400, "d"), (seconds // 3600 % 24, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s")]
    first = next((at for at, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "0 s"
