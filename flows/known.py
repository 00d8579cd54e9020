"""What the catalog knows beside what the roots hold now: the plan of a run, and what it remembers afterwards."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flows.base import Base
from flows.records import Records, catalogued
from flows.stages import Stages
from ingest.errors import RootUnavailable, SourceError
from ingest.model.canonical import digest_of, plain
from ingest.model.source import Revision, Root, SourceRecord, source_id
from ingest.settings import Settings
from ingest.sources.found import Content, Mark, Scan, Scanned, Signature, Token
from ingest.sources.names import SIDECAR_SUFFIX
from ingest.sources.plan import Known, Plan, guard, plan, renames
from ingest.sources.roots import Selection, resolve
from ingest.sources.scan import scan
from ingest.sources.url import is_url
from ingest.steps import reached
from ingest.store.catalog import Catalog

if TYPE_CHECKING:
    from flows.gathered import Gathered


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The plans of all selected roots, and every source as the catalog knows it (of other roots and paths too)."""

    settings: Settings
    plans: list[Plan]
    records: Records
    warnings: tuple[str, ...]
    selections: tuple[Selection, ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    """(uri, reason) of what is no source although somebody may expect it to be: what `warnings` says in words."""
    unreadable: frozenset[str] = frozenset()
    """Uris of folders and files that could not be looked at."""

    def whole(self, registered: Collection[str]) -> bool:
        """Whether all of every root was looked at: only then is the head confirmed. `registered`: the names of the roots."""
        seen = {selection.root.name for selection in self.selections if selection.within is None}
        return seen >= set(registered) and not any(made.kept for made in self.plans)

    @property
    def suspects(self) -> list[Scanned]:
        """What must be read: new, touched, made under other settings, failed for a reason that may have passed."""
        return [
            found.scanned for made in self.plans for group in (made.suspects, made.stale, made.retry) for found in group
        ]

    @property
    def gone(self) -> set[str]:
        return {known.source_id for made in self.plans for known in made.gone}

    def moved(self, read: dict[str, str]) -> dict[str, str]:
        """Return new source id -> old source id of files that were moved. `read`: source id -> content hash of new files."""
        return {
            source_id(made.selection.root.name, now): source_id(made.selection.root.name, before)
            for made in self.plans for now, before in _moved(made, read).items()
        }

    def guard(self, gathered: Iterable[Gathered], *, allow_mass_delete: bool) -> None:
        """Raise MassDeletion where more is gone than a root may lose at once, moves not counted."""
        read = {item.scanned.source.id: item.revision.content for item in gathered}
        for made in self.plans:
            guard(made, _moved(made, read), self.settings.sources, allow_mass_delete=allow_mass_delete)

    def counts(self, gathered: Sequence[Gathered], records: Mapping[str, SourceRecord], failures: int) -> dict[str, int]:
        """Return the `sources` of a report, `records` being all of them as they are now. A renamed source is neither added
        nor gone; one that was tried again and failed as before is the same."""
        new = {item.scanned.source.id: item.revision.content for item in gathered if item.scanned.source.id not in self.records}
        renamed = len(self.moved(new))
        read = {item.scanned.source.id for item in gathered if item.scanned.source.id in self.records}
        changed = sum(1 for id in read if records[id].digest() != self.records[id].digest())
        return {
            "added": len(new) - renamed, "changed": changed, "same": len(records) - len(new) - changed,
            "gone": len(self.gone) - renamed, "renamed": renamed, "failed": failures,
        }


def _moved(made: Plan, read: Mapping[str, str]) -> dict[str, str]:
    """New path -> old path of files that were moved, `read` being source id -> content hash."""
    new = [item.scanned.source for item in made.suspects if item.known is None]
    return renames(made.gone, {source.path: read[source.id] for source in new if source.id in read})


def survey(base: Base, paths: Sequence[Path], name: str | None, *, rehash: bool, allow_mass_delete: bool) -> Surveyed:
    """Scan the selected roots and plan; new roots are registered.

    Raises UsageError, RootUnavailable, RootEmptied, MassDeletion."""
    surveyed = look_over(base.catalog, base.settings, paths, name, rehash=rehash, allow_mass_delete=allow_mass_delete)
    registered = base.catalog.roots()
    for made in surveyed.plans:
        if registered.get(made.selection.root.name) != made.selection.root:
            base.catalog.put_root(made.selection.root)
            reached("root registered")
    return surveyed


def look_over(
    catalog: Catalog | None, settings: Settings, paths: Sequence[Path], name: str | None, *, rehash: bool,
    allow_mass_delete: bool, generation: int | None = None, away: list[SourceError] | None = None,
) -> Surveyed:
    """As `survey`, writing nothing. `catalog` None: there is no knowledge base yet. `generation`: what to compare with, else the
    head. With `away`, what would be raised of one root is put there, and the others are looked at all the same."""
    selections = resolve([str(path) for path in paths], catalog.roots() if catalog is not None else {}, name)
    number = generation if generation is not None or catalog is None else catalog.head()
    records = catalogued(catalog, number) if catalog is not None and number is not None else Records()
    known = _known(catalog, records) if catalog is not None else {}
    stages = Stages(settings)
    digest = cache(lambda items: digest_of(dict(items)))
    plans: list[Plan] = []
    skipped: list[tuple[str, str]] = []
    unreadable: set[str] = set()
    for selection in selections:
        try:
            found = scan(
                selection.root, settings.sources, selection.within, {} if rehash else _tokens(known.values(), selection)
            )
            _refuse_nothing(selection.root, found, known.values())
            made = plan(
                selection, found, known, settings.sources, rehash=rehash, allow_mass_delete=allow_mass_delete,
                fingerprint_of=lambda one: digest(tuple(stages.of(one.media_type or None, one.path).items())),
            )
        except SourceError as error:
            if away is None:
                raise
            away.append(error)
            continue
        plans.append(made)
        skipped.extend((f"{selection.root.name}/{item.path}", item.reason) for item in found.skipped)
        unreadable.update(f"{selection.root.name}/{path}" for path in found.unreadable)
    warnings = tuple(f"{uri}: {reason}" for uri, reason in skipped)
    return Surveyed(settings, plans, records, warnings, tuple(selections), tuple(skipped), frozenset(unreadable))


def _refuse_nothing(root: Root, found: Scan, known: Iterable[Known]) -> None:
    """Raise RootUnavailable for a URL at which nothing is and nothing ever was: it is mistyped, and no root."""
    if is_url(root.location) and not found.found and not found.unreadable and not any(one.root == root.name for one in known):
        raise RootUnavailable(f"nothing is listed below {root.location}; check the URL, and what may be listed there")


def _known(catalog: Catalog, records: Records) -> dict[str, Known]:
    seen = catalog.seen()
    digest = cache(lambda stages: digest_of(dict(stages)))
    known = {}
    for id, stated in records.stated():
        revision, failure = Revision(**stated["revision"]), stated["failure"]
        signatures, seen_revision = seen.get(id, (None, None))
        trusted = signatures if seen_revision == revision else None
        known[id] = Known(
            id, stated["root"], stated["path"], revision, _signature(trusted, "file"), _signature(trusted, "sidecar"),
            stated["media_type"] or "", digest(tuple(stated["stages"].items())), failure["message"] if failure else "ok",
            bool(failure and failure["retryable"]),
        )
    return known


def _signature(signatures: dict[str, Any] | None, which: str) -> Mark | None:
    values = signatures.get(which) if signatures is not None else None
    if values is None:
        return None
    return Token(*values) if len(values) == len(Token._fields) else Signature(*values)


def _tokens(known: Iterable[Known], selection: Selection) -> dict[str, str]:
    """Path -> token under which a source of a root that is a URL, and its sidecar, were last read."""
    tokens: dict[str, str] = {}
    if not is_url(selection.root.location):
        return tokens
    for one in known:
        if one.root == selection.root.name and selection.covers(one.path):
            for path, mark in ((one.path, one.signature), (one.path + SIDECAR_SUFFIX, one.sidecar_signature)):
                if isinstance(mark, Token):
                    tokens[path] = mark.tag
    return tokens


def remember(base: Base, gathered: Iterable[Gathered], same: Iterable[tuple[Scanned, Content]]) -> None:
    """Note under which signatures files had the content that was read, so that the next run need not read them."""
    read = [(item.scanned, item.content) for item in gathered if item.content is not None]
    base.catalog.put_seen(
        (
            scanned.source.id,
            {
                "file": plain(content.signature), "sidecar": plain(content.sidecar_signature),
            },
            content.revision,
        )
        for scanned, content in (*read, *same)
        if content.signature is not None
    )
