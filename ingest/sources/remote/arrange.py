"""From a listing to a scan: the same rules of names, sidecars and patterns as in a folder of this machine.

In: things with a path and a token, in any order. Out: a `Scan`. The decision worth knowing: keys of object stores are any text.
One that is no path below the root (an empty part, `.`, `..`) is never taken, and told; the others are spelled as names of files
are, so a folder and its copy in a bucket have the same sources.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ingest.model.source import Root, Source
from ingest.protocols import Listed, Unlisted
from ingest.settings import SourcesPart
from ingest.sources.folder import Folder, folder_of
from ingest.sources.found import Elsewhere, Scan, Scanned, Token
from ingest.sources.ignore import IGNORE_FILE, Ignoring, is_leftover, of_settings, with_file
from ingest.sources.names import SIDECAR_SUFFIX, spelled
from ingest.sources.remote.place import Place
from ingest.sources.remote.reading import read_small
from ingest.sources.taking import Taking

_MOST_IGNORE_BYTES = 1024 * 1024


def arranged(
    place: Place, things: Iterable[Listed | Unlisted], settings: SourcesPart, within: str | None = None,
    known: Mapping[str, str] | None = None,
) -> Scan:
    """Return the scan that a listing makes, narrowed to the file or folder `within`. `known`: path -> token last read.

    Raises what the listing raises, and RootUnavailable where an `.ingestignore` at its top cannot be read."""
    arranging = _Arranging(place.root, place, within, known or {})
    top = arranging.tree(things)
    arranging.folder(top, "", of_settings(settings.ignore), None)
    return arranging.taking.scan()


@dataclass(slots=True)
class _Entry:
    """A file (with `listed`) or a folder of the listing."""

    name: str
    listed: Listed | None = None

    def is_dir(self) -> bool:
        return self.listed is None


@dataclass(slots=True)
class _Folder:
    files: list[_Entry] = field(default_factory=list)
    folders: dict[str, _Folder] = field(default_factory=dict)
    ignore_file: Listed | None = None

    def entries(self) -> Iterator[_Entry]:
        """Files first: object stores may have `a` beside `a/b`, and both are sources."""
        yield from self.files
        names = {spelled(entry.name) for entry in self.files}
        yield from (_Entry(name) for name in self.folders if name not in names)


class _Arranging:
    def __init__(self, root: Root, place: Place, within: str | None, known: Mapping[str, str]) -> None:
        self._known = known
        self._root = root
        self._place = place
        self._within = within
        self.taking = Taking("has control characters")

    def tree(self, things: Iterable[Listed | Unlisted]) -> _Folder:
        top = _Folder()
        for thing in things:
            parts = thing.path.split("/")
            path = "/".join(map(spelled, parts))
            if isinstance(thing, Unlisted):
                self._unlisted(path, thing)
            elif any(part in ("", ".", "..") for part in parts):
                self.taking.skip(path, "its key is no path below the root (an empty part, . or ..); rename it")
            else:
                self._put(top, parts, thing)
        return top

    def folder(self, start: _Folder, prefix: str, ignoring: Ignoring | None, problem: str | None) -> None:
        waiting = [(start, prefix, ignoring, problem)]
        while waiting:
            at, prefix, ignoring, problem = waiting.pop()
            try:
                if at.ignore_file is not None:
                    data = read_small(self._place, at.ignore_file, f"{self._root.name}/{prefix}{IGNORE_FILE}", _MOST_IGNORE_BYTES)
                    ignoring = with_file(ignoring, prefix, data)
            except (OSError, ValueError) as error:
                self._cannot_look(prefix.rstrip("/"), f"its {IGNORE_FILE} cannot be read: {error}")
                continue
            listed = folder_of(sorted(at.entries(), key=_in_order))
            if listed.is_knowledge_base():
                self.taking.skip(prefix.rstrip("/"), "it is a knowledge base")
                continue
            self._report(prefix, listed)
            problem = listed.problem or problem
            for name, entry in listed.entries.items():
                if entry.listed is not None:
                    self._file(listed, prefix, name, entry.listed, ignoring, problem)
            for name, below in at.folders.items():
                path = prefix + name
                named = name in listed.entries  # else it is called like a sidecar, and was told
                if named and self._wanted(path, is_folder=True) and not self._left_out(path, name, ignoring, is_folder=True):
                    waiting.append((below, path + "/", ignoring, listed.problems.get(name) or problem))

    def _put(self, top: _Folder, parts: list[str], listed: Listed) -> None:
        at = top
        for part in parts[:-1]:
            at = at.folders.setdefault(spelled(part), _Folder())
        if parts[-1] == IGNORE_FILE:
            at.ignore_file = listed
        at.files.append(_Entry(parts[-1], listed))

    def _file(
        self, listed: Folder[_Entry], prefix: str, name: str, thing: Listed, ignoring: Ignoring | None, problem: str | None
    ) -> None:
        path = prefix + name
        if not self._wanted(path, is_folder=False) or self._left_out(path, name, ignoring, is_folder=False):
            return
        problem = listed.problems.get(name) or problem
        entry = listed.sidecars.get(name) if problem is None else None
        sidecar = entry.listed if entry is not None else None
        if entry is not None and sidecar is None:
            problem = f"its sidecar {entry.name} is not a regular file"
        self.taking.take(Scanned(
            Source(self._root.name, path), "", path, _mark(thing),
            f"{prefix}{name}{SIDECAR_SUFFIX}" if sidecar is not None else None, _mark(sidecar) if sidecar is not None else None,
            problem, Elsewhere(self._place, thing, sidecar, self._is_same(path + SIDECAR_SUFFIX, sidecar)),
        ))

    def _is_same(self, path: str, listed: Listed | None) -> bool:
        return listed is not None and listed.token != "" and self._known.get(path) == listed.token

    def _left_out(self, path: str, name: str, ignoring: Ignoring | None, *, is_folder: bool) -> bool:
        if is_leftover(name):
            self._skip_if_asked(path, "hidden and temporary files are no sources")
            return True
        if ignoring is not None and ignoring.ignores(path, is_folder=is_folder):
            self._skip_if_asked(path, "it is ignored by a pattern")
            return True
        return False

    def _wanted(self, path: str, *, is_folder: bool) -> bool:
        within = self._within
        return within is None or path == within or path.startswith(within + "/") or (is_folder and within.startswith(path + "/"))

    def _unlisted(self, path: str, thing: Unlisted) -> None:
        if thing.kept:
            self._cannot_look(path, thing.reason)
        else:
            self.taking.skip(path, thing.reason)

    def _report(self, prefix: str, listed: Folder[_Entry]) -> None:
        if self._within is not None and not (prefix.rstrip("/") + "/").startswith(self._within + "/"):
            return
        self.taking.report(prefix, listed)

    def _cannot_look(self, path: str, why: str) -> None:
        if not path:
            raise self._place.away(OSError(why))
        self.taking.keep(path, why)

    def _skip_if_asked(self, path: str, reason: str) -> None:
        if self._within is not None and (self._within == path or self._within.startswith(path + "/")):
            self.taking.skip(path, reason)


def _mark(listed: Listed) -> Token:
    return Token(listed.size or 0, listed.token)


def _in_order(entry: _Entry) -> tuple[str, str]:
    return entry.name, entry.listed.key if entry.listed is not None else ""
