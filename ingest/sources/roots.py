"""From the paths of a command line to roots and what of them to look at.

In: paths as typed, and the roots that the knowledge base knows. Out: one `Selection` a root or part of one. The decision worth
knowing: no file may be a source twice, so roots never lie inside one another, and a name never silently comes to mean another
folder. Folders are compared by device and inode, so links, bind mounts and other spellings of a path are the same folder.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ingest.errors import RootUnavailable, UsageError
from ingest.model.source import Root
from ingest.sources.names import SIDECAR_SUFFIX, spelled
from ingest.sources.url import below, is_url, name_of, typed_path, typed_url


@dataclass(frozen=True, slots=True)
class Selection:
    """A root, and the file or folder in it that a run is narrowed to (spelled as in `Source.path`); None is all of it."""

    root: Root
    within: str | None = None

    def covers(self, path: str) -> bool:
        """Whether the source at `path` is looked at."""
        return self.within is None or path == self.within or path.startswith(self.within + "/")


def resolve(
    paths: Sequence[str | os.PathLike[str]], registered: Mapping[str, Root], name: str | None = None
) -> list[Selection]:
    """Return what to look at, sorted by root and path, no part inside another.

    Without paths: all registered roots, or the one called `name`. A folder that is no root becomes one, called `name` or like
    the folder; a path below a root narrows it, whether it still exists or not; a single file makes its folder the root. A root
    whose folder has gone and whose name comes up elsewhere has moved; so has one that came with an archive and has no place yet.
    A URL is a root like a folder; whether anything is there is seen when it is scanned.
    Raises UsageError, and RootUnavailable where such a one is asked for without a path.
    """
    if not paths:
        return _registered(registered, name)
    known = dict(registered)
    selections: list[Selection] = []
    fresh: Root | None = None
    for path in _outer_first(paths):
        selection = _below_root(path, known.values()) if isinstance(path, Path) else _below_url(path, known.values())
        if selection is None:
            if name is not None and fresh is not None:
                raise UsageError(f"--name {name!r} cannot be given to two folders; run them one after the other")
            selection = _new(path, known, name) if isinstance(path, Path) else _new_url(path, known, name)
            fresh = known[selection.root.name] = selection.root
        elif name is not None and selection.root.name != name:
            raise UsageError(f"{path} belongs to the root {selection.root.name!r}; leave out --name")
        selections.append(selection)
    return _without_inner(selections)


def _outer_first(paths: Sequence[str | os.PathLike[str]]) -> list[Path | str]:
    """Paths, absolute, and URLs, each once. Outer ones first: `run docs/sub docs` means docs, in either order. Links stay as
    typed: they are paths of the root."""
    urls = {url for path in paths if (url := typed_url(os.fspath(path))) is not None}
    files = [
        Path(os.path.abspath(typed_path(os.fspath(path)))) for path in paths if typed_url(os.fspath(path)) is None  # noqa: PTH100
    ]
    return [*sorted(files, key=lambda path: (len(path.parts), path)), *sorted(urls, key=lambda url: (url.count("/"), url))]


def _below_url(url: str, roots: Iterable[Root]) -> Selection | None:
    for root in roots:
        path = below(root.location, url) if is_url(root.location) else None
        if path is not None:
            return Selection(root, _owner(path) or None)
    return None


def _new_url(url: str, known: Mapping[str, Root], name: str | None) -> Selection:
    called = _valid(name_of(url) if name is None else name, url)
    for root in known.values():
        if is_url(root.location) and below(url, root.location) is not None:
            raise UsageError(
                f"{url} contains the root {root.name!r} ({root.location}), whose files would be ingested twice; run what lies "
                "beside it one by one, or use another knowledge base"
            )
    _refuse_unplaced(url, called, known.values(), name)
    _refuse_taken(called, known)
    return Selection(Root(called, url))


def _registered(registered: Mapping[str, Root], name: str | None) -> list[Selection]:
    if name is not None and name not in registered:
        raise UsageError(f"there is no root called {name!r}; name its folder: ingest run PATH --name {name}")
    roots = [root for root in registered.values() if name in (None, root.name)]
    if not roots:
        raise UsageError("nothing has been ingested yet; name a folder: ingest run PATH")
    for root in roots:
        if not root.location:
            raise RootUnavailable(
                f"the root {root.name!r} came with an archive and has no folder here yet; say which it is: "
                f"ingest run PATH --name {shlex.quote(root.name)}"
            )
    return [Selection(root) for root in sorted(roots, key=lambda root: root.name)]


def _below_root(path: Path, roots: Iterable[Root]) -> Selection | None:
    """The part of a root that `path` is: as it was typed if that leads below a root, else by where its links lead.

    A root whose folder is gone keeps its place: a scan then says that it is away, which is not the same as a wrong path."""
    by_place = {Path(root.location): root for root in roots if root.location and not is_url(root.location)}
    by_identity = {identity: root for place, root in by_place.items() if (identity := _identity(place)) is not None}
    for spelling in (path, Path(os.path.realpath(path))):
        for ancestor in (spelling, *spelling.parents):
            identity = _identity(ancestor)
            root = by_identity.get(identity) if identity is not None else by_place.get(ancestor)
            if root is not None:
                parts = [spelled(part) for part in spelling.relative_to(ancestor).parts]
                return Selection(root, _owner("/".join(parts)) or None)
    return None


def _new(path: Path, known: Mapping[str, Root], name: str | None) -> Selection:
    """The root that a path makes which is below none."""
    real = Path(os.path.realpath(path))
    if not real.exists():
        raise UsageError(f"{path} does not exist and is below no root; check the path")
    folder = real if real.is_dir() else real.parent
    within = None if folder == real else _owner(spelled(real.name))
    called = _valid(spelled(folder.name) if name is None else name, folder)
    _refuse_around(folder, called, known.values())
    _refuse_unplaced(folder, called, known.values(), name)
    _refuse_taken(called, known)
    return Selection(Root(called, str(folder)), within)


def _refuse_unplaced(place: Path | str, called: str, roots: Iterable[Root], name: str | None) -> None:
    unplaced = sorted(root.name for root in roots if not root.location)
    if unplaced and name is None and called not in {root.name for root in roots}:
        raise UsageError(
            f"{place} is no root, and the roots {', '.join(unplaced)} came with an archive and have no folder here yet; say "
            f"which one it is, or that it is a new one: --name {shlex.quote(unplaced[0])}, or --name {shlex.quote(called)}"
        )


def _refuse_taken(called: str, known: Mapping[str, Root]) -> None:
    before = known.get(called)
    if before is not None and _still_there(before.location):
        raise UsageError(
            f"{called!r} is already the name of the root at {before.location}; call this one something else with --name"
        )


def _refuse_around(folder: Path, called: str, roots: Iterable[Root]) -> None:
    identity = _identity(folder)
    for root in roots:
        if not root.location or is_url(root.location):
            continue
        real = Path(os.path.realpath(root.location))
        if root.name != called and any(_identity(parent) == identity for parent in real.parents):
            raise UsageError(
                f"{folder} contains the root {root.name!r} ({root.location}), whose files would be ingested twice; "
                "run the folders beside it one by one, or use another knowledge base"
            )


def _valid(name: str, folder: Path | str) -> str:
    if not name.strip() or name != spelled(name) or "/" in name or name in (".", ".."):
        raise UsageError(f"{name!r} cannot be the name of a root ({folder}); give one without slashes with --name")
    return name


def _owner(path: str) -> str:
    """Who names a sidecar means its document."""
    owner = path.removesuffix(SIDECAR_SUFFIX)
    return path if owner == "" or owner.endswith("/") else owner


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino


def _still_there(location: str) -> bool:
    """Whether a root is where it was. What cannot be asked (permissions, a stale mount, a URL) counts as there; a root that came
    with an archive (no location) was never anywhere."""
    if not location or is_url(location):
        return bool(location)
    try:
        Path(location).stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def _without_inner(selections: Iterable[Selection]) -> list[Selection]:
    kept: list[Selection] = []
    # Sorted so that whatever holds others comes before them.
    for selection in sorted(set(selections), key=lambda one: (one.root.name, one.within or "")):
        if not any(_holds(one, selection) for one in kept):
            kept.append(selection)
    return kept


def _holds(outer: Selection, inner: Selection) -> bool:
    return outer.root == inner.root and (outer.within is None or (inner.within is not None and outer.covers(inner.within)))
