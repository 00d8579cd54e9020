"""What a run has to do: what was found beside what is known.

In: a scan and the catalog's knowledge of a root. Out: a `Plan`: what is the same, what has to be read, what has to be made again
because settings or code changed, what is gone. Change is decided by content hash; a signature only skips hashing. The decision
worth knowing: a deletion is believed only when it is plausible. `plan` refuses what can be refused by names alone; once the
new files are hashed and moves are known, `guard` decides on the rest.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ingest.errors import MassDeletion, RootEmptied, RootUnavailable
from ingest.model.source import Revision
from ingest.settings import SourcesPart
from ingest.sources.found import Mark, Scan, Scanned
from ingest.sources.roots import Selection

Why = Literal["new", "touched", "sidecar", "unsettled", "rehash", "problem"]


@dataclass(frozen=True, slots=True)
class Known:
    """What the catalog knows of a source. A signature of None is never trusted (see `Content`).

    `stage_fingerprints` is whatever `fingerprint_of` returned when it was last made; `status` is `ok`, or says how the last
    attempt failed; `retryable` tells a failure that may pass by itself.
    """

    source_id: str
    root: str
    path: str
    revision: Revision
    signature: Mark | None
    sidecar_signature: Mark | None
    media_type: str
    stage_fingerprints: str
    status: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class Suspect:
    """A file that must be read to tell whether it changed. `known` is None where it is new."""

    scanned: Scanned
    known: Known | None
    why: Why


@dataclass(frozen=True, slots=True)
class Same:
    """A file with the signature under which it was last read. `reason` says why it is worked on all the same, else empty."""

    scanned: Scanned
    known: Known
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Every source of the selection is in exactly one list, sorted by path. `kept` could not be looked at and stay as they
    are. `known_in_root` counts the whole root's known sources, the narrowed-out ones too: what deletions are measured by."""

    selection: Selection
    known_in_root: int
    unchanged: list[Same] = field(default_factory=list)
    suspects: list[Suspect] = field(default_factory=list)
    stale: list[Same] = field(default_factory=list)
    retry: list[Same] = field(default_factory=list)
    gone: list[Known] = field(default_factory=list)
    kept: list[Known] = field(default_factory=list)


def plan(
    selection: Selection,
    scan: Scan,
    known: Mapping[str, Known],
    settings: SourcesPart,
    *,
    rehash: bool = False,
    allow_mass_delete: bool = False,
    fingerprint_of: Callable[[Known], str],
) -> Plan:
    """Compare a scan of `selection` with `known` (by source id; other roots' are passed over).

    `fingerprint_of` returns the present fingerprint of every stage that a known source goes through, `fingerprint.fingerprint`
    among them. Raises RootEmptied when a root that had sources yields none, and MassDeletion when more would be gone than the
    guard allows even if every new file turned out to be a moved one; RootUnavailable when nothing can be looked at.
    """
    of_root = {one.path: one for one in known.values() if one.root == selection.root.name}
    made = Plan(selection, len(of_root))
    if of_root and not scan.found and selection.within is None:
        if scan.unreadable:
            raise RootUnavailable(
                f"nothing in the root {selection.root.name!r} ({selection.root.location}) can be looked at: "
                f"{', '.join(scan.unreadable)}; check the permissions and run again"
            )
        raise RootEmptied(
            f"the root {selection.root.name!r} ({selection.root.location}) had {len(of_root)} sources and now has none; is it "
            "mounted? To delete the last files, name their paths: ingest run PATH"
        )
    for scanned in scan.found:
        _place(made, scanned, of_root.get(scanned.source.path), rehash, fingerprint_of)
    present = {scanned.source.path for scanned in scan.found}
    for path in sorted(of_root):
        if selection.covers(path) and path not in present:
            (made.kept if _is_under(path, scan.unreadable) else made.gone).append(of_root[path])
    fresh = sum(1 for suspect in made.suspects if suspect.known is None)
    _refuse_mass(made, max(0, len(made.gone) - fresh), settings, allow_mass_delete)
    return made


def renames(gone: Iterable[Known], added: Mapping[str, str]) -> dict[str, str]:
    """Return new path -> old path of files that were moved within a root: the same bytes, not there any more, there now.

    `added` maps the path of each new file to the sha256 of its bytes. Among equal files those that keep their name are paired
    first, then in order of path, so the outcome does not depend on the order of arrival.
    """
    old: dict[str, list[str]] = defaultdict(list)
    for one in sorted(gone, key=lambda one: one.path):
        old[one.revision.content].append(one.path)
    new: dict[str, list[str]] = defaultdict(list)
    for path in sorted(added):
        if added[path] in old:
            new[added[path]].append(path)
    pairs: dict[str, str] = {}
    for content, paths in new.items():
        pairs.update(_paired(old[content], paths))
    return dict(sorted(pairs.items()))


def guard(made: Plan, moved: Mapping[str, str], settings: SourcesPart, *, allow_mass_delete: bool = False) -> None:
    """Raise MassDeletion when, moves (as from `renames`) not counted, more is gone than max(files, share of the root)."""
    _refuse_mass(made, len({one.path for one in made.gone} - set(moved.values())), settings, allow_mass_delete)


def _place(
    made: Plan, scanned: Scanned, known: Known | None, rehash: bool, fingerprint_of: Callable[[Known], str]
) -> None:
    why = _why_read(scanned, known, rehash)
    if known is None or why is not None:
        made.suspects.append(Suspect(scanned, known, why or "new"))
        return
    fingerprint = fingerprint_of(known)
    if fingerprint != known.stage_fingerprints:
        made.stale.append(Same(scanned, known, f"made under {known.stage_fingerprints}, now {fingerprint}"))
    elif known.retryable:
        made.retry.append(Same(scanned, known, known.status))
    else:
        made.unchanged.append(Same(scanned, known))


def _why_read(scanned: Scanned, known: Known | None, rehash: bool) -> Why | None:
    if known is None:
        return "new"
    if scanned.problem is not None:
        return "problem"
    if rehash:
        return "rehash"
    if known.signature is None or ((known.sidecar_signature is None) != (not known.revision.metadata)):
        return "unsettled"
    if scanned.stat != known.signature:
        return "touched"
    return "sidecar" if scanned.sidecar_stat != known.sidecar_signature else None


def _is_under(path: str, prefixes: Iterable[str]) -> bool:
    return any(path == prefix or path.startswith(prefix + "/") for prefix in prefixes)


def _paired(old: list[str], new: list[str]) -> Iterable[tuple[str, str]]:
    """(new, old) pairs of two sorted lists, each path once: equal names first, the rest in order."""
    by_name: dict[str, deque[str]] = defaultdict(deque)
    for path in old:
        by_name[path.rpartition("/")[2]].append(path)
    rest: list[str] = []
    for path in new:
        named = by_name[path.rpartition("/")[2]]
        if named:
            yield path, named.popleft()
        else:
            rest.append(path)
    yield from zip(rest, sorted(path for paths in by_name.values() for path in paths), strict=False)


def _refuse_mass(made: Plan, count: int, settings: SourcesPart, allowed: bool) -> None:
    most = max(settings.mass_delete_files, settings.mass_delete_share * made.known_in_root)
    if count > most and not allowed:
        root = made.selection.root
        raise MassDeletion(
            f"{count} of {made.known_in_root} sources of the root {root.name!r} ({root.location}) would be deleted; "
            "is everything mounted? If it is meant, run again with --allow-mass-delete"
        )
