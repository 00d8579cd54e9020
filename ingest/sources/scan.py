"""A look at a root: which files are its sources, without opening any of them.

In: a root and the settings of sources. Out: a `Scan`. The decision worth knowing: what cannot be looked at is reported apart
from what is not there, because the one must never be taken for a deletion of the other. Links are followed where they stay
inside the root; nothing that is not a regular file is ever opened.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ingest.errors import RootUnavailable, UsageError
from ingest.model.source import Root, Source
from ingest.settings import SourcesPart
from ingest.sources.content import open_below, read, read_sidecar
from ingest.sources.folder import Folder, list_folder
from ingest.sources.found import Content, Scan, Scanned, Signature, Skipped, signature_of
from ingest.sources.ignore import IGNORE_FILE, Ignoring, is_leftover, of_settings, with_file
from ingest.sources.names import spelled
from ingest.sources.taking import Taking
from ingest.sources.url import is_url

MOST_LINKS = 3
"""Links to folders on one path. With more, a few folders that link to one another would be as many paths as one likes."""

_MOST_IGNORE_BYTES = 1024 * 1024


def scan(root: Root, settings: SourcesPart, within: str | None = None, known: Mapping[str, str] | None = None) -> Scan:
    """Look at `root`, or only at the file or folder `within` it (a relative path, spelled as in `Source.path`).

    `known`: path -> token under which a source of a root that is a URL was last read. A path `within` that does not exist yields
    nothing, which is how its sources are gone. Raises RootUnavailable when the root is missing, is no folder or cannot be
    listed; UsageError where Python does not read names of files as UTF-8.
    """
    if is_url(root.location):
        from ingest.sources.remote.arrange import arranged
        from ingest.sources.remote.place import Place

        place = Place.of(root, settings)
        return arranged(place, place.listing(known or {}, within), settings, within, known)
    if sys.getfilesystemencoding() != "utf-8":
        raise UsageError(
            f"names of files are read as {sys.getfilesystemencoding()} here, so that sources would have other names than "
            "elsewhere; set PYTHONUTF8=1 (the command line does so by itself)"
        )
    base = os.path.realpath(root.location)
    if not Path(base).is_dir():
        raise RootUnavailable(
            f"the folder of root {root.name!r} is not there: {root.location}; mount it, or run with its new path"
        )
    walk = _Walk(root, base)
    wanted = tuple(part for part in (within or "").split("/") if part)
    walk.folder(_Place(base, "", of_settings(settings.ignore), (base,), 0, wanted, None))
    return walk.taking.scan()


@dataclass(frozen=True, slots=True)
class _Place:
    """A folder on the way: its real path, its path in the root (empty, or with a slash at the end), the patterns in force, the
    real folders passed, the links followed, which way to go on (empty: everywhere), and a problem of all that is in it."""

    real: str
    prefix: str
    ignoring: Ignoring | None
    passed: tuple[str, ...]
    links: int
    wanted: tuple[str, ...]
    problem: str | None


class _Walk:
    def __init__(self, root: Root, base: str) -> None:
        self._root = root
        self._base = base
        self._inside = base.rstrip(os.sep) + os.sep
        self.taking = Taking("is not UTF-8 or has control characters")

    def folder(self, start: _Place) -> None:
        waiting = [start]
        while waiting:
            place = waiting.pop()
            try:
                listed = list_folder(place.real)
                place = self._with_ignore_file(place, listed)
            except OSError as error:
                self._cannot_look(place.prefix.rstrip("/"), error.strerror or str(error))
                continue
            except ValueError as error:
                self._cannot_look(place.prefix.rstrip("/"), f"its {IGNORE_FILE} cannot be read: {error}")
                continue
            if listed.is_knowledge_base():
                self.taking.skip(place.prefix.rstrip("/"), "it is a knowledge base")
                continue
            waiting.extend(self._entries(place, listed))

    def _entries(self, place: _Place, listed: Folder[os.DirEntry[str]]) -> list[_Place]:
        """Take the files of a folder; return the folders in it."""
        self._report(place, listed)
        problem = listed.problem or place.problem
        folders: list[_Place] = []
        entries = listed.entries
        if place.wanted:
            entries = {name: entries[name] for name in place.wanted[:1] if name in entries}
        for name, entry in entries.items():
            path = place.prefix + name
            if is_leftover(name):
                self._skip_if_wanted(place, path, "hidden and temporary files are no sources")
                continue
            try:
                below = self._entry(place, listed, name, entry, problem)
            except FileNotFoundError:
                continue  # deleted since the folder was listed
            except OSError as error:
                self._cannot_look(path, error.strerror or str(error))
                continue
            if below is not None:
                folders.append(below)
        return folders

    def _entry(
        self, place: _Place, listed: Folder[os.DirEntry[str]], name: str, entry: os.DirEntry[str], problem: str | None
    ) -> _Place | None:
        path = place.prefix + name
        is_link = entry.is_symlink()
        real = entry.path
        if is_link:
            target = self._target(path, real)
            if target is None:
                return None
            real = target
        status = Path(real).lstat() if is_link else entry.stat(follow_symlinks=False)
        is_folder = stat.S_ISDIR(status.st_mode)
        if place.ignoring is not None and place.ignoring.ignores(path, is_folder=is_folder):
            self._skip_if_wanted(place, path, "it is ignored by a pattern")
            return None
        if is_folder:
            return self._below(place, path, real, is_link, listed.problems.get(name) or problem)
        if not stat.S_ISREG(status.st_mode):
            self.taking.skip(path, "it is a pipe, socket or device, which is never opened")
        elif len(place.wanted) <= 1:
            self._take(path, real, status, self._sidecar(listed, name, entry.path if is_link else None, problem))
        return None

    def _take(self, path: str, real: str, status: os.stat_result, sidecar: _Sidecar) -> None:
        self.taking.take(Scanned(
            Source(self._root.name, path), self._base, real, signature_of(status), sidecar.real, sidecar.stat, sidecar.problem
        ))

    def _below(self, place: _Place, path: str, real: str, is_link: bool, problem: str | None) -> _Place | None:
        if is_link and real in place.passed:
            self.taking.skip(path, "this link leads back to a folder above it")
            return None
        if is_link and place.links >= MOST_LINKS:
            self.taking.skip(path, f"more than {MOST_LINKS} links to folders inside one another are not followed")
            return None
        return _Place(
            real, path + "/", place.ignoring, (*place.passed, real), place.links + is_link, place.wanted[1:], problem
        )

    def _target(self, path: str, link: str) -> str | None:
        """Where a link leads; None, reported, where that is nowhere or outside the root."""
        try:
            target = os.path.realpath(link, strict=True)
        except (FileNotFoundError, NotADirectoryError):
            self.taking.skip(path, "this link leads nowhere")
            return None
        if target != self._base and not target.startswith(self._inside):
            self.taking.skip(path, "this link leads out of the root")
            return None
        return target

    # --- sidecars

    def _sidecar(self, listed: Folder[os.DirEntry[str]], name: str, link: str | None, problem: str | None) -> _Sidecar:
        """The sidecar beside a file. A link without one has that of what it points to: a link must not open a private file."""
        problem = listed.problems.get(name) or problem
        while problem is None:
            entry = listed.sidecars.get(name)
            if entry is not None:
                return self._checked_sidecar(entry)
            if link is None:
                return _NO_SIDECAR
            target = Path(link).parent / Path(link).readlink()
            folder = target.parent.resolve()
            listed, name = list_folder(str(folder)), spelled(target.name)
            at = folder / target.name
            link = str(at) if at.is_symlink() else None
            problem = listed.problems.get(name) or listed.problem
        return _Sidecar(None, None, problem)

    def _checked_sidecar(self, entry: os.DirEntry[str]) -> _Sidecar:
        try:
            real = os.path.realpath(entry.path, strict=True) if entry.is_symlink() else entry.path
            status = Path(real).lstat()
        except OSError as error:
            return _Sidecar(None, None, f"its sidecar {entry.name} cannot be looked at: {error.strerror}")
        if not real.startswith(self._inside):
            return _Sidecar(None, None, f"its sidecar {entry.name} is a link out of the root")
        if not stat.S_ISREG(status.st_mode):
            return _Sidecar(None, None, f"its sidecar {entry.name} is not a regular file")
        return _Sidecar(real, signature_of(status), None)

    # --- what is told

    def _with_ignore_file(self, place: _Place, listed: Folder[os.DirEntry[str]]) -> _Place:
        """The place with the patterns of its own file. What cannot be read hides the folder: it may list what is private."""
        if IGNORE_FILE not in listed.entries:
            return place
        file = os.path.realpath(listed.entries[IGNORE_FILE].path)
        if not file.startswith(self._inside):
            raise ValueError("it is a link out of the root")
        with os.fdopen(open_below(self._base, file), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise ValueError("it is not a regular file")
            data = opened.read(_MOST_IGNORE_BYTES + 1)
        if len(data) > _MOST_IGNORE_BYTES:
            raise ValueError(f"it is larger than {_MOST_IGNORE_BYTES} bytes")
        return replace(place, ignoring=with_file(place.ignoring, place.prefix, data))

    def _report(self, place: _Place, listed: Folder[os.DirEntry[str]]) -> None:
        if place.wanted:
            return
        self.taking.report(place.prefix, listed)

    def _cannot_look(self, path: str, why: str) -> None:
        if not path:
            raise RootUnavailable(f"the folder of root {self._root.name!r} cannot be read: {self._root.location}: {why}")
        self.taking.keep(path, why)

    def _skip_if_wanted(self, place: _Place, path: str, reason: str) -> None:
        if place.wanted:
            self.taking.skip(path, reason)


@dataclass(frozen=True, slots=True)
class _Sidecar:
    real: str | None
    stat: Signature | None
    problem: str | None


_NO_SIDECAR = _Sidecar(None, None, None)

__all__ = ["MOST_LINKS", "Content", "Scan", "Scanned", "Signature", "Skipped", "read", "read_sidecar", "scan"]
