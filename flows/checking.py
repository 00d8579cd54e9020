"""Is the head still true to its sources and settings?

It only reads. `check` hashes what the stat cache cannot vouch for; it loads no model and parses nothing.
"""

from __future__ import annotations

from pathlib import Path

from entities.recognise import Recogniser
from entities.registry import load_seeds
from flows.known import Surveyed, look_over
from flows.opening import layout_of
from flows.pipeline import Options, engine_of
from flows.shape import Shape, shape_of
from flows.state import state_after
from indexes.generation.rollback import hold_of
from ingest.errors import ConcordError, DocumentError, RootEmptied
from ingest.model.generation import Manifest
from ingest.model.report import Change, CheckReport, PlanReport
from ingest.progress import Progress
from ingest.settings import Settings
from ingest.sources.scan import read
from ingest.store.catalog import Catalog


def planned(settings: Settings, options: Options, progress: Progress) -> PlanReport:
    """Return what a run would do, a first run too."""
    path = layout_of(settings).catalog
    catalog = Catalog(path) if path.exists() else None
    try:
        surveyed = look_over(
            catalog, settings, options.paths, options.name, rehash=options.rehash, allow_mass_delete=options.allow_mass_delete
        )
        changes, same, problems = _changes(surveyed, settings, progress)
        return PlanReport(tuple(changes), same, (*surveyed.warnings, *problems))
    finally:
        if catalog is not None:
            catalog.close()


def check(settings: Settings, paths: tuple[Path, ...], progress: Progress, *, rehash: bool = False) -> CheckReport:
    """Compare the head with its sources and settings. Raises KnowledgeBaseMissing when nothing was ever published.

    What cannot be reached makes the answer `unknown`, never `fresh`."""
    with Catalog(layout_of(settings).catalog) as catalog:
        head = catalog.served()
        published = catalog.published(head)
        problems: list[str] = []
        changes: list[Change] = []
        warnings: list[str] = []
        try:
            surveyed = look_over(catalog, settings, paths, None, rehash=rehash, allow_mass_delete=True)
            changes, _, unread = _changes(surveyed, settings, progress)
            problems.extend(unread)
            warnings.extend(surveyed.warnings)
            state = state_after(surveyed.records, set(), ())
            warnings.extend(f"{record.uri}: {record.failure.message}" for record in state.failed() if record.failure is not None)
            warnings.extend(state.findings)
        except ConcordError as error:
            if error.exit_code != 6 and not isinstance(error, RootEmptied):
                raise
            problems.append(str(error))
        differing, unknown = _settings(settings, published.manifest)
        problems.extend(unknown)
        hold = hold_of(catalog)
        if hold is not None:
            warnings.append(f"rolled back to generation {hold['target']} and on hold")
    status = "unknown" if problems else "stale" if changes or differing else "fresh"
    return CheckReport(
        head, status, tuple(changes), tuple(differing), tuple(sorted(set(warnings))), published.confirmed_at, tuple(problems)
    )


def _changes(surveyed: Surveyed, settings: Settings, progress: Progress) -> tuple[list[Change], int, list[str]]:
    """Return (changes, number of sources that are the same, what could not be looked at)."""
    changes: list[Change] = []
    problems = [
        f"{known.root}/{known.path} could not be looked at" for made in surveyed.plans for known in made.kept
    ]
    suspects = [item for made in surveyed.plans for item in made.suspects]
    same = sum(len(made.unchanged) for made in surveyed.plans)
    new: dict[str, str] = {}
    progress.start("hash", len(suspects), "files")
    for item in suspects:
        uri = item.scanned.source.uri
        try:
            revision = read(item.scanned, settings.sources.max_bytes).revision
        except DocumentError as error:
            if item.known is not None and item.known.status == str(error) and not error.retryable:
                same += 1  # it failed like this when it was last run, and would again
            elif item.known is None or not error.retryable:
                changes.append(Change(uri, "changed" if item.known else "added", str(error)))
            else:
                problems.append(str(error))
        else:
            if item.known is None:
                new[item.scanned.source.id] = revision.content
                changes.append(Change(uri, "added"))
            elif item.known.revision != revision:
                changes.append(Change(uri, "changed"))
            else:
                same += 1
        progress.advance("hash")
    progress.finish("hash")
    for made in surveyed.plans:
        changes.extend(Change(item.scanned.source.uri, "stale", "settings or parsers changed") for item in made.stale)
        changes.extend(Change(item.scanned.source.uri, "retry", item.reason) for item in made.retry)
        changes.extend(Change(f"{known.root}/{known.path}", "gone") for known in made.gone)
    moved = surveyed.moved(new)
    return sorted(_with_renames(changes, surveyed, moved), key=lambda change: (change.uri, change.what)), same, problems


def _with_renames(changes: list[Change], surveyed: Surveyed, moved: dict[str, str]) -> list[Change]:
    """Say `renamed` instead of `added` and `gone`."""
    names = {item.scanned.source.id: item.scanned.source.uri for made in surveyed.plans for item in made.suspects}
    pairs = {names[new]: surveyed.records[old].uri for new, old in moved.items()}
    kept = [change for change in changes if not (
        (change.what == "added" and change.uri in pairs) or (change.what == "gone" and change.uri in pairs.values())
    )]
    return [*kept, *(Change(new, "renamed", f"was {old}") for new, old in pairs.items())]


def _settings(settings: Settings, manifest: Manifest) -> tuple[list[str], list[str]]:
    """Return (what in settings, code and models differs from the manifest, why that could not be told)."""
    try:
        registry = load_seeds(Path(settings.base) / seed for seed in settings.entities.seeds)
        choice = engine_of(settings, manifest, re_engine=False)
    except ConcordError as error:
        return [], [str(error)]
    shape = shape_of(settings, choice, Recogniser(registry).fingerprint, registry.digest())
    return _differences(shape, manifest), []


def _differences(shape: Shape, manifest: Manifest) -> list[str]:
    found = [f"settings of {part} changed" for part, digest in shape.settings.items() if manifest.settings.get(part) != digest]
    found.extend(
        f"{part} changed: published with {manifest.fingerprints.get(part)}, now {fingerprint}"
        for part, fingerprint in shape.fingerprints.items() if manifest.fingerprints.get(part) != fingerprint
    )
    if shape.registry != manifest.registry:
        found.append("the registry's seeds changed")
    return found
